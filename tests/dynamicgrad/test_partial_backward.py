"""Gradients of some inputs only: nothing runs, or is freed, that does not lead to them."""

from .behaviour import Table

table = Table()


@table.gives(([None], [None], [2.0, 2.0]))
def an_unrelated_input_frees_nothing(t):
    x, other = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    y = (x * 2).abs()
    first = t.autograd.grad(y, [other], t.ones(2), allow_unused=True)
    second = t.autograd.grad(y.sum(), [other], allow_unused=True)
    y.sum().backward()
    return list(first), list(second), x.grad.tolist()


@table.gives(([2.0, 2.0], [1.0, 1.0]))
def the_node_that_made_an_input_is_not_freed(t):
    x = t.zeros(2, requires_grad=True)
    h = x.exp()
    (g,) = t.autograd.grad((h * h).sum(), h)
    h.sum().backward()
    return g.tolist(), x.grad.tolist()


@table.gives(([], ["backward"]))
def a_custom_backward_runs_if_it_leads_somewhere(t):
    log = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            log.append("backward")
            return g

    x, other = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    h = F.apply(x)
    y = (h * h).sum()
    t.autograd.grad(y, [h, other], allow_unused=True, retain_graph=True)
    t.autograd.grad(F.apply(x).sum(), other, allow_unused=True)
    before = log[:]
    y.backward(inputs=[x])
    return before, log


@table.gives((["sum"], ["sum", "exp", "exp after"]))
def hooks_of_nodes_run_if_the_node_does(t):
    log = []
    x = t.ones(2, requires_grad=True)
    h = x.exp()
    y = (h * h).sum()
    y.grad_fn.register_prehook(lambda g: log.append("sum"))
    h.grad_fn.register_prehook(lambda g: log.append("exp"))
    h.grad_fn.register_hook(lambda gi, go: log.append("exp after"))
    t.autograd.grad(y, h, retain_graph=True)
    before = log[:]
    del log[:]
    t.autograd.grad(y, x)
    return before, log


@table.gives(["h"])
def hooks_of_an_unrelated_output_run(t):
    log = []
    x, other = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: log.append("h"))
    x.register_hook(lambda g: log.append("x"))
    t.autograd.grad(h.sum(), h)
    t.autograd.grad((other * 2).sum(), x, allow_unused=True)
    return log


@table.gives(([1.0, 1.0], [2.0, 2.0]))
def an_input_and_what_it_was_made_of(t):
    x = t.ones(2, requires_grad=True)
    h = x * 2
    return [g.tolist() for g in t.autograd.grad(h.sum(), [h, x])]


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()
