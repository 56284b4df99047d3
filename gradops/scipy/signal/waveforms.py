"""Signals as functions of time, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...library.elementwise.arithmetic import power
from ...library.elementwise.comparison import less, where
from ...library.elementwise.exponential import exp, log
from ...library.elementwise.rounding import remainder
from ...library.elementwise.trigonometric import cos, sin
from .filters import operand

__all__ = ["chirp", "gausspulse", "sawtooth", "square"]

METHODS = {
    "linear": "linear", "lin": "linear", "li": "linear",
    "quadratic": "quadratic", "quad": "quadratic", "q": "quadratic",
    "logarithmic": "logarithmic", "log": "logarithmic", "lo": "logarithmic",
    "hyperbolic": "hyperbolic", "hyp": "hyperbolic",
}  # fmt: skip


def chirp(
    t: Any, f0: Any, t1: Any, f1: Any, method: str = "linear", phi: Any = 0,
    vertex_zero: bool = True, *, complex: bool = False,
) -> Any:  # fmt: skip
    """A cosine whose frequency goes from `f0` at 0 to `f1` at `t1`; `phi` is in degrees.

    Differentiable in times, frequencies and phase.

    >>> chirp(np.array([0.0, 0.5]), 1.0, 1.0, 1.0).round(6)
    array([ 1., -1.])
    """
    if method not in METHODS:
        raise OptionError("chirp", [], f"there is no method {method!r}")
    t = operand(t)
    angle = phase(t, f0, t1, f1, METHODS[method], vertex_zero) + phi * (np.pi / 180)
    return exp(1j * angle) if complex else cos(angle)


def phase(t: Any, f0: Any, t1: Any, f1: Any, method: str, vertex_zero: bool) -> Any:
    """The angle in radians."""
    if method == "linear":
        turns = f0 * t + 0.5 * ((f1 - f0) / t1) * t * t
    elif method == "quadratic":
        beta = (f1 - f0) / (t1 * t1)
        if vertex_zero:
            turns = f0 * t + beta * t * t * t / 3
        else:
            turns = f1 * t + beta * (power(t1 - t, 3) - power(t1, 3)) / 3
    elif method == "logarithmic":
        rate = log(operand(f1) / f0) / t1
        flat = rate == 0
        safe = where(flat, 1.0, rate)
        turns = where(flat, f0 * t, f0 * (exp(safe * t) - 1) / safe)
    else:
        flat = operand(f0) == f1
        sing = -f1 * t1 / where(flat, 1.0, f0 - operand(f1))
        inner = where(flat, 1.0, 1 - t / where(flat, 1.0, sing))
        turns = where(flat, f0 * t, -sing * f0 * log(abs(inner)))
    return 2 * np.pi * turns


def gausspulse(
    t: Any, fc: Any = 1000, bw: Any = 0.5, bwr: Any = -6, tpr: float = -60, retquad: bool = False,
    retenv: bool = False,
) -> Any:  # fmt: skip
    """A cosine of frequency `fc` in a Gaussian envelope of the relative bandwidth `bw`.

    With `retquad` also its quadrature, with `retenv` also the envelope.

    >>> gausspulse(np.array([0.0]))
    array([1.])
    """
    t = operand(t)
    width = power(10.0, bwr / 20)
    a = -power(np.pi * fc * bw, 2) / (4 * log(width))
    envelope = exp(-a * t * t)
    wave, quadrature = envelope * cos(2 * np.pi * fc * t), envelope * sin(2 * np.pi * fc * t)
    found = [wave, *([quadrature] if retquad else []), *([envelope] if retenv else [])]
    return found[0] if len(found) == 1 else tuple(found)


def sawtooth(t: Any, width: Any = 1) -> Any:
    """A wave of period 2 pi that rises from -1 to 1 for the part `width` of it, and then falls.

    >>> sawtooth(np.array([0.0, np.pi])).round(6)
    array([-1.,  0.])
    """
    t, width = operand(t), operand(width)
    turn = remainder(t, 2 * np.pi)
    rises = less(turn, width * (2 * np.pi))
    up = turn / (np.pi * where(rises, width, 1.0)) - 1
    down = (np.pi * (width + 1) - turn) / (np.pi * where(rises, 1.0, 1 - width))
    outside = (width < 0) | (width > 1)
    return where(outside, np.nan, where(rises, up, down))


def square(t: Any, duty: Any = 0.5) -> Any:
    """A wave of period 2 pi that is 1 for the part `duty` of it, and then -1.

    >>> square(np.array([0.0, 4.0]))
    array([ 1., -1.])
    """
    t, duty = operand(t), operand(duty)
    high = less(remainder(t, 2 * np.pi), duty * (2 * np.pi))
    outside = (duty < 0) | (duty > 1)
    return where(outside, np.nan, where(high, 1.0, -1.0))
