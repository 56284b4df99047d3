"""The bytes that a run takes, by the plans of its functions.

Note [Accounting]. Arenas are allocated once and kept. Besides, a run allocates new arrays: results,
what ops give that cannot write into given memory, the lists of loops, and what kernels allocate
inside. New arrays are in use from the expression that computes them to the last that reads them;
small ones, which are not let go of one by one, to the end of the function. While a loop, branch or
call runs, the new arrays of its functions are in use, too.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gradops import ArrayType
from gradops.core.flops import nothing

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph, graphs_in, has_graphs, inner_graphs
from ...ir.nominal import NOMINAL, bytes_of, size_of
from ...ir.sizes import substitute_sizes
from ...ir.tuple_types import TupleType
from ..loops.rows import LoopRows
from ..results import copied_results
from .buffers import BIG, Block, Plan
from .calls import Key, Sizes, called_by, functions_by_sizes
from .lifetimes import memory_of_views
from .offsets import ALIGNMENT, Placement
from .peaks import most_in_use

ARENA, NEW, RESULT = "arena", "new", "result"
VIEW, AXIS = 104, 16  # bytes of an array that is a view, beside its entries, and of each axis


@dataclass(frozen=True)
class Use:
    """Memory of one or more values, and when it is in use: as positions in the schedule."""

    members: tuple[Expr, ...]
    bytes: int
    first: int
    last: int
    where: str
    offset: int | None = None

    @property
    def span(self) -> tuple[int, int, int]:
        """The bytes, and the first and the last position."""
        return self.bytes, self.first, self.last


@dataclass(frozen=True)
class Account:
    """The bytes of one function in a run: its arena, and the most that is in use at once.

    `passing` are the bytes that are in use at one position only: inside of what is called there,
    and of kernels.
    """

    uses: tuple[Use, ...]
    arena: int
    arena_bound: int
    peak_new: int
    peak_live: int
    unshared: int
    fetched: int
    passing: Mapping[int, int]


def accounts(
    plans: Mapping[FrozenGraph, Plan], graph: FrozenGraph, sizes: Sizes
) -> dict[Key, Account]:
    """The account of each function in a run, for unknown sizes by name; the last is the graph's."""
    keys = functions_by_sizes(graph, sizes)
    done: dict[Key, Account] = {}
    for each in (*inner_graphs(graph), graph):
        for key in keys.get(each, ()):
            done[key] = account(plans[each], dict(key[1]), done)
    return done


def account(plan: Plan, sizes: Sizes, inner: Mapping[Key, Account]) -> Account:
    """The bytes of one function, given the accounts of those that it calls."""
    placement = placement_of(plan, sizes)
    uses = tuple(uses_of(plan, sizes, placement))
    end = plan.lives.end
    called = {i: list(called_by(e, sizes)) for i, e in enumerate(plan.order) if has_graphs(e)}
    new = {i: max((inner[k].peak_new for k in keys), default=0) for i, keys in called.items()}
    live = {i: max((inner[k].peak_live for k in keys), default=0) for i, keys in called.items()}
    for i, e in enumerate(plan.order):
        if extra := workspace(e, sizes):
            new[i], live[i] = new.get(i, 0) + extra, live.get(i, 0) + extra
    results = plan.graph.results
    new[end] = live[end] = sum(bytes_of(results[i].type, sizes) for i in copied_results(plan))
    new_uses = [u.span for u in uses if u.where != ARENA]
    return Account(
        uses,
        arena=0 if placement is None else (placement.bytes + ALIGNMENT) * plan.threads,
        arena_bound=0 if placement is None else placement.bound * plan.threads,
        peak_new=most_in_use(new_uses, new) * plan.threads,
        peak_live=most_in_use([u.span for u in uses], live) * plan.threads,
        unshared=sum(u.bytes * len(u.members) for u in uses),
        fetched=sum(bytes_of(e.type, sizes) for e in results),
        passing=live,
    )


def placement_of(plan: Plan, sizes: Sizes) -> Placement | None:
    """The places of the views of a function's arena, if it has one."""
    if plan.arena is None:
        return None
    return plan.arena.placement(tuple([sizes.get(n, NOMINAL) for n in plan.arena.names]))


