"""The functions that solvers call run as machine code where "auto" may choose it."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

import staticgrad as sg
from gradops.core.errors import ConvergenceWarning
from gradops.scipy import integrate, optimize
from gradops.scipy.sparse import linalg
from staticgrad.runtime.backends.native_bodies import NativeBody

pytest.importorskip("llvmlite")
pytest.importorskip("scipy")

X = np.array([1.2, 0.7])


def decay(t, y, a):
    return -a * y * np.cos(t)


def solved(method):
    return lambda x: integrate.solve_ivp(decay, (0, 2), np.ones(2), method, [1.0, 2], args=(x,)).y


def nested(x):
    """A root whose function has an integral in it."""
    inner = lambda v: v - np.cos(v) * integrate.quad(lambda t: np.exp(-t * x[0]), 0, 1)[0]
    return optimize.root(inner, np.full(2, 0.5)).x * x


PROGRAMS = {
    "RK45": solved("RK45"), "Tsit5": solved("Tsit5"), "BDF": solved("BDF"),
    "LSODA": solved("LSODA"),
    "root": lambda x: optimize.root(lambda v: v * np.exp(v) - x, np.ones(2)).x,
    "minimize": lambda x: optimize.minimize(lambda v: np.sum((v - x) ** 4 + v**2), np.zeros(2)).x,
    "least_squares": lambda x: optimize.least_squares(lambda v: v**3 - x, np.ones(2)).x,
    "quad": lambda x: integrate.quad(lambda t: np.sin(t * x[0]) * x[1], 0, 2)[0],
    "cg": lambda x: linalg.cg(lambda v: 3 * v + x * np.sum(x * v), np.ones(2), rtol=1e-12)[0],
    "gmres": lambda x: linalg.gmres(lambda v: 3 * v + x[::-1] * v[0], np.ones(2), rtol=1e-12)[0],
    "nested": nested,
    "in a loop": lambda x: sg.scan(lambda a, k: a + k * solved("RK45")(x)[:, 0], np.ones(3), 0 * x),
}  # fmt: skip


def graph_of(program):
    x = sg.placeholder("float64", [2], name="x")
    y = program(x)
    return sg.freeze([y, *sg.gradients(np.sum(y * y), [x])], [x])


def bodies_in(graph):
    """The functions that kernels call, in a graph and the graphs inside it."""
    found = [f for e in graph.order for v in e.attrs.values()
             for f in (v if type(v) is tuple else (v,))]  # fmt: skip
    inside = [b for f in found if isinstance(f, sg.FrozenGraph) for b in bodies_in(f)]
    return [f for f in found if isinstance(f, NativeBody)] + inside


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_numpy(name):
    graph = graph_of(PROGRAMS[name])
    fast, slow = (sg.compile(graph, backend=b) for b in ("auto", "numpy"))
    assert bodies_in(fast.graph)
    assert not bodies_in(slow.graph)
    for x, y in zip(fast(X), slow(X), strict=True):
        assert_allclose(x, y, rtol=1e-9)
    for x, y in zip(copy.copy(fast)(X), slow(X), strict=True):
        assert_allclose(x, y, rtol=1e-9)


def test_a_function_without_machine_code_stays_numpys():
    f = lambda v: v - np.cos(v) / np.linalg.svd(np.outer(v, v) + np.eye(2))[1].sum()
    graph = graph_of(lambda x: optimize.root(f, x).x + x)
    fast, slow = (sg.compile(graph, backend=b)(X) for b in ("auto", "numpy"))
    for x, y in zip(fast, slow, strict=True):
        assert_allclose(x, y, rtol=1e-9)


def test_verification_sees_them():
    graph = graph_of(PROGRAMS["RK45"])
    verified = sg.compile(graph, backend="auto", verify=True)
    assert_allclose(verified(X)[0], sg.compile(graph)(X)[0], rtol=1e-12)


def test_a_solver_that_does_not_converge_warns_as_on_numpy():
    graph = graph_of(lambda x: optimize.root(lambda v: v * v + x * x, np.ones(2)).x)
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        sg.compile(graph, backend="auto")(X)
