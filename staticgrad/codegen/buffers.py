"""Which expressions are computed into kept memory, and which share a piece of it.

A buffer is in C order, so only what would be in C order anyway is computed into one: see Note
[Layout] in `ir/layout.py`. A fetched array, and whatever it is a view of, never lies in
a buffer, so results do not change when the executable is called again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from gradops import ArrayType, Dim
from gradops.types import product

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.layout import in_c_order
from ..ir.sizes import sizes_told_by

WORTHWHILE = 2048  # bytes from which writing into kept memory beats allocating: measured


@dataclass
class Plan:
    """The slot each buffered expression is computed into, and the type of each slot.

    `roots` are the expressions whose memory each expression's value may lie in.
    """

    slots: dict[Expr, int] = field(default_factory=dict)
    types: list[ArrayType] = field(default_factory=list)
    last_use: dict[Expr, Expr | None] = field(default_factory=dict)
    roots: dict[Expr, tuple[Expr, ...]] = field(default_factory=dict)


def plan_buffers(graph: FrozenGraph, any_layout: bool = False) -> Plan:
    """Give every expression that profits a slot, reusing slots whose content is dead.

    With `any_layout` the inputs need not be in C order.
    """
    roots = memory_roots(graph)
    plan = Plan(last_use=last_uses(graph, roots), roots=roots)
    told = {t.name for t in sizes_told_by(graph.inputs)}
    fit = {e for e in in_c_order(graph, any_layout) if sizes_in(e) <= told}
    dying: dict[Expr, list[Expr]] = {}
    for root, user in plan.last_use.items():
        if user is not None:
            dying.setdefault(user, []).append(root)
    free: dict[ArrayType, list[int]] = {}
    for e in graph.order:
        in_place = e.op is not None and isinstance(e.op.kernel, np.ufunc)
        if in_place:  # entry by entry: the result may overwrite an operand
            release(plan, dying.get(e, ()), free)
        if e in fit and wants_buffer(e, plan):
            plan.slots[e] = claim(plan, e.type, free)
        if not in_place:
            release(plan, dying.get(e, ()), free)
    return plan


def sizes_in(e: Expr) -> set[str]:
    """The names of unknown sizes in the shape of `e`; those that only data tell come too late."""
    return {name for n in e.shape if isinstance(n, Dim) for name in n.names()}


def wants_buffer(e: Expr, plan: Plan) -> bool:
    """Whether `e` is worth a buffer, is computed into one if asked, and does not leave the run."""
    if e.op is None:
        return False
    if "{out}" not in e.op.template([x.type for x in e.inputs], e.attrs):
        return False
    if plan.last_use.get(e) is None or not e.shape:
        return False
    size = product(e.shape)
    return not isinstance(size, int) or size * e.dtype.itemsize >= WORTHWHILE


def claim(plan: Plan, type: ArrayType, free: dict[ArrayType, list[int]]) -> int:
    """A free slot of the type, or a new one."""
    if free.get(type):
        return free[type].pop()
    plan.types.append(type)
    return len(plan.types) - 1


def release(plan: Plan, dead: Iterable[Expr], free: dict[ArrayType, list[int]]) -> None:
    """Let the slots of dead expressions be used again."""
    for e in dead:
        if e in plan.slots:
            free.setdefault(e.type, []).append(plan.slots[e])


def memory_roots(graph: FrozenGraph) -> dict[Expr, tuple[Expr, ...]]:
    """The expressions whose memory each expression's value may lie in."""
    roots: dict[Expr, tuple[Expr, ...]] = {}
    for e in graph.order:
        if e.op is None or "view" not in e.op.traits:
            roots[e] = (e,)
        else:
            roots[e] = tuple({r: None for x in e.inputs for r in roots[x]})
    return roots


def last_uses(graph: FrozenGraph, roots: dict[Expr, tuple[Expr, ...]]) -> dict[Expr, Expr | None]:
    """The last reader of each piece of memory; None for what leaves the run or comes into it."""
    last: dict[Expr, Expr | None] = {}
    for e in graph.order:
        last.update((root, e) for x in e.inputs for root in roots[x])
    for e in graph.order:
        if e.kind is not Kind.OP:
            last[e] = None
    last.update((root, None) for e in graph.results for root in roots[e])
    return last
