"""Fourier transforms: NumPy's numbers for every length and norm, halves, derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops import fft

rng = np.random.default_rng(0)
ALONG_ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
ALONG_SEVERAL = ["fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn"]
OF_REALS = {"rfft", "ihfft", "rfft2", "rfftn"}
norms = pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])


def drawn(name, shape, dtype=np.complex128):
    x = rng.normal(size=shape) + (0 if name in OF_REALS else 1j * rng.normal(size=shape))
    return x.astype(dtype if name not in OF_REALS else np.empty(0, dtype).real.dtype)


def same(got, want):
    assert_array_equal(got, want)
    assert got.dtype == want.dtype


@pytest.mark.parametrize("name", ALONG_ONE)
@norms
def test_along_one_axis_numbers_are_numpys(name, norm):
    ours, numpys = getattr(fft, name), getattr(np.fft, name)
    for dtype in (np.complex128, np.complex64):
        x = drawn(name, (3, 5), dtype)
        for kw in ({}, {"n": 4}, {"n": 7}, {"axis": 0}, {"n": 5, "axis": 0}, {"n": 1}):
            same(ours(x, norm=norm, **kw), numpys(x, norm=norm, **kw))
    same(ours(np.arange(5), norm=norm), numpys(np.arange(5), norm=norm))


@pytest.mark.parametrize("name", ALONG_SEVERAL)
@norms
def test_along_several_axes_numbers_are_numpys(name, norm):
    x = drawn(name, (2, 3, 5))
    for kw in ({}, {"axes": (0, 2)}, {"s": (4, 4), "axes": (1, 0)}, {"s": (-1, 4), "axes": (2, 1)}):
        got = getattr(fft, name)(x, norm=norm, **kw)
        want = getattr(np.fft, name)(x, norm=norm, **kw)
        assert_allclose(got, want, rtol=1e-12, atol=1e-13)  # the axes in another order
        assert got.dtype == want.dtype


@pytest.mark.parametrize("axes", [None, 0, (1,), (0, -1)])
def test_shifts_are_numpys(axes):
    x = rng.normal(size=(4, 5))
    same(fft.fftshift(x, axes), np.fft.fftshift(x, axes))
    same(fft.ifftshift(x, axes), np.fft.ifftshift(x, axes))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
@norms
def test_gradients_are_transposes(n, norm):
    """Each transform is a matrix, which its tangents are multiplied with, and its transpose not."""
    for name in ALONG_ONE:
        m = n // 2 + 1 if name in ("irfft", "hfft") else n
        x = drawn(name, m)
        f = lambda x, name=name: getattr(fft, name)(x, n, norm=norm)
        t = dg.tensor(x, requires_grad=True)
        y = f(t)
        g, d = drawn("fft" if y.dtype.kind == "c" else "rfft", y.shape), drawn(name, m)
        (ct,) = dg.autograd.grad(y, t, dg.tensor(g))
        inner = lambda a, b: np.real(np.conj(a) * b).sum()
        assert_allclose(inner(ct.numpy(), d), inner(g, f(d)), atol=1e-12)


def test_a_transform_of_reals_and_back_has_the_gradient_of_the_identity():
    x = dg.tensor(rng.normal(size=(3, 5)), requires_grad=True)
    fft.irfft2(fft.rfft2(x), (3, 5)).sum().backward()
    assert_allclose(x.grad.numpy(), np.ones((3, 5)))


def test_a_filter_of_as_many_rows_as_are_fed():
    x = sg.placeholder("float32", [None, 8])
    y = fft.irfft(fft.rfft(x, axis=0) * 0.5, x.shape[0], axis=0)
    run = sg.compile([y, *sg.gradients(y, x)], [x])
    a = rng.normal(size=(6, 8)).astype(np.float32)
    found, g = run(a)
    assert_allclose(found, a / 2, rtol=1e-5, atol=1e-6)
    assert_allclose(g, np.full((6, 8), 0.5), rtol=1e-5)
    assert found.dtype == g.dtype == np.float32


def test_frequencies_are_numpys():
    same(fft.fftfreq(5, 0.1), np.fft.fftfreq(5, 0.1))
    same(fft.rfftfreq(5, 0.1), np.fft.rfftfreq(5, 0.1))


WRONG = {
    "norm": (lambda: fft.fft(np.ones(3), norm="x"), "not 'x'"),
    "norm of hfft": (lambda: fft.hfft(np.ones(3), norm="x"), "not 'x'"),
    "length": (lambda: fft.fft(np.ones(3), n=0), "transform of 0 numbers"),
    "axis": (lambda: fft.rfft(np.ones(3), axis=1), "axis 1 is out of range"),
    "lengths": (lambda: fft.fftn(np.ones((3, 3)), s=(3,), axes=(0, 1)), "1 lengths for 2 axes"),
    "axes": (lambda: fft.fftn(np.ones((3, 3)), axes=(0, 0)), "named twice"),
    "no axes": (lambda: fft.rfftn(np.ones(())), "no axis"),
    "one frequency": (lambda: fft.irfft(np.ones(1)), "to 0 numbers"),
    "complex": (lambda: fft.rfft(np.ones(3) * 1j), "complex"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_transformed_is_an_error(name):
    call, says = WRONG[name]
    with pytest.raises(G.OperandError, match=says):
        call()
