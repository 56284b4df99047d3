"""Linear recurrences along an axis, of which the derivatives of cumulative ops are made.

Note [Running derivatives]. The derivative of a cumulative product is a sum of products with one
factor left out. Dividing by that factor is wrong where it is zero. But the sums satisfy a
recurrence, S(i) = g(i) + x(i+1) S(i+1), and so does the derivative of that: one op whose own
derivative is made of itself gives all of them, exactly, and without a division.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import beside, cases, complexes, exactly, reals
from ...core.types import ArrayType, broadcast_shapes, normalize_axis, shape_of, type_of
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand
from ..families import batch_along_axis
from ..index.indexing import index
from ..shape.broadcasting import repeat_shared
from ..shape.movement import flip
from ..shape.padding import pad_op

FULL = slice(None)
ROOMY = 256  # rows beside each other from which one step after the other is the lesser cost


def linear_recurrence_infer(a: ArrayType, b: ArrayType, axis: int) -> ArrayType:
    shape = broadcast_shapes("linear_recurrence", [a, b])
    found = ArrayType(shape, np.result_type(a.dtype, b.dtype))
    normalize_axis("linear_recurrence", found, axis)
    return found


def linear_recurrence_kernel(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
    y = np.array(np.broadcast_arrays(a, b)[1], np.result_type(a, b))
    factors, entries = (np.moveaxis(x, axis, 0) for x in (np.broadcast_to(a, y.shape), y))
    roomy = y.size > ROOMY * len(entries)
    with np.errstate(all="ignore"):  # factors multiply up, also those that no entry needs
        (scan_sequentially if roomy else scan_by_doubling)(factors, entries)
        if not np.isfinite(np.add.reduce(y, axis=None)):
            y[...] = b
            scan_with_strong_zero(factors, entries)
    return y


def scan_sequentially(a: Any, y: Any) -> None:
    """y[i] += a[i] y[i-1], in place, one entry after the other."""
    for i in range(1, len(y)):
        y[i] += a[i] * y[i - 1]


def scan_with_strong_zero(a: Any, y: Any) -> None:
    """`scan_sequentially` where 0 times infinity or NaN is 0, so that these do not spread."""
    for i in range(1, len(y)):
        y[i] += np.where(np.equal(a[i], 0), 0, a[i] * y[i - 1])


def scan_by_doubling(a: Any, y: Any) -> None:
    """`scan_sequentially` in log2(n) steps: after each, y[i] covers twice as many entries."""
    factors, reach = np.array(a), 1
    while reach < len(y):
        y[reach:] += factors[reach:] * y[:-reach]
        factors[reach:] *= factors[:-reach]
        reach *= 2


def shift_along(widths: tuple[int, int], kept: slice) -> Callable[..., Any]:
    """A function that moves the entries of an array along an axis by one, filling in a number."""

    def shift(x: AnyArray, axis: int, fill: float) -> Operand:
        k = normalize_axis("shift", type_of(x), axis)
        pairs = tuple(widths if i == k else (0, 0) for i in range(len(shape_of(x))))
        return index(pad_op(x, pad_width=pairs, value=fill), (*(FULL,) * k, kept))

    return shift


before = shift_along((1, 0), slice(None, -1))  # in each place the entry before it
after = shift_along((0, 1), slice(1, None))  # in each place the entry after it


def backwards(a: AnyArray, b: AnyArray, axis: int) -> AnyArray:
    """y[i] = b[i] + a[i+1] y[i+1], from the last entry to the first."""
    turned = linear_recurrence(flip(after(a, axis, 0), axis=axis), flip(b, axis=axis), axis=axis)
    return flip(turned, axis=axis)


def linear_recurrence_cotangents(
    wanted: Sequence[int], g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray, axis: int
) -> list[AnyArray]:
    back = backwards(a, g, axis)
    return [back if i else back * before(y, axis, 0) for i in wanted]


def linear_recurrence_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    return batch_along_axis(op, repeat_shared(xs, batched), batched, attrs)


linear_recurrence = Op(
    "linear_recurrence", linear_recurrence_kernel, arity=2,
    infer=linear_recurrence_infer, vjp=JointVJP(linear_recurrence_cotangents),
    jvp=[
        lambda t, y, a, b, axis: linear_recurrence(a, t * before(y, axis, 0), axis=axis),
        lambda t, y, a, b, axis: linear_recurrence(a, t, axis=axis),
    ],
    batch=linear_recurrence_batch,
    samples=cases(
        reals((3, 4), (3, 4), axis=0), reals((2, 7), (2, 7), axis=-1), reals((0,), (0,), axis=0),
        beside(exactly([2.0, 0, 3, 0, 0, 1]), reals((6,), axis=0)), complexes((5,), (5,), axis=0),
    ),
    error_samples=[
        ErrorSample([np.ones(3), np.ones(3)], {"axis": 1}, ShapeError, "axis 1 is out of range"),
        ErrorSample([np.ones(3), np.ones(2)], {"axis": 0}, ShapeError, "3 against 2"),
    ],
    doc="y[i] = x[i] y[i-1] + b[i] along an axis, where y[0] is b[0].",
)
