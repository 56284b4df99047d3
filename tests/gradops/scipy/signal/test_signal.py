"""SciPy's convolutions and filters: values, derivatives of two orders, both packages."""

import itertools
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import DTypeError, OptionError, ShapeError
from gradops.scipy import signal
from gradops.testing.finite_differences import derivative

scipy_signal = pytest.importorskip("scipy.signal")

rng = np.random.default_rng(0)
normal = lambda *shape: rng.normal(size=shape)
b, a = scipy_signal.butter(3, 0.3)
b, a = 2 * b, 2 * a  # a leading coefficient that is not 1
SOS = scipy_signal.butter(4, 0.3, output="sos")


def initial(m, b, a, y):
    """The state after results, and a quotient with its remainder."""
    return (m.lfiltic(b, a, y[:2]), *m.deconvolve(y, b))


def responses(m, b, a, w):
    """Responses of digital and analog filters, as real numbers."""
    z = b[1:] / b[0] / 4
    found = [m.freqz(b, a, w), m.freqs(b, a, w), m.freqz_zpk(z, a[1:] / a[0], b[0], w)]
    return tuple(part for _, h in found for part in (np.real(h), np.imag(h)))


def section_responses(m, sos, w):
    """Responses and delays of a cascade, as real numbers."""
    h, delay = m.freqz_sos(sos, w)[1], m.group_delay((sos[0, :3], sos[0, 3:]), w)[1]
    return np.real(h), np.imag(h), delay


def spectrum(m, x, **options):
    """A power spectrum without its frequencies."""
    return m.welch(x, nperseg=8, **options)[1]


def cross_spectrum(m, x, y):
    """The parts of a cross spectrum, the coherence, and a periodogram."""
    both = m.csd(x, y, nperseg=8)[1]
    return np.real(both), np.imag(both), m.coherence(x, y, nperseg=8)[1], m.periodogram(x)[1]


def analytic(m, x):
    """The parts of an analytic signal."""
    z = m.hilbert(x)
    return np.real(z), np.imag(z)


def analytic_image(m, x):
    """The parts of an analytic image."""
    z = m.hilbert2(x)
    return np.real(z), np.imag(z)


def complex_resampled(m, x, y):
    """The parts of a resampled complex signal."""
    z = m.resample(x + 1j * y, 11)
    return np.real(z), np.imag(z)


def sweep(m, t, f0, f1, **options):
    """A chirp of four seconds."""
    return m.chirp(t, f0, 4.0, f1, **options)


def short_time(m, x, **options):
    """The parts of short-time spectra."""
    z = m.stft(x, nperseg=8, **options)[2]
    return np.real(z), np.imag(z), m.spectrogram(x, nperseg=8)[2]


def inverted(m, x, **options):
    """The signal of parts of a spectrum."""
    return np.real(m.istft(x[0] + 1j * x[1], **options)[1])


def by_transfer_function(m, num, den, u, first, **options):
    """The output and states of a system."""
    return m.lsim((num, den), u, np.linspace(0, 2, 9), first, **options)[1:]


def by_matrices(m, p, q, r, s, u):
    """The output and states of a system with two inputs."""
    return m.lsim((p, q, r, s), u, np.linspace(0, 2, 9))[1:]


def discrete(m, p, q, r, s, u, first, **options):
    """The response of a system at steps of time."""
    *matrices, dt = m.cont2discrete((p, q, r, s), 0.2, **options)
    return (*matrices, *m.dlsim((*matrices, dt), u, x0=first)[1:])


def impulses(m, p, q, r):
    """The system at steps of time that has the same response to an impulse."""
    return m.cont2discrete((p, q, r, np.zeros((2, 2))), 0.2, "impulse")[:4]


