"""Triangular matrices that are solved with often are inverted."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import linalg
from gradops.core.errors import LinAlgError
from staticgrad.passes import InvertFactors


def solves(a_shape, b_shape, count, form):
    """A frozen graph with solves by one matrix."""
    with sg.Graph().as_default():
        a = sg.placeholder("float64", a_shape, name="a")
        bs = [sg.placeholder("float64", b_shape, name=f"b{i}") for i in range(count)]
        return sg.freeze([form(a, b) for b in bs], [a, *bs])


def feeds_for(graph, seed=0):
    rng = np.random.default_rng(seed)
    a, *bs = (rng.standard_normal(e.shape) for e in graph.inputs)
    return [a + 3 * np.eye(a.shape[-1]), *bs]


def swap(a):
    return sg.transpose(a, (*range(len(a.shape) - 2), -1, -2))


FORMS = {
    "lower": lambda a, b: linalg.solve_triangular(a, b, lower=True),
    "upper": lambda a, b: linalg.solve_triangular(a, b, lower=False),
    "ones on the diagonal": lambda a, b: linalg.solve_triangular(
        a, b, lower=True, unit_diagonal=True
    ),
    "transposed": lambda a, b: linalg.solve_triangular(swap(a), b, lower=True),
    "transposed twice": lambda a, b: linalg.solve_triangular(swap(swap(a)), b, lower=False),
}
SHAPES = [((2, 2), (2, 1)), ((3, 3), (3, 5)), ((4, 3, 3), (4, 3, 2)), ((2, 3, 3), (3, 4)),
          ((3, 3), (2, 3, 4))]  # fmt: skip


def names(graph):
    return [e.op.name for e in graph.order if e.op is not None]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shapes", SHAPES)
def test_several_solves_become_products_with_one_inverse(form, shapes):
    graph = solves(*shapes, 3, FORMS[form])
    done = InvertFactors()(graph)
    sg.verify(done)
    assert names(done).count("solve_triangular") == 1
    assert names(done).count("solve_by_inverse") == 3
    feeds = feeds_for(graph)
    for got, want in zip(sg.interpret(done, feeds), sg.interpret(graph, feeds), strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("a", "b", "count"),
    [((8, 8), (8, 1), 2), ((8, 8), (8, 8), 1), ((128, 128), (128, 128), 4),
     ((3, 3), (3, "n"), 4), (("n", "n"), ("n", 3), 4), ((0, 0), (0, 3), 4)],
)  # fmt: skip
def test_what_does_not_pay_or_is_unknown_stays(a, b, count):
    graph = solves(a, b, count, FORMS["lower"])
    assert InvertFactors()(graph) is graph


def test_single_precision_stays_as_solves_compute_it_in_double_precision():
    with sg.Graph().as_default():
        a = sg.placeholder("float32", [3, 3], name="a")
        b = sg.placeholder("float32", [3, 90], name="b")
        graph = sg.freeze([linalg.solve_triangular(a, b, lower=True)], [a, b])
    assert InvertFactors()(graph) is graph


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e308])
def test_what_is_not_finite_is_solved(value):
    graph = solves((3, 3), (3, 2), 3, FORMS["lower"])
    done = InvertFactors()(graph)
    feeds = feeds_for(graph)
    feeds[2][2, 1] = value  # the last row: those before are finite
    with np.errstate(all="ignore"):
        for got, want in zip(sg.interpret(done, feeds), sg.interpret(graph, feeds), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-13)


def test_singular_matrices_give_the_error_of_the_solve():
    graph = solves((2, 2), (2, 2), 2, FORMS["lower"])
    feeds = [np.array([[1.0, 0], [5, 0]]), np.ones((2, 2)), np.ones((2, 2))]
    for optimize in (0, 2):
        with pytest.raises(LinAlgError, match=r"solve_triangular.*singular"):
            sg.compile(graph, optimize=optimize)(*feeds)


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_a_log_likelihood_and_its_gradient_keep_their_values(n):
    with sg.Graph().as_default():
        root = sg.placeholder("float64", [n, n], name="root")
        x = sg.placeholder("float64", [n, 5 * n], name="x")
        factor = linalg.cholesky(root @ sg.transpose(root) + sg.eye(n, dtype="float64"))
        y = linalg.solve_triangular(factor, x, lower=True)
        loss = sg.reduce_sum(y * y) + sg.reduce_sum(sg.log(linalg.diagonal(factor)))
        fetches = [loss, *sg.gradients(loss, [root, x])]
        fast = sg.compile(fetches, [root, x], verify=True)
        plain = sg.compile(fetches, [root, x], optimize=0)
    assert ("solve_by_inverse" in fast.source) == (n > 4)  # of tiny factors there are few solves
    rng = np.random.default_rng(n)
    feeds = rng.standard_normal((n, n)), rng.standard_normal((n, 5 * n))
    for got, want in zip(fast(*feeds), plain(*feeds), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)
