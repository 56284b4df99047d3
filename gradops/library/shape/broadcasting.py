"""Broadcasting, and its transpose, summation."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Dim, Shape
from ...core.errors import ShapeError
from ...core.op import Op
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import ArrayType, broadcast_shapes, conflict, shape_of, type_of
from ...kernels.sums import sum_of
from ...typing import AnyArray, Arrays, Attrs, Flags, OperandLike
from ..families import Kernel, batch_along_axis, invalid, linear
from .movement import RETYPING, reshape, shape_text

__all__ = ["broadcast_to", "expand", "expand_to", "sum_to"]

LARGE = 1 << 16  # entries up to which a product sums rows faster, in one thread
WIDE = 1024  # entries that are added at a time
COPIED = 4096  # entries up to which a copy is cheaper than a view


def broadcast_to_kernel(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A copy if it is small, else a read-only view: the cheaper of the two."""
    x = x if hasattr(x, "dtype") else np.asarray(x)
    if math.prod(shape) > COPIED or x.ndim > len(shape):
        return np.broadcast_to(x, shape)
    y = np.empty(shape, x.dtype)
    y[...] = x
    return y


def expand_to_kernel(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A view, writable only if nothing is repeated."""
    return x[...] if np.shape(x) == shape else np.broadcast_to(x, shape)


def shape_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch an op with a target shape, giving examples their leading axes of size 1."""
    n, *rest = shape_of(xs[0])
    padding = (1,) * (len(attrs["shape"]) - len(rest))
    return op(reshape(xs[0], shape=(n, *padding, *rest)), shape=(n, *attrs["shape"]))


def broadcasting(name: str, kernel: Kernel, doc: str) -> Op:
    """An op that repeats its operand along new axes and axes of size 1."""

    def infer(x: ArrayType, shape: Shape) -> ArrayType:
        target = ArrayType(shape, x.dtype)
        if any(isinstance(n, int) and n < 0 for n in shape):
            raise ShapeError(name, [x], f"a size of {shape_text(shape)} is negative")
        if x.ndim > target.ndim or conflict(broadcast_shapes(name, [x, target]), shape):
            raise ShapeError(name, [x], f"it does not broadcast to {shape_text(shape)}")
        return target

    return linear(
        name, kernel, infer=infer, batch=shape_batch,
        transpose=lambda g, y, x, shape: sum_to(g, shape=shape_of(x)),
        traits=RETYPING | {Trait.BROADCASTING},
        samples=cases(
            reals((4,), shape=(3, 4)), reals((3, 1), shape=(2, 3, 4)), reals((), shape=(2,)),
            reals((2, 3), shape=(2, 3)), reals((1, 3), shape=(0, 3)),
        ),
        error_samples=[
            invalid((2,), shape=(3,), says="2 against 3"),
            invalid((2, 2), shape=(2,), says="does not broadcast"),
            invalid((1, 2), shape=(2,), says="does not broadcast"),
        ],
        doc=doc,
    )  # fmt: skip


broadcast_to = broadcasting(
    "broadcast_to", broadcast_to_kernel, doc="The operand broadcast to a shape.",
)
expand_to = broadcasting(
    "expand_to", expand_to_kernel, doc="The operand broadcast to a shape, always as a view.",
)


def repeat_shared(xs: Sequence[Any], batched: Flags) -> list[AnyArray]:
    """The operands, with those shared by all examples repeated for each."""
    n = next(shape_of(x)[0] for x, b in zip(xs, batched, strict=True) if b)
    return [
        x if b else broadcast_to(x, shape=(n, *shape_of(x)))
        for x, b in zip(xs, batched, strict=True)
    ]


def batch_as_is(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch an op that treats leading axes alike, repeating shared operands for each example."""
    return op(*repeat_shared(xs, batched), **attrs)


def batch_together_along_axis(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> Any:
    """Batch several operands along an axis of each example, repeating those that are shared."""
    return batch_along_axis(op, repeat_shared(xs, batched), batched, attrs)


def sum_to_kernel(x: Any, shape: tuple[int, ...]) -> Any:
    """Sum over the axes that broadcasting `shape` to the shape of `x` would add or repeat."""
    own = shape_of(x)
    extra = len(own) - len(shape)
    if not extra and len(own) == 2 and shape == (own[0], 1) != own:  # a column
        return sum_of(x, 1).reshape(shape)
    if own[extra:] == shape:
        return sum_of(x, 0 if extra == 1 else tuple(range(extra))) if extra else x
    repeated = [i for i, n in enumerate(shape, extra) if n == 1 and own[i] != 1]
    if extra + len(repeated) == len(own) - 1 > 1 and 0 not in own:
        moved = np.moveaxis(x, ({*range(extra, len(own))} - {*repeated}).pop(), -1)
        if moved.flags.c_contiguous and moved.dtype.kind == "f":
            return sum_rows(moved).reshape(shape)
    axes = (*range(extra), *repeated)
    return sum_of(x, axes[0] if len(axes) == 1 else axes).reshape(shape)


def sum_rows(x: Any) -> Any:
    """The sum over all axes but the last; short rows are joined, as NumPy adds rows one by one."""
    rows = x.reshape(-1, x.shape[-1])
    if rows.size <= LARGE:
        return np.ones(len(rows), x.dtype).dot(rows)
    together = max(1, WIDE // rows.shape[1])
    whole = len(rows) // together * together
    sums = np.add.reduce(rows[:whole].reshape(-1, together * rows.shape[1]), axis=0)
    y = np.add.reduce(sums.reshape(together, rows.shape[1]), axis=0)
    return y if whole == len(rows) else y + np.add.reduce(rows[whole:], axis=0)


def sum_to_source(x: ArrayType, shape: Shape) -> str:
    """A plain reduction where the types show that it suffices."""
    extra = x.ndim - len(shape)
    for axis in (0, 1) if not extra and x.ndim == 2 else ():
        if type(n := shape[axis]) is int and n == 1 and x.shape[1 - axis] == shape[1 - axis]:
            return f"np.add.reduce({{0}}, axis={axis}, keepdims=True{{out}})"
    if not extra or x.shape[extra:] != shape:
        return "sum_to({0}, {shape})"
    return f"np.add.reduce({{0}}, axis={0 if extra == 1 else tuple(range(extra))}{{out}})"


def sum_to_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    n, *rest = shape_of(xs[0])
    target = attrs["shape"]
    return reshape(
        sum_to(xs[0], shape=(n, *(1,) * (len(rest) - len(target)), *target)), shape=(n, *target)
    )


def sum_to_infer(x: ArrayType, shape: Shape) -> ArrayType:
    target = ArrayType(shape, x.dtype)
    if target.ndim > x.ndim or conflict(broadcast_shapes("sum_to", [x, target]), x.shape):
        raise ShapeError("sum_to", [x], f"{shape_text(shape)} does not broadcast to its shape")
    return target


sum_to = linear(
    "sum_to", sum_to_kernel, infer=sum_to_infer, flops=flops.per_operand(1),
    transpose=lambda g, y, x, shape: broadcast_to(g, shape=shape_of(x)), batch=sum_to_batch,
    source=sum_to_source, traits=RETYPING | {Trait.PROPAGATING},
    samples=cases(reals((3, 4), shape=(4,)), reals((2, 3, 4), shape=(3, 1)), reals((3,), shape=()),
                  reals((0, 2, 2), shape=(0, 1, 1))),
    error_samples=[invalid((3,), shape=(2,), says="3 against 2")],
    doc="The sum over the axes along which broadcasting from `shape` repeats.",
)


def expand(x: OperandLike, shape: tuple[int | Dim, ...]) -> Any:
    """`x` broadcast to `shape`, in which -1 keeps the size an axis has; a view of its memory.

    >>> expand(np.zeros((3, 1)), (-1, 4)).shape
    (3, 4)
    """
    own = shape_of(x)
    if len(shape) < len(own):
        raise ShapeError("expand", [type_of(x)], f"{shape_text(shape)} has fewer dimensions")
    padded = (1,) * (len(shape) - len(own)) + tuple(own)
    sizes = tuple(m if n == -1 else n for m, n in zip(padded, shape, strict=True))
    for m, n in zip(padded, sizes, strict=True):
        if m != 1 and conflict([m], [n]):
            raise ShapeError(
                "expand", [type_of(x)],
                f"it does not broadcast to {shape_text(sizes)}: {m} against {n}",
            )  # fmt: skip
    return expand_to(x, shape=sizes)
