"""Backward hooks of modules: which gradients they see, and what they may put in their place."""

import pytest

import dynamicgrad as dg

LIBRARIES = ["dynamicgrad", pytest.param("torch", marks=pytest.mark.peers)]


@pytest.fixture(params=LIBRARIES)
def t(request):
    return pytest.importorskip(request.param, reason="torch is the oracle")


def linear(t):
    """Three inputs, two outputs, all weights 1."""
    layer = t.nn.Linear(3, 2, bias=False)
    t.nn.init.ones_(layer.weight)
    return layer


def lists(grads):
    return [None if g is None else g.tolist() for g in grads]


def test_a_hook_sees_the_gradients_of_inputs_and_outputs(t):
    layer, seen = linear(t), []
    layer.register_full_backward_hook(lambda m, gi, go: seen.append((m, lists(gi), lists(go))))
    x = t.ones(3, requires_grad=True)
    (layer(x) * 5).sum().backward()
    assert seen == [(layer, [[10.0] * 3], [[5.0] * 2])]


def test_what_a_hook_returns_takes_the_place_of_the_gradients_of_inputs(t):
    layer, x = linear(t), t.ones(3, requires_grad=True)
    layer.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
    layer.register_full_backward_hook(lambda m, gi, go: (gi[0] + 1,))
    layer.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
    layer(x).sum().backward()
    assert x.grad.tolist() == [41.0] * 3
    assert layer.weight.grad.tolist() == [[2.0] * 3] * 2


class Pair(dg.nn.Module):
    """Two outputs in a tuple, from an input and something else."""

    def forward(self, x, scale, other=None):
        return x * scale, x * 3, "text"


def test_every_place_of_inputs_and_outputs_has_a_gradient_or_none():
    pair, seen = Pair(), []
    pair.register_full_backward_hook(lambda m, gi, go: seen.append((lists(gi), lists(go))))
    x = dg.ones(2, requires_grad=True)
    first, _, text = pair(x, 2.0, other=x)
    assert text == "text"
    first.sum().backward()
    assert seen == [([[2.0, 2.0], None], [[1.0, 1.0], None, None])]


def test_without_inputs_to_differentiate_hooks_are_called_with_none():
    layer, seen = linear(dg), []
    layer.register_full_backward_hook(lambda m, gi, go: seen.append((gi, lists(go))))
    layer(dg.ones(3)).sum().backward()
    assert seen == [((None,), [[1.0, 1.0]])]
    layer.register_full_backward_hook(lambda m, gi, go: go)
    with pytest.raises(RuntimeError, match="no input requires gradient should always"):
        layer(dg.ones(3)).sum().backward()


def test_hooks_are_called_from_the_last_module_to_the_first(t):
    model, order = t.nn.Sequential(linear(t), t.nn.Tanh(), t.nn.Linear(2, 1)), []
    for name, module in model.named_modules():
        module.register_full_backward_hook(lambda m, gi, go, name=name: order.append(name))
    model(t.ones(1, 3, requires_grad=True)).sum().backward()
    assert order == ["2", "1", "0", ""]


@pytest.mark.parametrize("wrong", [lambda g: (g, g), lambda g: ()])
def test_a_wrong_number_of_gradients_is_refused(t, wrong):
    layer = linear(t)
    layer.register_full_backward_hook(lambda m, gi, go: wrong(gi[0]))
    with pytest.raises(
        RuntimeError, match=r"invalid number of grad_input, got [02], but expected 1"
    ):
        layer(t.ones(3, requires_grad=True)).sum().backward()


def test_a_removed_hook_is_not_called_and_no_hooks_leave_no_node():
    layer = linear(dg)
    handle = layer.register_full_backward_hook(lambda m, gi, go: pytest.fail("called"))
    handle.remove()
    y = layer(dg.ones(3, requires_grad=True))
    y.sum().backward()
    assert y.grad_fn.name() != "BackwardHookFunctionBackward"


def test_nothing_is_recorded_under_no_grad():
    layer = linear(dg)
    layer.register_full_backward_hook(lambda m, gi, go: None)
    with dg.no_grad():
        assert layer(dg.ones(3, requires_grad=True)).grad_fn is None


def test_the_gradient_may_be_differentiated_again(t):
    layer, x = linear(t), t.ones(3, requires_grad=True)
    layer.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
    (g,) = t.autograd.grad((layer(x) ** 2).sum(), x, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), x)
    assert (g.tolist(), h.tolist()) == ([120.0] * 3, [1200.0] * 3)
