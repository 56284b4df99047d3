"""`make_interp_spline`: the coefficients of a spline through values, by banded equations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.elementwise.arithmetic import sub
from ...library.elementwise.logic import logical_or
from ...library.index.indexing import numbers, scatter
from ...library.linalg.banded import solve_banded_op
from ...library.linalg.contraction import matmul
from ...library.linalg.qr import qr
from ...library.linalg.solve import solve, solve_triangular
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate, stack
from ...library.shape.movement import expand_dims, reshape
from ...library.shape.rearrange import matrix_transpose
from ..known_entries import entries_of
from .basis import basis, interval
from .bsplines import BSpline
from .operands import (
    double,
    increasing,
    monotone,
    of_common_size,
    periodic,
    require_finite,
    require_vector,
    size_of,
    steps,
    values_along,
)

__all__ = ["make_interp_spline", "make_lsq_spline"]

Conditions = list[tuple[int, Any]]
"""Orders of derivatives at an end, and their values."""


def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0,
    check_finite: bool = True,
) -> BSpline:  # fmt: skip
    """The spline of degree `k` through values `y` at `x`, with knots `t` or suitable ones.

    `bc_type` is "not-a-knot", "natural", "clamped", "periodic", or for each end a list of pairs
    `(order, value)` of derivatives. Raises OptionError where their number does not go with the
    knots.

    >>> s = make_interp_spline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0], k=2)
    >>> round(float(s(1.5)), 12)
    2.25
    """
    call, x = "make_interp_spline", double(x)
    require_vector(call, x)
    y, axis = values_along(call, x, double(y), axis)
    x = increasing(call, of_common_size(x, size_of(y)), exact=k + 1 if k > 1 else None)
    if check_finite:
        require_finite("make_interp_spline", y)
    if bc_type == "periodic" and k > 1:
        return periodic_spline(x, y, k, axis)
    first, last = (end_conditions(b, y) for b in both(bc_type))
    if k < 2 and t is None:
        if first or last:
            raise OptionError("make_interp_spline", [], f"degree {k} takes no conditions")
        knots = concatenate([x[:1]] * k + [x, x[-1:]])
        return BSpline.construct_fast(knots, y, k, True, axis)
    count = size_of(y) + len(first) + len(last)
    if t is None:
        t = suitable_knots(x, k, bool(first or last))
    else:
        t = monotone("make_interp_spline", double(t), rising=True)
    require_vector("make_interp_spline", t, 2 * k + 2)
    if isinstance(size_of(t), int) and isinstance(count, int) and size_of(t) != count + k + 1:
        raise OptionError(
            "make_interp_spline", [type_of(x), type_of(t)],
            f"{size_of(t) - k - 1} coefficients are not told by {count} conditions",
        )  # fmt: skip
    orders = [[nu for nu, _ in end] for end in (first, last)]
    right = concatenate([*(v for _, v in first), y, *(v for _, v in last)])
    return BSpline.construct_fast(t, coefficients(t, k, x, orders, right, count), k, True, axis)


def make_lsq_spline(
    x: Any, y: Any, t: Any, k: int = 3, w: Any = None, axis: int = 0, check_finite: bool = True,
    *, method: str = "qr",
) -> BSpline:  # fmt: skip
    """The spline of degree `k` with knots `t` nearest to values `y` at `x`, by least squares.

    `w` are weights of the differences. It is computed by a dense QR factorization. Raises
    OptionError for points beyond the knots, LinAlgError where a B-spline has no points.

    >>> s = make_lsq_spline([0.0, 1.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 2.0, 2.0], k=1)
    >>> round(float(s(1.0)), 12)
    1.0
    """
    call, x = "make_lsq_spline", double(x)
    require_vector(call, x)
    t = monotone(call, double(t), rising=True)
    require_vector(call, t, 2 * k + 2)
    y, axis = values_along(call, x, double(y), axis)
    if check_finite:
        require_finite(call, x, y)
    count = size_of(t) - k - 1
    if not isinstance(count, int) or not isinstance(size_of(x), int):
        raise ShapeError(
            call, [type_of(x), type_of(t)], "the numbers of points and knots are known"
        )
    beyond = entries_of(logical_or(x < t[k], x > t[-k - 1]))
    if beyond is not None and beyond.any():
        raise OptionError(call, [type_of(x), type_of(t)], "a point is beyond the knots")
    matrix = dense(*equation(t, k, x, 0), count)
    right = reshape(y, shape=(size_of(x), -1))
    if w is not None:
        weights = expand_dims(double(w), axis=-1)
        matrix, right = matrix * weights, right * weights
    q, r = qr(matrix)
    c = solve_triangular(r, matmul(matrix_transpose(q), right), lower=False)
    return BSpline.construct_fast(t, reshape(c, shape=(count, *shape_of(y)[1:])), k, True, axis)


def both(given: Any) -> Sequence[Any]:
    """The conditions at both ends."""
    if given is None or (isinstance(given, str) and given in ("not-a-knot", "periodic")):
        return (None, None)
    if isinstance(given, str):
        return (given, given)
    if len(given) != 2:
        raise OptionError("make_interp_spline", [], "bc_type is a name or a pair")
    return tuple(given)


def end_conditions(given: Any, y: Any) -> Conditions:
    """The conditions at one end, with values of the shape of one entry of `y`."""
    names = {"clamped": [(1, 0.0)], "natural": [(2, 0.0)]}
    if isinstance(given, str) and given not in names:
        raise OptionError("make_interp_spline", [], f"there is no condition {given!r}")
    pairs = names[given] if isinstance(given, str) else given or []
    return [(nu, zeros_like(y[:1]) + double(value)) for nu, value in pairs]


def suitable_knots(x: Any, k: int, all_of_them: bool) -> Any:
    """All the points as knots, or without some next to the ends, which has no conditions."""
    ends = k if all_of_them else k + 1
    skipped = 0 if all_of_them else (k + 1) // 2 if k % 2 else k // 2
    inner = x if all_of_them or k % 2 else (x[1:] + x[:-1]) / 2
    inner = inner[skipped:-skipped] if skipped else inner
    return concatenate([x[:1]] * ends + [inner] + [x[-1:]] * ends)


def coefficients(
    t: Any, k: int, x: Any, orders: Sequence[Sequence[int]], right: Any, count: Any
) -> Any:
    """The coefficients with which the spline has values and derivatives `right`.

    Each equation has the B-splines of one point, k + 1 neighbours, at most k from the diagonal.
    """
    rows = [equation(t, k, x[:1], nu) for nu in orders[0]]
    rows.append(equation(t, k, x, 0))
    rows += [equation(t, k, x[-1:], nu) for nu in orders[1]]
    entries = concatenate([values for values, _ in rows])
    columns = concatenate([places for _, places in rows])
    bands = sub(expand_dims(numbers(columns, 0), axis=-1) + k, columns)
    matrix = scatter(entries, bands, columns, index=("array", "array"), shape=(2 * k + 1, count))
    sides = reshape(right, shape=(shape_of(right)[0], -1))
    return reshape(solve_banded_op(matrix, sides, lower=k, upper=k), shape=shape_of(right))


def equation(t: Any, k: int, x: Any, nu: int) -> tuple[Any, Any]:
    """For each point a row of the B-splines there, and the numbers of their coefficients."""
    i = interval(t, k, x)
    return stack(basis(t, k, x, i, nu), axis=-1), expand_dims(i, axis=-1) + np.arange(-k, 1)


def periodic_spline(x: Any, y: Any, k: int, axis: int) -> BSpline:
    """The spline whose values and derivatives are equal at both ends, by dense equations."""
    n = size_of(x)
    y = periodic("make_interp_spline", y)
    if not isinstance(n, int):
        raise ShapeError("make_interp_spline", [type_of(x)], "a period has a known number of knots")
    t, size = periodic_knots(x, n, k), n + k - 1
    rows = []
    for nu in range(1, k):
        first, last = (equation(t, k, p, nu) for p in (x[:1], x[-1:]))
        rows.append(dense(*first, size) - dense(*last, size))
    matrix = concatenate([*rows, dense(*equation(t, k, x, 0), size)])
    right = concatenate([zeros_like(y[:1])] * (k - 1) + [y])
    c = reshape(solve(matrix, reshape(right, shape=(size, -1))), shape=shape_of(right))
    return BSpline.construct_fast(t, c, k, "periodic", axis)


def dense(entries: Any, columns: Any, size: int) -> Any:
    """Rows with entries in some columns."""
    rows = np.arange(size_of(entries))[:, None]
    shape = (size_of(entries), size)
    return scatter(entries, rows, columns, index=("array", "array"), shape=shape)


def periodic_knots(x: Any, n: int, k: int) -> Any:
    """Knots that go on periodically at both ends; between the points for even degrees."""
    if k % 2 == 0:
        x = concatenate([x[:1], (x[1:-1] + x[:-2]) / 2, x[-1:]])
    h = steps(x)
    before, after = [x[0]], [x[-1]]
    for i in range(k):
        before.append(before[-1] - h[-(i % (n - 1)) - 1])
        after.append(after[-1] + h[i % (n - 1)])
    return concatenate([stack(before[:0:-1]), x, stack(after[1:])])
