"""Operations of rules have the line of what they differentiate; those of users their own."""

import numpy as np

import dynamicgrad as dg
from gradops.core.source_location import line_number

HERE = __file__


def nodes_of(y):
    """The nodes that lead to a result."""
    todo, seen = [y.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [before for before, _ in node.next_functions]
    return seen


def lines_of(y):
    """The lines of this file in which nodes that lead to a result were made, as text."""
    with open(HERE) as file:
        text = file.read().split("\n")
    places = [n.place for n in nodes_of(y) if hasattr(n, "place") and n.name() != "AccumulateGrad"]
    assert all(code.co_filename == HERE for code, _ in places)
    return {text[line_number(place) - 1].strip() for place in places}


def test_nodes_of_a_backward_have_the_line_that_is_differentiated():
    x = dg.tensor([1.0, 2.0], requires_grad=True)
    y = (x.sin() * x).sum()
    (g,) = dg.autograd.grad(y, x, create_graph=True)
    assert lines_of(g) == {"y = (x.sin() * x).sum()"}


def test_nodes_of_users_functions_in_a_backward_have_lines_of_their_own():
    class Square(dg.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            doubled = x.sin() * 2
            return g * doubled

    def halved(g):
        return g * g

    x = dg.tensor([1.0, 2.0], requires_grad=True)
    y = Square.apply(x.cos())
    y.register_hook(halved)
    (g,) = dg.autograd.grad((y * y).sum(), x, create_graph=True)
    wanted = {"doubled = x.sin() * 2", "return g * doubled", "return g * g",
              "(g,) = dg.autograd.grad((y * y).sum(), x, create_graph=True)"}  # fmt: skip
    assert wanted <= lines_of(g)


def test_nodes_of_rules_of_tangents_have_the_line_of_the_operation():
    x = dg.tensor([1.0, 2.0], requires_grad=True)

    def f(v):
        a = v.sin()
        return a * v

    _, t = dg.func.jvp(f, (x,), (dg.ones(2),))
    assert {"a = v.sin()", "return a * v"} <= lines_of(t)


def test_lines_are_those_of_each_thread():
    def gradient(k):
        x = dg.tensor(np.arange(2.0) + k, requires_grad=True)
        (g,) = dg.autograd.grad((x.exp() * x).sum(), x, create_graph=True)
        return lines_of(g)

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(gradient, range(20)))
    assert all(lines == found[0] for lines in found)
    assert any("x.exp() * x" in line for line in found[0])
