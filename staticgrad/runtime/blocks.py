"""Blocks: variables that are updated in the same way share one array.

Note [Variable blocks]. An optimizer updates many small variables by the same formula: a dozen calls
of NumPy for each of them, while the calls cost more than the entries. So the variables that play
one part in it, as all weights, or all their running means, become one input, the block: an array
with the entries of all. Each is a slice of it in the graph, and the new block is a concatenation,
which `JoinElementwise` turns into a single update. A session keeps a block as one array, and a
variable as a view of it.

Variables that are updated together are a unit: a weight and its running means. Units belong to the
same blocks if the formulas of their updates are equal but for the arrays in them.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from gradops import ArrayType

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning, attributes_key
from ..ir.names import unique_name
from ..passes.joins.elementwise import SMALL, can_be_member, concatenated, size_of

TILE = 32768  # entries of a block, of which a few fit into the second cache
FEWEST = 4  # units that are worth a block

Unit = tuple[tuple[Expr, Expr], ...]
"""Variables of one shape with their new values, which depend on each other entry by entry."""


@dataclass(frozen=True, eq=False)
class Block:
    """Variables that share an array, one after the other."""

    variables: tuple[Expr, ...]

    @cached_property
    def ends(self) -> list[int]:
        """The place after the last entry of each variable."""
        return list(accumulate(math.prod(v.shape) for v in self.variables))

    @cached_property
    def places(self) -> Mapping[Expr, slice]:
        """The entries of each variable."""
        pairs = zip(self.variables, self.ends, strict=True)
        return {v: slice(end - math.prod(v.shape), end) for v, end in pairs}

    def part(self, flat: np.ndarray[Any, Any], v: Expr) -> np.ndarray[Any, Any]:
        """The value of a variable, a view of the block's."""
        return flat[self.places[v]].reshape(v.shape)


@dataclass(frozen=True)
class Blocked:
    """A graph some of whose variables are in blocks, and the block of each such input."""

    graph: FrozenGraph
    blocks: Mapping[Expr, Block]


def with_blocks(graph: FrozenGraph) -> Blocked:
    """The graph in which variables that are updated in the same way are slices of blocks."""
    blocks = [b for units in groups_of(graph) for b in blocks_of(units)]
    if not blocks:
        return Blocked(graph, {})
    intern, taken = Interning(), {e.name for e in graph.order}
    inputs = {block_input(b, taken, intern): b for b in blocks}
    new = {v: each for e, b in inputs.items() for v, each in slices_of(e, b, intern)}
    for e in graph.order:
        if e not in new:
            new[e] = intern.copy(e, [new[x] for x in e.inputs])
        if e in graph.merged:
            intern.note(new[e], graph.merged[e])
    return Blocked(assembled(graph, inputs, new, intern), inputs)


def assembled(
    graph: FrozenGraph, inputs: Mapping[Expr, Block], new: Mapping[Expr, Expr], intern: Interning
) -> FrozenGraph:
    """The graph with blocks in place of their variables."""
    updates = dict(graph.updates)
    inside = {v for b in inputs.values() for v in b.variables}
    changes = [(new[v], new[value]) for v, value in graph.updates if v not in inside]
    changes += [(e, concatenated([new[updates[v]] for v in b.variables], intern))
                for e, b in inputs.items()]  # fmt: skip
    result = FrozenGraph(
        (*[new[e] for e in graph.inputs if e not in inside], *inputs),
        tuple([new[e] for e in graph.outputs]), tuple(changes),
        tuple([new[e] for e in graph.measured]), intern.merged,
        labels=graph.labels,
    )  # fmt: skip
    return result.arranged(intern)


def block_input(block: Block, taken: set[str], intern: Interning) -> Expr:
    """The input of a block."""
    first = block.variables[0]
    type = ArrayType((block.ends[-1],), first.dtype)
    name = unique_name(f"{first.name}/block", taken)
    return intern.copy(
        first._replace(type=type, name=name, value=np.zeros(type.shape, type.dtype)), ()
    )


def slices_of(e: Expr, block: Block, intern: Interning) -> Iterator[tuple[Expr, Expr]]:
    """The variables of a block with the slices that they are."""
    for v, place in block.places.items():
        index = (("slice", place.start, place.stop, None),)
        row = intern.apply("slice", e, index=index, like=v)
        yield v, intern.reshape(row, v.shape, like=v)


def groups_of(graph: FrozenGraph) -> list[list[Unit]]:
    """The units of a graph whose formulas are equal, group by group."""
    if sum(is_small(v) for v, _ in graph.updates) < FEWEST:
        return []
    formulas = Formulas(graph)
    units: dict[Expr, list[tuple[Expr, Expr]]] = {}
    for v, value in graph.updates:
        if is_small(v) and value in formulas.keys:
            units.setdefault(formulas.find(value), []).append((v, value))
    groups: dict[Hashable, list[Unit]] = {}
    for unit in units.values():
        parts = tuple([(v.dtype, formulas.keys[value]) for v, value in unit])
        groups.setdefault(parts, []).append(tuple(unit))
    return list(groups.values())


def is_small(v: Expr) -> bool:
    """True for a variable of a few floats in C order."""
    is_known = bool(v.shape) and all(isinstance(n, int) for n in v.shape)
    small = is_known and 0 < size_of((v,)) <= SMALL and v.dtype.kind == "f"
    return small and bool(v.value.flags.c_contiguous)


class Formulas:
    """The elementwise expressions of a graph: equal keys for equal formulas, and connected sets.

    In a formula, arrays that are not computed entry by entry are all alike.
    """

    def __init__(self, graph: FrozenGraph) -> None:
        self.keys: dict[Expr, int] = {}
        self.parents: dict[Expr, Expr] = {}
        self.numbers: dict[Hashable, int] = {}
        self.variables = {v for v, _ in graph.updates}
        for e in graph.order:
            if can_be_member(e, SMALL) and all(x.shape in ((), e.shape) for x in e.inputs):
                self.add(e)

    def add(self, e: Expr) -> None:
        """Add an expression of operands that are numbers or have its shape."""
        assert e.op is not None
        key = e.op.name, attributes_key(e.attrs), e.dtype, *map(self.key_of_operand, e.inputs)
        self.keys[e] = self.numbers.setdefault(key, len(self.numbers))
        for x in e.inputs:
            if x.shape and (x in self.keys or x in self.variables):
                self.parents[self.find(x)] = self.find(e)

    def key_of_operand(self, x: Expr) -> Hashable:
        """Equal for equal numbers and formulas, and for other arrays of a dtype."""
        if not x.shape:
            return "number", x.number
        return ("formula", self.keys[x]) if x in self.keys else ("array", x.dtype)

    def find(self, e: Expr) -> Expr:
        """The expression that stands for all that are connected with `e`."""
        top = e
        while (above := self.parents.get(top, top)) is not top:
            top = above
        while e is not top:
            self.parents[e], e = top, self.parents[e]
        return top


def blocks_of(units: Sequence[Unit]) -> Iterator[Block]:
    """The blocks of units that are updated in the same way: one or more for each of their parts."""
    several: list[list[Unit]] = []
    room = 0
    for unit in units:
        size = size_of(unit[0][:1])
        if room < size:
            several.append([])
            room = TILE
        several[-1].append(unit)
        room -= size
    for each in several:
        if len(each) >= FEWEST:
            for part in zip(*each, strict=True):
                yield Block(tuple([v for v, _ in part]))
