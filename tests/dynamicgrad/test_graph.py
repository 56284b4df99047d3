"""What `dg.autograd.graph` offers, and anomaly mode."""

from .behaviour import Table

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


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()
