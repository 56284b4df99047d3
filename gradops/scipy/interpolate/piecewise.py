"""Polynomials by pieces: `PPoly`."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError, TransformError
from ...core.types import normalize_axis, shape_of, type_of
from ...library.elementwise.comparison import (
    greater,
    greater_equal,
    less_equal,
    maximum,
    minimum,
    where,
)
from ...library.elementwise.logic import isnan, logical_and
from ...library.elementwise.rounding import floor, remainder
from ...library.index.indexing import take
from ...library.reduce.cumulative import cumsum
from ...library.reduce.searching import searchsorted
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate
from ...library.shape.movement import moveaxis
from ..known_entries import entries_of
from .operands import beside, double, in_place, monotone, of_size, require_vector, size_of, steps

__all__ = ["PPoly"]

Extrapolate = bool | str | None


class PPoly:
    """A polynomial on each of the intervals between knots, differentiable in all of its numbers.

    On interval i it is the sum over p of c[p, i] * (x - x[i]) ** (k - 1 - p), for k rows of `c`.
    The intervals are half-open, `[x[i], x[i + 1])`, the last one is closed. `extrapolate` is True
    for the polynomials of the first and last interval beyond the ends, False for NaN there, or
    "periodic". Knots increase or decrease.

    >>> p = PPoly([[1.0, 1.0], [0.0, 2.0]], [0.0, 1.0, 2.0])
    >>> p([0.5, 1.5])
    array([0.5, 2.5])
    """

    falls: bool | None = None
    """True if the knots decrease, None if it is not known before a graph runs."""

    def __init__(self, c: Any, x: Any, extrapolate: Extrapolate = None, axis: int = 0) -> None:
        self.c, self.x, self.axis = double(c), double(x), axis
        self.extrapolate = as_extrapolation(extrapolate)
        kinds = [type_of(self.c), type_of(self.x)]
        require_vector("PPoly", self.x)
        if kinds[0].ndim < 2 or not kinds[0].shape[0]:
            raise ShapeError("PPoly", kinds, "the coefficients have two axes or more, not empty")
        normalize_axis("PPoly", kinds[0].example, axis)
        if axis:
            self.c = moveaxis(self.c, (axis, axis + 1), (0, 1))
        m, n = shape_of(self.c)[1], size_of(self.x)
        if isinstance(m, int) and isinstance(n, int) and m != n - 1:
            raise ShapeError("PPoly", kinds, f"{n} knots have {n - 1} intervals, not {m}")
        self.x = monotone("PPoly", self.x)
        values = entries_of(self.x)
        self.falls = None if values is None else bool(values[0] > values[-1])

    @classmethod
    def construct_fast(
        cls, c: Any, x: Any, extrapolate: Extrapolate = None, axis: int = 0
    ) -> "PPoly":
        """A polynomial of arrays that are known to fit."""
        made = object.__new__(cls)
        made.c, made.x, made.axis = c, x, axis
        made.extrapolate = as_extrapolation(extrapolate)
        return made

    def like(self, c: Any, extrapolate: Extrapolate) -> "PPoly":
        """A polynomial on the same intervals."""
        made = PPoly.construct_fast(c, self.x, extrapolate, self.axis)
        made.falls = self.falls
        return made

    def __call__(self, x: Any, nu: int = 0, extrapolate: Extrapolate = None) -> Any:
        """The values at points, or the derivatives of order `nu`."""
        how = self.extrapolate if extrapolate is None else as_extrapolation(extrapolate)
        x = double(x)
        if how == "periodic":
            x, how = self.x[0] + remainder(x - self.x[0], self.x[-1] - self.x[0]), False
        c = differentiated(self.c, nu) if nu else self.c
        y = evaluate(c, self.x, x, self.falls)
        if not how:
            y = where(beside(self.contains(x), len(shape_of(c)) - 2), y, np.nan)
        return in_place(y, len(shape_of(x)), self.axis)

    def contains(self, x: Any) -> Any:
        """True for each point that lies between the ends."""
        first, last = self.x[0], self.x[-1]
        return logical_and(
            greater_equal(x, minimum(first, last)), less_equal(x, maximum(first, last))
        )

    def derivative(self, nu: int = 1) -> "PPoly":
        """The derivative of order `nu`, an antiderivative if that is negative."""
        if nu < 0:
            return self.antiderivative(-nu)
        return self.like(differentiated(self.c, nu), self.extrapolate)

    def antiderivative(self, nu: int = 1) -> "PPoly":
        """The continuous antiderivative of order `nu` that is 0 at the first knot."""
        if nu <= 0:
            return self.derivative(-nu)
        c, h = self.c, steps(self.x)
        for _ in range(nu):
            c = integrated(c, h)
        return self.like(c, False if self.extrapolate == "periodic" else self.extrapolate)

    def integrate(self, a: Any, b: Any, extrapolate: Extrapolate = None) -> Any:
        """The integral from `a` to `b`, a differentiable function of both."""
        how = self.extrapolate if extrapolate is None else as_extrapolation(extrapolate)
        whole = self.like(integrated(self.c, steps(self.x)), how)
        a, b = double(a), double(b)
        if how != "periodic":
            y = evaluate_between(whole, a, b, how)
        else:
            y = whole.over_periods(b) - whole.over_periods(a)
        return y

    def over_periods(self, x: Any) -> Any:
        """The value of an antiderivative that goes on periodically, by the integral of a period."""
        first, period = self.x[0], self.x[-1] - self.x[0]
        count = floor((x - first) / period)
        rest = x - count * period
        return count * at(self, self.x[-1]) + at(self, rest)

    def solve(
        self, y: float = 0.0, discontinuity: bool = True, extrapolate: Extrapolate = None
    ) -> Any:
        """The real x where the polynomial is `y`, of plain arrays only, by SciPy.

        Raises TransformError for coefficients that are differentiated or of a graph.
        """
        if not type(self.c) is type(self.x) is np.ndarray:
            raise TransformError(
                "PPoly.solve: the number of roots depends on what is being differentiated"
                "\n  hint: optimize.brentq of gradops.scipy finds one root, with derivatives"
            )
        from scipy import interpolate

        theirs = interpolate.PPoly(self.c, self.x, self.extrapolate)
        return theirs.solve(y, discontinuity, extrapolate)

    def roots(self, discontinuity: bool = True, extrapolate: Extrapolate = None) -> Any:
        """The real roots; see `solve`."""
        return self.solve(0.0, discontinuity, extrapolate)

    def extend(self, c: Any, x: Any) -> None:
        """Add intervals with knots after the last one, or before the first.

        Raises OptionError where the new knots lie on neither side, ShapeError unless there is one
        for each column.
        """
        c, x = double(c), double(x)
        if not size_of(x):
            return
        rows = max(size_of(self.c), size_of(c))
        parts = [with_rows(self.c, rows), with_rows(c, rows)]
        knots = [self.x, x]
        if not follows(self, x):
            parts, knots = parts[::-1], knots[::-1]
        self.c, self.x = concatenate(parts, axis=1), concatenate(knots)


def as_extrapolation(given: Extrapolate) -> bool | str:
    """How to extrapolate: True, False, or "periodic"."""
    return True if given is None else given if given == "periodic" else bool(given)


def follows(p: PPoly, x: Any) -> bool:
    """True if knots go on after the last one, False before the first."""
    new, old = entries_of(x), entries_of(p.x)
    if new is None or old is None:
        raise TransformError("PPoly.extend: whether knots come first is known when the graph runs")
    sign = -1 if p.falls else 1
    if (np.diff(sign * new) < 0).any() or (
        old[0] * sign < new[-1] * sign and (new[0] * sign < old[-1] * sign)
    ):
        raise OptionError("PPoly.extend", [type_of(x)], "x is on neither side of the knots")
    return bool(new[0] * sign >= old[-1] * sign)


def with_rows(c: Any, rows: int) -> Any:
    """Coefficients with rows of zeros before, so that there are so many."""
    missing = rows - size_of(c)
    return concatenate([zeros_like(c[:1])] * missing + [c]) if missing else c


def interval(knots: Any, x: Any, falls: bool | None = False) -> Any:
    """The number of the interval that each point lies in, or is next to."""
    inner = knots[1:-1]
    if falls:
        return searchsorted(-inner, -x, "right")
    up = searchsorted(inner, x, "right")
    if falls is False:
        return up
    return where(greater(knots[0], knots[-1]), searchsorted(-inner, -x, "right"), up)


def evaluate(c: Any, knots: Any, x: Any, falls: bool | None = False) -> Any:
    """The values at points, by Horner's rule."""
    i = interval(knots, x, falls)
    pieces, rest = take(c, i, axis=1), len(shape_of(c)) - 2
    t = beside(x - take(knots, i, axis=0), rest)
    y = pieces[0]
    for p in range(1, size_of(c)):
        y = y * t + pieces[p]
    return y if size_of(c) > 1 else where(isnan(t), np.nan, y)


