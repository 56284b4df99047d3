"""Loop-invariant code: what does not change from step to step is computed before the loop.

Note [Hoisting]. An expression of a body that depends on captured values only is computed before
the loop and captured itself. It then runs once, even if the loop makes no step: so it is moved only
if it cannot fail, or if the loop surely makes a step and has no effects that would come before the
error. It also is in memory throughout the loop: so it must not take more than its operands do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gradops import ArrayType
from gradops.core.traits import Trait

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.nominal import nominal_bytes
from ...ir.sizes import names_in, sizes_introduced_by
from ..interface import Pass
from ..subgraphs import border, is_pure, parameters_for, subgraph, with_parameters
from ..totality import fits_always
from .editing import LoopEditor, Values, with_loops

TOTAL = frozenset({Trait.ELEMENTWISE, Trait.VIEW})
"""Traits of ops that give a result for all operands of the right types."""
FAILING = frozenset({Trait.CHECKING, Trait.SINGULAR})


@dataclass(frozen=True)
class HoistInvariants(Pass):
    """Compute what all steps of a loop have in common before the loop. See Note [Hoisting].

    A value that takes more bytes than its operands together, and more than `limit`, stays.
    """

    limit: int = 64 * 1024

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return with_loops(graph, lambda loop: hoisted(loop, self.limit))


def hoisted(loop: LoopEditor, limit: int) -> Values | None:
    """The values of a loop without the invariant code of its body and condition."""
    movable = movable_in(loop, limit)
    body, cond = loop.body, loop.attrs["cond"]
    moved = invariants(body, body.inputs[loop.end :], movable)
    tested = invariants(cond, cond.inputs[loop.carries :], movable) if cond else []
    if not moved and not tested:
        return None
    shared, every = loop.operands[loop.end :], [*moved, *tested]
    before = loop.inline(subgraph(body, body.inputs[loop.end :], moved), shared)
    if cond is not None:
        before += loop.inline(subgraph(cond, cond.inputs[loop.carries :], tested), shared)
        cond = capturing(cond, tested, every)
    new = loop.rebuilt(
        capturing(body, moved, every), [*loop.operands, *before], loop.types, cond=cond
    )
    return loop.parts(new, range(len(loop.types)))


def movable_in(loop: LoopEditor, limit: int) -> Callable[[Expr], bool]:
    """A predicate: an invariant op of a loop may be computed before it."""
    runs = isinstance(loop.length, int) and loop.length > 0
    silent = not any(e.op is not None and Trait.EFFECT in e.op.traits for e in loop.body.order)

    def movable(e: Expr) -> bool:
        if not is_pure(e) or not is_bounded(e, limit) or sizes_introduced_by(e):
            return False
        if e.op is None:
            return True
        known = names_in((*e.shape, *e.attrs.values())) <= loop.sizes.keys()
        return known and ((runs and silent) or cannot_fail(e))

    return movable


def cannot_fail(e: Expr) -> bool:
    """True if an op gives a result, and no warning, for all operands of its types and sizes."""
    assert e.op is not None
    traits = e.op.traits
    if TOTAL.isdisjoint(traits) or not FAILING.isdisjoint(traits) or not fits_always(e):
        return False
    return e.dtype.kind in "fcb" or Trait.ELEMENTWISE not in traits


def is_bounded(e: Expr, limit: int) -> bool:
    """True if a value takes no memory of its own, or not more than its operands."""
    if e.op is None or Trait.VIEW in e.op.traits:
        return e.op is None or Trait.BROADCASTING not in e.op.traits
    return nominal_bytes(e.type) <= max(limit, sum([nominal_bytes(x.type) for x in e.inputs]))


def invariants(
    body: FrozenGraph, shared: Sequence[Expr], movable: Callable[[Expr], bool]
) -> list[Expr]:
    """The ops that depend only on `shared` inputs and that other expressions read."""
    same = set(shared)
    for e in body.order:
        if movable(e) and same.issuperset(e.inputs):
            same.add(e)
    return [e for e in border(body, same) if type(e.type) is ArrayType]


def capturing(graph: FrozenGraph, moved: Sequence[Expr], every: Sequence[Expr]) -> FrozenGraph:
    """The graph with an input for `every` hoisted value, some of which it computed itself."""
    parameters = parameters_for(graph, every)
    own = {e: p for e, p in zip(every, parameters, strict=True) if e in set(moved)}
    return with_parameters(graph, own, [*graph.inputs, *parameters], graph.outputs)
