"""Lists that a loop gives, and sums over its steps, computed after it for all steps at once.

Note [Lists after the loop]. A forward loop gives its backward what that reads, step by step. Of
what no step reads itself, small elementwise ops of other values, and views, are computed from lists
of those, by one call instead of one in each step; as long as lists take no more memory than before.
So are the terms of a sum of numbers, such as a loss, and there also sums of entries.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import ClassVar

from gradops import OPS, ArrayType
from gradops.core.dims import UNKNOWN
from gradops.core.traits import Trait

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.nominal import nominal_bytes
from ...ir.reachability import reachable
from ..interface import Pass
from ..prune import prune
from ..subgraphs import is_pure
from ..totality import fits_always
from .before import SMALL, Batching, is_small, keeps_names
from .editing import LoopEditor, Values, with_loops
from .stacks import Stacks
from .sums import Signed, added_terms, read_once


class ListsAfterLoop(Pass):
    """Compute lists and sums that only others read after a loop. See Note [Lists after the loop].

    The order of summation changes: see `WeightGradientsAfterLoop`.
    """

    bound: ClassVar[float] = 64.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        changed = with_loops(graph, computed_after)
        return graph if changed is graph else prune(changed)


def computed_after(loop: LoopEditor) -> Values | None:
    """The values of a loop some of whose lists and sums are computed after it."""
    if loop.length == UNKNOWN or not keeps_names(loop):
        return None
    late, sums = late_values(loop)
    if not all_vary(loop, late):
        return None  # what all steps share is computed before the loop, or it is too large
    outputs, stacks = loop.body.outputs, Stacks(loop)
    kept = [k for k in range(loop.carries) if k not in sums]
    kept += [k for k in range(loop.carries, len(outputs)) if outputs[k] not in late]
    read = varying_leaves(loop, late)
    if len(kept) == len(outputs) or not is_affordable(stacks, kept, late, read):
        return None
    stacks.rebuild(sums, kept, read)
    values = dict(zip(kept, loop.parts(stacks.loop, range(len(kept))), strict=True))
    batching = Batching(loop, [*late], {v: stacks[v] for v in read})
    added = {e: None for terms in sums.values() for e, _ in terms}
    listed = dict.fromkeys(outputs[k] for k in range(loop.carries, len(outputs)) if k not in kept)
    given = [*(listed | added)]
    arrays = dict(zip(given, batching.values_of(given), strict=True))
    values |= {k: total(loop, k, terms, arrays) for k, terms in sums.items()}
    lists = {v: loop.make("unstacked", arrays[v], like=v) for v in listed}
    return [values[k] if k in values else lists[v] for k, v in enumerate(outputs)]


def total(loop: LoopEditor, k: int, terms: Iterable[Signed], arrays: Mapping[Expr, Expr]) -> Expr:
    """State `k` after the loop: its first value, and the terms of all steps."""
    result = loop.operands[k]
    for e, is_negative in terms:
        term = loop.make("sum", arrays[e], axis=0, like=e)
        result = loop.make("sub" if is_negative else "add", result, term, like=e)
    return result


Sums = Mapping[int, Sequence[Signed]]
"""The terms that steps add to states, by the numbers of these."""


def late_values(loop: LoopEditor) -> tuple[dict[Expr, None], Sums]:
    """What only lists and sums need, of ops that are cheaper for all steps; and the sums."""
    body = loop.body
    sums = sums_of_numbers(loop)
    while True:
        needed = needed_by_steps(loop, sums)
        ends = [*body.outputs[loop.carries :], *(e for terms in sums.values() for e, _ in terms)]
        wanted = reachable([e for e in ends if e not in needed])
        late = {e: None for e in body.order if e in wanted and e not in needed and e.op is not None}
        found = {k: terms for k, terms in sums.items() if all(e in late for e, _ in terms)}
        if len(found) == len(sums):
            return late, sums
        sums = found


def sums_of_numbers(loop: LoopEditor) -> Sums:
    """The states that are sums of numbers which are computed from arrays."""
    of_steps = added_terms(loop, read_once(loop.body))
    inputs = loop.body.inputs
    return {k: terms for k, terms in of_steps.items() if inputs[k].shape == ()}


def needed_by_steps(loop: LoopEditor, sums: Container[int]) -> set[Expr]:
    """What other state than the sums needs, and what ops read that steps compute better."""
    body = loop.body
    lists = set(body.outputs[loop.carries :])
    roots = [v for k, v in enumerate(body.outputs[: loop.carries]) if k not in sums]
    roots += [*body.measured, *(e for e in body.order if e.op is not None and not is_pure(e))]
    roots += [v for v in lists if not is_late(v, loop)]
    needed = set(reachable(roots))
    while blocked := [
        x for e in body.order if e not in needed and not is_late(e, loop) for x in (e, *e.inputs)
    ]:
        needed.update(reachable(blocked))
    return needed


def is_late(e: Expr, loop: LoopEditor) -> bool:
    """True for a small elementwise op or sum, a view, and what is no op."""
    if e.op is None:
        return True
    if e.op.batch is None or not is_pure(e) or not is_value(e, loop) or not fits_always(e):
        return False
    return is_small(e) or is_small_sum(e) or Trait.VIEW in e.op.traits


def is_value(e: Expr, loop: LoopEditor) -> bool:
    """True for floats whose sizes are the same in all steps."""
    return type(e.type) is ArrayType and e.dtype.kind in "fc" and loop.outside(e.type) is not None


def is_small_sum(e: Expr) -> bool:
    """True for a sum of few entries, and a scalar product."""
    if e.op is None or any(nominal_bytes(x.type) > SMALL for x in e.inputs):
        return False
    return e.op is OPS["sum"] or (e.op is OPS["matmul"] and e.shape == () != e.inputs[0].shape)


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
    if not all(is_value(x, loop) for x in read):
        return False
    outputs = loop.body.outputs
    lists = {outputs[k] for k in kept if k >= loop.carries}
    entries = set(stacks.numbers)
    new = sum([nominal_bytes(x.type) for x in read if x not in lists and x not in entries])
    return new <= sum([nominal_bytes(v.type) for v in set(outputs) & set(late)])
