"""What `dg.autograd.graph` offers, and anomaly mode."""

from ..behaviour import Table

table = Table()


@table.gives((2, "p", "u", [7.3891, 20.0855]))
def packing(t):
    log = []

    def pack(x):
        log.append(("p", x.tolist()))
        return x.tolist()

    def unpack(v):
        log.append(("u", v))
        return t.tensor(v)

    x = t.tensor([2.0, 3.0], requires_grad=True)
    with t.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.exp()
    (y * 1.0).sum().backward()
    return len(log), log[0][0], log[-1][0], [round(v, 4) for v in x.grad.tolist()]


@table.refuses("not now")
def packing_disabled(t):
    graph = t.autograd.graph
    with graph.disable_saved_tensors_hooks("not now"), graph.saved_tensors_hooks(str, str):
        pass


@table.refuses("Function 'MulBackward0' returned nan values in its 0th output")
def anomaly(t):
    x = t.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * float("nan"))
    with t.autograd.detect_anomaly():
        y.sum().backward()


@table.gives([[5.0, 5.0]])
def edge_in(t):
    x = t.ones(2, requires_grad=True)
    y = x * 2
    e = t.autograd.graph.get_gradient_edge(y)
    return [g.tolist() for g in t.autograd.grad((y * 5).sum(), e)]


@table.gives([2.0, 6.0])
def edge_out(t):
    x = t.ones(2, requires_grad=True)
    y = x * 2
    e = t.autograd.graph.get_gradient_edge(y)
    t.autograd.backward(e, t.tensor([1.0, 3.0]))
    return x.grad.tolist()


@table.refuses("appears to not have been used in the graph")
def edge_that_is_not_used(t):
    x, y = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    t.autograd.grad((y * 5).sum(), t.autograd.graph.get_gradient_edge(x))


@table.gives([True, True, None, 3, [[2.0, 2.0], "dim"], True])
def saved_values_of_a_node(t):
    x, y = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    product = (x * y).grad_fn
    constant = (x * t.ones(2)).grad_fn
    power = (x**3).grad_fn
    total = t.ones(2, 2, requires_grad=True).amax(0)
    result = (total.grad_fn._saved_result + 1).tolist()
    return [
        product._saved_self is x, product._saved_other is y, constant._saved_self,
        power._saved_exponent, [result, next(n[7:] for n in dir(total.grad_fn) if n[7:] == "dim")],
        total.grad_fn._saved_result is not total,
    ]  # fmt: skip


@table.refuses("directly access saved tensors after they have already been freed")
def saved_values_after_backward(t):
    y = t.ones(1, requires_grad=True).exp()
    node = y.grad_fn
    y.backward()
    return node._saved_result


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()