SYSTEM = normal(3, 3), normal(3, 2), normal(2, 3)
TIMES = np.linspace(0.1, 3.9, 7)
ENDS = np.array(1.5), np.array(2.5)
MORE = [
    *[
        (call, (normal(5, 6), normal(2, 3)), {"mode": mode, "boundary": boundary})
        for call in ("convolve2d", "correlate2d")
        for mode in ("full", "same", "valid")
        for boundary in ("fill", "wrap", "symm")
    ],
    ("convolve2d", (normal(3, 4), normal(2, 2)), {"fillvalue": 1.5}),
    *[("fftconvolve", (normal(2, 7), normal(1, 4)), {"axes": 1, "mode": m}) for m in
      ("full", "same", "valid")],
    *[("filtfilt", (b, a, normal(2, 20)), {"padtype": p}) for p in ("odd", "even", "constant")],
    ("filtfilt", (b, a, normal(9)), {"padlen": 0}),
    ("sosfiltfilt", (SOS, normal(2, 20)), {"padlen": 9}),
    ("sosfilt_zi", (SOS,), {}), (initial, (b, a, normal(6)), {}),
    *[("detrend", (normal(2, 9),), {"type": t}) for t in ("linear", "constant")],
    ("detrend", (normal(9, 2),), {"axis": 0, "bp": [4]}),
    *[("savgol_filter", (normal(2, 9), 5, 2), {"mode": m}) for m in ("interp", "mirror", "wrap")],
    ("savgol_filter", (normal(9), 6, 3, 1), {"mode": "nearest"}),
    ("medfilt", (normal(9), 3), {}), ("medfilt2d", (normal(4, 5), 3), {}),
    ("wiener", (normal(9), 3), {}),
    ("resample", (normal(9), 12), {}),
    ("resample", (normal(2, 8), 5), {"axis": 1, "window": "hann"}),
    (complex_resampled, (normal(8), normal(8)), {}),
    ("upfirdn", (normal(4), normal(2, 7), 3, 2), {}),
    *[("resample_poly", (normal(2, 9), 3, 2), {"axis": 1, "padtype": p}) for p in
      ("constant", "mean", "median", "maximum")],
    ("decimate", (normal(60), 2), {}), ("decimate", (normal(30), 3), {"ftype": "fir"}),
    ("decimate", (normal(30), 3), {"ftype": "fir", "zero_phase": False}),
    (analytic, (normal(8),), {}), (analytic_image, (normal(4, 5),), {}),
    (responses, (b, a, TIMES[:3]), {}), (section_responses, (SOS, TIMES[:3] / 2), {}),
    (spectrum, (normal(2, 30),), {}), (spectrum, (normal(30),), {"detrend": "linear"}),
    (spectrum, (normal(30),), {"average": "median", "scaling": "spectrum"}),
    (cross_spectrum, (normal(30), normal(30)), {}),
    *[(sweep, (TIMES, *ENDS), {"method": m}) for m in
      ("linear", "quadratic", "logarithmic", "hyperbolic")],
    (sweep, (TIMES, *ENDS), {"method": "quadratic", "vertex_zero": False}),
    (short_time, (normal(2, 30),), {}), (short_time, (normal(30),), {"boundary": "odd"}),
    (short_time, (normal(30),), {"boundary": None, "padded": False, "scaling": "psd"}),
    (inverted, (normal(2, 5, 6),), {}), (inverted, (normal(2, 3, 5, 6),), {"noverlap": 6}),
    (inverted, (normal(2, 8, 6),), {"input_onesided": False, "scaling": "psd"}),
    (by_transfer_function, (normal(2), np.array([2.0, 1.0, 3.0]), normal(9), normal(2)), {}),
    (by_transfer_function, (normal(2), np.array([2.0, 1.0]), normal(9), normal(1)),
     {"interp": False}),
    (by_matrices, (normal(3, 3), normal(3, 2), normal(2, 3), normal(2, 2), normal(9, 2)), {}),
    *[
        (discrete, (*SYSTEM, normal(2, 2), normal(5, 2), normal(3)), {"method": m})
        for m in ("zoh", "foh", "bilinear", "euler", "backward_diff")
    ],
    (impulses, SYSTEM, {}),
    ("gausspulse", (TIMES, np.array(0.3)), {}), ("sawtooth", (TIMES, np.array(0.4)), {}),
]  # fmt: skip
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
    ("lfilter_zi", (b, a), {}), ("sosfilt", (SOS, normal(2, 8)), {}), *MORE,
]  # fmt: skip
name = lambda case: f"{getattr(case[0], '__name__', case[0])}-{case[2]}"
every_call = pytest.mark.parametrize("case", CALLS, ids=map(name, CALLS))


