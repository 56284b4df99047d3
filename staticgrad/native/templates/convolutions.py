"""Convolutions, and their gradients: calls of the functions for all sizes, with plans as constants.

Results have their channels last in memory, as those of NumPy's kernels have.
"""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops.kernels.nn.convolution import phases
from gradops.library.nn.convolution import steps
from gradops.native.convolution.functions import symbol_of
from gradops.native.convolution.geometry import Placed
from gradops.native.convolution.library import block_for, plan_of
from gradops.native.ir.copies import copy, fill
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import NotNative
from gradops.native.ir.text import code_of

from ...ir.expr import Expr
from .table import WRITERS

if TYPE_CHECKING:
    from ..lowering import GraphWriter

DTYPES = ("f4", "f8")


def write_conv(w: "GraphWriter", e: Expr) -> None:
    """Write a convolution, perhaps with a bias."""
    x, filters, *bias = operands(w, e)
    given = steps(len(x.shape) - 2, e.attrs["strides"], e.attrs["pads"], e.attrs["dilations"])
    if bias and not bias[0].is_contiguous:
        raise NotNative(f"{e.label} with a bias that does not lie in order")
    y = place_of_result(w, e)
    convolve(w, (x, filters, y), (given, e.attrs["groups"]), bias[0] if bias else None)
    finish(w, e, y)


def operands(w: "GraphWriter", e: Expr) -> list[Place]:
    """The places of operands, all of the dtype of the result."""
    if code_of(e.dtype) not in DTYPES or any(x.dtype != e.dtype for x in e.inputs):
        raise NotNative(f"{e.label} of {e.dtype}")
    if any(0 in x.shape for x in (e, *e.inputs)):
        raise NotNative(f"{e.label} of no entries")
    return [w.place(x) for x in e.inputs]


def place_of_result(w: "GraphWriter", e: Expr) -> Place:
    """The place of a result: where it is wanted, if that has channels last, or new memory."""
    wanted = w.targets.get(e)
    if wanted is not None and (wanted.strides[1] == 1 or wanted.shape[1] == 1):
        return wanted
    return channels_last(w, e.shape, e.dtype)


def channels_last(w: "GraphWriter", shape: Sequence[Any], dtype: np.dtype) -> Place:
    """Memory of an array whose second axis is the last there."""
    n, channels, *sizes = shape
    found = w.memory.array((n, *sizes, channels), dtype)
    outer, *others, last = found.strides
    return found._replace(shape=tuple(shape), strides=(outer, last, *others))


def finish(w: "GraphWriter", e: Expr, y: Place) -> None:
    """Note where a result lies; it is copied to where it is wanted."""
    wanted = w.targets.get(e)
    if wanted is None or y is wanted:
        w.places[e] = y
        return
    copy(w.f, y, wanted)
    w.memory.release(y)
    w.places[e] = wanted


def convolve(
    w: "GraphWriter", places: tuple[Place, Place, Place], options: Any, bias: Place | None = None,
    group_step: int | None = None,
) -> None:  # fmt: skip
    """Call the convolution of a place with filters, to another place."""
    x, filters, y = places
    given, groups = options
    block = block_for(y.dtype, filters.shape[0] // groups)
    where = [Placed(p.shape, p.strides) for p in places]
    plan = plan_of(block, False, *where, given, groups, group_step)
    pointers = [first(w, x), first(w, filters), first(w, bias) if bias else "null", first(w, y)]
    call(w, symbol_of(block, "convolve"), plan, y.dtype, pointers)


def first(w: "GraphWriter", p: Place) -> str:
    """The address of the first entry."""
    return p.address(w.f, [0] * len(p.shape))


def call(w: "GraphWriter", symbol: str, plan: Any, dtype: np.dtype, pointers: list[str]) -> None:
    """Call a function with a plan, arrays, and memory for it."""
    work = w.memory.array((plan.bytes // dtype.itemsize,), dtype)
    given = [w.memory.numbers(plan.values.tolist()), *pointers, work.pointer]
    w.f.emit(f"call i32 @{symbol}({', '.join(f'ptr {p}' for p in given)})")
    w.memory.release(work)


def write_operand_gradient(w: "GraphWriter", e: Expr) -> None:
    """Write the gradient of the operand: a convolution for each offset within a stride."""
    g, filters = operands(w, e)
    n, groups = len(g.shape) - 2, e.attrs["groups"]
    given = steps(n, e.attrs["strides"], e.attrs["pads"], e.attrs["dilations"])
    axes = zip(e.attrs["shape"], g.shape[2:], filters.shape[2:], *given, strict=True)
    parts = list(itertools.product(*(list(phases(*axis)) for axis in axes)))
    y, turned = place_of_result(w, e), channels_exchanged(filters, groups)
    if given[0] != (1,) * n:
        fill(w.f, y, 0)
    step = filters.shape[0] // groups * filters.strides[0]
    for part in parts:
        entries, taps, frames, apart = zip(*part)
        seen, to = cut(turned, taps), cut(y, entries)
        convolve(w, (g, seen, to), (((1,) * n, frames, apart), groups), None, step)
    finish(w, e, y)


def channels_exchanged(filters: Place, groups: int) -> Place:
    """Filters with the channels of operand and result exchanged; those of a group lie apart."""
    (outer, inner, *window), (a, b, *rest) = filters.shape, filters.strides
    shape = (inner * groups, outer // groups, *window)
    return filters._replace(shape=shape, strides=(b, a, *rest))


def cut(p: Place, slices: Sequence[slice]) -> Place:
    """The entries in ranges along the axes after the first two."""
    shape, strides, at = list(p.shape[:2]), list(p.strides[:2]), p.offset
    for n, step, some in zip(p.shape[2:], p.strides[2:], slices, strict=True):
        found = range(*some.indices(n))
        at += found.start * step
        shape.append(len(found))
        strides.append(step * found.step)
    return p._replace(shape=tuple(shape), strides=tuple(strides), offset=at)


def write_filter_gradient(w: "GraphWriter", e: Expr) -> None:
    """Write the gradient of the filters."""
    x, g = operands(w, e)
    given = steps(len(x.shape) - 2, e.attrs["strides"], e.attrs["pads"], e.attrs["dilations"])
    groups = e.attrs["groups"]
    if g.strides[1] != 1 and g.shape[1] > 1:
        beside = channels_last(w, g.shape, g.dtype)
        copy(w.f, g, beside)
        g = beside
    to = w.place_for(e)
    block = block_for(e.dtype, g.shape[1] // groups)
    where = [Placed(p.shape, p.strides) for p in (x, to, g)]
    plan = plan_of(block, True, *where, given, groups)
    call(w, symbol_of(block, "filters"), plan, e.dtype, [first(w, p) for p in (x, g, to)])


WRITERS |= {
    "conv": write_conv, "conv_bias": write_conv, "conv_operand": write_operand_gradient,
    "conv_filters": write_filter_gradient,
}  # fmt: skip
