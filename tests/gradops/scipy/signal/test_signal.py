"""SciPy's convolutions and filters: values, derivatives of two orders, both packages."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import OptionError, ShapeError
from gradops.scipy import signal
from gradops.testing.finite_differences import derivative

scipy_signal = pytest.importorskip("scipy.signal")

rng = np.random.default_rng(0)
normal = lambda *shape: rng.normal(size=shape)
b, a = scipy_signal.butter(3, 0.3)
b, a = 2 * b, 2 * a  # a leading coefficient that is not 1
SOS = scipy_signal.butter(4, 0.3, output="sos")
CALLS = [
    *[
        (call, xs, {"mode": mode, "method": method})
        for call in ("convolve", "correlate")
        for mode in ("full", "same", "valid")
        for method in ("direct", "fft", "auto")
        for xs in ((normal(7), normal(4)), (normal(3), normal(6)), (normal(4, 5), normal(2, 3)))
    ],
    ("fftconvolve", (normal(7), normal(4)), {}), ("oaconvolve", (normal(7), normal(4)), {}),
    ("lfilter", (b, a, normal(9)), {}), ("lfilter", (b, a, normal(2, 6)), {}),
    ("lfilter", (b, a, normal(6, 2)), {"axis": 0}), ("lfilter", (b, a[:2], normal(2)), {}),
    ("lfilter", (b, a[:1], normal(6)), {}), ("lfilter", (b[:1], a, normal(6)), {}),
    ("lfilter_zi", (b, a), {}), ("sosfilt", (SOS, normal(2, 8)), {}),
]  # fmt: skip
name = lambda case: f"{case[0]}-{case[2]}"
every_call = pytest.mark.parametrize("case", CALLS, ids=map(name, CALLS))


def weighted(case):
    """A number of which the gradient reads every entry of the result."""
    call, xs, attrs = case
    f = lambda *ys: getattr(signal, call)(*ys, **attrs)
    weights = np.cos(np.arange(np.size(f(*xs)))).reshape(np.shape(f(*xs)))
    return (lambda *ys: gradops.sum(f(*ys) * weights)), xs


def gradients(f, xs, **options):
    leaves = [dg.tensor(x, requires_grad=True) for x in xs]
    return dg.autograd.grad(f(*leaves), leaves, **options), leaves


@every_call
def test_values_are_those_of_scipy(case):
    call, xs, attrs = case
    got, want = (getattr(m, call)(*xs, **attrs) for m in (signal, scipy_signal))
    assert got.dtype == want.dtype
    assert_allclose(got, want, rtol=1e-10, atol=1e-12)


@every_call
def test_derivatives_of_two_orders(case):
    f, xs = weighted(case)
    ts = [np.sin(1 + np.arange(x.size)).reshape(x.shape) for x in xs]
    along = lambda h: [x + h.real * t for x, t in zip(xs, ts, strict=True)]
    grads, leaves = gradients(f, xs, create_graph=True)
    slope = sum((g * t).sum() for g, t in zip(grads, ts, strict=True))
    want, _ = derivative(lambda h: f(*along(h)))
    value = slope.detach().numpy()
    assert_allclose(value, want, rtol=1e-8, atol=1e-9)
    assert_allclose(gradops.jvp(f, xs, ts)[1], value, rtol=1e-9, atol=1e-12)
    seconds = dg.autograd.grad(slope, leaves, allow_unused=True)
    for i, second in enumerate(seconds):
        want, _ = derivative(lambda h, i=i: gradients(f, along(h))[0][i].numpy())
        assert_allclose(second.numpy(), want, rtol=1e-7, atol=1e-8)


@every_call
def test_graph_and_tape_agree(case):
    f, xs = weighted(case)
    with sg.Graph().as_default():
        ps = [sg.placeholder(x.dtype, x.shape) for x in xs]
        graph = sg.compile(sg.gradients(f(*ps), ps), ps)(*xs)
    for got, want in zip(graph, gradients(f, xs)[0], strict=True):
        assert_allclose(got, want.numpy(), rtol=1e-11, atol=1e-12)  # sums in another order


@pytest.mark.parametrize(
    "case", [c for c in CALLS if c[0].endswith("filt") or c[0] == "lfilter"], ids=str
)
def test_filters_take_any_length_of_a_signal(case):
    call, (*coefficients, x), attrs = case
    f = lambda *xs: gradops.sum(getattr(signal, call)(*xs, **attrs) ** 2)
    with sg.Graph().as_default():
        ps = [*(sg.placeholder(c.dtype, c.shape) for c in coefficients)]
        ps.append(sg.placeholder(x.dtype, (None,) * x.ndim))
        step = sg.compile(sg.gradients(f(*ps), ps), ps)
    for n in (1, 2, 5):
        xs = [*coefficients, normal(*(n for _ in x.shape))]
        for got, want in zip(step(*xs), gradients(f, xs)[0], strict=True):
            assert_allclose(got, want.numpy(), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("n", "order"), [*itertools.product([1, 2, 9], [1, 2, 4])])
def test_states_are_those_of_scipy(n, order):
    x, zi = normal(2, n), normal(2, 3)
    got, want = (m.lfilter(b[:order], a, x, zi=zi) for m in (signal, scipy_signal))
    for p, q in zip(got, want, strict=True):
        assert_allclose(p, q, rtol=1e-10, atol=1e-12)


def test_states_continue_a_filter_and_have_derivatives():
    x, zi = normal(8), normal(3)
    first, state = signal.lfilter(b, a, x[:5], zi=zi)
    second, _ = signal.lfilter(b, a, x[5:], zi=state)
    whole, _ = signal.lfilter(b, a, x, zi=zi)
    assert_allclose(np.concatenate([first, second]), whole)
    loss = lambda z: gradops.sum(signal.lfilter(b, a, x, zi=z)[1] * np.arange(1.0, 4))
    (g,), _ = gradients(loss, [zi])
    want, _ = derivative(lambda h: loss(zi + h.real * np.ones(3)))
    assert_allclose(np.sum(g.numpy()), want, rtol=1e-8)


def test_states_of_sections_are_those_of_scipy():
    x, zi = normal(2, 7), normal(2, 2, 2)
    for p, q in zip(*(m.sosfilt(SOS, x, zi=zi) for m in (signal, scipy_signal)), strict=True):
        assert_allclose(p, q, rtol=1e-10, atol=1e-12)


def test_complex_and_single_precision_operands():
    z, x = normal(6) + 1j * normal(6), normal(6).astype(np.float32)
    for call in ("convolve", "correlate"):
        for other in (normal(3), z[:3]):
            got, want = (getattr(m, call)(z, other) for m in (signal, scipy_signal))
            assert_allclose(got, want, rtol=1e-10)
        assert getattr(signal, call)(x, x).dtype == np.float32
    assert_allclose(signal.lfilter(b, a, z), scipy_signal.lfilter(b, a, z))
    single = signal.lfilter(b.astype("f"), a.astype("f"), x)
    assert single.dtype == np.float32


def test_integers_stay():
    got, want = (m.convolve([1, 2, 3], [4, 5]) for m in (signal, scipy_signal))
    assert got.dtype == want.dtype
    assert_allclose(got, want)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: signal.convolve(b, SOS), ShapeError, "numbers of axes"),
        (lambda: signal.convolve(b, a, "odd"), OptionError, "not 'odd'"),
        (lambda: signal.convolve(b, a, method="odd"), OptionError, "not 'odd'"),
        (lambda: signal.convolve(normal(2, 3), normal(3, 2), "valid"), ShapeError, "as large"),
        (lambda: signal.fftconvolve(b, a, axes=0), OptionError, "axes=0"),
        (lambda: signal.lfilter(b, [0.0, 1.0], b), OptionError, "must not be zero"),
        (lambda: signal.lfilter(b, a, b, zi=[1.0]), ShapeError, "3 entries"),
        (lambda: signal.lfilter(SOS, a, b), ShapeError, "vectors"),
        (lambda: signal.sosfilt(b, a), ShapeError, "six columns"),
    ],
)
def test_errors_say_what_is_wrong(call, error, says):
    with pytest.raises(error, match=says):
        call()
