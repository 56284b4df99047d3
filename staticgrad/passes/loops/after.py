"""Sums over the steps of a loop, computed after it: one product instead of one per step.

Note [After the loop]. In the backward of a loop, the gradient of a weight is a state to which each
step adds `x.T @ g`, say. Nothing but that addition reads it. So the steps give `g` in a list, and
after the loop the rows of all steps are multiplied at once: `X.T @ G`. So is a vector with a larger
array that the loop gets, entry by entry. A linear op, such as a transposition, is applied to the
sum. Of values in lists that the loop gets, nothing is given; of others, as many bytes at most as
the lists have that the loop gets: the residuals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gradops.core.dims import UNKNOWN

from ...control.ops import element_of
from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.nominal import nominal_bytes
from ..interface import Pass
from ..prune import prune
from .editing import LoopEditor, Values, with_loops
from .stacks import Stacks
from .sums import added_terms, read_once
from .terms import Term, term_of

FEW_BYTES = 1 << 18  # of arrays that may be made whatever the lists take


class WeightGradientsAfterLoop(Pass):
    """Compute sums over the steps of a loop after it, by one product. See Note [After the loop].

    The order of summation changes: n terms of which each is exact to a few units in the last place
    are added in n steps there and in blocks here, so the difference is a random walk of about
    sqrt(n) eps of the largest partial sum, which a change of the data by eps makes, too.
    """

    bound: ClassVar[float] = 64.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        changed = with_loops(graph, summed_after)
        return graph if changed is graph else prune(changed)


@dataclass(frozen=True)
class Sum:
    """State `number` of a loop, to which each step adds `terms` and nothing else."""

    number: int
    terms: Sequence[Term]

    @property
    def stacked(self) -> list[Expr]:
        """The values of each step that are needed after the loop."""
        return [v for term in self.terms for v in term.form.stacked]


def summed_after(loop: LoopEditor) -> Values | None:
    """The values of a loop some of whose state is summed after it."""
    if loop.length == UNKNOWN:
        return None
    stacks = Stacks(loop)
    sums = affordable(stacks, sums_in(loop))
    if not sums:
        return None
    dropped = {s.number for s in sums}
    kept = [k for k in range(len(loop.types)) if k not in dropped]
    stacks.rebuild(dropped, kept, dict.fromkeys(v for s in sums for v in s.stacked))
    values = dict(zip(kept, loop.parts(stacks.loop, range(len(kept))), strict=True))
    values |= {s.number: total(stacks, s) for s in sums}
    return [values[k] for k in range(len(loop.types))]


def sums_in(loop: LoopEditor) -> list[Sum]:
    """The state of a loop to which each step only adds, as sums that may be computed after it."""
    alone, result = read_once(loop.body), []
    for k, added in added_terms(loop, alone).items():
        terms = [term_of(e, sign, alone, loop) for e, sign in added]
        found = [t for t in terms if t is not None]
        if len(found) == len(terms):
            result.append(Sum(k, found))
    return result


def affordable(stacks: Stacks, sums: Sequence[Sum]) -> list[Sum]:
    """The sums, those of most bytes first, as long as arrays take no more than the loop's lists."""
    editor = stacks.editor
    lists = editor.operands[editor.carries : editor.end]
    budget = max(sum([nominal_bytes(element_of(x.type)) for x in lists]), share_of_few(editor))
    result, seen = list[Sum](), set[Expr]()
    state = editor.body.inputs
    for s in sorted(sums, key=lambda s: -nominal_bytes(state[s.number].type)):
        new = dict.fromkeys(v for v in s.stacked if v not in seen)
        cost = sum([stacks.bytes(v) for v in new])
        if cost <= budget:
            budget -= cost
            seen.update(new)
            result.append(s)
    return result


def share_of_few(editor: LoopEditor) -> int:
    """The bytes in each step of arrays so small that they count for nothing."""
    return FEW_BYTES // max(editor.length, 1) if isinstance(editor.length, int) else 0


def total(stacks: Stacks, s: Sum) -> Expr:
    """The last state that is a sum: the first state and the terms of all steps."""
    editor, terms = stacks.editor, [*s.terms]
    result = editor.operands[s.number]
    if is_zero(result) and not terms[0].is_negative:
        result = terms.pop(0).total(stacks)
    for term in terms:
        op = "sub" if term.is_negative else "add"
        result = editor.make(op, result, term.total(stacks))
    return result


def is_zero(e: Expr) -> bool:
    """True for zeros."""
    if e.kind is Kind.CONSTANT:
        return not e.value.any()
    return e.op is not None and e.op.name == "full_like" and e.attrs["value"] == 0
