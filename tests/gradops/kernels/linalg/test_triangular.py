"""Triangular solves, by LAPACK and by substitution of rows, against solutions in long double."""

import numpy as np
import pytest

from gradops.core.errors import LinAlgError
from gradops.kernels.linalg import triangular
from gradops.kernels.linalg.triangular import MANY, TINY, solve_triangular

SHAPES = [
    ((3, 3), (3, 2)), ((3, 3), (3, MANY)), ((70, 70), (70, 5)), ((70, 70), (70, MANY)),
    ((4, 9, 9), (4, 9, MANY // 4)), ((MANY, 3, 3), (MANY, 3, 1)), ((2, 3, 3), (3, MANY)),
    ((MANY, 3, 3), (3, 1)), ((2, 1, 4, 4), (300, 4, 2)), ((1, 1), (1, MANY)),
    ((1, 1), (1, 1)), ((2, 2), (2, 1)), ((TINY, TINY), (TINY, TINY)), ((5, 5), (5, 1)),
]  # fmt: skip


def matrices(rng, a, b, dtype=float):
    x, y = rng.normal(size=a), rng.normal(size=b)
    if dtype is complex:
        x, y = x + 1j * rng.normal(size=a), y + 1j * rng.normal(size=b)
    return x / a[-1] + 2 * np.eye(a[-1]), y


def reference(a, b, lower, unit_diagonal):
    """Substitution in long double, entry by entry of the definition."""
    a, b = np.asarray(a, np.clongdouble), np.asarray(b, np.clongdouble)
    n = a.shape[-1]
    y = np.array(
        np.broadcast_to(b, (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]))
    )
    for i in range(n) if lower else reversed(range(n)):
        for j in range(i) if lower else range(i + 1, n):
            y[..., i, :] -= a[..., i, j, None] * y[..., j, :]
        if not unit_diagonal:
            y[..., i, :] /= a[..., i, i, None]
    return y


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("unit_diagonal", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_solutions_are_exact_to_rounding_and_read_one_triangle(a, b, lower, unit_diagonal, dtype):
    x, y = matrices(np.random.default_rng(0), a, b, dtype)
    read = np.tri(a[-1], dtype=bool) if lower else ~np.tri(a[-1], k=-1, dtype=bool)
    if unit_diagonal:
        read = read & ~np.eye(a[-1], dtype=bool)
    expected = reference(x, y, lower, unit_diagonal)
    got = solve_triangular(np.where(read, x, np.nan), y, lower, unit_diagonal)
    assert got.dtype == np.dtype(dtype)
    bound = 8 * a[-1] * np.finfo(float).eps  # of a matrix of condition below 10
    assert np.abs(got - expected).max() <= bound * np.abs(expected).max()


def test_substitution_has_a_small_residual_where_the_matrix_is_nearly_singular():
    rng = np.random.default_rng(1)
    a = np.tril(rng.normal(size=(40, 40)))  # of a condition number beyond 1e10
    b = rng.normal(size=(40, MANY))
    y = solve_triangular(a, b, lower=True)
    a, size = a.astype(np.longdouble), np.abs(a) @ np.abs(y) + np.abs(b)
    assert (np.abs(a @ y - b) <= 40 * np.finfo(float).eps * size).all()


@pytest.mark.parametrize("columns", [1, MANY])
@pytest.mark.parametrize("lower", [False, True])
def test_a_zero_on_the_diagonal_is_an_error_that_names_the_matrix(columns, lower):
    a = np.stack([np.eye(2), np.diag([1.0, 0.0])])
    with pytest.raises(LinAlgError, match="number 1 of the stack"):
        solve_triangular(a, np.ones((2, 2, columns)), lower)


def test_a_singular_matrix_without_right_sides_is_an_error_too():
    with pytest.raises(LinAlgError, match="singular"):
        solve_triangular(np.zeros((2, 2)), np.ones((2, 0)), lower=True)


@pytest.mark.parametrize("columns", [3, MANY])
def test_unchecked_solutions_are_nan_but_zero_for_right_sides_of_zeros(columns):
    a, b = np.stack([np.eye(2), np.zeros((2, 2))]), np.ones((2, 2, columns))
    b[..., 1] = 0
    y = solve_triangular(a, b, lower=True, checked=False)
    assert np.array_equal(y[0], b[0])
    assert np.isnan(np.delete(y[1], 1, axis=-1)).all()
    assert not y[1, :, 1].any()


@pytest.mark.parametrize("columns", [1, MANY])
def test_nan_and_infinities_are_no_error_where_the_diagonal_has_no_zero(columns):
    y = solve_triangular(np.array([[np.nan, 0], [1, 1]]), np.ones((2, columns)), lower=True)
    assert np.isnan(y).all()


def test_single_precision_is_computed_in_double_precision():
    x, y = matrices(np.random.default_rng(0), (5, 5), (5, MANY))
    a, b = x.astype(np.float32), y.astype(np.float32)
    got = solve_triangular(a, b, lower=True)
    wide = solve_triangular(a.astype(float), b.astype(float), lower=True)
    assert got.dtype == np.float32
    assert np.array_equal(got, wide.astype(np.float32))


def test_masks_of_small_triangles_are_kept_and_read_only():
    assert triangular.triangle(3, 3, 0) is triangular.triangle(3, 3, 0)
    assert not triangular.triangle(3, 3, 0).flags.writeable


@pytest.mark.parametrize("lay_out", [np.asarray, np.asfortranarray, lambda x: x[..., ::-1]])
@pytest.mark.parametrize(("a", "b"), SHAPES)
@pytest.mark.parametrize("lower", [False, True])
def test_solutions_are_in_c_order(a, b, lower, lay_out):
    x, y = matrices(np.random.default_rng(0), a, b)
    for columns in (y, y * 0):
        solution = solve_triangular(lay_out(x), lay_out(columns), lower, checked=False)
        assert solution.flags.c_contiguous


def test_a_singular_matrix_leaves_solutions_in_c_order():
    a, b = np.zeros((2, 6, 6)), np.asfortranarray(np.ones((2, 6, 3)))
    assert solve_triangular(a, b, lower=True, checked=False).flags.c_contiguous


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("a", "b"), [(a, b) for a, b in SHAPES if len(a) > 2 or len(b) > 2])
def test_threads_that_share_a_stack_change_no_bits(a, b, lower, monkeypatch):
    x, y = matrices(np.random.default_rng(3), a, b)
    whole = triangular.substitute(x, y, lower, False, np.dtype(float))
    monkeypatch.setattr(triangular, "SHARED", 1)
    for threads in (1, 2, 3):
        monkeypatch.setattr(triangular, "cores", lambda threads=threads: threads)
        parts = triangular.substitute(x, y, lower, False, np.dtype(float))
        assert parts.tobytes() == whole.tobytes()
