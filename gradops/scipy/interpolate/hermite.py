"""Cubic polynomials by pieces from values and slopes at knots, and local choices of the slopes."""

from typing import Any

import numpy as np

from ...core.errors import DTypeError, OptionError
from ...core.types import is_complex, shape_of, type_of
from ...library.elementwise.arithmetic import abs, sign
from ...library.elementwise.comparison import equal, greater, less_equal, where
from ...library.elementwise.logic import logical_and
from ...library.reduce.reduction import max
from ...library.shape.broadcasting import broadcast_to
from ...library.shape.joining import concatenate, stack
from ...typing import AnyArray
from .operands import (
    beside,
    double,
    increasing,
    of_common_size,
    of_size,
    require_finite,
    require_vector,
    size_of,
    steps,
    values_along,
)
from .piecewise import Extrapolate, PPoly, as_extrapolation

__all__ = ["Akima1DInterpolator", "CubicHermiteSpline", "PchipInterpolator", "pchip_interpolate"]


class CubicHermiteSpline(PPoly):
    """The cubic polynomials by pieces with given values and slopes at knots.

    Differentiable in the values, the slopes, the knots, and the points of evaluation.

    >>> float(CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 0.0])(0.5))
    0.5
    """

    falls = False

    def __init__(
        self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Extrapolate = None
    ) -> None:
        x, y, axis = knots_and_values("CubicHermiteSpline", x, y, axis)
        slopes, _ = values_along("CubicHermiteSpline", x, double(dydx), axis)
        self.join(x, y, slopes, axis, extrapolate)

    def join(self, x: Any, y: Any, slopes: Any, axis: int, extrapolate: Extrapolate) -> None:
        """Set the polynomials with these values and slopes, whose first axis is that of knots."""
        h = beside(steps(x), len(shape_of(y)) - 1)
        rise = steps(y) / h
        bend = (slopes[:-1] + slopes[1:] - 2 * rise) / h
        self.c = stack([bend / h, (rise - slopes[:-1]) / h - bend, slopes[:-1], y[:-1]])
        self.x, self.axis, self.extrapolate = x, axis, as_extrapolation(extrapolate)


def knots_and_values(call: str, x: Any, y: Any, axis: int, least: int = 2) -> tuple[Any, Any, int]:
    """Knots that increase and values, in double precision, and the axis counted from the front."""
    x = double(x)
    require_vector(call, x)
    if is_complex(type_of(x).dtype):
        raise DTypeError(call, [type_of(x)], "the knots are real")
    y, axis = values_along(call, x, double(y), axis)
    x = increasing(call, of_common_size(x, size_of(y)), exact=least)
    require_finite(call, y)
    return x, y, axis


class PchipInterpolator(CubicHermiteSpline):
    """The monotone cubic interpolant of Fritsch and Butland, which does not overshoot the values.

    Where the values have an extremum the slope is 0, and its derivative by them too.

    >>> p = PchipInterpolator([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 1.0, 2.0])
    >>> float(p(1.5))
    1.0
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Extrapolate = None) -> None:
        x, y, axis = knots_and_values("PchipInterpolator", x, y, axis, 3)
        require_real("PchipInterpolator", y)
        self.join(x, y, monotone_slopes(x, y), axis, extrapolate)


def require_real(call: str, y: AnyArray) -> None:
    """Raise a DTypeError for complex values."""
    if is_complex(type_of(y).dtype):
        raise DTypeError(call, [type_of(y)], "the values are real", hint="interpolate each part")


def monotone_slopes(x: Any, y: Any) -> Any:
    """Slopes at knots that keep monotone values monotone: weighted harmonic means."""
    h = beside(steps(x), len(shape_of(y)) - 1)
    m = steps(y) / h
    if size_of(y) == 2:
        return broadcast_to(m, shape=shape_of(y))
    h0, h1, m0, m1 = h[:-1], h[1:], m[:-1], m[1:]
    flat = less_equal(sign(m0) * sign(m1), 0)
    m0, m1 = where(flat, 1.0, m0), where(flat, 1.0, m1)
    w0, w1 = 2 * h1 + h0, h1 + 2 * h0
    inner = where(flat, 0.0, (w0 + w1) / (w0 / m0 + w1 / m1))
    ends = one_sided(h[:1], h[1:2], m[:1], m[1:2]), one_sided(h[-1:], h[-2:-1], m[-1:], m[-2:-1])
    return of_size(concatenate([ends[0], inner, ends[1]]), size_of(y))


def one_sided(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope at an end, from three values, of the sign of the first rise and limited by it."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    turns = logical_and(less_equal(sign(m0) * sign(m1), 0), greater(abs(d), 3 * abs(m0)))
    limited = where(turns, 3 * m0, d)
    return where(equal(sign(d), sign(m0)), limited, 0.0)


class Akima1DInterpolator(CubicHermiteSpline):
    """The interpolant of Akima, or with `method="makima"` its modification; NaN beyond the ends.

    >>> float(Akima1DInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])(1.5))
    2.25
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, *, method: str = "akima",
        extrapolate: Extrapolate = None,
    ) -> None:  # fmt: skip
        call = "Akima1DInterpolator"
        x, y, axis = knots_and_values(call, x, y, axis, 3)
        require_real(call, y)
        if method not in ("akima", "makima"):
            raise OptionError(
                call, [type_of(x), type_of(y)], f"method is 'akima' or 'makima', not {method!r}"
            )
        slopes = akima_slopes(x, y, method == "makima")
        self.join(x, y, slopes, axis, False if extrapolate is None else extrapolate)


def akima_slopes(x: Any, y: Any, modified: bool) -> Any:
    """Slopes at knots: means of rises, weighted by how little the rises beyond them change."""
    m = steps(y) / beside(steps(x), len(shape_of(y)) - 1)
    if size_of(y) == 2:
        return broadcast_to(m, shape=shape_of(y))
    m = concatenate([extrapolated(m[:2]), m, extrapolated(m[:-3:-1])[::-1]])
    change, total = abs(steps(m)), abs(m[1:] + m[:-1])
    weight = change + 0.5 * total if modified else change
    w0, w1 = weight[2:], weight[:-2]
    both = w0 + w1
    fine = greater(both, 1e-9 * max(both)) if 0 not in shape_of(y) else greater(both, 0)
    share = where(fine, w1, 0.0) / where(fine, both, 1.0)
    before, after = m[1:-2], m[2:-1]
    slopes = where(fine, before + share * (after - before), 0.5 * (m[3:] + m[:-3]))
    return of_size(slopes, size_of(y))


def extrapolated(m: Any) -> Any:
    """Two values before two others, of which the differences are equal."""
    first = 2 * m[:1] - m[1:2]
    return concatenate([2 * first - m[:1], first])


def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """The values of `PchipInterpolator(xi, yi)` at `x`, or its derivatives of order `der`.

    >>> float(pchip_interpolate([0.0, 1.0], [0.0, 2.0], 0.5))
    1.0
    """
    p = PchipInterpolator(xi, yi, axis=axis)
    return p(x, der) if np.ndim(der) == 0 else [p(x, nu) for nu in der]