def at(p: PPoly, x: Any) -> Any:
    """The values at points, extrapolated, with the axis of the knots first."""
    return evaluate(p.c, p.x, x, p.falls)


def evaluate_between(p: PPoly, a: Any, b: Any, extrapolate: bool | str) -> Any:
    """The difference of values at two points; NaN for points outside without `extrapolate`."""
    y = at(p, b) - at(p, a)
    if extrapolate:
        return y
    return where(logical_and(p.contains(a), p.contains(b)), y, np.nan)


def differentiated(c: Any, nu: int) -> Any:
    """The coefficients of the derivative of order `nu`; zeros if it vanishes."""
    if nu < 0:
        raise OptionError("PPoly", [], f"the order of a derivative is not negative: {nu}")
    k: Any = size_of(c)
    if k <= nu:
        return zeros_like(c[:1])
    factors = np.prod([np.arange(k - 1 - j, nu - 1 - j, -1.0) for j in range(nu)], axis=0)
    factors = np.broadcast_to(factors, (k - nu,))
    return c[: k - nu] * factors.reshape(-1, *(1,) * (len(shape_of(c)) - 1))


def integrated(c: Any, h: Any) -> Any:
    """The coefficients of the antiderivative that is 0 at the first knot, and continuous."""
    k, rest = size_of(c), len(shape_of(c)) - 2
    powers = np.arange(k, 0, -1.0).reshape(-1, *(1,) * (rest + 1))
    c, t = c / powers, beside(h, rest)
    piece = c[0]
    for p in range(1, k):
        piece = piece * t + c[p]
    total = cumsum(piece * t, axis=0)
    before = of_size(concatenate([zeros_like(total[:1]), total[:-1]]), shape_of(c)[1])
    return concatenate([c, before[None]])
