"""The bytes that a run takes, by the plans of its functions.

Note [Accounting]. Arenas are allocated once and kept. Besides, a run allocates new arrays: results,
what ops give that cannot write into given memory, the lists of loops, and what kernels allocate
inside. New arrays are in use from the expression that computes them to the last that reads them;
small ones, which are not let go of one by one, to the end of the function. While a loop, branch or
call runs, the new arrays of its functions are in use, too.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gradops import ArrayType, Dim
from gradops.core.flops import nothing

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph, graphs_in, has_graphs, inner_graphs
from ...ir.nominal import bytes_of, size_of
from ...ir.sizes import bindings, substitute_sizes
from ...ir.tuple_types import HistoryType, TupleType
from ..fusion import rows_of_block
from ..loops.rows import LoopRows
from ..results import copied_results
from .buffers import BIG, Block, Plan
from .lifetimes import is_fused, memory_of_views
from .offsets import ALIGNMENT
from .peaks import most_in_use

Sizes = Mapping[str, int]
Key = tuple[FrozenGraph, tuple[tuple[str, int], ...]]
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
    """The bytes of one function in a run: its arena, and the most that is in use at once."""

    uses: tuple[Use, ...]
    arena: int
    arena_bound: int
    peak_new: int
    peak_live: int
    unshared: int
    fetched: int


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


def functions_by_sizes(graph: FrozenGraph, sizes: Sizes) -> dict[FrozenGraph, dict[Key, None]]:
    """The functions that a run calls, with the sizes in each."""
    result: dict[FrozenGraph, dict[Key, None]] = {}
    stack: list[Key] = [(graph, tuple(sorted(sizes.items())))]
    while stack:
        key = stack.pop()
        known = result.setdefault(key[0], {})
        if key not in known:
            known[key] = None
            for e in key[0].order:
                stack += called_by(e, dict(key[1]))
    return result


def called_by(e: Expr, sizes: Sizes) -> Iterator[Key]:
    """The functions that an expression calls, with the sizes that its operands determine."""
    if not has_graphs(e):
        return
    types = [x.type for x in e.inputs]
    if e.op is not None and e.op.name == "loop":
        lists = range(e.attrs["carries"], e.attrs["carries"] + e.attrs["lists"])
        types = [entry_type(t) if i in lists else t for i, t in enumerate(types)]
        without_lists = [t for i, t in enumerate(types) if i not in lists]
        choices = [types, without_lists]
    elif is_fused(e):
        rows = rows_of_block(e)
        split = zip(types, e.attrs["split"], strict=True)
        choices = [[ArrayType((rows, *t.shape[1:]), t.dtype) if s else t for t, s in split]]
    else:
        choices = [types[1:], types] if e.op is not None and e.op.name == "case" else [types]
    for graph in graphs_in(e):
        operands = next((c for c in choices if len(c) == len(graph.inputs)), None)
        inside = {} if operands is None else sizes_inside(graph, operands, sizes)
        yield graph, tuple(sorted(inside.items()))


def entry_type(type: ArrayType) -> ArrayType:
    """The type of one entry of a list or array."""
    if isinstance(type, HistoryType):
        return type.element
    return ArrayType(type.shape[1:], type.dtype)


def sizes_inside(graph: FrozenGraph, operands: Sequence[ArrayType], sizes: Sizes) -> dict[str, int]:
    """The sizes by name in a graph, for operands of these types."""
    result: dict[str, int] = {}
    for b in bindings(graph.inputs):
        n = operands[b.number].shape[b.axis]
        if b.name is not None:
            result[b.name] = ((size_of(n, sizes) if isinstance(n, Dim) else n) - b.plus) // b.times
    return result


def account(plan: Plan, sizes: Sizes, inner: Mapping[Key, Account]) -> Account:
    """The bytes of one function, given the accounts of those that it calls."""
    uses = tuple(uses_of(plan, sizes))
    arena = arena_bound = 0
    if plan.arena is not None:
        placement = plan.arena.placement(tuple([sizes.get(n, 0) for n in plan.arena.names]))
        arena = (placement.bytes + ALIGNMENT) * plan.threads
        arena_bound = placement.bound * plan.threads
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
        uses, arena, arena_bound,
        peak_new=most_in_use(new_uses, new) * plan.threads,
        peak_live=most_in_use([u.span for u in uses], live) * plan.threads,
        unshared=sum(u.bytes * len(u.members) for u in uses),
        fetched=sum(bytes_of(e.type, sizes) for e in results),
    )  # fmt: skip


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


def uses_of(plan: Plan, sizes: Sizes) -> Iterator[Use]:
    """The memory that the expressions of a function allocate or are given."""
    offsets: Sequence[int] = ()
    if plan.arena is not None:
        offsets = plan.arena.placement(tuple([sizes.get(n, 0) for n in plan.arena.names])).offsets
    for i, e in enumerate(plan.order):
        block = plan.block_of.get(e)
        if block is not None and block.members[0] is e:
            if is_given(plan, e):
                continue
            yield use_of_block(plan, block, sizes, offsets)
        elif block is None and e.op is not None and e not in plan.lives.roots:
            bytes = 0 if is_given(plan, e) else owned_bytes(e, sizes, plan.rows.loops.get(e, ()))
            end = plan.lives.end
            last = plan.lives.last[e]
            where = RESULT if last == end else NEW
            if bytes:
                yield Use((e,), bytes, i, last if bytes >= BIG else end, where)


def is_given(plan: Plan, e: Expr) -> bool:
    """True for a value in memory that the function is given: of a block's result, or a row."""
    return plan.slots.get(e, 0) >= len(plan.views) and e in plan.slots


def use_of_block(plan: Plan, block: Block, sizes: Sizes, offsets: Sequence[int]) -> Use:
    """The memory of a block; if its rows are in lists that are not kept, with these."""
    bytes, members = bytes_of(block.type, sizes), tuple(block.members)
    if block.in_arena:
        offset = offsets[plan.slots[block.members[0]]]
        return Use(members, bytes, block.first, block.last, ARENA, offset)
    bytes += bytes_of_lists(block, sizes)
    end = plan.lives.end
    last = block.last if bytes >= BIG else end
    return Use(members, bytes, block.first, last, RESULT if block.last == end else NEW)


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
    bodies = [e.attrs["body"]] if e.op.name == "loop" else graphs
    carries = e.attrs["carries"] if e.op.name == "loop" else 0
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
