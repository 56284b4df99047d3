"""Small matrices in machine code: the numbers of substitution by Python's floats, and LAPACK's."""

import numpy as np
import pytest

from gradops import OPS
from gradops.core.errors import LinAlgError
from gradops.kernels.linalg.cholesky import cotangent_of_floats
from gradops.kernels.linalg.triangular import substitute_floats
from gradops.kernels.native_kernels import native_kernels
from gradops.native.kernels.library import callable_kernel
from gradops.native.kernels.matrices import MOST

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

SIZES = [1, 2, 3, 4, 5, 8, MOST]
every_size = pytest.mark.parametrize("n", SIZES)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])
solve, factor, cotangent = (
    callable_kernel("matrices", name)
    for name in ("solve_triangular", "cholesky", "cholesky_cotangent")
)


def regular(n, dtype, seed=0):
    """A matrix far from singular."""
    return (np.random.default_rng(seed).normal(size=(n, n)) + 2 * n * np.eye(n)).astype(dtype)


def definite(n, dtype):
    """A symmetric matrix with positive eigenvalues."""
    x = np.random.default_rng(n).normal(size=(n, n))
    return (x @ x.T + n * np.eye(n)).astype(dtype)


def layouts(x):
    """The same entries at other steps."""
    wide = np.zeros((2 * x.shape[0], 3 * x.shape[1]), x.dtype)
    wide[::2, ::3] = x
    return x, x.copy(order="F"), wide[::2, ::3], x[::-1].copy()[::-1], x[:, ::-1].copy()[:, ::-1]


@every_size
@every_dtype
@pytest.mark.parametrize("sides", [1, 3, 70])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_substitution_has_the_bits_of_pythons_floats(n, dtype, sides, lower, unit):
    a, b = regular(n, dtype), np.random.default_rng(1).normal(size=(n, sides)).astype(dtype)
    wanted = np.array(substitute_floats(a, b, lower, unit), dtype).reshape(b.shape)
    for x in layouts(a):
        for y in layouts(b):
            assert solve(x, y, lower, unit, None).tobytes() == wanted.tobytes()


@every_size
@every_dtype
def test_the_factor_is_lapacks_but_for_rounding(n, dtype):
    x = definite(n, dtype)
    wanted = np.linalg.cholesky(x)
    for y in layouts(x):
        found = factor(y, None)
        tolerance = 2 * n * np.finfo(dtype).eps * np.abs(wanted).max()
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)
        assert found.tobytes() == factor(x, None).tobytes()


@every_size
@every_dtype
def test_the_cotangent_is_that_of_pythons_floats(n, dtype):
    l, g = factor(definite(n, dtype), None), regular(n, dtype)
    wanted = np.array(cotangent_of_floats(l.tolist(), g.tolist()), dtype)
    wanted = np.tril(wanted) + np.tril(wanted, -1).T
    for y in layouts(g):
        assert cotangent(l, y, None).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", ["tril", "triu"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (0, 2), (2, 0), (40, 33)])
def test_triangles_are_numpys_in_any_layout(name, shape):
    x = np.random.default_rng(0).normal(size=shape)
    x.flat[:1] = np.nan
    for k in (-3, -1, 0, 1, 4):
        for y in layouts(x):
            np.testing.assert_array_equal(OPS[name].kernel(y, k), getattr(np, name)(x, k))


def test_larger_and_unfit_matrices_are_refused():
    x = definite(MOST + 1, np.float64)
    assert factor(x, None) is solve(x, x, 1, 0, None) is cotangent(x, x, None) is NotImplemented
    a = np.eye(3)
    for b in (np.ones((2, 1)), np.ones(3), np.ones((1, 3, 1)), np.ones((3, 1), np.float32)):
        assert solve(a, b, 1, 0, None) is NotImplemented
    assert factor(np.ones((2, 3)), None) is NotImplemented


@pytest.mark.parametrize("entry", [0.0, -1.0, np.nan, np.inf])
@every_size
def test_what_has_no_finite_factor_is_left_to_lapack(n, entry):
    x = definite(n, np.float64)
    x[n // 2, n // 2] = entry
    assert factor(x, None) is NotImplemented


def test_a_singular_triangle_is_left_to_numpy_and_raises():
    a = np.diag([1.0, 0.0])
    for b in (np.ones((2, 1)), np.ones((2, 0))):
        assert solve(a, b, 1, 0, None) is NotImplemented
        with pytest.raises(LinAlgError, match="singular"):
            OPS["solve_triangular"](a, b, lower=True)
    assert solve(a, np.ones((2, 1)), 1, 1, None).tolist() == [[1.0], [1.0]]


@every_size
@pytest.mark.parametrize("lower", [True, False])
def test_special_values_stay_in_their_columns(n, lower):
    a, b = regular(n, np.float64), np.ones((n, 4))
    b[:, 1:] *= [np.nan, np.inf, -np.inf]
    y = solve(a, b, lower, False, None)
    with native_kernels(False):
        z = OPS["solve_triangular"].kernel(a, b[:, :1], lower)
    np.testing.assert_allclose(y[:, :1], z, rtol=1e-13)
    assert not np.isfinite(y[:, 1:]).all(0).any()
