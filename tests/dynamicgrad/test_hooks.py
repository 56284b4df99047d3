"""Hooks on tensors, leaves, nodes and several tensors at once."""

import pytest

import dynamicgrad as dg
import gradops

from .behaviour import Table

table = Table()


@table.gives(([7.0, 7.0], [3.0, 3.0], [[1.0, 1.0], [2.0, 2.0]]))
def hook_replaces(t):
    x = t.ones(2, requires_grad=True)
    y = x * 3
    log = []
    y.register_hook(lambda g: log.append(g.tolist()))
    y.register_hook(lambda g: g * 2)
    y.register_hook(lambda g: log.append(g.tolist()))
    h = x.register_hook(lambda g: g + 1)
    y.sum().backward()
    a = x.grad.tolist()
    h.remove()
    x.grad = None
    (x * 3).sum().backward()
    return a, x.grad.tolist(), log


@table.gives(([2.0, 2.0], [6.0, 6.0]))
def hook_retain_order(t):
    x = t.ones(2, requires_grad=True)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.sum().backward()
    return y.grad.tolist(), x.grad.tolist()


@table.refuses("has changed the size of value")
def hook_wrong_shape(t):
    x = t.ones(2, requires_grad=True)
    x.register_hook(lambda g: g[:1])
    x.sum().backward()


@table.refuses("int")
def hook_wrong_type(t):
    x = t.ones(2, requires_grad=True)
    x.register_hook(lambda g: 3)
    x.sum().backward()


@table.refuses("cannot register a hook on a tensor that doesn't require gradient")
def hook_no_grad(t):
    t.ones(2).register_hook(print)


@table.refuses("'mine'")
def hook_raises(t):
    x = t.ones(2, requires_grad=True)

    def bad(g):
        raise KeyError("mine")

    x.register_hook(bad)
    x.sum().backward()


@table.gives([5.0, 5.0])
def hook_grad_call(t):
    x = t.ones(2, requires_grad=True)
    x.register_hook(lambda g: g * 5)
    return t.autograd.grad(x.sum(), x)[0].tolist()


@table.gives([[1.0, 1.0], [3.0, 3.0]])
def post_acc(t):
    x = t.ones(2, requires_grad=True)
    log = []
    x.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.tolist()))
    x.sum().backward()
    (x * 2).sum().backward()
    return log


@table.refuses("post accumulate grad hooks cannot be registered on non-leaf tensors")
def post_acc_nonleaf(t):
    (t.ones(2, requires_grad=True) * 2).register_post_accumulate_grad_hook(print)


@table.gives(([30.0, 30.0], [[[30.0, 30.0], None, [10.0, 10.0]]]))
def node_hooks(t):
    x = t.ones(2, requires_grad=True)
    y = x * 3
    log = []
    y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    y.grad_fn.register_hook(
        lambda gi, go: log.append([None if g is None else g.tolist() for g in (*gi, *go)])
    )
    y.sum().backward()
    return x.grad.tolist(), log


@table.gives(([8.0, 8.0], [3.0, 3.0]))
def node_hook_replaces(t):
    x = t.ones(2, requires_grad=True)
    w = t.full((2,), 4.0, requires_grad=True)
    y = x * w
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 2, gi[1] * 3))
    y.sum().backward()
    return x.grad.tolist(), w.grad.tolist()


@table.gives([[[2.0], [1.0], None], [[1.0], [1.0], [1.0]]])
def multi_grad(t):
    x, y, z = (t.ones(1, requires_grad=True) for _ in range(3))
    log = []
    t.autograd.graph.register_multi_grad_hook(
        (x, y, z), lambda gs: log.append([None if g is None else g.tolist() for g in gs])
    )
    (x * 2 + y).sum().backward()
    (x + y + z).sum().backward()
    return log


@table.gives((64.0, 192.0))
def hook_create_graph(t):
    x = t.tensor(2.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda g: g * x)
    (g,) = t.autograd.grad(y * y, x, create_graph=True)
    (h,) = t.autograd.grad(g, x)
    return g.item(), h.item()


