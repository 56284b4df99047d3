"""Splines through values as knots, coefficients and degree, by the names of FITPACK."""

from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.types import type_of
from ...library.elementwise.comparison import clip, where
from ...library.elementwise.logic import logical_and
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate, stack
from ..known_entries import entries_of
from .bsplines import BSpline
from .fitting import make_interp_spline
from .operands import double, size_of

__all__ = ["InterpolatedUnivariateSpline", "splantider", "splder", "splev", "splint", "splrep"]

BEYOND: dict[Any, int] = {
    0: 0, 1: 1, 2: 2, 3: 3, "extrapolate": 0, "zeros": 1, "raise": 2, "const": 3,
}  # fmt: skip
"""What is beyond the ends: more of the spline, zeros, an error, the value at the end."""

Spline = Any
"""A `BSpline`, or knots, coefficients and degree."""


def splrep(
    x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: int = 3, task: int = 0,
    s: float | None = None, t: Any = None, full_output: int = 0, per: int = 0, quiet: int = 1,
) -> tuple[Any, Any, int]:  # fmt: skip
    """The knots, coefficients and degree of the spline through values.

    Raises OptionError for weights, smoothing, knots of one's own and periods, which are not here.

    >>> t, c, k = splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])
    >>> round(float(splev(1.5, (t, c, k))), 12)
    2.25
    """
    given = {"w": w, "xb": xb, "xe": xe, "t": t, "s": s or None, "task": task or None,
             "per": per or None, "full_output": full_output or None}  # fmt: skip
    if wrong := [name for name, value in given.items() if value is not None]:
        raise OptionError(
            "splrep", [], f"{', '.join(wrong)} is not here, only a spline through all values",
            hint="make_interp_spline takes knots and periods",
        )  # fmt: skip
    spline = make_interp_spline(x, y, k)
    end = np.zeros(k + 1)  # FITPACK has as many coefficients as knots
    return spline.t, concatenate([spline.c, end]), k


def as_spline(tck: Spline) -> BSpline:
    """Knots, coefficients and degree as a spline."""
    if isinstance(tck, BSpline):
        return tck
    t, c, k = tck
    t, c = double(t), double(c)
    return BSpline.construct_fast(t, c[: size_of(t) - k - 1], k)


def splev(x: Any, tck: Spline, der: int = 0, ext: Any = 0) -> Any:
    """The values of a spline, or its derivatives of order `der`.

    `ext` says what is beyond the ends: 0 the spline goes on, 1 zeros, 2 an error (NaN in a graph),
    3 the value at the end.

    >>> spline = splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])
    >>> splev([1.5, 9.0], spline, ext=1).round(6)
    array([2.25, 0.  ])
    """
    spline, x = as_spline(tck), double(x)
    if ext not in BEYOND:
        raise OptionError("splev", [type_of(x)], f"ext is one of {[*BEYOND]}, not {ext!r}")
    first, last = spline.ends
    inside = logical_and(x >= first, x <= last)
    match BEYOND[ext]:
        case 0:
            return spline(x, der)
        case 3 if der:  # of derivatives SciPy has no value at the end
            return spline(x, der)
        case 1:
            return where(inside, spline(x, der), 0.0)
        case 3:
            return spline(clip(x, first, last), der)
    values = entries_of(inside)
    if values is not None and not values.all():
        raise OptionError("splev", [type_of(x)], "a point is beyond the ends of the spline")
    return where(inside, spline(x, der), np.nan)


def splint(a: Any, b: Any, tck: Spline, full_output: int = 0) -> Any:
    """The integral of a spline between two points; beyond its ends it is zero.

    >>> round(float(splint(0.0, 3.0, splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0]))), 12)
    9.0
    """
    return as_spline(tck).integrate(a, b, extrapolate=False)


def splder(tck: Spline, n: int = 1) -> Any:
    """The derivative of order `n` of a spline, in the same form.

    >>> spline = splder(splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0]))
    >>> round(float(splev(1.5, spline)), 12)
    3.0
    """
    found = as_spline(tck).derivative(n)
    return found if isinstance(tck, BSpline) else padded(found)


def splantider(tck: Spline, n: int = 1) -> Any:
    """The antiderivative of order `n` of a spline, in the same form; it is 0 at the first knot.

    >>> spline = splantider(splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0]))
    >>> round(float(splev(3.0, spline)), 12)
    9.0
    """
    found = as_spline(tck).antiderivative(n)
    return found if isinstance(tck, BSpline) else padded(found)


def padded(spline: BSpline) -> tuple[Any, Any, int]:
    """Knots, as many coefficients, and the degree."""
    end = [zeros_like(spline.c[:1])] * (spline.k + 1)
    return spline.t, concatenate([spline.c, *end]), spline.k


class InterpolatedUnivariateSpline:
    """The spline of degree `k` through values; see `splev` for `ext`.

    Raises OptionError for weights and a `bbox`, which are not here.

    >>> s = InterpolatedUnivariateSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])
    >>> round(float(s(1.5)), 12), round(float(s.integral(0.0, 3.0)), 12)
    (2.25, 9.0)
    """

    def __init__(
        self, x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: int = 3, ext: Any = 0,
        check_finite: bool = False,
    ) -> None:  # fmt: skip
        if w is not None or any(end is not None for end in bbox):
            raise OptionError("InterpolatedUnivariateSpline", [], "w and bbox are not here")
        self.spline, self.ext = make_interp_spline(x, y, k, check_finite=False), ext

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> Any:
        """The values at points, or the derivatives of order `nu`."""
        return splev(x, self.spline, nu, self.ext if ext is None else ext)

    def like(self, spline: BSpline) -> "InterpolatedUnivariateSpline":
        """An object of another spline with the same `ext`."""
        made = object.__new__(InterpolatedUnivariateSpline)
        made.spline, made.ext = spline, self.ext
        return made

    def derivative(self, n: int = 1) -> "InterpolatedUnivariateSpline":
        """The derivative of order `n`."""
        return self.like(self.spline.derivative(n))

    def antiderivative(self, n: int = 1) -> "InterpolatedUnivariateSpline":
        """The antiderivative of order `n` that is 0 at the first knot."""
        return self.like(self.spline.antiderivative(n))

    def integral(self, a: Any, b: Any) -> Any:
        """The integral between two points; beyond the ends the spline counts as zero."""
        return splint(a, b, self.spline)

    def derivatives(self, x: Any) -> Any:
        """The value and all derivatives at a point."""
        return stack([self(x, nu) for nu in range(self.spline.k + 1)])

    def get_coeffs(self) -> Any:
        """The coefficients."""
        return self.spline.c

    def get_knots(self) -> Any:
        """The knots, those at the ends once."""
        k = self.spline.k
        return self.spline.t[k : size_of(self.spline.t) - k]

    def get_residual(self) -> float:
        """The sum of squares that is left, which is 0."""
        return 0.0
