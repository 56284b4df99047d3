"""Hooks on tensors, leaves, nodes and several tensors at once."""

import pytest

import dynamicgrad as dg
import gradops

from ..behaviour import Table

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


@table.gives(([0.5, 0.5], [False], None))
def an_optimizer_in_a_hook(t):
    x, modes = t.ones(2, requires_grad=True), []

    def step(p):
        modes.append(t.is_grad_enabled())
        p.sub_(0.25 * p.grad)
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    return x.tolist(), modes, x.grad


@table.gives([True])
def a_hook_after_accumulation_records_with_create_graph(t):
    x, modes = t.ones(2, requires_grad=True), []
    x.register_post_accumulate_grad_hook(lambda p: modes.append(t.is_grad_enabled()))
    (x * x).sum().backward(create_graph=True)
    return modes


@table.refuses("int")
def a_hook_after_accumulation_returns_nothing(t):
    x = t.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: 1)
    x.sum().backward()


def named_hooks(t, leaf, log):
    """Hooks of each kind on a leaf, two by two, that note their names; the node lives on."""
    accumulate = (leaf * 1).grad_fn.next_functions[0][0]
    for i in "12":
        accumulate.register_hook(lambda gi, go, i=i: log.append("after" + i))
        leaf.register_post_accumulate_grad_hook(lambda p, i=i: log.append("accumulated" + i))
        accumulate.register_prehook(lambda go, i=i: log.append("before" + i))
        leaf.register_hook(lambda g, i=i: log.append("tensor" + i))
    return accumulate


ORDER = "tensor1 tensor2 before1 before2 accumulated1 accumulated2 after1 after2"


@table.gives(ORDER.split())
def order_of_the_hooks_of_a_leaf(t):
    x, log = t.ones(2, requires_grad=True), []
    node = named_hooks(t, x, log)
    x.sum().backward()
    assert node.variable is x
    return log


@table.gives((["tensor1", "tensor2"], ORDER.split()))
def only_accumulation_calls_the_hooks_of_the_node(t):
    x, log = t.ones(2, requires_grad=True), []
    node = named_hooks(t, x, log)
    t.autograd.grad(x.sum(), x)
    asked = log[:]
    del log[:]
    x.sum().backward(inputs=[x])
    assert node.variable is x
    return asked, log


@table.gives([15.0, 15.0])
def a_prehook_of_a_leaf_node_sees_what_tensor_hooks_gave(t):
    x = t.ones(2, requires_grad=True)
    node = (x * 1).grad_fn.next_functions[0][0]
    node.register_prehook(lambda g: (g[0] * 5,))
    x.register_hook(lambda g: g + 1)
    (x * x).sum().backward()
    return x.grad.tolist()


@table.gives([[2.0], [2.0], [4.0]])
def what_a_hook_keeps_does_not_change(t):
    x, kept = t.ones(1, requires_grad=True), []
    x.register_hook(kept.append)
    accumulate = (x * 1).grad_fn.next_functions[0][0]
    accumulate.register_hook(lambda gi, go: kept.append(go[0]))
    (x * x).sum().backward()
    first = [g.tolist() for g in kept]
    (x * x).sum().backward()
    return [*first[:1], kept[1].tolist(), x.grad.tolist()]


@table.gives([[1.0], [2.0]])
def what_a_hook_on_a_result_keeps_does_not_change(t):
    x, kept = t.ones(1, requires_grad=True), []
    y = x + 0
    y.register_hook(kept.append)
    y.sum().backward()
    x.sum().backward()
    return kept[0].tolist(), x.grad.tolist()


@table.gives([[1.0], [3.0]])
def what_a_custom_backward_keeps_does_not_change(t):
    kept = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            kept.append(g * 1)
            return kept[0]

    x = t.ones(1, requires_grad=True)
    F.apply(x).sum().backward()
    (x * 2).sum().backward()
    return kept[0].tolist(), x.grad.tolist()


@table.refuses("an incorrect number of values (got 1, but expected 0)")
def a_hook_after_a_leaf_node_replaces_nothing(t):
    x = t.ones(2, requires_grad=True)
    node = (x * 1).grad_fn.next_functions[0][0]
    node.register_hook(lambda gi, go: go)
    x.sum().backward()


@table.refuses("tuple")
def a_hook_after_a_leaf_node_returns_a_tuple(t):
    x = t.ones(2, requires_grad=True)
    node = (x * 1).grad_fn.next_functions[0][0]
    node.register_hook(lambda gi, go: go[0])
    x.sum().backward()


def note(t, tensors, log):
    """Hooks that note the names of tensors, and when leaves have their gradients."""
    for name, x in tensors.items():
        x.register_hook(lambda g, name=name: log.append(name))
        if x.is_leaf:
            x.register_post_accumulate_grad_hook(lambda p, name=name: log.append("." + name))


