"""Equations, inverses and determinants: NumPy's numbers, singular matrices, errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops import linalg
from gradops.testing.finite_differences import extrapolate

rng = np.random.default_rng(0)
SQUARES = [
    rng.normal(size=s) + 2 * np.eye(s[-1]) for s in [(3, 3), (2, 4, 3, 3), (0, 0), (2, 0, 0)]
]
SQUARES += [SQUARES[0] + 1j * rng.normal(size=(3, 3)), SQUARES[0].astype(np.float32)]
SQUARES += [np.array([[2, 1], [1, 2]]), SQUARES[1][:, ::-1, ::2, ::2]]
every_square = pytest.mark.parametrize("x", SQUARES, ids=lambda x: f"{x.dtype}{x.shape}")


def same(got, want):
    assert type(got) is type(want) or isinstance(got, np.ndarray)
    assert_array_equal(got, want)
    assert got.dtype == want.dtype


@every_square
@pytest.mark.parametrize("name", ["inv", "det"])
def test_numbers_are_numpys(name, x):
    same(getattr(linalg, name)(x), getattr(np.linalg, name)(x))


@every_square
def test_slogdet_is_numpys(x):
    for got, want in zip(linalg.slogdet(x), np.linalg.slogdet(x), strict=True):
        same(got, want)


@pytest.mark.parametrize(
    ("a", "b"),
    [((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3,)), ((2, 3, 3), (3, 3)), ((3, 3), (2, 3, 1)),
     ((4, 1, 3, 3), (2, 3, 2)), ((0, 0), (0,)), ((0, 0), (0, 3)), ((2, 0, 0), (0, 1))],
)  # fmt: skip
def test_solve_is_numpys(a, b):
    a, b = rng.normal(size=a), rng.normal(size=b)
    same(linalg.solve(a, b), np.linalg.solve(a, b))


def test_a_vector_is_a_right_side_only_with_one_axis():
    a = rng.normal(size=(3, 3, 3))
    assert linalg.solve(a, np.ones((3, 3))).shape == (3, 3, 3)
    assert linalg.solve(a, np.ones(3)).shape == (3, 3)


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_the_determinant_of_a_matrix_of_any_rank_has_its_derivative(rank, gradient):
    x = rng.normal(size=(4, rank)) @ rng.normal(size=(rank, 4))
    minors = np.empty((4, 4))
    for i, j in np.ndindex(4, 4):
        minor = np.delete(np.delete(x, i, 0), j, 1)
        minors[i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    assert_allclose(gradient(linalg.det, x)[0], minors, atol=1e-12)


@pytest.mark.parametrize("rank", range(5))
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_the_second_derivative_of_a_determinant_holds_for_every_rank(rank, kind):
    draw = lambda *s: rng.normal(size=s) + (1j * rng.normal(size=s) if kind == "complex" else 0)
    x, t, u = draw(4, rank) @ draw(rank, 4), draw(4, 4), draw(4, 4)
    slope = lambda h: G.jvp(linalg.det, [x + h * u], [t])[1]
    want = extrapolate(slope)  # exact for a polynomial
    first = lambda x: G.jvp(linalg.det, [x], [t])[1]
    assert_allclose(G.jvp(first, [x], [u])[1], want, atol=1e-9)


def test_a_determinant_that_is_masked_out_gives_no_nan(gradient):
    f = lambda x: G.where(np.array([True, False]), linalg.slogdet(x).logabsdet, 0.0)
    x = np.stack([np.eye(2), np.zeros((2, 2))])
    assert_array_equal(gradient(f, x)[0], [np.eye(2), np.zeros((2, 2))])


def test_the_logarithm_of_a_determinant(gradient):
    assert_allclose(linalg.logdet(np.eye(3) * 2.0), 3 * np.log(2))
    assert_allclose(gradient(linalg.logdet, np.eye(2) * 2.0)[0], np.eye(2) / 2)


SINGULAR = {
    "inv": (linalg.inv, [np.ones((2, 2))]),
    "solve": (linalg.solve, [np.ones((2, 2)), np.ones(2)]),
    "solve_triangular": (linalg.solve_triangular, [np.diag([1.0, 0.0]), np.ones(2)]),
    "cholesky": (linalg.cholesky, [np.zeros((2, 2))]),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_a_singular_matrix_is_numpys_error_and_ours(name):
    f, xs = SINGULAR[name]
    with pytest.raises(np.linalg.LinAlgError, match=rf"{name}\(float64\[2, 2\]") as caught:
        f(*xs)
    assert isinstance(caught.value, G.GradError | ValueError | RuntimeError)
    with pytest.raises(G.LinAlgError, match=name):
        f(*map(dg.tensor, xs))


@pytest.mark.parametrize("name", SINGULAR)
def test_a_graph_raises_it_too(name):
    f, xs = SINGULAR[name]
    feeds = [sg.placeholder("float64", x.shape) for x in xs]
    run = sg.compile(f(*feeds), feeds)
    with pytest.raises(G.LinAlgError, match=name):
        run(*xs)


def test_the_error_counts_the_matrices_of_a_stack():
    x = np.broadcast_to(np.eye(2), (3, 4, 2, 2)).copy()
    x[1, 2] = 0
    with pytest.raises(G.LinAlgError, match="number 1, 2 of the stack"):
        linalg.inv(x)


def test_large_triangular_systems_are_solved_in_blocks():
    n = 150
    a = np.tril(rng.normal(size=(2, n, n))) / n + np.eye(n)
    b = rng.normal(size=(n, 3))
    assert_allclose(a @ linalg.solve_triangular(a, b, lower=True), np.broadcast_to(b, (2, n, 3)))
    u = np.triu(a.swapaxes(-1, -2), 1) + np.eye(n)
    got = linalg.solve_triangular(u, b[:, 0], unit_diagonal=True)
    assert_allclose((u @ got[..., None])[..., 0], np.broadcast_to(b[:, 0], (2, n)))


def test_what_is_not_in_the_triangle_is_not_read(gradient):
    a, b = np.array([[2.0, np.nan], [1.0, 4.0]]), np.ones(2)
    assert_allclose(linalg.solve_triangular(a, b, lower=True), [0.5, 0.125])
    f = lambda a: linalg.solve_triangular(a, b, lower=True)
    assert gradient(f, np.nan_to_num(a))[0][0, 1] == 0


def test_examples_with_one_matrix_are_solved_at_once():
    a, b = SQUARES[0], rng.normal(size=(5, 3))
    assert_allclose(G.vmap(linalg.solve, in_axes=(None, 0))(a, b), np.linalg.solve(a, b.T).T)


def test_integers_are_taken_for_floats():
    assert linalg.solve(np.array([[2, 0], [0, 4]]), np.array([1, 1])).dtype == np.float64
    with pytest.raises(G.DTypeError, match="no linear algebra of float16"):
        linalg.inv(np.eye(2, dtype=np.float16))
