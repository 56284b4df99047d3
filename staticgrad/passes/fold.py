"""Constant folding: expressions that depend on no input are computed when compiling."""

from dataclasses import dataclass

import numpy as np

from gradops.core.dims import product
from gradops.core.op import compute
from gradops.core.traits import Trait

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.sizes import sizes_determined_by, sizes_used
from .interface import Pass

CONSTANT = Kind.CONSTANT  # looking up a member of an Enum takes as long as the rest of a step
RUN_ALWAYS = frozenset({Trait.EFFECT, Trait.CONTROL})


@dataclass(frozen=True)
class Fold(Pass):
    """Compute expressions of constants when compiling, with the op's own kernel.

    A result of `limit` bytes or more is computed in each run rather than kept.
    """

    limit: int = 64 * 1024

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        with np.errstate(all="ignore"):
            graph = graph.rebuilt(lambda e, intern: fold_expression(e, intern, self.limit))
        if any(map(is_number_of_type, graph.order)) and inputs_determine_sizes(graph):
            return graph.rebuilt(number_of_type)
        return graph


def inputs_determine_sizes(graph: FrozenGraph) -> bool:
    """True if the inputs determine all sizes in use, so that no expression is needed for one."""
    return sizes_used(graph.order) <= sizes_determined_by(graph.inputs)


def is_number_of_type(e: Expr) -> bool:
    """True if an expression is a number that depends on its operand's type only."""
    return e.op is not None and not e.shape and Trait.OF_TYPE in e.op.traits


def number_of_type(e: Expr, intern: Interning) -> Expr:
    """`e`, or a constant if it depends on its operand's type only, as `ones_like(loss)`."""
    if e.op is None or not is_number_of_type(e):
        return e
    value = compute(e.op, [x.dtype.type(0) for x in e.inputs], e.attrs)
    return intern.constant(np.array(value), like=e)


def fold_expression(e: Expr, intern: Interning, limit: int) -> Expr:
    """`e`, or a constant if all its inputs are constants."""
    for x in e.inputs:
        if x.kind is not CONSTANT:
            return e
    if e.op is None or not e.op.traits.isdisjoint(RUN_ALWAYS):
        return e
    size = product(e.shape)
    if not isinstance(size, int) or size * e.dtype.itemsize > limit:
        return e
    try:
        value = np.array(compute(e.op, [x.value for x in e.inputs], e.attrs))
    except Exception:  # it fails when the graph runs, where the user can see it
        return e
    return intern.constant(value, like=e)
