"""Constant folding: what depends on no input is computed once, when compiling."""

from dataclasses import dataclass

import numpy as np

from gradops.op import compute
from gradops.types import product

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, Interning
from .rewrite import constant_like

BIG = 64 * 1024  # bytes from which a result is computed in each run rather than kept


@dataclass(frozen=True)
class Fold:
    """Compute expressions of constants. Exact: it runs the op's own kernel."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        with np.errstate(all="ignore"):
            return graph.rebuilt(folded)


def folded(e: Expr, intern: Interning) -> Expr:
    """`e`, or the constant it always is."""
    if e.op is None or not e.op.traits.isdisjoint({"effect", "control"}):
        return e
    for x in e.inputs:
        if x.kind is not Kind.CONSTANT:
            return e
    size = product(e.shape)
    if not isinstance(size, int) or size * e.dtype.itemsize > BIG:
        return e
    try:
        value = np.array(compute(e.op, [x.value for x in e.inputs], e.attrs))
    except Exception:  # it fails when the graph runs, where the user can see it
        return e
    return constant_like(value, e, intern)
