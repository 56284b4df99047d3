"""Ops that put entries elsewhere, as copies: padding, repeating, rolling, updating a part."""

from typing import TYPE_CHECKING

from gradops import OPS
from gradops.native.ir.copies import copy, fill
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import BOOL, NotNative, cast
from gradops.native.ir.text import Index, is_computable

from ...ir.expr import Expr
from .scans import over
from .table import WRITERS

if TYPE_CHECKING:
    from ..lowering import GraphWriter


def stretched(p: Place, axis: int, count: int) -> Place:
    """A place with one more axis, along which entries are the same."""
    shape, strides = [*p.shape], [*p.strides]
    shape.insert(axis, count)
    strides.insert(axis, 0)
    return p._replace(shape=tuple(shape), strides=tuple(strides))


def split_axis(p: Place, axis: int, count: int) -> Place:
    """A place whose axis is cut into `count` parts, which are an axis before it."""
    n = p.shape[axis] // max(1, count)
    shape = (*p.shape[:axis], count, n, *p.shape[axis + 1 :])
    step = p.strides[axis]
    return p._replace(
        shape=shape, strides=(*p.strides[:axis], n * step, step, *p.strides[axis + 1 :])
    )


def narrowed(p: Place, axis: int, start: int, count: int) -> Place:
    """Some of the entries along an axis."""
    shape = (*p.shape[:axis], count, *p.shape[axis + 1 :])
    return p._replace(shape=shape, offset=p.offset + start * p.strides[axis])


def write_copy(w: "GraphWriter", e: Expr) -> None:
    """Write a copy."""
    copy(w.f, w.place(e.inputs[0]), w.place_for(e))


def write_pad(w: "GraphWriter", e: Expr) -> None:
    """Write an array amid a constant."""
    source, part = w.place(e.inputs[0]), w.place_for(e)
    if isinstance(e.attrs["value"], complex) or (not is_computable(e.dtype) and e.attrs["value"]):
        raise NotNative(f"{e.label} is padded with {e.attrs['value']}")
    fill(w.f, part, e.attrs["value"])
    for axis, ((before, _), n) in enumerate(zip(e.attrs["pad_width"], source.shape, strict=True)):
        part = narrowed(part, axis, before, n)
    copy(w.f, source, part)


def write_tile(w: "GraphWriter", e: Expr) -> None:
    """Write an array several times along each axis."""
    source, to, reps = w.place(e.inputs[0]), w.place_for(e), e.attrs["reps"]
    rank = len(e.shape)
    reps = (*(1,) * (rank - len(reps)), *reps)
    for _ in range(rank - len(source.shape)):
        source = stretched(source, 0, 1)
    for axis in reversed(range(rank)):
        source = stretched(source, axis, reps[axis])
        to = split_axis(to, axis, reps[axis])
    copy(w.f, source, to)


def write_repeat(w: "GraphWriter", e: Expr) -> None:
    """Write each entry along an axis several times."""
    axis, count = e.attrs["axis"] % len(e.shape), e.attrs["repeats"]
    source, to = w.place(e.inputs[0]), w.place_for(e)
    copy(w.f, stretched(source, axis + 1, count), split_axis(to, axis, source.shape[axis]))


def write_roll(w: "GraphWriter", e: Expr) -> None:
    """Write the two parts of each axis in the other order."""
    source, to, axis, shift = w.place(e.inputs[0]), w.place_for(e), *axis_and_shift(e)
    if e.attrs["axis"] is None:
        size = (to.size,)
        flat, whole = source.reshaped(size), to.reshaped(size)
        if flat is None or whole is None:
            raise NotNative(f"{e.label} of an array that does not lie in order")
        source, to = flat, whole
    turns = [0] * len(source.shape)
    for i, k in zip(axis, shift, strict=True):
        turns[i % len(turns)] += k
    roll_axes(w, source, to, turns, 0)


def write_flip(w: "GraphWriter", e: Expr) -> None:
    """Write an array in reverse order along some axes."""
    source, axis = w.place(e.inputs[0]), e.attrs["axis"]
    rank = len(e.shape)
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for i in {i % rank for i in axes}:
        last = source.offset + max(0, source.shape[i] - 1) * source.strides[i]
        strides = (*source.strides[:i], -source.strides[i], *source.strides[i + 1 :])
        source = source._replace(strides=strides, offset=last)
    copy(w.f, source, w.place_for(e))


def axis_and_shift(e: Expr) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of a roll, and by how much each is turned."""
    axis, shift = e.attrs["axis"], e.attrs["shift"]
    axes = (0,) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    if len(axes) != len(shifts) or (axis is None and len(shifts) > 1):
        raise NotNative(f"{e.label} turns an axis several times")
    return axes, shifts


def roll_axes(w: "GraphWriter", source: Place, to: Place, turns: list[int], axis: int) -> None:
    """Copy the parts of the axes from here on."""
    if axis == len(turns):
        copy(w.f, source, to)
        return
    n = source.shape[axis]
    k = turns[axis] % n if n else 0
    for start, end, count in ((0, k, n - k), (n - k, 0, k)):
        if count or not n:
            parts = narrowed(source, axis, start, count), narrowed(to, axis, end, count)
            roll_axes(w, *parts, turns, axis + 1)
        if not n:
            return


def write_update(w: "GraphWriter", e: Expr) -> None:
    """Write an array, of which a part is replaced, or has something added."""
    if len(e.inputs) != 2:
        raise NotNative(f"{e.label} is indexed by arrays")
    source, values = (w.place(x) for x in e.inputs)
    to = w.place_for(e)
    index = e.attrs["index"]
    shape = OPS["slice"].infer(e.type, index=index).shape
    part = to.view(OPS["slice"], {"index": index}, tuple(map(int, shape)))
    adds = e.op is not None and e.op.name == "add_at"
    if part is None or (adds and (e.dtype == BOOL or not is_computable(e.dtype))):
        raise NotNative(f"{e.label} is no view")
    copy(w.f, source, to)
    values = values._replace(shape=part.shape, strides=broadcast_strides(values, part))
    if not adds:
        copy(w.f, values, part)
        return
    for at in over(w, part.shape):
        add_entry(w, part, at, values)


def broadcast_strides(p: Place, like: Place) -> tuple[int, ...]:
    """The strides of a place in the shape of another."""
    missing = len(like.shape) - len(p.shape)
    own = [0 if n == 1 else s for n, s in zip(p.shape, p.strides, strict=True)]
    return (*(0,) * missing, *own)


def add_entry(w: "GraphWriter", to: Place, at: tuple[Index, ...], values: Place) -> None:
    """Add one entry to another."""
    if not is_computable(values.dtype):
        raise NotNative(f"sums of {values.dtype}")
    x = cast(values.load(w.f, at), to.dtype)
    to.store(w.f, at, to.load(w.f, at) + x)


WRITERS |= {
    "add_at": write_update, "copy": write_copy, "flip": write_flip, "pad": write_pad,
    "repeat": write_repeat, "roll": write_roll, "set_at": write_update, "tile": write_tile,
}  # fmt: skip
