"""Ops that roll, tile and repeat entries."""

import operator
from itertools import product as combinations
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...core.dims import UNKNOWN, Dim, Shape, Size
from ...core.errors import OptionError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, complexes, exactly, reals
from ...core.traits import Trait
from ...core.types import ArrayType, as_shape, conflict, normalize_axis, shape_of, type_of
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand, OperandLike
from ..families import batch_along_axis, invalid, linear
from ..index.index_keys import index_array
from ..index.indexing import take
from ..reduce.reduction import sum
from .broadcasting import broadcast_to
from .movement import flatten_without_axis, reshape

__all__ = ["repeat", "roll", "tile"]

Turns = list[tuple[int, Size]]


def axis_shifts(x: ArrayType, shift: Any, axis: int) -> Turns:
    """Each axis to roll with its shift; a single shift or axis goes with all others."""
    shifts = shift if isinstance(shift, tuple | list) else (shift,)
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ShapeError("roll", [x], f"{len(shifts)} shifts do not fit {len(axes)} axes")
    many = max(len(shifts), len(axes)) if shifts and axes else 0
    shifts, axes = (tuple(v) * (many if len(v) == 1 else 1) for v in (shifts, axes))
    return [(normalize_axis("roll", x, a), shift_size(x, s)) for s, a in zip(shifts, axes)]


def shift_size(x: ArrayType, shift: Any) -> Size:
    """A shift as a size."""
    if isinstance(shift, Dim):
        return shift
    try:
        return operator.index(shift)
    except TypeError:
        raise OptionError("roll", [x], f"a shift is an integer, not {shift!r}") from None


def roll_infer(x: ArrayType, shift: Any, axis: int) -> ArrayType:
    if axis is None:
        axis_shifts(ArrayType((x.size,), x.dtype), shift, 0)
    else:
        axis_shifts(x, shift, axis)
    return x


def roll_kernel(x: Any, shift: Any, axis: int | None = None) -> Any:
    x = np.asarray(x)
    if axis is None:
        return roll_kernel(x.reshape(-1), shift, 0).reshape(x.shape)
    if type(shift) is type(axis) is int:
        return roll_parts(x, [(normalize_axis_index(axis, x.ndim), shift)])
    return roll_parts(x, axis_shifts(type_of(x), shift, axis))


def roll_parts(x: AnyArray, turns: Any) -> Operand:
    """`x` rolled along several axes: cut at the shifts, and joined in the new order."""
    ends: dict[int, int] = {}
    for axis, shift in turns:
        ends[axis] = (ends.get(axis, 0) + shift) % (x.shape[axis] or 1)
    parts: list[list[tuple[slice, slice]]] = [[(slice(None), slice(None))]] * x.ndim
    for axis, s in ends.items():
        if s:
            parts[axis] = [(slice(s, None), slice(None, -s)), (slice(None, s), slice(-s, None))]
    y = np.empty_like(x)
    for part in combinations(*parts):
        y[tuple([to for to, _ in part])] = x[tuple([of for _, of in part])]
    return y


def inverse_shift(shift: Any) -> Any:
    """The inverse shift."""
    return tuple(-s for s in shift) if isinstance(shift, tuple) else -shift


def roll_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    if attrs["axis"] is None:
        n, *rest = shape_of(xs[0])
        rows = reshape(xs[0], shape=(n, type_of(xs[0]).example.size))
        return reshape(roll(rows, shift=attrs["shift"], axis=1), shape=(n, *rest))
    found = axis_shifts(type_of(xs[0]).example, attrs["shift"], attrs["axis"])
    return roll(xs[0], shift=tuple(s for _, s in found), axis=tuple(a + 1 for a, _ in found))


roll = linear(
    "roll", roll_kernel, infer=roll_infer,
    traits=[Trait.MOVING, Trait.PROPAGATING],
    transpose=lambda g, y, x, shift, axis: roll(g, shift=inverse_shift(shift), axis=axis),
    batch=roll_batch,
    samples=cases(
        reals((3, 4), shift=2), reals((3, 4), shift=-1, axis=1),
        reals((3, 4, 2), shift=(1, -5), axis=(0, -2)), reals((3, 4), shift=1, axis=(0, 0, 1)),
        reals((0, 3), shift=1, axis=0), reals((), shift=3), complexes((5,), shift=7, axis=0),
    ),
    error_samples=[
        invalid((3,), shift=1, axis=1, says="axis 1 is out of range"),
        invalid((3, 3), shift=(1, 2, 3), axis=(0, 1), says="3 shifts do not fit 2 axes"),
        invalid((3,), shift=0.5, axis=0, error=OptionError, says="not 0.5"),
    ],
    doc="The entries rolled along axes; of the flattened array if `axis` is None.",
)


def tile_pairs(x: Shape, reps: Shape) -> list[tuple[Size, Size]]:
    """For each axis of a tiled array, its number of repetitions and its size before."""
    ndim = max(len(x), len(reps))
    return list(zip((1,) * (ndim - len(reps)) + reps, (1,) * (ndim - len(x)) + x))


def tile_infer(x: ArrayType, reps: Shape) -> ArrayType:
    if any(isinstance(r, int) and r < 0 for r in reps):
        raise ShapeError("tile", [x], f"a number of repetitions in {reps} is negative")
    return ArrayType(tuple(r * n for r, n in tile_pairs(x.shape, reps)), x.dtype)


def tile_kernel(x: np.ndarray, reps: Shape) -> np.ndarray:
    x = np.asarray(x)
    pairs: Any = tile_pairs(x.shape, reps)
    y = np.empty([n for pair in pairs for n in pair], x.dtype)
    y[...] = x.reshape([n for _, own in pairs for n in (1, own)])
    return y.reshape([r * n for r, n in pairs])


