"""Lists that a loop gives, computed after it for all steps at once.

Note [Lists after the loop]. A forward loop gives its backward what that reads, step by step. Of
what no step reads itself, small elementwise ops of other values, and views, are computed from lists
of those, by one call instead of one in each step; as long as lists take no more memory than before.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from gradops.core.dims import UNKNOWN
from gradops.core.traits import Trait

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.nominal import nominal_bytes
from ...ir.reachability import reachable
from ..interface import Pass
from ..prune import prune
from ..subgraphs import is_pure
from .after import Stacks
from .before import Batching, is_array, is_batchable, is_small, keeps_names
from .editing import LoopEditor, Values, with_loops


@dataclass(frozen=True)
class ListsAfterLoop(Pass):
    """Compute lists that only later loops read after the loop. See Note [Lists after the loop]."""

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        changed = with_loops(graph, computed_after)
        return graph if changed is graph else prune(changed)


def computed_after(loop: LoopEditor) -> Values | None:
    """The values of a loop some of whose lists are computed after it."""
    if loop.length == UNKNOWN or not keeps_names(loop):
        return None
    late = late_values(loop)
    if not all_vary(loop, late):
        return None  # what all steps share is computed before the loop, or it is too large
    outputs, stacks = loop.body.outputs, Stacks(loop)
    kept = [k for k, v in enumerate(outputs) if k < loop.carries or v not in late]
    read = varying_leaves(loop, late)
    if len(kept) == len(outputs) or not is_affordable(stacks, kept, late, read):
        return None
    stacks.rebuild((), kept, read)
    values = dict(zip(kept, loop.parts(stacks.loop, range(len(kept))), strict=True))
    batching = Batching(loop, [*late], {v: stacks[v] for v in read})
    given = [v for v in dict.fromkeys(outputs) if v in late]
    arrays = dict(zip(given, batching.values_of(given), strict=True))
    lists = {v: loop.make("unstacked", x, like=v) for v, x in arrays.items()}
    return [values[k] if k in values else lists[v] for k, v in enumerate(outputs)]


def late_values(loop: LoopEditor) -> dict[Expr, None]:
    """What only lists need, of ops that are cheaper for all steps at once, inputs first."""
    body = loop.body
    lists = set(body.outputs[loop.carries :])
    roots = [*body.outputs[: loop.carries], *body.measured]
    roots += [e for e in body.order if e.op is not None and not is_pure(e)]
    roots += [v for v in lists if not is_late(v, loop)]
    needed = reachable(roots)
    while blocked := [
        x for e in body.order if e not in needed and not is_late(e, loop) for x in (e, *e.inputs)
    ]:
        needed |= reachable(blocked)
    return {e: None for e in body.order if e not in needed and e.op is not None}


def is_late(e: Expr, loop: LoopEditor) -> bool:
    """True for a small elementwise op, a view, and what is no op."""
    if e.op is None or not is_batchable(e, loop):
        return e.op is None
    return is_small(e) or Trait.VIEW in e.op.traits


def all_vary(loop: LoopEditor, late: Iterable[Expr]) -> bool:
    """True if no late value is the same in all steps."""
    same = set(loop.body.inputs[loop.end :])
    return not any(all(x in same or x.kind is Kind.CONSTANT for x in e.inputs) for e in late)


def varying_leaves(loop: LoopEditor, late: Iterable[Expr]) -> list[Expr]:
    """What late values read of the steps themselves."""
    same = {*late, *loop.body.inputs[loop.end :]}
    read = dict.fromkeys(x for e in late for x in e.inputs if x not in same)
    return [x for x in read if x.kind is not Kind.CONSTANT]


def is_affordable(
    stacks: Stacks, kept: Iterable[int], late: Iterable[Expr], read: Iterable[Expr]
) -> bool:
    """True if lists of what is read take no more memory than those that are given up."""
    loop = stacks.editor
    if not all(is_array(x, loop) and x.dtype.kind in "fc" for x in read):
        return False
    outputs = loop.body.outputs
    lists = {outputs[k] for k in kept if k >= loop.carries}
    entries = set(stacks.numbers)
    new = sum([nominal_bytes(x.type) for x in read if x not in lists and x not in entries])
    return new <= sum([nominal_bytes(v.type) for v in set(outputs) & set(late)])
