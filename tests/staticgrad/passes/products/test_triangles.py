"""Triangles are cut out only where entries above the diagonal would be read."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from gradops import OPS
from staticgrad.passes import DropTriangles

RNG = np.random.default_rng(0)
COTANGENT = OPS["cholesky_cotangent"]
DROPPED = {
    "alone": lambda l, x: COTANGENT(l, ops.tril(x)),
    "in a sum": lambda l, x: COTANGENT(l, 2.0 * l - ops.tril(x)),
    "with more than the triangle": lambda l, x: COTANGENT(l, ops.tril(x, k=1)),
    "of a factor": lambda l, x: COTANGENT(ops.tril(l), x),
    "read twice": lambda l, x: COTANGENT(l, (y := ops.tril(x)) + ops.sin(y)),
}
KEPT = {
    "a result": lambda l, x: ops.tril(x),
    "read by other ops": lambda l, x: COTANGENT(l, y := ops.tril(x)) + y,
    "in a product": lambda l, x: COTANGENT(l, ops.tril(x) @ l),
    "turned": lambda l, x: COTANGENT(l, ops.tril(x).T),
    "without the diagonal": lambda l, x: COTANGENT(l, ops.tril(x, k=-1)),
    "the other triangle": lambda l, x: COTANGENT(l, ops.triu(x)),
    "repeated": lambda l, x: COTANGENT(l, ops.tril(x)[:, :1] + l),
}


def frozen(form):
    with sg.Graph().as_default():
        l, x = (sg.placeholder("float64", [3, 3], name=n) for n in "lx")
        return sg.freeze([form(l, x)], [l, x])


def same_values(before, after):
    feeds = [np.tril(RNG.normal(size=(3, 3))) + 3 * np.eye(3), RNG.normal(size=(3, 3))]
    sg.verify(after)
    np.testing.assert_array_equal(sg.interpret(after, feeds), sg.interpret(before, feeds))


@pytest.mark.parametrize("form", DROPPED)
def test_what_reads_lower_triangles_needs_none_cut_out(form):
    graph = frozen(DROPPED[form])
    changed = DropTriangles()(graph)
    assert "tril" not in {e.what for e in changed}
    same_values(graph, changed)


@pytest.mark.parametrize("form", KEPT)
def test_triangles_that_others_read_stay(form):
    graph = frozen(KEPT[form])
    assert DropTriangles()(graph) == graph


def test_the_gradient_of_a_whitened_vector_cuts_no_triangle_out():
    with sg.Graph().as_default():
        a, b = sg.placeholder("float64", [3, 3], name="a"), sg.placeholder("float64", [3, 1])
        z = sg.matrix_triangular_solve(sg.cholesky(a @ a.T + 3.0 * np.eye(3)), b)
        graph = sg.freeze(sg.gradients(ops.sum(z * z), [a]), [a, b])
    f = sg.compile(graph)
    assert "tril" in {e.what for e in graph} - {e.what for e in f.graph}
    feeds = [RNG.normal(size=(3, 3)), RNG.normal(size=(3, 1))]
    np.testing.assert_allclose(f(*feeds)[0], sg.interpret(graph, feeds)[0], rtol=1e-12)