@table.gives(["k", "b", ".b", "h", "a", ".a"])
def a_leaf_has_its_turn_as_soon_as_its_gradient_is_complete(t):
    a, b = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    h = a * 2
    k = h * b
    log = []
    note(t, {"a": a, "b": b, "h": h, "k": k}, log)
    k.sum().backward()
    return log


@table.gives(["m", "k", "h", "w", ".w", "x", ".x"])
def a_leaf_waits_for_its_last_user(t):
    w, x = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    h = w * x
    k = h * w
    m = k * x
    log = []
    note(t, {"w": w, "x": x, "h": h, "k": k, "m": m}, log)
    m.sum().backward()
    return log


@table.gives(["b", ".b", "a", ".a"])
def leaves_of_one_user_have_their_turns_in_its_order(t):
    a, b = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    log = []
    note(t, {"a": a, "b": b}, log)
    t.cat([a, b, a]).sum().backward()
    return log


@table.gives(["v", "b", "u", "a"])
def leaves_have_their_turns_in_grad_too(t):
    a, b = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    u, v = a * 2, b * 2
    log = []
    for name, x in {"a": a, "b": b, "u": u, "v": v}.items():
        x.register_hook(lambda g, name=name: log.append(name))
    t.autograd.grad((u * v).sum(), [a, b])
    return log


@table.gives(([], [4.0, 4.0, 2.0, 2.0]))
def hooks_on_a_view_that_was_written_run_no_more(t):
    x, log = t.ones(4, requires_grad=True), []
    y = x * 2
    v = y[:2]
    v.register_hook(lambda g: log.append("tensor"))
    v.grad_fn.register_hook(lambda gi, go: log.append("node"))
    v.mul_(2)
    y.sum().backward()
    return log, x.grad.tolist()


@table.gives(([], [0.0, 2.0, 2.0, 2.0]))
def hooks_on_a_view_that_was_assigned_to_run_no_more(t):
    x, log = t.ones(4, requires_grad=True), []
    y = x * 2
    v = y[:2]
    v.register_hook(lambda g: log.append("tensor"))
    v[0] = 5.0
    y.sum().backward()
    return log, x.grad.tolist()


@table.gives((0, None))
def saved_tensor_hooks_entered_in_a_hook_end_with_the_backward(t):
    x, packed = t.ones(2, requires_grad=True), []
    block = t.autograd.graph.saved_tensors_hooks(packed.append, lambda packed: None)
    x.register_hook(lambda g: block.__enter__())
    x.sum().backward()
    with t.no_grad(), t.enable_grad():
        (x * x).sum()
    return len(packed), None


@table.gives(0)
def a_ban_on_saved_tensor_hooks_in_a_hook_ends_with_the_backward(t):
    x, packed = t.ones(2, requires_grad=True), []
    ban = t.autograd.graph.disable_saved_tensors_hooks("no")
    x.register_hook(lambda g: ban.__enter__())
    x.sum().backward()
    with t.autograd.graph.saved_tensors_hooks(packed.append, lambda packed: None):
        pass
    return len(packed)


@table.gives(([1.0, 1.0], [2.0, 2.0], [2.0, 2.0]))
def grad_asks_before_the_hooks_of_what_lies_on_the_way(t):
    x = t.ones(2, requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: g * 2)
    between, end = t.autograd.grad(y.sum(), [y, x], retain_graph=True)
    (alone,) = t.autograd.grad(y.sum(), y)
    return between.tolist(), end.tolist(), alone.tolist()


@table.gives(([2.0, 2.0], [2.0, 2.0], True))
def backward_to_what_lies_on_the_way_asks_after_its_hooks(t):
    x = t.ones(2, requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: g * 2)
    y.sum().backward(inputs=[y, x])
    return y.grad.tolist(), x.grad.tolist(), y.retains_grad


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()


@pytest.mark.parametrize("name", ["register_hook", "register_prehook"])
def test_a_hook_on_a_leaf_node_is_a_function(name):
    leaf = (dg.ones(2, requires_grad=True) * 1).grad_fn.next_functions[0][0]
    with pytest.raises(TypeError, match="a hook is a function, not a int"):
        getattr(leaf, name)(3)


def test_a_hooked_node_of_many_inputs_computes_their_gradients_once():
    op, calls = gradops.OPS["concatenate"], []
    pull = op.pull
    object.__setattr__(op, "pull", lambda *args: (calls.append(1), pull(*args))[1])
    try:
        c = dg.cat([dg.ones(1, requires_grad=True) for _ in range(50)])
        c.grad_fn.register_hook(lambda gi, go: None)
        c.sum().backward()
    finally:
        object.__setattr__(op, "pull", pull)
    assert calls == [1]
