"""The order in which loops go over axes: as the entries of the largest arrays lie in memory.

Results of convolutions and pooling have their channels last in memory, but not in their shape.
Loops whose last axis is that of the channels read and write entries side by side.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from gradops.native.ir.places import Place

from ...ir.expr import Expr
from .kinds import MOVES, aligned, is_reduction, name_of
from .plan import Plan

Names = tuple[str | int, ...]
"""For each axis of an array the name of that of the loops, or 0."""


def order_of_axes(
    members: Sequence[Expr], rank: int, plan: Plan, place: Callable[[Expr], Place]
) -> tuple[int, ...]:
    """The axes of a nest, those of the outer loops first."""
    usual = tuple(range(rank))
    votes: Counter[tuple[int, ...]] = Counter()
    for e, names in arrays_read(members, rank, plan):
        steps = {name: s for name, s in zip(names, place(e).strides, strict=True) if name != 0}
        if len(steps) == rank:
            order = sorted(usual, key=lambda i: -abs(steps[f"%{i}"]))
            votes[tuple(order)] += place(e).size
    return max(votes, key=lambda order: (votes[order], order == usual), default=usual)


def arrays_read(members: Sequence[Expr], rank: int, plan: Plan) -> Iterator[tuple[Expr, Names]]:
    """The arrays in memory that members of a nest read, with the names of their axes."""
    names = tuple([f"%{i}" for i in range(rank)])
    stack: list[tuple[Expr, Names]] = []
    for e in members:
        stack += [(e.inputs[0], names)] if is_reduction(e) else operands_of(e, names)
    here, seen = set(members), set()
    while stack:
        pair = e, at = stack.pop()
        if pair in seen or e in here:
            continue
        seen.add(pair)
        if e in plan.in_memory:
            yield e, at
        else:
            stack += operands_of(e, at)


def operands_of(e: Expr, names: Names) -> list[tuple[Expr, Names]]:
    """The operands of a computed value, with the names of their axes."""
    if name_of(e) in MOVES:
        return [(e.inputs[0], tuple(MOVES[name_of(e)](e, names)))]  # type: ignore[arg-type]
    return [(x, tuple(aligned(x.shape, names))) for x in e.inputs]  # type: ignore[arg-type]
