"""Symmetric and Hermitian matrices: repeated eigenvalues, free phases, what is not finite."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops as G
from gradops import linalg
from gradops.testing.finite_differences import along, derivative

rng = np.random.default_rng(0)


def gradient(f, x):
    """The gradient of the sum of `f(x)`."""
    x = dg.tensor(x, requires_grad=True)
    return dg.autograd.grad(f(x).sum(), x)[0].numpy()


def hermitian(n, kind):
    x = rng.normal(size=(n, n)) + (1j * rng.normal(size=(n, n)) if kind == "complex" else 0)
    return x + x.conj().T


COMPLEX = (np.complex64, np.complex128)


@pytest.mark.parametrize("UPLO", ["L", "U"])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.float32, np.complex64, int])
def test_numbers_are_numpys(dtype, UPLO):
    x = 4 * rng.normal(size=(2, 3, 3)) + (1j if dtype in COMPLEX else 0)
    x = x.astype(dtype)
    for got, want in zip(linalg.eigh(x, UPLO), np.linalg.eigh(x, UPLO), strict=True):
        assert_array_equal(got, want)
        assert got.dtype == want.dtype
    assert_array_equal(linalg.eigvalsh(x, UPLO), np.linalg.eigvalsh(x, UPLO))
    p = x @ x.conj().swapaxes(-1, -2) + np.eye(3, dtype=x.dtype)
    assert_array_equal(linalg.cholesky(p, UPLO == "U"), np.linalg.cholesky(p, upper=UPLO == "U"))


@pytest.mark.parametrize("n", [1, 3])
def test_repeated_eigenvalues_have_gradients_if_eigenvectors_are_not_used(n):
    values = lambda x: linalg.eigh(x).eigenvalues
    for f in (values, linalg.eigvalsh):
        assert_allclose(gradient(f, np.eye(n)), np.eye(n), atol=1e-15)
    assert_allclose(gradient(lambda x: values(x) * 0, np.eye(n)), np.zeros((n, n)))


def test_gradients_are_symmetric_though_one_triangle_is_read():
    for f in (lambda x: linalg.eigh(x).eigenvectors[0] ** 2, linalg.cholesky):
        g = gradient(f, hermitian(3, "real") + 10 * np.eye(3))
        assert_allclose(g, g.T)


INVARIANT = {
    "projector": lambda x: G.abs(linalg.eigh(x).eigenvectors[..., :2, 0]) ** 2,
    "exponential": lambda x: function_of(x, G.exp),
    "sine, upper": lambda x: function_of(x, G.sin, "U"),
    "values": lambda x: linalg.eigh(x).eigenvalues ** 2,
}


def function_of(x, f, UPLO="L"):
    w, v = linalg.eigh(x, UPLO)
    y = (v * f(w)) @ linalg.adjoint(v)
    return G.real(y) + G.imag(y)


@pytest.mark.parametrize("name", INVARIANT)
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_what_does_not_depend_on_phases_has_its_derivatives(name, kind):
    f, x, t, u = INVARIANT[name], *(hermitian(3, kind) for _ in range(3))
    inner = lambda a, b: np.real(np.conj(a) * b).sum()
    slope, tolerance = derivative(along(lambda x: np.sum(f(x)), [x], {0: t}))
    assert_allclose(inner(gradient(f, x), t), slope, rtol=10 * tolerance)
    assert_allclose(G.jvp(lambda x: G.sum(f(x)), [x], [t])[1], slope, rtol=10 * tolerance)
    second = lambda x: inner(gradient(f, x), t)
    want, _ = derivative(along(second, [x], {0: u}))
    got = G.jvp(lambda x: G.jvp(f, [x], [t])[1].sum(), [x], [u])[1]
    assert_allclose(got, want, rtol=1e-5)


@pytest.mark.parametrize("f", [linalg.eigh, linalg.eigvalsh])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(f, bad):
    x = np.stack([np.eye(2), np.diag([1.0, bad])])
    with pytest.raises(G.LinAlgError, match="infinite or no numbers: number 1 of the stack"):
        f(x)


def test_numbers_whose_sum_overflows_are_finite():
    assert_array_equal(linalg.eigvalsh(np.eye(2) * 1.5e308), [1.5e308] * 2)
