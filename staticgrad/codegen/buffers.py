"""The buffer plan: expressions that are computed into reused memory, and their shares of it.

A buffer is in C order, so only values that are in C order anyway are computed into one: see Note
[Layout] in `ir/contiguity.py`. A fetched array, and an array that it is a view of, is never in a
buffer, so results do not change when the executable is called again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from gradops import ArrayType
from gradops.core.dims import product
from gradops.core.traits import Trait

from ..ir.contiguity import in_c_order
from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.sizes import names_in, sizes_determined_by

WORTHWHILE = 2048  # bytes from which writing into kept memory beats allocating: measured


@dataclass
class Plan:
    """The slot each buffered expression is computed into, and the type of each slot.

    `roots` are the expressions in whose memory the value of a view may lie. `last_use` has the last
    reader of each piece of memory; None for what leaves the run or comes into it.
    """

    slots: dict[Expr, int] = field(default_factory=dict)
    types: list[ArrayType] = field(default_factory=list)
    last_use: dict[Expr, Expr | None] = field(default_factory=dict)
    roots: dict[Expr, tuple[Expr, ...]] = field(default_factory=dict)

    def memory(self, e: Expr) -> tuple[Expr, ...]:
        """The expressions in whose memory the value of `e` may lie."""
        return self.roots.get(e, (e,))


def plan_buffers(graph: FrozenGraph, any_layout: bool = False) -> Plan:
    """Give every expression that profits a slot, reusing slots whose content is dead.

    With `any_layout` the inputs need not be in C order.
    """
    plan = Plan()
    note_roots(plan, graph)
    note_last_uses(plan, graph)
    known = sizes_determined_by(graph.inputs)
    ordered = in_c_order(graph, any_layout)
    dying: dict[Expr | None, list[Expr]] = {}
    free: dict[ArrayType, list[int]] = {}
    for e in graph.order:
        dead = dying.get(e, ())
        in_place = e.op is not None and isinstance(e.op.kernel, np.ufunc)
        if dead and in_place:  # entry by entry: the result may overwrite an operand
            release(plan, dead, free)
        if wants_buffer(e, plan) and e in ordered and names_in(e.shape) <= known:
            plan.slots[e] = claim(plan, e.type, free)
            dying.setdefault(plan.last_use[e], []).append(e)
        if dead and not in_place:
            release(plan, dead, free)
    return plan


def wants_buffer(e: Expr, plan: Plan) -> bool:
    """True if `e` is worth a buffer, its op can write into one, and it is not a result."""
    if e.op is None or not e.type.shape or not takes(e.type, WORTHWHILE):
        return False
    if plan.last_use.get(e) is None:
        return False
    return "{out}" in e.op.template([x.type for x in e.inputs], e.attrs)


def takes(type: ArrayType, bytes: int) -> bool:
    """True if an array of a type takes so many bytes, or an unknown number of them."""
    size = product(type.shape)
    return not isinstance(size, int) or size * type.dtype.itemsize >= bytes


def claim(plan: Plan, type: ArrayType, free: dict[ArrayType, list[int]]) -> int:
    """A free slot of the type, or a new one."""
    if free.get(type):
        return free[type].pop()
    plan.types.append(type)
    return len(plan.types) - 1


def release(plan: Plan, dead: Iterable[Expr], free: dict[ArrayType, list[int]]) -> None:
    """Free the slots of dead expressions."""
    for e in dead:
        free.setdefault(e.type, []).append(plan.slots[e])


def note_roots(plan: Plan, graph: FrozenGraph) -> None:
    """Note the expressions in whose memory each view may be."""
    for e in graph.order:
        if e.op is not None and Trait.VIEW in e.op.traits:
            plan.roots[e] = tuple({r: None for x in e.inputs for r in plan.memory(x)})


def note_last_uses(plan: Plan, graph: FrozenGraph) -> None:
    """Note the last reader of each piece of memory."""
    last, roots = plan.last_use, plan.roots
    for e in graph.order:
        for x in e.inputs:
            if x in roots:
                last.update(dict.fromkeys(roots[x], e))
            else:
                last[x] = e
    last.update((e, None) for e in graph.order if e.kind is not Kind.OP)
    last.update((root, None) for e in graph.results for root in plan.memory(e))
