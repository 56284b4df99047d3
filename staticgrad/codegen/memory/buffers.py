"""The buffer plan: which values are computed into reused memory, and into which.

A block is memory that values are computed into one after another, each in place of the one before.
A block is part of the arena if the op of its first value can write into memory that it is given,
and no value in it leaves the run: results do not change when the executable is called again. Other
blocks are new arrays. A value gets the layout there that it has anyway, so only values whose layout
is certain are computed into given memory: see Note [Layout] in `ir/layouts/contiguity.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from gradops import ArrayType
from gradops.core.dims import product
from gradops.core.traits import Trait

from ...ir.expr import Expr, Kind, whole_of
from ...ir.graph import FrozenGraph
from ...ir.layouts.inner import Given, layouts
from ...ir.layouts.values import Known, Layout, c_order_of
from ...ir.nominal import nominal_bytes
from ...ir.pairs import pairs_in
from ...ir.sizes import names_in, sizes_determined_by
from ...ir.tuple_types import TupleType
from ..loops.row_lists import Span
from ..loops.rows import KEPT, NO_ROWS, RowPlan, row_plan
from .arena import Arena, Slot
from .lifetimes import Lifetimes, is_fused, lifetimes, takes_out
from .offsets import Interval, place
from .schedule import schedule

BIG = 4096  # bytes from which a dead array is let go at once
FEW, TRIED = 500, 96  # blocks of a plan in which the largest are tried outside the arena
LARGE, MAPPED = 1 << 16, 1 << 24  # bytes of blocks that are in a body, and that cost page faults
LITTLE = 1.03  # by which the arena may raise the peak
WORTHWHILE = 2048  # bytes from which writing into kept memory beats allocating: measured

View = tuple[int, ArrayType, Layout, int | None, tuple[Span, ...]]
"""The place, the type and the layout of a view of an arena, and which lists of rows it has."""


@dataclass
class Block:
    """Memory for values that are computed one in place of another; its lifetime as positions.

    `layout` is None if it is not certain, or not dense.
    """

    members: list[Expr]
    first: int
    last: int
    layout: Layout | None
    in_arena: bool
    type: ArrayType
    """The type of all values in it, or of the array whose rows they are."""
    shift: int | None = None
    """For rows that the steps of a loop write, as are `spans`: see `row_lists`."""
    spans: tuple[Span, ...] = ()


@dataclass
class Plan:
    """The order of execution, and the memory into which expressions are computed.

    `slots` has the number of the view of the arena into which an expression is computed,
    `overwritten` the operand in whose memory, outside the arena, it is computed. `paired`
    expressions are computed two at a time, into new memory. Several `threads` may run the function
    at once. `rows` are arrays whose rows loops write.
    """

    graph: FrozenGraph
    lives: Lifetimes
    layouts: Known
    blocks: list[Block] = field(default_factory=list)
    block_of: dict[Expr, Block] = field(default_factory=dict)
    slots: dict[Expr, int] = field(default_factory=dict)
    overwritten: dict[Expr, Expr] = field(default_factory=dict)
    views: list[Slot] = field(default_factory=list)
    paired: frozenset[Expr] = frozenset()
    arena: Arena | None = None
    threads: int = 1
    rows: RowPlan = NO_ROWS

    @property
    def order(self) -> Sequence[Expr]:
        """The expressions in the order in which they are computed."""
        return self.lives.order

    @property
    def types(self) -> list[ArrayType]:
        """The types of the views of the arena."""
        return [slot.type for slot in self.views]

    def memory(self, e: Expr) -> tuple[Expr, ...]:
        """The expressions in whose memory the value of `e` may lie."""
        return self.lives.memory(e)

    @cached_property
    def dying(self) -> dict[int, list[Expr]]:
        """By position, the expressions that hold memory outside the arena and are read last there.

        What reads a value reads each piece of memory in which it may lie, so none of these is in
        use for shorter than the value.
        """
        result: dict[int, list[Expr]] = {}
        big = {e for e in self.order if e.op is not None and self.is_let_go(e)}
        for e in self.order:
            roots = big.intersection(self.memory(e))
            if e.op is not None and roots:
                end = max(self.lives.position[e], min([self.end_of(r) for r in roots]))
                if end < self.lives.end:
                    result.setdefault(end, []).append(e)
        return result

    def is_let_go(self, e: Expr) -> bool:
        """True for memory outside the arena that is big enough to be let go of at once."""
        return nominal_bytes(e.type) >= BIG and not self.is_kept(e)

    def is_kept(self, root: Expr) -> bool:
        """True for memory in the arena."""
        block = self.block_of.get(root)
        return block is not None and block.in_arena

    def end_of(self, root: Expr) -> int:
        """The last position at which memory is in use."""
        block = self.block_of.get(root)
        return self.lives.last[root] if block is None else block.last


def plan_buffers(graph: FrozenGraph, given: Given | None = None, has_loops: bool = True) -> Plan:
    """Give every expression that profits a place in kept memory.

    `given` are the layouts of the inputs; by default they are in C order. If the code `has_loops`
    in it, what their steps give is computed into rows of arrays.
    """
    known_layouts = layouts(graph, given)
    rows = row_plan(graph, known_layouts) if has_loops else NO_ROWS
    lives = lifetimes(graph, schedule(graph), known_layouts, rows.owners)
    plan = Plan(graph, lives, known_layouts, rows=rows)
    if graph.paired:
        plan.paired = frozenset(e for pair in pairs_in(graph).items() for e in pair)
    known = sizes_determined_by(graph.inputs)
    for i, e in enumerate(plan.order):
        if rows.owners.get(e) is e:
            add_rows(plan, e)
        elif has_memory(plan, e):
            layout = plan.layouts.get(e)
            dense = layout if layout is not None and layout.dense else None
            add_to_block(plan, i, e, dense, names_in(e.shape) <= known)
    let_go_of_some(plan)
    assign_slots(plan)
    return plan


def add_rows(plan: Plan, part: Expr) -> None:
    """Give an array to the rows that a loop writes, from the loop on."""
    loop, rows = part.inputs[0], plan.rows.owned_by(part)
    assert rows is not None
    first, last = plan.lives.position[loop], plan.lives.last[part]
    steps = part.shape[0]
    is_kept = last < plan.lives.end and isinstance(steps, int) and steps <= KEPT
    shift = 0 if not rows.is_shifted else -1 if loop.attrs["reverse"] else 1
    type = plan.rows.type(part)
    layout = c_order_of(type.shape)
    block = Block([part], first, last, layout, is_kept, type, shift, rows.spans)
    plan.blocks.append(block)
    plan.block_of[part] = block


def has_memory(plan: Plan, e: Expr) -> bool:
    """True if an expression allocates an array that is worth a plan."""
    if e.op is None or not e.type.shape or e in plan.lives.roots or e.type.dtype.kind == "O":
        return False
    return not isinstance(e.type, TupleType) and takes(e.type, WORTHWHILE)


def takes(type: ArrayType, bytes: int) -> bool:
    """True if an array of a type takes so many bytes, or an unknown number of them."""
    size = product(type.shape)
    return not isinstance(size, int) or size * type.dtype.itemsize >= bytes


def add_to_block(plan: Plan, i: int, e: Expr, layout: Layout | None, is_sized: bool) -> None:
    """Compute `e` in place of a dying operand, or in memory of its own.

    Its layout is None if it is not certain; the inputs determine its shape if `is_sized`.
    """
    is_filled = is_written_in_blocks(e)
    writes = layout is not None and e not in plan.paired and (is_filled or takes_out(e))
    last = plan.lives.last[e]
    x = overwritable(plan, i, e, layout) if writes and not is_filled else None
    i = plan.lives.position[e.inputs[0]] if is_filled else i
    if x is None:
        in_arena = writes and is_sized and last < plan.lives.end
        block = Block([e], i, last, layout, in_arena, e.type)
        plan.blocks.append(block)
    else:
        block = plan.block_of[x]
        block.members.append(e)
        block.last = last
        if last == plan.lives.end:
            block.in_arena = False
        plan.overwritten[e] = x
    plan.block_of[e] = block


def is_written_in_blocks(e: Expr) -> bool:
    """True for a value of a fusion group that has rows, which are written block by block."""
    whole = whole_of(e)
    if whole is None or not is_fused(whole):
        return False
    function = whole.attrs["function"]
    return bool(e.attrs["index"] < len(function.outputs) - whole.attrs["sums"])


def overwritable(plan: Plan, i: int, e: Expr, layout: Layout | None) -> Expr | None:
    """The operand that the elementwise `e` may be computed in place of, else None."""
    if e.op is None or e.op.traits.isdisjoint((Trait.ELEMENTWISE, Trait.IN_PLACE)):
        return None
    for x in e.inputs if Trait.ELEMENTWISE in e.op.traits else e.inputs[:1]:
        block = plan.block_of.get(x)
        if block is None or block.last != i or x.type != e.type or block.layout != layout:
            continue
        if all(x is z or x not in {*plan.memory(z)} for z in e.inputs):
            return x
    return None


def let_go_of_some(plan: Plan) -> None:
    """Take big blocks out of the arena where that lowers the peak of arena and new arrays.

    Kept memory is in use all the time, and the arena's worst moment may be another than that of
    new arrays. A block is left in the arena if the peak is little above that without such blocks.
    """
    kept = sorted([b for b in plan.blocks if b.in_arena], key=lambda b: nominal_bytes(b.type))
    is_body = any(e.kind is Kind.PARAMETER for e in plan.graph.inputs)
    least = LARGE if is_body else BIG  # what is new in each step costs more
    tried = [b for b in kept[-TRIED:] if least <= nominal_bytes(b.type) < MAPPED]
    if not tried or len(plan.blocks) > FEW:
        return
    changes = changes_in(plan)
    peak = peak_of(changes)
    for block in tried:
        move(block, changes, False)
    limit = LITTLE * peak_of(changes)
    for block in tried:
        move(block, changes, True)
        if peak > limit and peak_of(changes) > limit:
            move(block, changes, False)


Changes = tuple[list[int], list[int]]
"""By position, the bytes that come into use less those that go: of new arrays, of the arena."""


def changes_in(plan: Plan) -> Changes:
    """The changes of the bytes in use, in the arena and outside."""
    changes: Changes = [0] * (plan.lives.end + 2), [0] * (plan.lives.end + 2)
    for e in plan.order:
        block = plan.block_of.get(e)
        if e.op is None or e in plan.lives.roots or (block and block.members[0] is not e):
            continue
        if block is None:
            first, last = plan.lives.position[e], plan.end_of(e)
            add_use(changes[False], nominal_bytes(e.type), first, last)
        else:
            add_use(changes[block.in_arena], nominal_bytes(block.type), block.first, block.last)
    return changes


def add_use(changes: list[int], bytes: int, first: int, last: int) -> None:
    """Note that so many bytes are in use from one position to another."""
    changes[first] += bytes
    changes[last + 1] -= bytes


def move(block: Block, changes: Changes, in_arena: bool) -> None:
    """Move a block into the arena, or out of it."""
    bytes = nominal_bytes(block.type)
    add_use(changes[block.in_arena], -bytes, block.first, block.last)
    add_use(changes[in_arena], bytes, block.first, block.last)
    block.in_arena = in_arena


def peak_of(changes: Changes) -> int:
    """The bytes of the arena at its worst moment, and those of new arrays at theirs."""
    return sum([max(accumulate(several)) for several in changes])


def assign_slots(plan: Plan) -> None:
    """Number the views of the arena: blocks of one type and one place share a view.

    Where sizes are unknown, they share it if they share a place for nominal sizes.
    """
    blocks = [b for b in plan.blocks if b.in_arena]
    sizes = [nominal_bytes(b.type) for b in blocks]
    offsets = place(sizes, [((b.first, b.last),) for b in blocks]).offsets
    shared: dict[View, list[Interval]] = {}
    numbers: dict[View, int] = {}
    for block, offset in zip(blocks, offsets, strict=True):
        assert block.layout is not None
        key = offset, block.type, block.layout, block.shift, block.spans
        number = numbers.setdefault(key, len(numbers))
        shared.setdefault(key, []).append((block.first, block.last))
        plan.slots |= dict.fromkeys(block.members, number)
    plan.views = [
        Slot(type, tuple(ends), layout.axes, shift, spans)
        for (_, type, layout, shift, spans), ends in shared.items()
    ]
