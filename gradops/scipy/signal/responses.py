"""Responses of filters at frequencies, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.tracer_protocol import held
from ...core.types import shape_of, type_of
from ...library.elementwise.arithmetic import abs
from ...library.elementwise.comparison import less, where
from ...library.elementwise.complexes import real
from ...library.elementwise.exponential import exp
from ...library.linalg.matrices import conjugate
from ...library.reduce.reduction import prod
from ...library.shape.movement import expand_dims, flip
from .convolutions import convolve
from .filters import operand

__all__ = [
    "freqs", "freqs_zpk", "freqz", "freqz_sos", "freqz_zpk", "group_delay", "sosfreqz",
]  # fmt: skip


def frequencies(call: str, given: Any, whole: bool, fs: float, last: bool) -> tuple[Any, Any]:
    """Frequencies in radians, and in the unit of the rate `fs`."""
    if given is None or isinstance(given, int | np.integer):
        n = 512 if given is None else int(given)
        if n < 0:
            raise OptionError(call, [], f"the number of frequencies is not negative: {n}")
        w = np.linspace(0, 2 * np.pi if whole else np.pi, n, endpoint=last and not whole)
        return w, w * (fs / (2 * np.pi))
    given = operand(given)
    return given * (2 * np.pi / fs), given


def polynomial(b: Any, z: Any) -> Any:
    """The values of a polynomial by ascending coefficients, by Horner's rule."""
    n: Any = shape_of(b)[0]
    y = b[n - 1] + 0 * z
    for k in range(n - 2, -1, -1):
        y = y * z + b[k]
    return y


def vectors(call: str, *xs: Any) -> list[Any]:
    """Coefficients as vectors, or a ShapeError."""
    found = [operand(x) for x in xs]
    if any(len(shape_of(x)) != 1 for x in found):
        raise ShapeError(call, map(type_of, found), "the coefficients are vectors")
    return found


def freqz(
    b: Any, a: Any = 1, worN: Any = 512, whole: bool = False, plot: Any = None,
    fs: float = 2 * np.pi, include_nyquist: bool = False,
) -> Any:  # fmt: skip
    """Frequencies and the response at them of a digital filter b / a.

    `worN` is the number of frequencies up to half the rate `fs`, or the frequencies. Derivatives
    are in coefficients and given frequencies.

    >>> w, h = freqz([1.0, 1.0], worN=2)
    >>> h.round(6)
    array([2.+0.j, 1.-1.j])
    """
    b, a = vectors("freqz", b, a)
    w, shown = frequencies("freqz", worN, whole, fs, include_nyquist)
    z = exp(-1j * w)
    h = polynomial(b, z) / polynomial(a, z)
    if plot is not None:
        plot(shown, h)
    return shown, h


def freqz_sos(sos: Any, worN: Any = 512, whole: bool = False, fs: float = 2 * np.pi) -> Any:
    """Frequencies and the response at them of a cascade of sections; see `freqz`.

    >>> w, h = freqz_sos([[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]], worN=2)
    >>> h.round(6)
    array([2.+0.j, 1.-1.j])
    """
    sos, h = operand(sos), 1.0
    if len(shape_of(sos)) != 2 or shape_of(sos)[1] != 6:
        raise ShapeError("freqz_sos", [type_of(sos)], "the sections have six columns")
    w, shown = frequencies("freqz_sos", worN, whole, fs, False)
    for k in range(shape_of(sos)[0]):
        h = h * freqz(sos[k, :3], sos[k, 3:], w)[1]
    return shown, h


sosfreqz = freqz_sos


def freqz_zpk(
    z: Any, p: Any, k: Any, worN: Any = 512, whole: bool = False, fs: float = 2 * np.pi
) -> Any:
    """Frequencies and the response of a digital filter by zeros, poles and gain; see `freqz`.

    >>> w, h = freqz_zpk([-1.0], [0.0], 1.0, worN=2)
    >>> h.round(6)
    array([2.+0.j, 1.-1.j])
    """
    z, p = vectors("freqz_zpk", z, p)
    w, shown = frequencies("freqz_zpk", worN, whole, fs, False)
    return shown, by_roots(exp(1j * w), z, p, k)


def by_roots(s: Any, z: Any, p: Any, k: Any) -> Any:
    """The quotient of polynomials by their roots, times a factor."""
    s = expand_dims(s, axis=-1)
    return k * (prod(s - z, axis=-1) / prod(s - p, axis=-1))


def analog(call: str, given: Any, find: Any) -> Any:
    """The frequencies for an analog filter: those given, or as many as SciPy finds."""
    if not isinstance(given, int | np.integer):
        return operand(given)
    from scipy import signal

    values = [np.asarray(held(x)) for x in find]
    return signal.findfreqs(*values, int(given), kind="zp" if call == "freqs_zpk" else "ba")


def freqs(b: Any, a: Any, worN: Any = 200, plot: Any = None) -> Any:
    """Frequencies in radians and the response at them of an analog filter b / a.

    >>> freqs([1.0], [1.0, 1.0], [0.0, 1.0])[1]
    array([1. +0.j , 0.5-0.5j])
    """
    b, a = vectors("freqs", b, a)
    w = analog("freqs", worN, (b, a))
    h = polynomial(flip(b), 1j * w) / polynomial(flip(a), 1j * w)
    if plot is not None:
        plot(w, h)
    return w, h


def freqs_zpk(z: Any, p: Any, k: Any, worN: Any = 200) -> Any:
    """Frequencies and the response of an analog filter by zeros, poles and gain; see `freqs`.

    >>> freqs_zpk([], [-1.0], 1.0, [0.0, 1.0])[1]
    array([1. +0.j , 0.5-0.5j])
    """
    z, p = vectors("freqs_zpk", z, p)
    w = analog("freqs_zpk", worN, (z, p))
    return w, by_roots(1j * w, z, p, k)


def group_delay(system: Any, w: Any = 512, whole: bool = False, fs: float = 2 * np.pi) -> Any:
    """Frequencies and the delays at them, in entries, of a digital filter (b, a).

    Where the response is 0, the delay is not defined, and 0 here.

    >>> group_delay(([0.0, 1.0], [1.0]), w=2)[1].round(6)
    array([1., 1.])
    """
    b, a = vectors("group_delay", *system)
    w, shown = frequencies("group_delay", w, whole, fs, False)
    c = convolve(b, conjugate(flip(a)))
    z = exp(-1j * w)
    n: Any = shape_of(c)[0]
    last: Any = shape_of(a)[0]
    below = polynomial(c, z)
    singular = less(abs(below), 1e-14)
    delay = real(polynomial(c * np.arange(n), z) / where(singular, 1.0, below))
    return shown, where(singular, 0.0, delay - (last - 1))
