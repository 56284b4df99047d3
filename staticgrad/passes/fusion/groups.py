"""Fusion groups: expressions of one number of rows that are computed together.

Each member reads another one of the group, or what another one reads. A group grows in the order of
the graph. An expression joins a group if none of its other operands is computed from the group,
which so stays computable as one. A group that another group reads is closed: so groups do not wait
for each other.
"""

from dataclasses import dataclass, field
from functools import cached_property

from gradops import ArrayType
from gradops.core.traits import Trait
from gradops.core.types import normalize_axes
from gradops.kernels.blocks import BLOCK

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.layouts.inner import layouts
from ...ir.layouts.values import Known
from ...ir.nominal import nominal_bytes
from ...ir.pairs import pairs_in
from ..subgraphs import is_pure

FEWEST = 3  # expressions of a group that is worth its call


@dataclass(eq=False)
class Group:
    """Expressions of `rows` rows; `bits` stand for it, and for groups merged into it, in masks."""

    rows: int
    bits: int
    members: dict[Expr, None] = field(default_factory=dict)
    is_open: bool = True

    @cached_property
    def is_flat(self) -> bool:
        """True if all arrays have one shape, so that rows may be single entries."""
        shapes = {e.shape for e in self.members if not is_total(e)}
        for e in self.members:
            shapes |= {x.shape for x in e.inputs if x.shape}
            if reduced_axes(e) is not None and (not is_total(e) or e.shape):
                return False  # rows of one entry have the shape of their sums
        return len(shapes) == 1

    @property
    def row_bytes(self) -> int:
        """The bytes of a row of the widest array."""
        return max(nominal_bytes(e.type) // self.rows for e in self.members)

    def operands(self) -> dict[tuple[Expr, bool], None]:
        """The operands from outside, and whether each is split into blocks."""
        return {(x, is_split(x, e)): None for e in self.members for x in e.inputs
                if x not in self.members and not is_number(x)}  # fmt: skip


class Grouping:
    """Finds the groups of a graph."""

    def __init__(self, graph: FrozenGraph, threshold: int) -> None:
        self.graph, self.threshold = graph, threshold
        self.masks: dict[Expr, int] = {}  # the groups that an expression depends on
        self.group_of: dict[Expr, Group] = {}
        self.readers: dict[tuple[Expr, int], Group] = {}  # groups by operand and number of rows
        self.open: list[Group] = []
        self.count = 0

    def groups(self) -> list[Group]:
        """The groups, in the order of their first members."""
        if all(nominal_bytes(e.type) < self.threshold for e in self.graph.order):
            return []
        pairs = pairs_in(self.graph)
        paired, known = {*pairs, *pairs.values()}, layouts(self.graph)
        for e in self.graph.order:
            self.masks[e] = 0
            for x in e.inputs:
                self.masks[e] |= self.masks[x]
            if e not in paired and nominal_bytes_near(e) >= self.threshold and is_rowwise(e, known):
                self.place(e)
        return self.in_order()

    def in_order(self) -> list[Group]:
        """The groups with their members in the order of the graph, which merging changes."""
        for group in self.group_of.values():
            group.members = {}
        for e in self.graph.order:
            if e in self.group_of:
                self.group_of[e].members[e] = None
        return list(dict.fromkeys(self.group_of.values()))

    def place(self, e: Expr) -> None:
        """Put an expression into the group that it belongs to, or into a new one."""
        rows = rows_of(e)
        near = [self.group_of.get(x) for x in e.inputs if is_member_operand(x, e)]
        near += [self.readers.get((x, rows)) for x in e.inputs if is_split(x, e)]
        group = None
        for other in dict.fromkeys(near):
            if other is not None and other.rows == rows and self.may_join(e, other):
                group = other if group is None else self.merged(group, other)
        if group is None:
            group = Group(rows, 1 << self.count)
            self.open.append(group)
            self.count += 1
        self.add(e, group)

    def may_join(self, e: Expr, group: Group) -> bool:
        """True if no operand outside a group that is open is computed from it."""
        outside = [x for x in e.inputs if x not in group.members or not is_member_operand(x, e)]
        return group.is_open and not any(self.masks[x] & group.bits for x in outside)

    def merged(self, group: Group, other: Group) -> Group:
        """Two open groups as one: neither reads the other, or that would be closed."""
        group.bits |= other.bits
        group.members |= other.members
        other.is_open = False
        for e in other.members:
            self.group_of[e] = group
        for key, each in self.readers.items():
            if each is other:
                self.readers[key] = group
        return group

    def add(self, e: Expr, group: Group) -> None:
        """Put an expression into a group, and close the groups that it reads."""
        for x in e.inputs:
            if is_split(x, e):
                self.readers[x, group.rows] = group
        for other in self.open:
            if other is not group and self.masks[e] & other.bits:
                other.is_open = False
        self.open = [g for g in self.open if g.is_open]
        group.members[e] = None
        self.group_of[e] = group
        self.masks[e] |= group.bits


def groups_of(graph: FrozenGraph, threshold: int) -> list[Group]:
    """The groups of arrays of `threshold` bytes or more that are worth their calls."""
    return [g for g in Grouping(graph, threshold).groups() if is_worthwhile(g, graph)]


def is_worthwhile(group: Group, graph: FrozenGraph) -> bool:
    """True for a group of a few expressions, whose rows are not too long for a block."""
    if len(group.members) < FEWEST or len(outputs_of(group, graph)) > len(group.members) // 2 + 1:
        return False
    return group.is_flat or group.row_bytes <= BLOCK


def nominal_bytes_near(e: Expr) -> int:
    """The bytes of the largest among an expression and its operands."""
    return max(nominal_bytes(e.type), *[nominal_bytes(x.type) for x in e.inputs], 0)


def rows_of(e: Expr) -> int:
    """The number of rows that a rowwise expression is computed from."""
    return int((e if reduced_axes(e) is None else e.inputs[0]).shape[0])


def is_number(x: Expr) -> bool:
    """True for a constant without axes, which is a part of the group."""
    return x.kind is Kind.CONSTANT and not x.shape


def is_rowwise(e: Expr, known: Known) -> bool:
    """True if an expression is computed row by row, or is the sum of what its operand has."""
    if e.op is None or not is_pure(e) or not all(map(is_array, (e, *e.inputs))):
        return False
    shapes = [e.shape, *[x.shape for x in e.inputs]]
    if any(not isinstance(n, int) or n == 0 for shape in shapes for n in shape):
        return False
    if any(x.shape and not (x in known and known[x].is_increasing) for x in (e, *e.inputs)):
        return False
    if Trait.ELEMENTWISE in e.op.traits:
        return bool(e.shape) and e.shape[0] > 1 and any(is_split(x, e) for x in e.inputs)
    axes = reduced_axes(e)
    if axes is None or not e.inputs[0].shape or e.inputs[0].shape[0] < 2:
        return False
    return e.op.name == "sum" if 0 in axes else e.inputs[0].ndim > len(axes)


def is_array(e: Expr) -> bool:
    """True for an array of numbers."""
    return type(e.type) is ArrayType and e.dtype.kind != "O"


def reduced_axes(e: Expr) -> tuple[int, ...] | None:
    """The axes of the operand that a reduction is over; None for another op."""
    if e.op is None or Trait.REDUCTION not in e.op.traits or "axis" not in e.attrs:
        return None
    if len(e.inputs) != 1 or e.op.params.keys() != {"axis", "keepdims"}:
        return None
    return normalize_axes(e.op.name, e.inputs[0].type, e.attrs["axis"])


def is_total(e: Expr) -> bool:
    """True for a sum over all rows."""
    axes = reduced_axes(e)
    return axes is not None and 0 in axes


def is_split(x: Expr, e: Expr) -> bool:
    """True if `e` needs of `x` the rows that it is computed in, and not all of it."""
    if reduced_axes(e) is not None:
        return True
    return len(x.shape) == len(e.shape) and bool(x.shape) and x.shape[0] == e.shape[0]


def is_member_operand(x: Expr, e: Expr) -> bool:
    """True if `e` may read `x` in the same group: its rows, which are not summed."""
    return is_split(x, e) and not is_total(x)


def outputs_of(group: Group, graph: FrozenGraph) -> list[Expr]:
    """The members that others read: those with rows, then the sums."""
    read = {x for e in graph.order if e not in group.members for x in e.inputs}
    read.update(graph.results, graph.measured)
    outputs = [e for e in group.members if e in read]
    return sorted(outputs, key=lambda e: is_total(e))
