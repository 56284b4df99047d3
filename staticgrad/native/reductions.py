"""Reductions: what they start from, and how an entry is added."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..ir.expr import Expr
from .places import Place
from .scalars import Scalar, cast, choose, constant
from .text import FunctionText, Index, memory_type

if TYPE_CHECKING:
    from .lowering import GraphWriter


@dataclass(eq=False)
class Reduction:
    """A sum, or the like, over axes of an operand; `axes` are those, `e` the expression."""

    e: Expr

    def __post_init__(self) -> None:
        x, e = self.e.inputs[0], self.e
        rank = len(x.shape)
        if e.op.name == "sum_to":
            extra = rank - len(e.shape)
            self.axes = {i for i in range(rank)
                         if i < extra or (e.shape[i - extra] == 1 and x.shape[i] != 1)}  # fmt: skip
            self.keepdims = True
        else:
            axis = e.attrs["axis"]
            axis = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
            self.axes = {i % rank for i in axis} if rank else set()
            self.keepdims = e.attrs["keepdims"]
        self.rank = rank

    @property
    def first(self) -> int:
        """The first of the axes that are added up."""
        return min(self.axes, default=self.rank)

    @property
    def is_suffix(self) -> bool:
        """True if these are the last axes."""
        return self.axes == set(range(self.first, self.rank))

    @property
    def keeps_last(self) -> bool:
        """True if the last axis is kept."""
        return self.rank - 1 not in self.axes

    def place_index(self, index: Sequence[Index]) -> tuple[Index, ...]:
        """The index of the result, for an index of the operand or its first axes."""
        if self.e.op.name == "sum_to":
            extra = self.rank - len(self.e.shape)
            rest = list(index[extra:]) + [0] * (self.rank - max(extra, len(index)))
            return tuple([0 if i + extra in self.axes else n for i, n in enumerate(rest)])
        full = [*index, *[0] * (self.rank - len(index))]
        if self.keepdims:
            return tuple([0 if i in self.axes else n for i, n in enumerate(full)])
        return tuple([n for i, n in enumerate(full) if i not in self.axes])

    @property
    def start(self) -> float:
        """What the result is without entries."""
        if self.e.op.name in ("sum", "sum_to", "mean"):
            return 0
        if self.e.dtype.kind != "f":
            info = np.iinfo(self.e.dtype)
            return info.min if self.e.op.name == "max" else info.max
        return -math.inf if self.e.op.name == "max" else math.inf

    def begin(self, f: FunctionText) -> Place:
        """A place for the total, in the function's frame."""
        place = Place(f.reserve(memory_type(self.e.dtype)), self.e.dtype, (), ())
        place.store(f, (), constant(f, self.start, self.e.dtype))
        return place

    def fill(self, f: FunctionText, place: Place, index: tuple[Index, ...] = ()) -> None:
        """Set all results to the start."""
        if len(index) == len(place.shape):
            place.store(f, index, constant(f, self.start, self.e.dtype))
            return
        with f.loop(place.shape[len(index)]) as i:
            self.fill(f, place, (*index, i))

    def add(
        self, f: FunctionText, place: Place, index: Sequence[Index], x: Scalar,
        reassociate: bool = False, tag: str = "",
    ) -> None:  # fmt: skip
        """Add an entry to a total."""
        x = cast(x, self.e.dtype)
        total = place.load(f, index, tag)
        name = self.e.op.name
        if name in ("max", "min"):
            y = extreme(name, total, x)
        elif x.dtype.kind == "f":
            y = total.then(f"fadd {'reassoc ' * reassociate}{total.typed}, {x.name}")
        else:
            y = total + x
        place.store(f, index, y, tag)

    def finish(self, w: "GraphWriter", place: Place, index: tuple[Index, ...] = ()) -> None:
        """Divide by the number of entries, for a mean."""
        if self.e.op.name != "mean":
            return
        if len(index) == len(place.shape):
            count = math.prod(self.e.inputs[0].shape[i] for i in self.axes)
            place.store(w.f, index, place.load(w.f, index) / float(count))
            return
        with w.f.loop(place.shape[len(index)]) as i:
            self.finish(w, place, (*index, i))


def extreme(name: str, a: Scalar, b: Scalar) -> Scalar:
    """The larger or smaller of two values, NaN if one is."""
    if a.dtype.kind == "f":
        kind = "maximum" if name == "max" else "minimum"
        suffix = "f32" if a.dtype.itemsize == 4 else "f64"
        type = a.typed.split()[0]
        a.f.used[f"{type} llvm.{kind}.{suffix}/2"] = None
        return a.then(f"call {type} @llvm.{kind}.{suffix}({a.typed}, {b.typed})")
    return choose(b > a if name == "max" else b < a, b, a)


REDUCTIONS = dict.fromkeys(("sum", "mean", "max", "min", "sum_to"), Reduction)
