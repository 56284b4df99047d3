"""Schemes of fixed steps: in graphs they are loops, with the bits of the tape."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import staticgrad as sg
from gradops.kernels.odes.tableaus import FIXED
from gradops.scipy import integrate

pytest.importorskip("scipy")

START, A, H = np.array([1.0, 2.0]), 1.1, 0.05
CASES = {
    "ends of steps": ((0.0, 3.0), np.linspace(0, 3, 31)),
    "every step": ((0.0, 1.03), None),
    "backwards": ((3.0, 0.0), [2.0, 0.77, 0.3]),
    "within one step": ((0.0, 0.04), [0.0, 0.01, 0.03]),
}
every_case = pytest.mark.parametrize(("span", "times"), CASES.values(), ids=CASES)


def species(t, y, a):
    return np.stack([a * y[0] - 0.4 * y[0] * y[1], 0.4 * y[0] * y[1] - 0.8 * y[1] + np.sin(t)])


def states(method, span, times, y0, a, **more):
    return integrate.solve_ivp(species, span, y0, method, times, args=(a,), step=H, **more).y


def of_graph(*given, **more):
    """The executable of states, their sum of squares, and two derivatives of that; the graph."""
    y0, a = sg.placeholder("float64", [2], name="y0"), sg.placeholder("float64", [], name="a")
    y = states(*given, y0, a, **more)
    loss = np.sum(y**2)
    first = sg.gradients(loss, [y0, a])
    return sg.freeze([y, loss, *first, *sg.gradients(first[1], [a])], [y0, a])


@every_case
@pytest.mark.parametrize("method", FIXED)
def test_graph_and_tape_agree(method, span, times):
    y0, a = (dg.tensor(x, dtype=dg.float64, requires_grad=True) for x in (START, A))
    y = states(method, span, times, y0, a)
    first = dg.autograd.grad((y**2).sum(), [y0, a], create_graph=True)
    want = [*first, *dg.autograd.grad(first[1], [a])]
    graph = of_graph(method, span, times)
    assert any(e.what == "loop" for e in graph.order)
    rows, _, *found = sg.compile(graph, backend="numpy")(START, A)
    assert_array_equal(rows, y.detach().numpy())
    for x, w in zip(found, want, strict=True):
        assert_allclose(x, w.detach().numpy(), rtol=1e-11)


@every_case
@pytest.mark.parametrize("method", FIXED)
def test_derivatives_are_those_of_differences(method, span, times):
    f = lambda a: np.sum(states(method, span, times, START, a) ** 2)
    h = 1e-3
    coarse, fine = ((f(A + k) - f(A - k)) / (2 * k) for k in (h, h / 2))
    assert_allclose(dg.grad(f)(A), (4 * fine - coarse) / 3, rtol=1e-8)


@pytest.mark.parametrize("method", FIXED)
def test_the_loop_is_compiled_with_two_derivatives(method):
    pytest.importorskip("llvmlite")
    graph = of_graph(method, *CASES["ends of steps"])
    slow, fast = (sg.compile(graph, backend=b)(START, A) for b in ("numpy", "native"))
    for x, y in zip(fast, slow, strict=True):
        assert_allclose(x, y, rtol=1e-12)


def test_what_no_loop_can_do_is_left_to_the_op():
    times = [0.3, 1.0]
    want = sg.compile(of_graph("RK4", (0.0, 1.0), times))(START, A)
    for graph in (
        of_graph("RK4", (0.0, 1.0), times, memory_budget=1000),
        of_graph("RK4", (0.0, sg.constant(1.0, "float64")), times),
        of_graph("RK4", (0.0, 1.0), sg.constant(times, "float64")),
    ):
        assert not any(e.what == "loop" for e in graph.order)
        for x, y in zip(sg.compile(graph)(START, A), want, strict=True):
            assert_allclose(x, y, rtol=1e-12)
