"""Backward and grad: what is computed, where it goes, and what is refused."""

import gc
import threading
import weakref

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops import MissingRuleError, ShapeError, TapeError
from gradops.core.source_location import describe


@pytest.fixture
def x():
    return dg.tensor([1.0, 2.0], requires_grad=True)


def test_gradients_are_added_into_the_same_tensor(x):
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    assert x.grad is first
    assert first.tolist() == [5, 5]


def test_a_gradient_is_nobody_elses_memory(x):
    y, seed = dg.ones(2, requires_grad=True), dg.ones(2)
    (x + y).backward(seed)
    x.grad.zero_()
    assert (y.grad.tolist(), seed.tolist()) == ([1, 1], [1, 1])
    (g,) = dg.autograd.grad(x + 0.0, x, seed)
    g.zero_()
    assert seed.tolist() == [1, 1]


def test_a_gradient_of_a_big_sum_can_be_written_to():
    x = dg.zeros(100, 100, requires_grad=True)
    x.sum().backward()
    x.grad += 1
    assert x.grad[0, 0].item() == 2


def test_a_gradient_has_the_dtype_and_shape_of_its_leaf():
    x = dg.tensor([[1.0]], dtype="float32", requires_grad=True)
    y = dg.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    (x * y).sum().backward()
    assert (x.grad.dtype, x.grad.shape) == (np.float32, (1, 1))
    assert (y.grad.dtype, y.grad.shape) == (np.float64, (2,))


def test_grad_leaves_dot_grad_alone_and_sums_outputs(x):
    (g,) = dg.autograd.grad([x * 2, x * x], x, [dg.ones(2), dg.ones(2)])
    assert g.tolist() == [4, 6]
    assert x.grad is None


def test_derivatives_of_any_order():
    x = dg.tensor(2.0, requires_grad=True)
    y = x**5
    for expected in (80.0, 160.0, 240.0, 240.0, 120.0):
        (y,) = dg.autograd.grad(y, x, create_graph=True)
        assert y.item() == expected


def test_a_gradient_of_a_result_and_an_unused_input(x):
    h = x * x
    other = dg.ones(1, requires_grad=True)
    gh, go = dg.autograd.grad((h * 3).sum(), [h, other], allow_unused=True, retain_graph=True)
    assert (gh.tolist(), go) == ([3, 3], None)
    with pytest.raises(
        TapeError, match=r"not have been used in the graph: the one at index 1.*(?s:.*)allow_unused"
    ):
        dg.autograd.grad((h * 3).sum(), [h, other])
    (zeros,) = dg.autograd.grad(x.sum(), other, materialize_grads=True)
    assert zeros.tolist() == [0]
    with pytest.raises(ValueError, match="materialize_grads"):
        dg.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True)


def test_backward_to_some_inputs_only(x):
    y = dg.ones(2, requires_grad=True)
    h = x * y
    (h * h).sum().backward(inputs=[x])
    assert (x.grad.tolist(), y.grad) == ([2, 4], None)
    with pytest.raises(RuntimeError, match="cannot be empty"):
        x.sum().backward(inputs=[])


def test_backward_to_a_result_gives_it_a_gradient(x):
    h = x * 2
    (h * h).sum().backward(inputs=[h])
    assert h.grad.tolist() == [4, 8]
    assert x.grad is None


def test_only_the_path_to_the_inputs_is_run(x):
    def fail(g, y, x):
        raise AssertionError("this rule is not on the path")

    op = gradops.elementwise(
        "off_the_path", lambda x: x + 0.0, d=[None], vjp=[fail], samples=lambda rng: [],
        doc="Fails in backward.",
    )  # fmt: skip
    try:
        h = x * 2
        loss = (op(x) * h).sum()
        assert dg.autograd.grad(loss, h)[0].tolist() == [1, 2]
        with pytest.raises(AssertionError, match="not on the path") as caught:
            (op(x) * 1).sum().backward()
        rule, call = caught.value.__notes__
        assert rule == "in the VJP rule of operand 0"
        assert "in the backward of off_the_path, called at test_backward.py" in call
    finally:
        del gradops.OPS["off_the_path"]


def test_an_op_without_a_rule_says_so(x):
    op = gradops.Op(
        "no_rule", lambda x: x + 0.0, infer=lambda x: x, vjp=[], jvp=[], source="({0} + 0.0)",
        doc="Has no rule.", samples=lambda rng: [],
    )  # fmt: skip
    try:
        with pytest.raises(MissingRuleError, match="no_rule has no vjp rule"):
            op(x).sum().backward()
    finally:
        del gradops.OPS["no_rule"]