def called(m, call):
    """The function of a module, by its name or made of several."""
    return getattr(m, call) if isinstance(call, str) else partial(call, m)


def only(y):
    """A result; all of them in a row if there are several."""
    if not isinstance(y, tuple):
        return y
    return gradops.concatenate([gradops.reshape(p, shape=-1) for p in y])


def weighted(case):
    """A number of which the gradient reads every entry of the result."""
    call, args, attrs = case
    count = sum(isinstance(x, np.ndarray) for x in args)
    xs, others = args[:count], args[count:]
    f = lambda *ys: only(called(signal, call)(*ys, *others, **attrs))
    weights = np.cos(np.arange(np.size(f(*xs)))).reshape(np.shape(f(*xs)))
    return (lambda *ys: gradops.sum(f(*ys) * weights)), xs


def gradients(f, xs, **options):
    leaves = [dg.tensor(x, requires_grad=True) for x in xs]
    return dg.autograd.grad(f(*map(dg.array, leaves)), leaves, **options), leaves


@every_call
def test_values_are_those_of_scipy(case):
    call, xs, attrs = case
    got, want = (only(called(m, call)(*xs, **attrs)) for m in (signal, scipy_signal))
    assert got.shape == want.shape
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
    if not slope.requires_grad:
        return
    seconds = dg.autograd.grad(slope, leaves, allow_unused=True)
    for i, second in enumerate(seconds):
        second = dg.tensor(np.zeros(xs[i].shape)) if second is None else second
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


@pytest.mark.parametrize("case", [c for c in CALLS if c[0] in ("lfilter", "sosfilt")], ids=str)
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


def test_defaults_that_depend_on_values_are_those_of_scipy():
    x = normal(2, 30)
    for sections in (SOS, scipy_signal.butter(5, 0.3, output="sos")):
        got, want = (m.sosfiltfilt(sections, x) for m in (signal, scipy_signal))
        assert_allclose(got, want)
    for width in (0.0, 0.3, 1.0, 1.5):
        assert_allclose(*(m.square(TIMES, width) for m in (signal, scipy_signal)))
        assert_allclose(*(m.sawtooth(TIMES, width) for m in (signal, scipy_signal)))


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


