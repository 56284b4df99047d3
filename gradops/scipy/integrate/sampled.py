"""Integrals of functions that are known at points: sums with weights."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.op import PLAIN
from ...core.types import shape_of, type_of
from ...library.index.indexing import index
from ...library.reduce.cumulative import cumsum, diff
from ...library.reduce.reduction import sum
from ...library.shape.joining import concatenate
from ...library.shape.movement import flip, moveaxis

ALL = slice(None)


def along(x: Any, key: Any) -> Any:
    """Entries of an operand along its last axis."""
    return index(x, (..., key))


def lanes(call: str, y: Any, x: Any, dx: Any, axis: int) -> tuple[Any, Any, int]:
    """Values with the axis moved to the end, distances of their points, and their number."""
    y = np.asarray(y) if type(y) in PLAIN or isinstance(y, list | tuple) else y
    if not isinstance(n := shape_of(y)[axis], int):
        raise ShapeError(call, [type_of(y)], f"the number {n} of points is not known")
    y = moveaxis(y, axis, -1)
    if x is None:
        return y, dx, n
    x = np.asarray(x) if type(x) in PLAIN or isinstance(x, list | tuple) else x
    x = moveaxis(x, axis, -1) if len(shape_of(x)) > 1 else x
    if shape_of(x)[-1] != n:
        raise ShapeError(call, [type_of(y), type_of(x)], f"`x` has not {n} points")
    return y, diff(x, axis=-1), n


def cumulative_trapezoid(
    y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: float | None = None
) -> Any:
    """The integrals up to each point, by the trapezoidal rule: as SciPy's `cumulative_trapezoid`.

    There is one less than points, or as many if `initial=0` is put before.

    >>> cumulative_trapezoid(np.array([1.0, 2.0, 3.0]), initial=0)
    array([0. , 1.5, 4. ])
    """
    y, h, _ = lanes("cumulative_trapezoid", y, x, dx, axis)
    if initial not in (None, 0):
        raise OptionError("cumulative_trapezoid", [], "`initial` is 0 or None")
    total = cumsum(h * (along(y, slice(1, None)) + along(y, slice(None, -1))) / 2.0, axis=-1)
    return moveaxis(with_first(total, initial), -1, axis)


def with_first(total: Any, initial: Any) -> Any:
    """Integrals with what is put before the first of them."""
    if initial is None:
        return total
    first = along(total, slice(0, 1)) * 0.0 + initial
    return concatenate([first, total], axis=-1)


def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of points along an axis by Simpson's rule: as SciPy's `simpson`.

    Of an even number of points, the last interval is that of the parabola through the last three.

    >>> float(simpson(np.array([0.0, 1.0, 4.0, 9.0])))
    9.0
    """
    y, h, n = lanes("simpson", y, x, dx, axis)
    if n == 2:
        return (h if x is None else along(h, 0)) * (along(y, 0) + along(y, 1)) / 2.0
    if n % 2 == 1:
        return of_pairs(y, h, n)
    before, last = (h, h) if x is None else (along(h, -2), along(h, -1))
    inner = h if x is None else along(h, slice(None, -1))
    return of_pairs(along(y, slice(None, -1)), inner, n - 1) + of_last(y, before, last)


def of_pairs(y: Any, h: Any, n: int) -> Any:
    """The integral over an even number of intervals, which may be of different lengths."""
    left, middle, right = (along(y, slice(k, n - 2 + k, 2)) for k in range(3))
    if not shape_of(h):
        return sum(left + 4.0 * middle + right, axis=-1) * h / 3.0
    h0, h1 = along(h, slice(0, None, 2)), along(h, slice(1, None, 2))
    both, ratio = h0 + h1, h0 / h1
    first, last = left * (2.0 - 1.0 / ratio), right * (2.0 - ratio)
    return sum(both / 6.0 * (first + middle * (both * both / (h0 * h1)) + last), axis=-1)


def of_last(y: Any, before: Any, last: Any) -> Any:
    """The integral over the last interval of the parabola through three points.

    J. V. Cartwright, Simpson's rule cumulative integration with MS Excel and irregularly-spaced
    data, Journal of Mathematical Sciences and Mathematics Education 12 (2017).
    """
    both = before + last
    return (
        last
        / 6.0
        * (
            (2.0 * last + 3.0 * before) / both * along(y, -1)
            + (last + 3.0 * before) / before * along(y, -2)
            - last * last / (before * both) * along(y, -3)
        )
    )


def cumulative_simpson(
    y: Any, *, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    """The integrals up to each point, of the parabolas through three: SciPy's `cumulative_simpson`.

    >>> cumulative_simpson(np.array([0.0, 1.0, 4.0]), initial=0).round(4)
    array([0.    , 0.3333, 2.6667])
    """
    y, h, n = lanes("cumulative_simpson", y, x, dx, axis)
    if n < 3:
        return moveaxis(cumulative_trapezoid(y, None, h, -1, initial), -1, axis)
    steps = h if x is not None else h * np.ones(n - 1)
    forth = of_first(y, steps)
    back = flip(of_first(flip(y, axis=-1), flip(steps, axis=-1)), axis=-1)
    parts = alternate(forth, back, n - 1)
    return moveaxis(with_first(cumsum(parts, axis=-1), initial), -1, axis)


def of_first(y: Any, h: Any) -> Any:
    """The integrals over the first of each two intervals, of the parabola over both."""
    h0, h1 = along(h, slice(None, -1)), along(h, slice(1, None))
    part = h0 / (h0 + h1)
    last = part * (h0 / h1)
    a, b, c = (along(y, slice(k, shape_of(y)[-1] - 2 + k)) for k in range(3))
    return h0 / 6.0 * ((3.0 - part) * a + (3.0 + last + part) * b - last * c)


def alternate(forth: Any, back: Any, n: int) -> Any:
    """Intervals in turn from those that begin a parabola, and from those that end it."""
    every = concatenate([forth, back], axis=-1)
    size = n - 1
    places = [k if k % 2 == 0 and k < n - 1 else size + k - 1 for k in range(n)]
    return along(every, np.array(places))


def romb(y: Any, dx: Any = 1.0, axis: int = -1, show: bool = False) -> Any:
    """The integral of 2**k + 1 equally spaced points by Romberg's rule: as SciPy's `romb`.

    >>> float(romb(np.array([0.0, 1.0, 4.0, 9.0, 16.0])).round(4))
    21.3333
    """
    y, h, n = lanes("romb", y, None, dx, axis)
    k = (n - 1).bit_length() - 1
    if show or n != 2**k + 1:
        reason = "it prints no table" if show else f"it takes 2**k + 1 points, not {n}"
        raise OptionError("romb", [type_of(y)], reason)
    span = h * (n - 1)
    row = [span * (along(y, 0) + along(y, -1)) / 2.0]
    for i in range(1, k + 1):
        step = 2 ** (k - i)
        new = [0.5 * row[0] + span / 2**i * sum(along(y, slice(step, None, 2 * step)), axis=-1)]
        for j, old in enumerate(row, 1):
            new.append(new[-1] + (new[-1] - old) / (4**j - 1))
        row = new
    return row[-1]
