"""Stacks of stacks are one stack.

A matrix of numbers is a stack of rows, each a stack of numbers. Beside such small arrays the calls
cost most: one stack of all numbers, in the shape of the matrix, is one call.
"""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from gradops import OPS

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass
from ..loops.editing import made
from ..rewrite import constant_like

STACK = OPS["stack"]
MOST_PARTS = 64  # of a stack: a matrix of few numbers


@dataclass(frozen=True)
class MergeStacks(Pass):
    """Stack what stacks along the same axis have, if nothing else reads them, at once.

    Values are the same, but may lie in memory in other ways, so that sums add in another order.
    """

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        if sum(e.op is STACK for e in graph.order) < 2:
            return graph
        reads = Counter(chain.from_iterable([e.inputs for e in graph.order]))
        reads.update([*graph.results, *graph.measured] * 2)
        own = {e for e in graph.order if e.op is STACK and reads[e] == 1}
        if own.isdisjoint([x for e in graph.order if e.op is STACK for x in e.inputs]):
            return graph

        def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
            parts = parts_of(e, inputs, own, intern) if is_of_stacks(e, own) else None
            return intern.copy(e, inputs) if parts is None else merged(e, parts, intern)

        return graph.remade(make)


def is_of_stacks(e: Expr, own: Container[Expr]) -> bool:
    """True for a stack of stacks along the same axis, and of constants, of known size."""
    if e.op is not STACK or not all(type(n) is int for n in e.shape):
        return False
    axis = axis_of(e)
    stacks = [x for x in e.inputs if x.kind is not Kind.CONSTANT]
    if not stacks or any(x not in own or axis_of(x) != axis for x in stacks):
        return False
    count: int = e.shape[axis] * e.shape[axis + 1]
    return count <= MOST_PARTS


def axis_of(e: Expr) -> int:
    """The axis of a stack, counted from the first."""
    axis: int = e.attrs["axis"]
    return axis % e.type.ndim


def parts_of(
    e: Expr, inputs: Sequence[Expr], own: Container[Expr], intern: Interning
) -> list[Expr] | None:
    """The operands of the stacks in a stack; None if they are of different dtypes."""
    axis, parts = axis_of(e), list[Expr]()
    for old, x in zip(e.inputs, inputs, strict=True):
        if old not in own:
            rows = np.moveaxis(x.value, axis, 0)
            parts += [constant_like(np.array(row), x, intern) for row in rows]
        elif x.op is STACK:
            parts += x.inputs
        else:
            return None
    return parts if all(x.dtype == e.dtype for x in parts) else None


def merged(e: Expr, parts: Sequence[Expr], intern: Interning) -> Expr:
    """One stack of all parts, in the shape of a stack of stacks."""
    whole = made(intern, e, "stack", *parts, axis=axis_of(e))
    return made(intern, e, "reshape", whole, shape=e.shape)