@pytest.mark.parametrize("method", ["auto", "direct", "fft"])
def test_integers_stay(method):
    got, want = (m.convolve([1, 2, 3], [4, 5], method=method) for m in (signal, scipy_signal))
    assert got.dtype == want.dtype
    assert_allclose(got, want, rtol=0)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: signal.convolve(b, SOS), ShapeError, "numbers of axes"),
        (lambda: signal.convolve(b, a, "odd"), OptionError, "not 'odd'"),
        (lambda: signal.convolve(b, a, method="odd"), OptionError, "not 'odd'"),
        (lambda: signal.convolve(normal(2, 3), normal(3, 2), "valid"), ShapeError, "as large"),
        (lambda: signal.fftconvolve(SOS, SOS[:, :4], axes=0), ShapeError, "do not broadcast"),
        (lambda: signal.convolve2d(b, a), ShapeError, "two axes"),
        (lambda: signal.convolve2d(SOS, SOS, boundary="odd"), OptionError, "not 'odd'"),
        (lambda: signal.filtfilt(b, a, b), ShapeError, "more than padlen=12"),
        (lambda: signal.filtfilt(b, a, b, method="gust"), OptionError, "'gust' is not here"),
        (lambda: signal.filtfilt(b, a, b, padtype="no"), OptionError, "not 'no'"),
        (lambda: signal.detrend(b, type="odd"), OptionError, "not 'odd'"),
        (lambda: signal.detrend(b, bp=9), ShapeError, "9 lies beyond 4"),
        (lambda: signal.savgol_filter(b, 5, 2), ShapeError, "window of 5"),
        (lambda: signal.savgol_filter(b, 3, 2, mode="odd"), OptionError, "not 'odd'"),
        (lambda: signal.medfilt(b, 2), ShapeError, "odd size"),
        (lambda: signal.upfirdn(b, a, mode="wrap"), OptionError, "only zeros"),
        (lambda: signal.resample_poly(b, 0, 1), OptionError, "up=0"),
        (lambda: signal.resample_poly(b, 2, 1, padtype="odd"), OptionError, "not 'odd'"),
        (lambda: signal.resample(b, 5, domain="odd"), OptionError, "not 'odd'"),
        (lambda: signal.resample(b, 5, window=b[:2]), ShapeError, "4 weights"),
        (lambda: signal.decimate(b, 2, ftype="odd"), OptionError, "not 'odd'"),
        (lambda: signal.hilbert(1j * b), DTypeError, "real"),
        (lambda: signal.freqz(SOS), ShapeError, "vectors"),
        (lambda: signal.csd(b, b, nperseg=4, noverlap=4), OptionError, "above noverlap=4"),
        (lambda: signal.welch(b, scaling="odd"), OptionError, "'odd'"),
        (lambda: signal.stft(b, boundary="odd one"), OptionError, "no boundary"),
        (lambda: signal.istft(np.ones((3, 2)), scaling="odd"), OptionError, "not 'odd'"),
        (lambda: signal.spectrogram(b, mode="angle"), OptionError, "'angle' is not here"),
        (lambda: signal.lsim((b, b[:2]), b, b), ShapeError, "not the longer"),
        (lambda: signal.lsim((b, a), TIMES, TIMES), OptionError, "start at 0"),
        (lambda: signal.lsim((b, a), b, TIMES - 0.1), ShapeError, "at each of 7 times"),
        (lambda: signal.lsim((b, a, b), b, TIMES), OptionError, "numerator, denominator"),
        (lambda: signal.cont2discrete((b, a), 0.1), OptionError, "A, B, C, D"),
        (lambda: signal.cont2discrete([np.eye(1)] * 4, 0.1, "gbt"), OptionError, "no alpha"),
        (lambda: signal.cont2discrete([np.eye(1)] * 4, 0.1, "impulse"), OptionError, "D is 0"),
        (lambda: signal.dlsim((b, a, 0.1), b), OptionError, "A, B, C, D, dt"),
        (lambda: signal.chirp(b, 1, 1, 1, "odd"), OptionError, "no method 'odd'"),
        (lambda: signal.lfilter(b, [0.0, 1.0], b), OptionError, "must not be zero"),
        (lambda: signal.lfilter(b, a, b, zi=[1.0]), ShapeError, "3 entries"),
        (lambda: signal.lfilter(SOS, a, b), ShapeError, "vectors"),
        (lambda: signal.sosfilt(b, a), ShapeError, "six columns"),
    ],
)
def test_errors_say_what_is_wrong(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_signals_of_unknown_length_are_filtered_both_ways():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [2, "n"])
        ys = [signal.filtfilt(b, a, x), signal.sosfiltfilt(SOS, x, padlen=7), signal.detrend(x)]
        ys += [signal.savgol_filter(x, 5, 2), signal.medfilt(x, (1, 3))]
        f = sg.compile([*ys, *sg.gradients(sum(map(gradops.sum, ys[:4])), x)], [x])
    value = normal(2, 20)
    *found, slope = f(value)
    g = lambda m, x: [
        m.filtfilt(b, a, x), m.sosfiltfilt(SOS, x, padlen=7), m.detrend(x),
        m.savgol_filter(x, 5, 2), m.medfilt(x, (1, 3)),
    ]  # fmt: skip
    for got, want in zip(found, g(scipy_signal, value), strict=True):
        assert_allclose(got, want, atol=1e-12)
    (want,), _ = gradients(lambda x: sum(map(gradops.sum, g(signal, x)[:4])), [value])
    assert_allclose(slope, want.numpy(), atol=1e-12)


def test_tensors_of_single_precision_go_with_arrays_of_double():
    for case in CALLS:
        f, xs = weighted(case)
        for i, x in enumerate(xs):
            leaf = dg.tensor(x.astype(np.float32), requires_grad=True)
            y = f(*xs[:i], leaf, *xs[i + 1 :])
            scale = 1 + abs(f(*xs))
            assert_allclose(y.detach().numpy(), f(*xs), atol=0.01 * scale)  # of ill-posed ones, too
            (g,) = dg.autograd.grad(y, leaf, allow_unused=True)
            assert g is None or g.dtype == leaf.dtype
