"""Pooling: calls of the functions for all sizes, with plans as constants.

Results lie in memory as their first operand does. The maxima of windows and their indices are
computed in one pass where a graph has both.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops.kernels.nn.native_pooling import do_cover, do_overlap
from gradops.library.nn.pooling import check_windows
from gradops.native.convolution.geometry import Placed
from gradops.native.ir.copies import copy, fill
from gradops.native.ir.places import Place, contiguous
from gradops.native.ir.scalars import NotNative
from gradops.native.ir.text import code_of
from gradops.native.pooling.functions import symbol_of
from gradops.native.pooling.library import plan_of

from ...ir.expr import Expr
from ..planning.kinds import name_of
from .convolutions import DTYPES, first
from .table import WRITERS

if TYPE_CHECKING:
    from ..lowering import GraphWriter

PAIR = frozenset({"max_pool", "places_of_max"})


def slide_of(e: Expr) -> Any:
    """The window sizes, strides, padding and dilations."""
    given = (e.attrs[name] for name in ("window", "strides", "pads", "dilations"))
    return check_windows(name_of(e), e.inputs, *given)


def memory_like(w: "GraphWriter", x: Place, shape: Sequence[Any], dtype: np.dtype) -> Place:
    """Memory of an array whose axes lie as those of another."""
    return memory_in(w, sorted(range(len(shape)), key=lambda i: -x.strides[i]), shape, dtype)


def memory_in(
    w: "GraphWriter", order: Sequence[int], shape: Sequence[Any], dtype: np.dtype
) -> Place:
    """Memory of an array whose axes lie in an order, the slowest first."""
    made = w.memory.array([shape[i] for i in order], dtype)
    steps = dict(zip(order, contiguous([shape[i] for i in order]), strict=True))
    return made._replace(shape=tuple(shape), strides=tuple([steps[i] for i in range(len(shape))]))


def memory_with(w: "GraphWriter", lane: int, shape: Sequence[Any], dtype: np.dtype) -> Place:
    """Memory of an array whose entries along an axis lie side by side."""
    order = [*[i for i in range(len(shape)) if i != lane], lane]
    return memory_in(w, order, shape, dtype)


def is_suitable(p: Place, lane: int) -> bool:
    """True if entries lie side by side along an axis, and no axis is repeated or backwards."""
    return p.strides[lane] == 1 and all(s > 0 or n == 1 for n, s in zip(p.shape, p.strides))


class Call:
    """A call of a function of pooling: its operands, and results that are made for it."""

    def __init__(self, w: "GraphWriter", e: Expr) -> None:
        if code_of(e.inputs[0].dtype) not in DTYPES or any(0 in x.shape for x in (e, *e.inputs)):
            raise NotNative(f"{e.label} of {e.inputs[0]}")
        self.w, self.e, self.slide = w, e, slide_of(e)
        self.made: list[Place] = []
        given = [w.place(x) for x in e.inputs]
        self.lane = self.lane_of(given[-1])  # indices lie as what they were found in
        self.given = [p if is_suitable(p, self.lane) else self.copied(p) for p in given]

    def lane_of(self, p: Place) -> int:
        """The axis of an operand along which entries lie side by side, or could be laid so."""
        leading = [i for i in range(len(p.shape) - len(self.slide[0])) if p.shape[i] > 1]
        if not leading:
            raise NotNative(f"{self.e.label} without axes over which no window moves")
        return next((i for i in leading if p.strides[i] == 1), leading[-1])

    def copied(self, p: Place) -> Place:
        """A copy of an operand, whose entries lie side by side."""
        made = memory_with(self.w, self.lane, p.shape, p.dtype)
        copy(self.w.f, p, made)
        self.made.append(made)
        return made

    def result(self, e: Expr) -> Place:
        """The place of a result, which lies as the first operand."""
        return memory_like(self.w, self.given[0], e.shape, e.dtype)

    def write(
        self, kind: str, x: Place, y: Place, indices: Place | None = None, apart: bool = True
    ) -> None:
        """Write the call: of an operand, windows, and indices."""
        w, steps = self.w, () if indices is None else indices.strides
        placed = [Placed(p.shape, p.strides) for p in (x, y)]
        plan = plan_of(*placed, steps, self.slide, apart)
        if plan is None or (indices is not None and indices.dtype.itemsize != 1):
            raise NotNative(f"{self.e.label} of entries that do not lie side by side")
        pointers = [first(w, p) if p else "null" for p in (x, y, indices)]
        given = [w.memory.numbers(plan.values.tolist()), *pointers]
        symbol = symbol_of(kind, x.dtype)
        w.f.emit(f"call i32 @{symbol}({', '.join(f'ptr {p}' for p in given)})")
        for place in self.made:
            w.memory.release(place)

    def keep(self, e: Expr, place: Place) -> None:
        """Note where a result lies; it is copied to where it is wanted."""
        w, wanted = self.w, self.w.targets.get(e)
        if wanted is not None:
            copy(w.f, place, wanted)
            w.memory.release(place)
        w.places[e] = place if wanted is None else wanted


def write_greatest(w: "GraphWriter", e: Expr) -> None:
    """Write the maximum of each window, and its index if both are wanted."""
    if e in w.places:  # computed with the other
        return
    call = Call(w, e)
    both = {name_of(x): x for x in w.graph.order if is_pair(x, e)}
    shape, dtype = e.shape, call.given[0].dtype
    made = {name: call.result(x) for name, x in both.items()}
    y = made.get("max_pool") or memory_like(w, call.given[0], shape, dtype)
    if "places_of_max" in made:
        call.write("places", call.given[0], y, made["places_of_max"])
    else:
        call.write("greatest", call.given[0], y)
    for name, x in both.items():
        call.keep(x, made[name])
    if "max_pool" not in made:
        w.memory.release(y)


def is_pair(x: Expr, e: Expr) -> bool:
    """True for an expression, and for the other of the two that are computed at once."""
    return name_of(x) in PAIR and x.inputs[0] is e.inputs[0] and x.attrs == e.attrs


def write_sum(w: "GraphWriter", e: Expr) -> None:
    """Write the sum of each window."""
    call = Call(w, e)
    y = call.result(e)
    call.write("sum", call.given[0], y)
    call.keep(e, y)


def write_pick(w: "GraphWriter", e: Expr) -> None:
    """Write the entry of each window at an index."""
    call = Call(w, e)
    y = call.result(e)
    call.write("pick", call.given[0], y, call.given[1])
    call.keep(e, y)


def write_put(w: "GraphWriter", e: Expr) -> None:
    """Write zeros with each number at an entry of its window, or at all of them."""
    call = Call(w, e)
    kind, overlap = ("put", "spread")[len(call.given) == 1], do_overlap(call.slide)
    if overlap and kind == "spread":
        raise NotNative(f"{e.label} of windows that overlap")
    to = call.result(e)
    if not do_cover(e.attrs["shape"], call.slide):
        fill(w.f, to, 0)
    indices = call.given[1] if kind == "put" else None
    call.write(kind + "sum" * overlap, to, call.given[0], indices, not overlap)
    call.keep(e, to)


WRITERS |= {
    "max_pool": write_greatest, "places_of_max": write_greatest, "sum_pool": write_sum,
    "pick_from_windows": write_pick, "put_into_windows": write_put, "sum_unpool": write_put,
}  # fmt: skip