def test_a_seed_of_another_shape_is_refused_before_anything_changes(x):
    y = x * x
    with pytest.raises(ShapeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of"):
        y.backward(dg.ones(3))
    y.backward(dg.ones(2))
    assert x.grad.tolist() == [2, 4]


def test_a_second_backward_changes_no_gradient(x):
    loss = (x * x).sum()
    loss.backward()
    with pytest.raises(TapeError, match="second time"):
        loss.backward()
    assert x.grad.tolist() == [2, 4]


@pytest.mark.parametrize("bad", [1.0, None, np.ones(2)])
def test_what_is_no_tensor_cannot_be_differentiated(bad, x):
    with pytest.raises((TypeError, TapeError)):
        dg.autograd.grad(x.sum(), bad)


def test_an_input_that_requires_no_gradient_is_refused(x):
    with pytest.raises(
        RuntimeError, match="One of the differentiated Tensors does not require grad"
    ):
        dg.autograd.grad(x.sum(), dg.ones(2))


def test_a_masked_singularity_does_not_leak():
    x = dg.tensor([-1.0, 0.0, 4.0], requires_grad=True)
    with np.errstate(invalid="ignore"):
        dg.where(x > 0, x.sqrt(), 0.0).sum().backward()
    assert x.grad.tolist() == [0, 0, 0.25]


def test_backward_gives_no_warnings_of_its_own():
    x = dg.tensor([0.0, 1.0], requires_grad=True)
    x.sqrt().sum().backward()
    assert x.grad.tolist() == [np.inf, 0.5]


def test_dropping_the_output_frees_the_graph_by_reference_counting(x):
    gc.disable()
    try:
        y = (x * x).exp()
        refs = [weakref.ref(y), weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.inputs[0])]
        loss = y.sum()
        dg.autograd.grad(loss, x, create_graph=True)
        del y, loss
        assert [r() for r in refs] == [None] * 3
    finally:
        gc.enable()


