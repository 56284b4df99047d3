"""Filters by SciPy's names: rational ones, and cascades of them."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.tracer_protocol import held
from ...core.types import is_inexact, shape_of, type_of
from ...library.linalg.solve import solve
from ...library.reduce.reduction import sum
from ...library.shape.broadcasting import broadcast_to
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate, stack
from ...library.shape.movement import astype, moveaxis
from ...library.shape.padding import pad
from ...library.signal.recursive import recursive_filter, weighted_sum
from ...typing import AnyArray
from ..promotion import promoted
from .convolutions import convolve

__all__ = ["deconvolve", "lfilter", "lfilter_zi", "lfiltic", "sosfilt", "sosfilt_zi"]


def operand(x: Any) -> Any:
    """`x` as an operand of floats with axes."""
    x = np.atleast_1d(np.asarray(x)) if isinstance(x, list | tuple | int | float | complex) else x
    return x if is_inexact(type_of(x).dtype) else astype(x, dtype=np.float64)


def longer(x: AnyArray, n: int) -> Any:
    """`x` with zeros after it, so that the last axis has n entries at least."""
    *batch, size = shape_of(x)
    missing: Any = n - size
    return x if missing <= 0 else pad(x, ((0, 0),) * len(batch) + ((0, missing),))


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """`x` filtered along an axis by the transfer function b / a; with `zi` also the final state.

    `zi` is the initial state, with max(len(a), len(b)) - 1 entries along the axis. Derivatives are
    in all four. Raises ShapeError for a state of another size, OptionError where a[0] is 0.

    >>> lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0])
    array([1.  , 0.5 , 0.25])
    """
    b, a, x = operand(b), operand(a), operand(x)
    require_coefficients(b, a, x)
    x = moveaxis(x, axis, -1)
    order = max(size_of(a), size_of(b)) - 1
    if zi is None:
        return moveaxis(recursive_filter(a, weighted_sum(b, x)), -1, axis)
    zi = moveaxis(operand(zi), axis, -1)
    shape = (*shape_of(x)[:-1], order)
    if (shape_of(zi) != shape and len(shape_of(zi)) != len(shape)) or size_of(zi) != order:
        raise ShapeError(
            "lfilter", map(type_of, (b, a, x, zi)), f"the initial state has {order} entries"
        )
    y, final = with_state(b / a[:1], a / a[:1], x, broadcast_to(zi, shape=shape))
    return moveaxis(y, -1, axis), moveaxis(final, -1, axis)


def require_coefficients(b: AnyArray, a: AnyArray, x: AnyArray) -> None:
    """Raise unless the coefficients are vectors, the leading one of the denominator not zero."""
    kinds = [type_of(v) for v in (b, a, x)]
    if len(kinds[0].shape) != 1 or len(kinds[1].shape) != 1 or 0 in kinds[0].shape + kinds[1].shape:
        raise ShapeError("lfilter", kinds, "the coefficients are vectors that are not empty")
    leading = held(a[0])
    if isinstance(leading, np.ndarray | np.generic) and leading == 0:
        raise OptionError("lfilter", kinds, "the leading coefficient a[0] must not be zero")


def size_of(x: AnyArray) -> Any:
    """The number of entries along the last axis."""
    return shape_of(x)[-1]


def with_state(b: AnyArray, a: AnyArray, x: AnyArray, zi: AnyArray) -> tuple[Any, Any]:
    """The filtered operand and the final state, with a leading coefficient of 1.

    The state z adds z[i] to the numerator's output at time i, so the final one is what the
    operand leaves of the numerator's output, less what the result leaves of the denominator's.
    """
    n, order = size_of(x), size_of(zi)
    moving = weighted_sum(b, longer(x, n + order)) + concatenate([zi, zeros_like(x)], axis=-1)
    y = recursive_filter(a, moving[..., :n])
    return y, moving[..., n:] - weighted_sum(a, longer(y, n + order))[..., n:]


def lfilter_zi(b: Any, a: Any) -> Any:
    """The initial state of `lfilter` for which the response to a step starts where it ends.

    >>> lfilter_zi([1.0], [1.0, -0.5])
    array([1.])
    """
    b, a = promoted(operand(b), operand(a))
    require_coefficients(b, a, b)
    b, a = b / a[:1], a / a[:1]
    n = max(size_of(a), size_of(b))
    a, b = longer(a, n), longer(b, n)
    column = concatenate([a[1:, None], zeros_like(a[1:, None] * a[None, 2:])], axis=1)
    one = np.eye(n - 1, dtype=type_of(a).dtype)
    above = np.eye(n - 1, k=1, dtype=type_of(a).dtype)
    return solve(one - above + column, b[1:] - a[1:] * b[0])


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """`x` filtered along an axis by a cascade of sections, rows (b0, b1, b2, a0, a1, a2).

    With `zi`, of shape (sections, ..., 2), also the final states. Raises ShapeError unless `sos`
    has six columns.

    >>> sosfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], [1.0, 0.0, 0.0])
    array([1.  , 0.5 , 0.25])
    """
    sos, x = operand(sos), operand(x)
    shape: Any = shape_of(sos)
    if len(shape) != 2 or shape[1] != 6:
        raise ShapeError("sosfilt", [type_of(sos), type_of(x)], "the sections have six columns")
    zi = None if zi is None else operand(zi)
    final = []
    for k in range(shape[0]):
        b, a = sos[k, :3], sos[k, 3:]
        if zi is None:
            x = lfilter(b, a, x, axis)
        else:
            x, state = lfilter(b, a, x, axis, zi[k])
            final.append(state)
    return x if zi is None else (x, stack(final))


def sosfilt_zi(sos: Any) -> Any:
    """The initial states of `sosfilt` for which the response to a step starts where it ends.

    >>> sosfilt_zi([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])
    array([[1., 0.]])
    """
    sos = operand(sos)
    states, gain = [], 1.0
    for k in range(shape_of(sos)[0]):
        states.append(gain * lfilter_zi(sos[k, :3], sos[k, 3:]))
        gain = gain * (sum(sos[k, :3]) / sum(sos[k, 3:]))
    return stack(states)


def lfiltic(b: Any, a: Any, y: Any, x: Any = None) -> Any:
    """The initial state of `lfilter` after operands `x` and results `y`, the most recent first.

    >>> lfiltic([1.0], [1.0, -0.5], [4.0])
    array([2.])
    """
    b, a, y = operand(b), operand(a), operand(y)
    require_coefficients(b, a, y)
    m, n = size_of(b) - 1, size_of(a) - 1
    x = zeros_like(b[1:]) if x is None else operand(x)
    x, y = longer(x, m), longer(y, n)
    zero = 0 * b[0]
    entries = []
    for k in range(max(m, n)):
        entry = zero
        if k < m:
            entry = entry + sum(b[k + 1 :] * x[: m - k])
        if k < n:
            entry = entry - sum(a[k + 1 :] * y[: n - k])
        entries.append(entry / a[0])
    return stack(entries) if entries else b[:0]


def deconvolve(signal: Any, divisor: Any) -> Any:
    """The quotient and the remainder of the division of two vectors, as of polynomials.

    >>> deconvolve([1.0, 12.0, 20.0], [1.0, 2.0])
    (array([ 1., 10.]), array([0., 0., 0.]))
    """
    num, den = operand(signal), operand(divisor)
    require_coefficients(num, den, num)
    n = size_of(num) - size_of(den) + 1
    if n < 1:
        return num[:0], num
    quotient = lfilter(num, den, np.eye(1, n)[0])
    return quotient, num - convolve(den, quotient, method="direct")