def tile_transpose(g: AnyArray, y: AnyArray, x: AnyArray, reps: Shape) -> AnyArray:
    """The sum over the repetitions."""
    pairs = tile_pairs(shape_of(x), reps)
    apart = reshape(g, shape=tuple(n for pair in pairs for n in pair))
    total = sum(apart, axis=tuple(range(0, 2 * len(pairs), 2)))
    return total if len(pairs) == len(shape_of(x)) else reshape(total, shape=shape_of(x))


def tile_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    n, *rest = shape_of(xs[0])
    pairs = tile_pairs(tuple(rest), attrs["reps"])
    reps = (1, *(r for r, _ in pairs))
    return op(reshape(xs[0], shape=(n, *(own for _, own in pairs))), reps=reps)


tile_op = linear(
    "tile", tile_kernel, infer=tile_infer, transpose=tile_transpose, batch=tile_batch,
    samples=cases(
        reals((3, 2), reps=(2, 3)), reals((3,), reps=(2, 1)), reals((2, 3), reps=(2,)),
        reals((), reps=(2,)), reals((2, 3), reps=(0, 1)), reals((0, 2), reps=(2, 2)),
        complexes((2,), reps=(2,)),
    ),
    error_samples=[invalid((2,), reps=(-1,), says="is negative")],
    doc="The operand repeated along each axis.",
)


def repeat_infer(x: ArrayType, repeats: Size, axis: int) -> ArrayType:
    k = normalize_axis("repeat", x, axis)
    if isinstance(repeats, int) and repeats < 0:
        raise ShapeError("repeat", [x], f"the number of repetitions, {repeats}, is negative")
    return ArrayType((*x.shape[:k], x.shape[k] * repeats, *x.shape[k + 1 :]), x.dtype)


def repeat_transpose(g: AnyArray, y: AnyArray, x: AnyArray, repeats: Size, axis: int) -> AnyArray:
    """The sum over the repetitions of each entry."""
    shape = shape_of(x)
    k = axis % len(shape)
    apart = reshape(g, shape=(*shape[: k + 1], repeats, *shape[k + 1 :]))
    return sum(apart, axis=k + 1)


def repeat_kernel(x: np.ndarray, repeats: int, axis: int) -> np.ndarray:
    return np.asarray(x).repeat(operator.index(repeats), operator.index(axis))


repeat_op = linear(
    "repeat", repeat_kernel, infer=repeat_infer, transpose=repeat_transpose, batch=batch_along_axis,
    source="{0}.repeat({repeats}, {axis})",
    samples=cases(
        reals((3, 2), repeats=2, axis=0), reals((2, 3), repeats=3, axis=-1),
        reals((2,), repeats=0, axis=0), reals((0, 2), repeats=2, axis=0),
    ),
    error_samples=[
        invalid((2,), repeats=2, axis=1, says="axis 1 is out of range"),
        invalid((2,), repeats=-1, axis=0, says="-1, is negative"),
    ],
    doc="Each entry along an axis repeated, copies side by side.",
)


def counted_infer(counts: ArrayType) -> ArrayType:
    if counts.ndim != 1 or counts.dtype.kind not in "iub":
        raise ShapeError("counted", [counts], "the counts are not a row of integers")
    return ArrayType((UNKNOWN,), np.intp)


def counted_kernel(counts: Any) -> np.ndarray:
    if counts.size and counts.min() < 0:
        raise ShapeError("counted", [type_of(counts)], f"the count {counts.min()} is negative")
    return np.arange(counts.size).repeat(counts)


counted = Op(
    "counted", counted_kernel,
    infer=counted_infer, vjp=[None], jvp=[None],
    samples=cases(exactly([2, 0, 1]), exactly(np.zeros(0, int))),
    error_samples=[ErrorSample([np.ones((2, 2), int)], {}, ShapeError, "not a row of integers")],
    doc="The numbers 0, 1, 2, ..., each repeated as often as the operand says.",
)  # fmt: skip


def tile(x: OperandLike, reps: Any) -> Any:
    """`x` repeated along each axis as often as `reps` says.

    The shorter of `reps` and the shape of `x` is padded with ones in front. Raises ShapeError for
    a negative number.

    >>> tile(np.array([1, 2]), (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    return tile_op(x, reps=as_shape(reps))


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each entry of `x` repeated along `axis`; with None, of the flattened array.

    `repeats` is one number, or one for each entry along the axis. Raises ShapeError for negative
    numbers, or another count of them.

    >>> repeat(np.array([3, 5]), 2), repeat(np.array([3, 5]), [1, 2])
    (array([3, 3, 5, 5]), array([3, 5, 5]))
    """
    x, axis = flatten_without_axis(x, axis)
    k = normalize_axis("repeat", type_of(x), axis)
    if isinstance(repeats, Dim):
        return repeat_op(x, repeats=repeats, axis=k)
    counts, n = index_array(x, repeats), shape_of(x)[k]
    if isinstance(counts, np.ndarray) and counts.size == 1:
        return repeat_op(x, repeats=repetitions(x, counts.item()), axis=k)
    if shape_of(counts) in ((), (1,)):
        counts = broadcast_to(reshape(counts, shape=(1,)), shape=(n,))
    if conflict(shape_of(counts), [n]):
        reason = f"{shape_of(counts)[0]} counts for {n} entries along axis {k}"
        raise ShapeError("repeat", [type_of(x), type_of(counts)], reason)
    return take(x, counted(counts), axis=k)


def repetitions(x: AnyArray, repeats: Any) -> int:
    """A number of repetitions as an integer."""
    try:
        return operator.index(repeats)
    except TypeError:
        reason = f"a number of repetitions is an integer, not {repeats!r}"
        raise OptionError("repeat", [type_of(x)], reason) from None
