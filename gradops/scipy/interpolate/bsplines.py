"""Splines as sums of B-splines: `BSpline`, and `make_interp_spline` that finds one."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import normalize_axis, shape_of, type_of
from ...library.elementwise.comparison import clip, greater_equal, less_equal, where
from ...library.elementwise.logic import logical_and
from ...library.elementwise.rounding import floor, remainder
from ...library.reduce.cumulative import cumsum
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate
from ...library.shape.movement import moveaxis
from .basis import basis, combined, interval, over
from .operands import beside, double, in_place, monotone, require_vector, size_of
from .piecewise import Extrapolate, as_extrapolation

__all__ = ["BSpline"]


class BSpline:
    """The sum of c[j] times the B-spline number j of degree k, for knots `t`.

    Differentiable in coefficients, knots and points. There are len(t) - k - 1 coefficients, along
    `axis`. `extrapolate` is True for the first and last polynomial beyond the ends, False for NaN,
    or "periodic".

    >>> float(BSpline([0.0, 1.0, 2.0, 3.0], [2.0, 4.0], 1)(1.5))
    3.0
    """

    def __init__(
        self, t: Any, c: Any, k: int, extrapolate: Extrapolate = True, axis: int = 0
    ) -> None:
        self.t, self.c, self.k = double(t), double(c), int(k)
        kinds = [type_of(self.t), type_of(self.c)]
        if k < 0:
            raise OptionError("BSpline", kinds, f"the degree is not negative: {k}")
        require_vector("BSpline", self.t, 2 * k + 2)
        self.axis = normalize_axis("BSpline", kinds[1], axis)
        self.c = moveaxis(self.c, self.axis, 0)
        n, m = size_of(self.t), size_of(self.c)
        if isinstance(n, int) and isinstance(m, int) and m < n - k - 1:
            raise ShapeError("BSpline", kinds, f"{n} knots take {n - k - 1} coefficients, not {m}")
        self.t = monotone("BSpline", self.t, rising=True)
        self.extrapolate = as_extrapolation(extrapolate)

    @classmethod
    def construct_fast(
        cls, t: Any, c: Any, k: int, extrapolate: Extrapolate = True, axis: int = 0
    ) -> "BSpline":
        """A spline of arrays that are known to fit."""
        made = object.__new__(cls)
        made.t, made.c, made.k, made.axis = t, c, k, axis
        made.extrapolate = as_extrapolation(extrapolate)
        return made

    @classmethod
    def basis_element(cls, t: Any, extrapolate: Extrapolate = True) -> "BSpline":
        """The B-spline with these knots and no others."""
        t = double(t)
        k = size_of(t) - 2
        t = concatenate([t[:1] - 1] * k + [t] + [t[-1:] + 1] * k)
        c = np.zeros(size_of(t))
        c[k] = 1
        return cls.construct_fast(t, c, k, extrapolate)

    @property
    def tck(self) -> tuple[Any, Any, int]:
        """The knots, the coefficients and the degree."""
        return self.t, self.c, self.k

    @property
    def ends(self) -> tuple[Any, Any]:
        """The first and last knot of the interval on which the B-splines add up to 1."""
        return self.t[self.k], self.t[-self.k - 1]

    def __call__(self, x: Any, nu: int = 0, extrapolate: Extrapolate = None) -> Any:
        """The values at points, or the derivatives of order `nu`."""
        how = self.extrapolate if extrapolate is None else as_extrapolation(extrapolate)
        x, (first, last) = double(x), self.ends
        if how == "periodic":
            x, how = first + remainder(x - first, last - first), False
        i = interval(self.t, self.k, x)
        y = combined(self.c, i, self.k, basis(self.t, self.k, x, i, nu))
        if not how:
            inside = logical_and(greater_equal(x, first), less_equal(x, last))
            y = where(beside(inside, len(shape_of(self.c)) - 1), y, np.nan)
        return in_place(y, len(shape_of(x)), self.axis)

    def derivative(self, nu: int = 1) -> "BSpline":
        """The derivative of order `nu`, a spline of lower degree; antiderivative if negative."""
        if nu < 0:
            return self.antiderivative(-nu)
        if nu > self.k:
            raise OptionError("BSpline", [], f"a derivative of order {nu} of degree {self.k}")
        t, c, k = self.t, self.c, self.k
        for _ in range(nu):
            factor = over(float(k), t[k + 1 : -1] - t[1 : -k - 1])
            m = size_of(factor)
            c = (c[1 : m + 1] - c[:m]) * beside(factor, len(shape_of(c)) - 1)
            t, k = t[1:-1], k - 1
        return BSpline.construct_fast(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> "BSpline":
        """The antiderivative of order `nu` that is 0 at the first knot."""
        if nu < 0:
            return self.derivative(-nu)
        t, c, k = self.t, self.c, self.k
        for _ in range(nu):
            width = beside(t[k + 1 :] - t[: -k - 1], len(shape_of(c)) - 1)
            total = cumsum(c[: size_of(width)] * width, axis=0) / (k + 1)
            c = concatenate([zeros_like(total[:1]), total])
            t, k = concatenate([t[:1], t, t[-1:]]), k + 1
        how = False if self.extrapolate == "periodic" and nu else self.extrapolate
        return BSpline.construct_fast(t, c, k, how, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Extrapolate = None) -> Any:
        """The integral from `a` to `b`; without extrapolation of the part between the ends."""
        how = self.extrapolate if extrapolate is None else as_extrapolation(extrapolate)
        whole, (first, last) = self.antiderivative(), self.ends
        whole.axis = 0

        def value(x: Any) -> Any:
            return whole(x, extrapolate=True)

        a, b = double(a), double(b)
        if how == "periodic":
            period = last - first
            ways = [floor((x - first) / period) for x in (a, b)]
            over = value(last) - value(first)
            parts = [n * over + value(x - n * period) for n, x in zip(ways, (a, b), strict=True)]
            return parts[1] - parts[0]
        if not how:
            a, b = clip(a, first, last), clip(b, first, last)
        return value(b) - value(a)