def test_threads_do_not_disturb_each_other():
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(50):
            w = dg.tensor(rng.normal(size=(4, 4)), requires_grad=True)
            (w @ w).sum().backward()
            expected = w.value.sum(0)[:, None] + w.value.sum(1)[None, :]
            wrong.extend([1] * (not np.allclose(w.grad.numpy(), expected)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_the_method_calls_its_first_argument_gradient(x):
    (x * 3).backward(gradient=dg.ones(2), retain_graph=True, create_graph=False, inputs=[x])
    assert x.grad.tolist() == [3, 3]


@pytest.mark.parametrize("bad", [1.0, "a", (1.0,)])
def test_a_gradient_is_a_tensor(bad, x):
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got"):
        (x * 2).backward(bad)
    assert x.grad is None


def test_a_gradient_of_another_dtype_is_converted(x):
    for dtype in ("float64", "int64", "bool"):
        x.grad = None
        (x * 2).backward(dg.ones(2, dtype=dtype))
        assert (x.grad.dtype, x.grad.tolist()) == (np.float32, [2, 2])


def test_several_outputs_may_have_gradients_or_need_none(x):
    dg.autograd.backward([x.sum(), x * x], [None, dg.ones(2)])
    assert x.grad.tolist() == [3, 5]
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        dg.autograd.backward([x.sum(), x * x], [dg.ones(2)])
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        dg.autograd.backward([x.sum(), x * x])


def test_an_output_named_twice_counts_twice(x):
    y = x * 2
    dg.autograd.backward([y, y], [dg.ones(2), dg.ones(2)])
    assert x.grad.tolist() == [4, 4]


def test_a_tensor_is_its_own_derivative(x):
    one = x.sum()
    assert dg.autograd.grad(one, one)[0].item() == 1
    assert [g.tolist() for g in dg.autograd.grad(x * 1, [x, x], dg.ones(2))] == [[1, 1]] * 2
    one.backward(inputs=[one])
    assert one.grad.item() == 1


def test_a_leaf_is_its_own_output():
    x = dg.tensor(2.0, requires_grad=True)
    x.backward()
    x.backward()
    assert x.grad.item() == 2


def test_two_losses_on_one_freed_part_name_the_part(x):
    h = x * x
    a, b = h.sum(), (h * 2).sum()
    a.backward()
    with pytest.raises(TapeError, match=r"second time(?s:.*)mul, called at .*h = x \* x") as caught:
        b.backward()
    assert "a.backward()" in str(caught.value)
    assert "inside the loop" in str(caught.value)


def test_grad_frees_the_graph_unless_it_is_retained(x):
    loss = (x * x).sum()
    dg.autograd.grad(loss, x, retain_graph=True)
    dg.autograd.grad(loss, x)
    with pytest.raises(TapeError, match="second time"):
        dg.autograd.grad(loss, x)


def test_a_graph_that_created_another_is_kept(x):
    loss = (x * x * x).sum()
    dg.autograd.grad(loss, x, create_graph=True)
    loss.backward()
    assert x.grad.tolist() == [3, 12]


def test_a_gradient_penalty_reaches_the_leaf():
    w, x = dg.tensor([2.0], requires_grad=True), dg.tensor([3.0], requires_grad=True)
    (g,) = dg.autograd.grad((w * x * x).sum(), x, create_graph=True)  # 2 w x
    (g * g).sum().backward()  # d/dw of 4 w^2 x^2, d/dx of the same
    assert (w.grad.tolist(), x.grad.tolist()) == ([144], [96])


def test_recorded_gradients_add_up_and_can_be_differentiated():
    x = dg.tensor([3.0], requires_grad=True)
    (x * x).sum().backward(create_graph=True)
    (x * x).sum().backward(create_graph=True)
    assert x.grad.tolist() == [12]
    assert dg.autograd.grad(x.grad.sum(), x)[0].tolist() == [4]


def test_a_gradient_with_a_history_weighs_a_recorded_gradient():
    x, v = dg.tensor([3.0], requires_grad=True), dg.tensor([1.0], requires_grad=True)
    (g,) = dg.autograd.grad(x * x, x, v, create_graph=True)
    assert dg.autograd.grad(g.sum(), v)[0].tolist() == [6]


def test_backward_to_one_input_leaves_the_other_graph_runnable(x):
    y = dg.ones(2, requires_grad=True)
    loss = (x.exp() + y.exp()).sum()
    loss.backward(inputs=[x])
    loss.backward(inputs=[y])
    assert (x.grad is not None, y.grad is not None) == (True, True)


def failing(error):
    def fail(*args):
        raise error

    return fail


@pytest.mark.parametrize("where", ["tensor", "node", "leaf", "function"])
def test_what_fails_in_a_hook_or_a_function_names_the_forward_line(x, where):
    class Fails(dg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        backward = staticmethod(failing(KeyError("no")))

    y = Fails.apply(x) if where == "function" else x * 2  # the forward line
    if where != "function":
        {"tensor": y, "node": y.grad_fn, "leaf": x}[where].register_hook(failing(KeyError("no")))
    with pytest.raises(KeyError) as caught:
        y.sum().backward()
    (note,) = caught.value.__notes__
    assert note == "in a hook on a leaf" if where == "leaf" else "# the forward line" in note


def test_what_a_backward_records_has_the_lines_of_the_forward():
    x = dg.tensor(4.0, requires_grad=True)
    y = dg.sqrt(x) * 2  # the forward line
    (g,) = dg.autograd.grad(y, x, create_graph=True)
    h = g * 3  # another line
    assert "the forward line" in describe(h.grad_fn.next_functions[0][0].place)
    assert "another line" in describe(h.grad_fn.place)


def test_what_a_hook_records_has_its_own_line():
    x = dg.tensor(4.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda g: g * x)  # the line of the hook
    (g,) = dg.autograd.grad(y, x, create_graph=True)
    nodes, places = [g.grad_fn], []
    while nodes:
        node = nodes.pop()
        places.append(describe(node.place) if node.place else "")
        nodes += [n for n, _ in node.next_functions if n]
    assert any("the line of the hook" in place for place in places)


def test_anomaly_mode_can_name_the_first_operation_whose_result_is_not_finite():
    x = dg.tensor([0.0, 1.0, -1.0], requires_grad=True)
    with np.errstate(all="ignore"), dg.autograd.detect_anomaly(check_forward=True):
        a = x * 2
        with pytest.raises(TapeError, match=r"log gave the first.*2 of 3(?s:.*)# the origin"):
            b = dg.log(a)  # the origin
    with np.errstate(all="ignore"):
        b = dg.log(a)
    assert not np.isfinite(b.detach().numpy()).all()


def test_anomaly_mode_leaves_packing_as_it_is():
    x, packed = dg.ones(2, requires_grad=True), []
    with (
        dg.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(t), t)[1], lambda t: t),
        dg.autograd.detect_anomaly(check_forward=True),
    ):
        y = (x * x).sum()
    y.backward()
    assert packed
    assert x.grad.tolist() == [2, 2]


def test_sums_of_large_gradients_overwrite_no_gradient_that_was_given_or_seen():
    x = dg.ones(100, 100, requires_grad=True)
    seen = []
    h = x * 2
    h.register_hook(lambda g: seen.append(g))
    g = dg.ones(100, 100)
    dg.autograd.backward([h, h * 3, h * 4, h * 5, x], [g] * 5)
    assert (g == 1).all()
    assert (seen[0] == 13).all()
    assert (x.grad == 27).all()


def test_sums_of_large_gradients_of_several_memory_layouts():
    x = dg.ones(100, 90, requires_grad=True)
    y = (x * 2).sum() + (x.t() * 3).sum() + (x * 4).sum() + (x.t() * 5).t().sum()
    (g,) = dg.autograd.grad(y, x)
    assert (g == 14).all()


def test_grad_by_all_leaves_runs_what_grad_by_some_of_them_runs():
    a, b = dg.ones(3, requires_grad=True), dg.ones(3, requires_grad=True)
    h = a * b
    both = dg.autograd.grad((h * b).sum(), (a, b), retain_graph=True)
    alone = [dg.autograd.grad((h * b).sum(), x, retain_graph=True)[0] for x in (a, b)]
    assert [g.tolist() for g in both] == [g.tolist() for g in alone]
    inner = dg.autograd.grad((h * b).sum(), (h, b), retain_graph=True)
    assert inner[0].tolist() == [1, 1, 1]
    assert inner[1].tolist() == both[1].tolist()
