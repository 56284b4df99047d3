"""Stacks of stacks: a matrix that is written as rows of entries is made in one call."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain

import numpy as np

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass


class FlattenStacks(Pass):
    """Make one stack, of another shape, of stacks that are stacked along the axis of their own."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        stacks = [e for e in graph.order if is_stack(e)]
        if not stacks:
            return graph
        reads = Counter(chain.from_iterable(e.inputs for e in graph.order))
        reads.update([*graph.results, *graph.measured] * 2)
        chosen = {e for e in stacks if may_flatten(e, reads)}
        if not chosen:
            return graph

        def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
            if e in chosen and all(is_stack(x) or x.kind is Kind.CONSTANT for x in inputs):
                return flattened(e, inputs, intern)  # rows that were flattened are stacks no longer
            return intern.copy(e, inputs)

        return graph.remade(make)


def is_stack(e: Expr) -> bool:
    """True for values that are joined along a new axis."""
    return e.op is not None and e.op.name == "stack"


def axis_of(e: Expr) -> int:
    """The axis that a stack adds, from the first."""
    return int(e.attrs["axis"] % e.type.ndim)


def may_flatten(e: Expr, reads: Counter[Expr]) -> bool:
    """True for a stack of stacks of equally many values that nothing else reads.

    All have one dtype: that of several at once may be another one than that of two and two.
    """
    own, rows = axis_of(e), [x for x in e.inputs if x.kind is not Kind.CONSTANT]
    if any(v.dtype != e.dtype for x in e.inputs for v in (x, *x.inputs)):
        return False
    return len(rows) > 1 and all(is_stack(x) and axis_of(x) == own and reads[x] == 1 for x in rows)


def flattened(e: Expr, rows: Collection[Expr], intern: Interning) -> Expr:
    """A stack of the entries of all rows, in the shape of the stack of rows."""
    axis = axis_of(e)
    values = chain.from_iterable(entries(x, axis, intern) for x in rows)
    flat = intern.apply("stack", *values, axis=axis, like=e)
    return intern.reshape(flat, e.shape, like=e)


def entries(row: Expr, axis: int, intern: Interning) -> Sequence[Expr]:
    """The values of which a row is the stack."""
    if row.kind is not Kind.CONSTANT:
        return row.inputs
    parts = np.moveaxis(row.value, axis, 0)
    return [intern.constant(np.array(part), like=row) for part in parts]
