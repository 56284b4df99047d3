"""Reductions: what they start from, and how an entry is added."""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gradops.native.ir import vectors
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import BOOL, Scalar, call_math, cast, choose, constant
from gradops.native.ir.text import At, FunctionText, Lane, memory_type
from gradops.native.transcendental.floats import both

from ...ir.expr import Expr
from ..planning.kinds import name_of

SUMS = frozenset({"count_nonzero", "mean", "sum", "sum_to"})


class Reduction:
    """A sum, or the like, over axes of an operand.

    `order` are the operand's axes in the order of the loops, `axes` are the loops added over.
    """

    def __init__(self, e: Expr, order: Sequence[int] | None = None) -> None:
        self.e, self.name = e, name_of(e)
        self.order = order = range(len(e.inputs[0].shape)) if order is None else order
        shape = self.shape = e.inputs[0].shape
        self.rank = len(shape)
        self.extra = self.rank - len(e.shape) if self.name == "sum_to" else 0
        if self.name == "sum_to":
            kept = [n == m for n, m in zip(shape[self.extra :], e.shape, strict=True)]
            self.own = {i for i in range(self.rank) if i < self.extra or not kept[i - self.extra]}
        else:
            axis = e.attrs["axis"]
            axis = range(self.rank) if axis is None else np.atleast_1d(axis).tolist()
            self.own = {i % self.rank for i in axis}
        self.axes = {k for k, i in enumerate(order) if i in self.own}

    @cached_property
    def first(self) -> int:
        """The first of the axes that are added up."""
        return min(self.axes, default=self.rank)

    @cached_property
    def is_suffix(self) -> bool:
        """True if these are the last axes."""
        return self.axes == set(range(self.first, self.rank))

    @property
    def keeps_last(self) -> bool:
        """True if the last axis is kept."""
        return self.rank - 1 not in self.axes

    def place_index(self, index: Sequence[At]) -> tuple[At, ...]:
        """The index of the result, for those of the loops, or of the outer ones."""
        full: list[At] = [0] * self.rank
        for axis, i in zip(self.order, index, strict=False):
            full[axis] = 0 if axis in self.own else i
        if self.name == "sum_to":
            return tuple(full[self.extra :])
        if self.e.attrs["keepdims"]:
            return tuple(full)
        return tuple([n for i, n in enumerate(full) if i not in self.own])

    @property
    def start(self) -> float:
        """The result without entries."""
        if self.name not in ("max", "min"):
            return int(self.name in ("all", "prod"))
        if self.e.dtype == BOOL:
            return self.name == "min"
        if self.e.dtype.kind == "f":
            return -math.inf if self.name == "max" else math.inf
        info = np.iinfo(self.e.dtype)
        return info.min if self.name == "max" else info.max

    @property
    def neutral(self) -> float:
        """A value that leaves a total as it is: for sums -0.0, which added to 0.0 is 0.0."""
        return -0.0 if self.name in SUMS and self.e.dtype.kind == "f" else self.start

    def begin(self, f: FunctionText) -> Place:
        """A place for the total, or those of the entries of a vector, in the function's frame."""
        dtype, lanes = self.e.dtype, max(1, f.lanes)
        place = Place(f.reserve(memory_type(dtype), lanes), dtype, (lanes,), (1,))
        place.store(f, beginning(f), constant(f, self.start, dtype))
        return place

    def end(self, f: FunctionText, total: Place, to: Place, index: Sequence[At]) -> None:
        """Store a total at an index of the outer loops; those of a vector are added."""
        x, at = total.load(f, beginning(f)), self.place_index(index)
        if not f.lanes or any(isinstance(i, Lane) for i in at):
            to.store(f, at, x)
            return
        x = vectors.total(x, self.join, self.neutral)
        lanes, f.lanes = f.lanes, 0
        to.store(f, at, x)
        f.lanes = lanes

    def add_entries(
        self, f: FunctionText, to: Place, index: Sequence[At], x: Scalar, tag: str = ""
    ) -> None:
        """Add an entry of the operand, or those of a vector, to totals in memory."""
        at = self.place_index(index)
        lanes, x = f.lanes, self.entry(x)
        if lanes and not any(isinstance(i, Lane) for i in at):
            x, f.lanes = vectors.total(x, self.join, self.neutral), 0
        to.store(f, at, self.joined(to.load(f, at, tag), x, ""), tag)
        f.lanes = lanes

    def add(
        self, f: FunctionText, place: Place, index: Sequence[At], x: Scalar, flags: str
    ) -> None:
        """Add an entry to a total."""
        place.store(f, index, self.joined(place.load(f, index), self.entry(x), flags))

    def joined(self, a: Scalar, b: Scalar, flags: str) -> Scalar:
        """The sum, or the like, of two values."""
        match self.name:
            case "max" | "min":
                return extreme(self.name, a, b)
            case "prod":
                return a * b
            case "any" | "all":
                return both(a, b, "or" if self.name == "any" else "and")
        return added(a, b, flags)

    def entry(self, x: Scalar) -> Scalar:
        """An entry of the operand as one that is added."""
        x = cast(x, BOOL) if self.name == "count_nonzero" else x
        return cast(x, self.e.dtype)

    def join(self, a: Scalar, b: Scalar) -> Scalar:
        """The sum, or the like, in this order."""
        return self.joined(a, b, "")

    def combine(self, f: FunctionText, sums: Place, to: Place, index: tuple[At, ...] = ()) -> None:
        """Add up the rows of an array of sums."""
        if len(index) < len(to.shape):
            for i in f.loop(to.shape[len(index)]):
                self.combine(f, sums, to, (*index, i))
            return
        total = sums.load(f, (0, *index))
        for c in range(1, sums.shape[0]):
            total = self.joined(total, sums.load(f, (c, *index)), "")
        to.store(f, index, total)

    def finish(self, f: FunctionText, place: Place, index: tuple[At, ...] = ()) -> None:
        """Divide by the number of entries, for a mean."""
        if self.name != "mean":
            return
        if len(index) == len(place.shape):
            count = math.prod(self.shape[i] for i in self.own)
            place.store(f, index, place.load(f, index) / float(count))
            return
        for i in f.loop(place.shape[len(index)]):
            self.finish(f, place, (*index, i))


def beginning(f: FunctionText) -> tuple[At]:
    """The index of a total."""
    return (Lane(0) if f.lanes else 0,)


def added(total: Scalar, x: Scalar, flags: str = "reassoc ") -> Scalar:
    """A sum, of which LLVM may add the terms in another order."""
    if total.dtype.kind != "f":
        return total + x
    return total.then(f"fadd {flags}{total.typed}, {x.name}")


def extreme(name: str, a: Scalar, b: Scalar) -> Scalar:
    """The larger or smaller of two values, NaN if one is."""
    if a.dtype.kind != "f":
        return choose(b > a if name == "max" else b < a, b, a)
    return call_math(f"{name}imum", [a, b])
