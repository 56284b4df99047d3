"""Small matrices in machine code: the numbers of formulas by Python's floats, and LAPACK's."""

import numpy as np
import pytest

from gradops import OPS
from gradops.kernels.linalg.cholesky import cotangent_of_floats
from gradops.native.kernels.library import callable_kernel
from gradops.native.kernels.matrices import MOST

from .layouts import layouts, regular

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

SIZES = [1, 2, 3, 4, 5, 8, MOST]
every_size = pytest.mark.parametrize("n", SIZES)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])
factor = callable_kernel("matrices", "cholesky")
cotangent = callable_kernel("matrices", "cholesky_cotangent")


def definite(n, dtype):
    """A symmetric matrix with positive eigenvalues."""
    x = np.random.default_rng(n).normal(size=(n, n))
    return (x @ x.T + n * np.eye(n)).astype(dtype)


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
    assert factor(x, None) is cotangent(x, x, None) is NotImplemented
    assert factor(np.ones((2, 3)), None) is NotImplemented


@pytest.mark.parametrize("entry", [0.0, -1.0, np.nan, np.inf])
@every_size
def test_what_has_no_finite_factor_is_left_to_lapack(n, entry):
    x = definite(n, np.float64)
    x[n // 2, n // 2] = entry
    assert factor(x, None) is NotImplemented