def workspace(e: Expr, sizes: Sizes) -> int:
    """The bytes that the kernel of an expression allocates beside its result."""
    if e.op is None or e.op.workspace is nothing:
        return 0
    types = [ArrayType(shape_at(x.type, sizes), x.dtype) for x in (e, *e.inputs)]
    attrs = {k: substitute_sizes(v, sizes) for k, v in e.attrs.items()}
    return int(e.op.workspace(*types, **attrs))


def shape_at(type: ArrayType, sizes: Sizes) -> tuple[int, ...]:
    """The shape of a type, given sizes by name."""
    return tuple([n if isinstance(n, int) else size_of(n, sizes) for n in type.shape])


def uses_of(plan: Plan, sizes: Sizes, placement: Placement | None) -> Iterator[Use]:
    """The memory that the expressions of a function allocate or are given."""
    for i, e in enumerate(plan.order):
        block = plan.block_of.get(e)
        if e.op is None or is_given(plan, e):
            continue
        if block is None and e not in plan.lives.roots:
            if bytes := owned_bytes(e, sizes, plan.rows.loops.get(e, ())):
                yield use_outside(plan, (e,), bytes, i, plan.lives.last[e])
        elif block is not None and block.members[0] is e:
            yield use_of_block(plan, block, sizes, placement)


def use_outside(plan: Plan, members: Sequence[Expr], bytes: int, first: int, last: int) -> Use:
    """Memory outside the arena; if it is small, it is in use to the end of the function."""
    end = plan.lives.end
    where = RESULT if last == end else NEW
    return Use(tuple(members), bytes, first, last if bytes >= BIG else end, where)


def is_given(plan: Plan, e: Expr) -> bool:
    """True for a value in memory that the function is given: of a block's result, or a row."""
    return e in plan.slots and plan.slots[e] >= len(plan.views)


def use_of_block(plan: Plan, block: Block, sizes: Sizes, placement: Placement | None) -> Use:
    """The memory of a block; if its rows are in lists that are not kept, with these."""
    bytes = bytes_of(block.type, sizes)
    if placement is not None and block.in_arena:
        offset = placement.offsets[plan.slots[block.members[0]]]
        return Use(tuple(block.members), bytes, block.first, block.last, ARENA, offset)
    bytes += bytes_of_lists(block, sizes)
    return use_outside(plan, block.members, bytes, block.first, block.last)


def bytes_of_lists(block: Block, sizes: Sizes) -> int:
    """The bytes of the lists of the rows of an array: those of a view for each."""
    if block.shift is None:
        return 0
    steps, *rest = shape_at(block.type, sizes)
    return steps * (1 + abs(block.shift) + len(block.spans)) * (VIEW + AXIS * len(rest))


def owned_bytes(e: Expr, sizes: Sizes, rows: Sequence[LoopRows] = ()) -> int:
    """The bytes of new memory that an expression allocates for its value, or for its values.

    Of the values of a loop, those that are computed into `rows` are left out.
    """
    if not isinstance(e.type, TupleType):
        return bytes_of(e.type, sizes)
    graphs = list(graphs_in(e))
    if not graphs or e.op is None or e.op.name not in ("loop", "case", "call"):
        return 0
    bodies, carries = [e.attrs["body"]] if "body" in e.attrs else graphs, e.attrs.get("carries", 0)
    left_out = {i for r in rows for i in r.values}
    return max(sum(owned_by_body(g, e.type, carries, sizes, left_out).values()) for g in bodies)


def owned_by_body(
    body: FrozenGraph, type: TupleType, carries: int, sizes: Sizes, left_out: Container[int]
) -> dict[Expr, int]:
    """The bytes of the memory that values of a loop have, by the expressions that allocate it.

    The values whose numbers are `left_out` have other memory. A state that is kept in a list is an
    output of the step before.
    """
    roots = memory_of_views(body)
    outputs = [set(roots.get(y, (y,))) for y in body.outputs]
    state = dict(zip(body.inputs[:carries], outputs, strict=False))
    result: dict[Expr, int] = {}
    for i, (part, memory) in enumerate(zip(type.parts, outputs, strict=True)):
        if i in left_out:
            continue
        seen, stack = set(memory), list(memory)
        while stack:
            new = state.get(stack.pop(), set()) - seen
            seen |= new
            stack += new
        for r in seen:
            if r.op is not None:
                result[r] = max(result.get(r, 0), bytes_of(part, sizes))
    return result