@table.gives({"a": 1})
def metadata(t):
    y = t.ones(2, requires_grad=True) * 2
    y.grad_fn.metadata["a"] = 1
    return y.grad_fn.metadata


@table.gives([3.0, 3.0])
def handle_with(t):
    x = t.ones(2, requires_grad=True)
    with x.register_hook(lambda g: g * 2):
        x.sum().backward()
    x.sum().backward()
    return x.grad.tolist()


@table.gives(([[3.0, 3.0]], [6.0, 6.0]))
def tensor_hook_inplace(t):
    x = t.ones(2, requires_grad=True)
    y = x * 2
    log = []
    y.register_hook(lambda g: log.append(g.tolist()))
    y.mul_(3)
    y.sum().backward()
    return log, x.grad.tolist()


@table.gives(([3.0, 3.0], True))
def backward_inputs_hook(t):
    x = t.ones(2, requires_grad=True)
    y = x * 2
    (y * 3).sum().backward(inputs=[y])
    return y.grad.tolist(), x.grad is None


@table.gives(([20.0, 20.0], [30.0, 30.0], 1, [[2.0, 2.0], [3.0, 3.0]], 3))
def hook_on_a_custom_function(t):
    calls, seen = [], []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.k = 3
            return x * y

        @staticmethod
        def backward(ctx, g):
            calls.append(g)
            return g * 2, g * 3

    x, y = (t.ones(2, requires_grad=True) for _ in "ab")
    z = F.apply(x, y)
    z.grad_fn.register_hook(lambda gi, go: seen.extend(g.tolist() for g in gi))
    z.grad_fn.register_hook(lambda gi, go: tuple(g * 10 for g in gi))
    z.sum().backward()
    return x.grad.tolist(), y.grad.tolist(), len(calls), seen, z.grad_fn.k


@table.gives([2.0, 2.0])
def hook_on_a_leaf_node_that_returns_a_tensor(t):
    w = t.ones(2, requires_grad=True)
    leaf = (w * 1).grad_fn.next_functions[0][0]
    leaf.register_hook(lambda gi, go: None)
    (w * 2).sum().backward()
    return w.grad.tolist()


@table.gives([[2.0]] * 3)
def hooks_on_a_node_of_many_inputs(t):
    xs = [t.ones(1, requires_grad=True) for _ in range(3)]
    c = t.cat(xs)
    c.grad_fn.register_prehook(lambda go: (go[0] * 2,))
    c.sum().backward()
    return [x.grad.tolist() for x in xs]


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()


def test_what_a_hook_on_a_leaf_node_returns_is_not_looked_into():
    w = dg.ones(2, requires_grad=True)
    leaf = (w * 1).grad_fn.next_functions[0][0]
    leaf.register_hook(lambda gi, go: go[0])  # whose truth is ambiguous
    (w * 2).sum().backward()
    assert w.grad.tolist() == [2, 2]


@pytest.mark.parametrize("name", ["register_hook", "register_prehook"])
def test_a_hook_on_a_leaf_node_is_a_function(name):
    leaf = (dg.ones(2, requires_grad=True) * 1).grad_fn.next_functions[0][0]
    with pytest.raises(TypeError, match="a hook is a function, not a int"):
        getattr(leaf, name)(3)


def test_a_hooked_node_of_many_inputs_computes_their_gradients_once():
    op, calls = gradops.OPS["concatenate"], []
    shares = op.vjp.shares
    op.vjp.shares = lambda *args, **attrs: (calls.append(1), shares(*args, **attrs))[1]
    try:
        c = dg.cat([dg.ones(1, requires_grad=True) for _ in range(50)])
        c.grad_fn.register_hook(lambda gi, go: None)
        c.sum().backward()
    finally:
        op.vjp.shares = shares
    assert calls == [1]
