"""Rows: what the steps of a loop give is computed into the rows of one array.

Note [Rows]. A loop gives the values of its steps as lists, and most lists become arrays after it:
the rows of all steps are multiplied at once, or passed to a function. So a value that a step can
compute into given memory is computed into its row of an array, and `stacked` is that array. The
list of its rows is what a loop of derivatives iterates over. The state before each step, if a loop
gives that too, is the row before: the array has one row more, and the first state is copied there.
Kept memory has the list of its rows beside it, which takes time to make.

The last state may be a row: it is copied, so that nothing but the lists lies in the array. A value
of which any other list has a view gets no rows.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from gradops import ArrayType

from ...control.ops import element_of
from ...ir.expr import Expr, whole_of
from ...ir.graph import FrozenGraph
from ...ir.layouts.inner import given_in_loop, layouts
from ...ir.layouts.values import Known
from ...ir.nominal import nominal_bytes
from ...ir.pairs import pairs_in
from ...ir.sizes import names_in, sizes_determined_by
from ..memory.lifetimes import memory_of_views, takes_out, whole_list
from .joins import join_in_row
from .row_lists import Span

SHORT = 400  # expressions of a body up to which a call per step is worth avoiding
KEPT = 4096  # rows up to which a list of them is kept: each takes as much as a small array
WORTHWHILE = 2048  # bytes from which writing into a row beats allocating


@dataclass(frozen=True)
class LoopRows:
    """An array of rows that a loop writes: in each step the value of an `output` of its body.

    The loop's value number `after` is the list of them. Value `before`, if it is not None, is that
    of the state which the output replaces, and the array has one row more. Parts of each row in
    `spans` are computed where they belong: see Note [Joins in rows].
    """

    output: int
    after: int | None
    before: int | None
    spans: tuple[Span, ...] = ()

    @property
    def values(self) -> tuple[int, ...]:
        """The numbers of the loop's values that lie in the array."""
        return tuple([i for i in (self.after, self.before) if i is not None])

    @property
    def is_shifted(self) -> bool:
        """True if the array has a row for the first state."""
        return self.before is not None


def has_own_function(e: Expr) -> bool:
    """True for a loop whose body is short."""
    return e.op is not None and e.op.name == "loop" and len(e.attrs["body"]) <= SHORT


@dataclass(frozen=True)
class RowPlan:
    """The rows that the loops of a graph write.

    `owners` has, for each part of a loop that is a list of rows, the part to which they belong.
    """

    loops: Mapping[Expr, tuple[LoopRows, ...]]
    parts: Mapping[tuple[Expr, int], Expr]
    owners: Mapping[Expr, Expr]

    def owned_by(self, part: Expr) -> LoopRows | None:
        """The rows that belong to a part of a loop."""
        loop = whole_of(part)
        if loop is None or self.owners.get(part) is not part:
            return None
        return next(r for r in self.loops[loop] if part.attrs["index"] == r.values[0])

    def type(self, part: Expr) -> ArrayType:
        """The type of the array of rows that belongs to a part of a loop."""
        rows = self.owned_by(part)
        assert rows is not None
        steps, *shape = part.shape
        return ArrayType((steps + int(rows.is_shifted), *shape), part.dtype)


NO_ROWS = RowPlan({}, {}, {})


def row_plan(graph: FrozenGraph, known: Known) -> RowPlan:
    """The rows that the loops of a graph write. See Note [Rows].

    `known` are the layouts of its values.
    """
    loops = [e for e in graph.holders if has_own_function(e) and e.attrs["cond"] is None]
    if not loops:
        return NO_ROWS
    parts = {(w, e.attrs["index"]): e for e in graph.order if (w := whole_of(e)) is not None}
    stacks = (e.inputs[0] for e in graph.order if e.op is not None and e.op.name == "stacked")
    stacked = set(map(whole_list, stacks))
    sizes, found = sizes_determined_by(graph.inputs), dict[Expr, tuple[LoopRows, ...]]()
    for e in loops:
        several = (rows_read(e, rows, parts) for rows in rows_of_loop(e, known))
        worth = [r for r in several if is_worthwhile(e, r, parts, stacked, sizes)]
        if worth:
            found[e] = tuple(worth)
    owners = {
        parts[e, i]: parts[e, r.values[0]] for e, rows in found.items() for r in rows
        for i in r.values
    }  # fmt: skip
    return RowPlan(found, parts, owners)


Parts = Mapping[tuple[Expr, int], Expr]


def rows_read(e: Expr, rows: LoopRows, parts: Parts) -> LoopRows:
    """Rows of a loop without the lists that nothing reads."""
    after, before = [i if (e, i) in parts else None for i in (rows.after, rows.before)]
    return LoopRows(rows.output, after, before, rows.spans)


def is_worthwhile(
    e: Expr, rows: LoopRows, parts: Parts, stacked: Container[Expr], sizes: set[str]
) -> bool:
    """True for rows of known sizes, of which something reads an array, or that are large."""
    read = [parts[e, i] for i in rows.values]
    if not read or not names_in(read[0].shape) <= sizes:
        return False
    element = element_of(read[0].type)
    return nominal_bytes(element) >= WORTHWHILE or any(x in stacked for x in read)


def rows_of_loop(e: Expr, known: Known) -> Iterator[LoopRows]:
    """The values of a loop that its steps can compute into rows."""
    ((body, given),) = given_in_loop(e, known)
    inside, outputs, carries = layouts(body, given), body.outputs, e.attrs["carries"]
    states = dict(zip(body.inputs[:carries], range(carries), strict=True))
    after: dict[Expr, int] = {}
    before: dict[Expr, int] = {}
    for i, y in enumerate(outputs[carries:], carries):
        if y in states:
            before.setdefault(outputs[states[y]], i)
        else:
            after.setdefault(y, i)
    lists = range(carries, len(outputs))
    reached = {i: reached_memory(body, carries, outputs[i]) for i in lists}
    for y in dict.fromkeys([*after, *before]):
        own = after.get(y), before.get(y)
        is_alone = all(y not in reached[i] for i in lists if i not in own)
        if is_alone and can_be_row(body, y, inside):
            join = join_in_row(body, y)
            number = next(i for i, x in enumerate(outputs) if x is y)
            yield LoopRows(number, *own, () if join is None else join.spans)


def can_be_row(body: FrozenGraph, y: Expr, known: Known) -> bool:
    """True for a value that a step allocates, in C order, and can compute into given memory."""
    if y.op is None or not y.shape or type(y.type) is not ArrayType or y.dtype.kind == "O":
        return False
    layout = known.get(y)
    if y in memory_of_views(body) or whole_of(y) is not None or layout is None or not layout.is_c:
        return False
    pairs = pairs_in(body) if body.paired else {}
    return y not in {*pairs, *pairs.values()} and takes_out(y)


def reached_memory(body: FrozenGraph, carries: int, y: Expr) -> set[Expr]:
    """The expressions of this step or an earlier one in whose memory an output may lie."""
    roots = memory_of_views(body)
    state = dict(zip(body.inputs[:carries], body.outputs, strict=False))
    seen = set(roots.get(y, (y,)))
    stack = list(seen)
    while stack:
        x = state.get(stack.pop())
        new = set() if x is None else set(roots.get(x, (x,))) - seen
        seen |= new
        stack += new
    return seen
