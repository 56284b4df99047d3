"""Fusion: elementwise expressions of large arrays, and sums of them, computed block by block.

See Note [Fusion] in `control/fused.py`, and `groups.py` for what is computed together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from heapq import heapify, heappop, heappush
from typing import ClassVar

from gradops import ArrayType, Dim

from ...control.fused import fused
from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.tuple_types import TupleType
from ..interface import Pass
from ..subgraphs import parameter
from .groups import Group, groups_of, is_number, is_split, is_total, outputs_of

ROWS = Dim("rows")  # of a block


@dataclass(frozen=True)
class FuseElementwise(Pass):
    """Compute elementwise expressions of arrays of `threshold` bytes or more in blocks.

    What is computed on the way stays in the cache, and takes no memory; large groups run on all
    cores. Sums over blocks are added in another order. The threshold is measured: three
    operations on a million numbers are as fast either way on one thread. Arrays of unknown sizes
    are not fused.
    """

    bound: ClassVar[float] = 8.0
    threshold: int = 3 << 20

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        groups = groups_of(graph, self.threshold)
        return with_fused(graph, groups) if groups else graph


def with_fused(graph: FrozenGraph, groups: Sequence[Group]) -> FrozenGraph:
    """The graph with an expression for each group, and parts of it."""
    group_of = {e: g for g in groups for e in g.members}
    parts: dict[Expr, Expr] = {}
    new: dict[Expr, Expr] = {}

    def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        group = group_of.get(e)
        if group is None:
            new[e] = intern.copy(e, inputs)
            return new[e]
        if e is next(iter(group.members)):
            parts.update(values_of(group, graph, new, intern))
        new[e] = parts.get(e, e)
        return new[e]

    return replaced(graph, sequence=tuple(together(graph, group_of)), derived={}).remade(make)


def values_of(
    group: Group, graph: FrozenGraph, new: Mapping[Expr, Expr], intern: Interning
) -> Iterator[tuple[Expr, Expr]]:
    """The members that others read, each with the part of the fused expression that it is."""
    outputs, operands = outputs_of(group, graph), group.operands()
    inputs = tuple([in_rows(new[x], s and group.is_flat, intern) for x, s in operands])
    attrs = {
        "function": body_of(group, outputs, graph), "split": tuple([s for _, s in operands]),
        "sums": sum(map(is_total, outputs)),
    }  # fmt: skip
    type = TupleType([type_in_rows(e, group.is_flat) for e in outputs])
    first = next(iter(group.members))
    whole = first._replace(op=fused, attrs=attrs, inputs=inputs, type=type, name="fused")
    whole = intern.copy(whole, inputs)
    for i, e in enumerate(outputs):
        yield e, intern.reshape(intern.part(whole, i), e.shape, like=e)


def in_rows(x: Expr, flat: bool, intern: Interning) -> Expr:
    """An operand of a group; if `flat`, all entries of it in a row."""
    return intern.reshape(x, (x.type.size,)) if flat else x


def type_in_rows(e: Expr, flat: bool) -> ArrayType:
    """The type of a value of a group; if `flat`, of all entries of it in a row."""
    return ArrayType((e.type.size,), e.dtype) if flat and not is_total(e) else e.type


def body_of(group: Group, outputs: Sequence[Expr], graph: FrozenGraph) -> FrozenGraph:
    """The graph of a block."""
    intern, taken, flat = Interning(), set[str](), group.is_flat
    new: dict[tuple[Expr, bool], Expr] = {}  # by the expression, and if it is split into blocks
    for x, split in group.operands():
        type = block_type(x.type, flat) if split else x.type
        new[x, split] = intern.copy(parameter(x, type, taken), ())
    inputs = tuple(new.values())
    for e in group.members:
        xs = [new[x, is_split(x, e)] if not is_number(x) else intern.copy(x, ()) for x in e.inputs]
        value = new[e, True] = intern.copy(in_block(e, flat)._replace(inputs=tuple(xs)), xs)
        if e in graph.merged:
            intern.note(value, graph.merged[e])
    results = tuple([new[e, True] for e in outputs])
    order = tuple(dict.fromkeys([*inputs, *intern.order]))
    return FrozenGraph(
        inputs, results, merged=intern.merged, sequence=order, lowering=graph.lowering
    )


def in_block(e: Expr, flat: bool) -> Expr:
    """A member of a group with its type and attributes for some rows."""
    if not is_total(e):
        return e._replace(type=block_type(e.type, flat))
    return e._replace(attrs={**e.attrs, "axis": None}) if flat else e


def block_type(type: ArrayType, flat: bool) -> ArrayType:
    """The type of some rows of an array."""
    return ArrayType((ROWS,) if flat else (ROWS, *type.shape[1:]), type.dtype)


def together(graph: FrozenGraph, group_of: Mapping[Expr, Group]) -> Iterator[Expr]:
    """The expressions in an order in which those of a group come one after another."""
    units: dict[Expr | Group, list[Expr]] = {}
    for e in graph.order:
        units.setdefault(group_of.get(e, e), []).append(e)
    numbers = {unit: i for i, unit in enumerate(units)}
    members = list(units.values())
    readers: list[list[int]] = [[] for _ in members]
    missing = [0] * len(members)
    for i, some in enumerate(members):
        read = {numbers[group_of.get(x, x)] for e in some for x in e.inputs} - {i}
        missing[i] = len(read)
        for j in read:
            readers[j].append(i)
    ready = [i for i, n in enumerate(missing) if not n]
    heapify(ready)
    while ready:
        i = heappop(ready)
        yield from members[i]
        for j in readers[i]:
            missing[j] -= 1
            if not missing[j]:
                heappush(ready, j)
