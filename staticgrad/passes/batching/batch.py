"""Independent ops that do the same are computed as one op with a batch axis.

A program that treats bones, bodies or blocks one by one makes a call of NumPy for each of them. As
a batch they need one call in all, and the values that go from batch to batch stay together.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import ClassVar

import numpy as np

from gradops import ArrayType, MissingRuleError
from gradops.core.traits import Trait

from ...control.batch import BatchedGraph
from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.nominal import nominal_bytes
from ..interface import Pass
from ..loops.stretches import rows_of
from ..simplify import without_retyping
from ..subgraphs import parameters_for
from .classes import Pack, Units, form, packs_of, row_of
from .columns import Source, Values, columns_of, cost_of, places_in, slice_key, source_of
from .merging import merged

VIEW, CALL, SCALAR, BYTE = 0.15, 0.6, 0.04, 6e-5
"""Microseconds of a view, another NumPy call, an op on Python's floats, a byte of an array."""
PAYING = 1.3  # how many times cheaper batches have to be
Templates = dict[Hashable, FrozenGraph | None]


class BatchOps(Pass):
    """Compute small independent ops that do the same as one op with a batch axis.

    Sums of products of several matrices at once may add in another order.
    """

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        packs, templates = packs_of(graph), Templates()
        if not packs:
            return graph
        saved, batches = paying(graph, batches_of(packs, templates))
        if (joined := merged(graph, packs)) is not packs:
            more, others = paying(graph, batches_of(joined, templates))
            batches = others if more > saved else batches
        return Batching(graph, batches).rebuilt() if batches else graph


@dataclass(frozen=True, eq=False)
class Batch:
    """A pack, and the graph that computes all of its members; None for rows of an array."""

    pack: Pack
    graph: FrozenGraph | None
    columns: Sequence[Values] = field(default=())


def batches_of(packs: Iterable[Pack], templates: Templates) -> list[Batch]:
    """The batches of the packs that have one."""
    return [b for p in packs if (b := batch_of(p, templates)) is not None]


def batch_of(pack: Pack, templates: Templates) -> Batch | None:
    """The batch of a pack; None if there is no rule for it."""
    if row_of(pack.members[0]) is not None and rows_of(pack.members) is not None:
        return Batch(pack, None)
    columns = columns_of(pack)
    flags = tuple([any(x is not xs[0] for x in xs) for xs in columns])
    if not any(flags):
        return None
    e, size = pack.members[0], len(pack.members)
    key = (*form(e), tuple([x.type for x in e.inputs]), flags, size)
    if key not in templates:
        templates[key] = template(e, flags, size)
    graph = templates[key]
    return None if graph is None else Batch(pack, graph, columns)


def template(e: Expr, flags: Sequence[bool], size: int) -> FrozenGraph | None:
    """The graph of an op with a batch axis on some of its operands."""
    intern = Interning()
    inputs = [intern.copy(p, ()) for p in parameters_for([e], e.inputs)]
    op = intern.copy(e, inputs)
    single = FrozenGraph(tuple(inputs), (op,), sequence=tuple(intern.order))
    try:
        graph = BatchedGraph(single, flags, size).graph([True])
    except MissingRuleError:
        return None
    wanted = ArrayType((size, *e.shape), e.dtype)
    return graph if graph.outputs[0].type == wanted else None


def paying(graph: FrozenGraph, batches: Iterable[Batch]) -> tuple[float, list[Batch]]:
    """The batches that are cheaper than their members, with those that they feed; what they save.

    The latter is estimated, in microseconds.
    """
    home = {e: b.pack for b in batches for e in b.pack.members}
    outside = {x for e in graph.order if e not in home for x in e.inputs}.union(graph.results)
    saved, result = 0.0, list[Batch]()
    for group in connected(batches, home):
        before = sum(member_cost(e) for b in group for e in b.pack.members)
        after = sum(batch_cost(b, home, outside) for b in group)
        if after * PAYING < before:
            result += group
            saved += before - after
    return saved, result


def connected(batches: Iterable[Batch], home: Mapping[Expr, Pack]) -> list[list[Batch]]:
    """The batches in groups, each of which is connected by operands."""
    by_pack = {b.pack: b for b in batches}
    near: dict[Pack, set[Pack]] = {p: set() for p in by_pack}
    for b in by_pack.values():
        for x in chain.from_iterable(b.columns):
            if x in home:
                near[b.pack].add(home[x])
                near[home[x]].add(b.pack)
    groups, seen = [], set()
    for p in by_pack:
        if p in seen:
            continue
        seen.add(p)
        group = [p]
        for each in group:
            new = [q for q in by_pack if q in near[each] and q not in seen]
            seen.update(new)
            group += new
        groups.append([by_pack[q] for q in group])
    return groups


def member_cost(e: Expr) -> float:
    """The microseconds of one member of a pack."""
    assert e.op is not None
    if not e.shape:
        return SCALAR
    if Trait.VIEW in e.op.traits:
        return VIEW
    return CALL + nominal_bytes(e.type) * BYTE + 0.1 * max(len(e.inputs) - 2, 0)


def batch_cost(b: Batch, home: Mapping[Expr, Pack], outside: set[Expr]) -> float:
    """The microseconds of a batch, of its operands, and of the members that others read."""
    ops = [] if b.graph is None else [e for e in b.graph.order if e.op is not None]
    views = sum(e.op is not None and Trait.VIEW in e.op.traits for e in ops)
    size = sum(
        nominal_bytes(e.type) for e in ops if e.op is not None and Trait.VIEW not in e.op.traits
    )
    read = sum(e in outside for e in b.pack.members)
    own = VIEW * (1 + views) + CALL * (len(ops) - views) + size * BYTE
    return own + read * VIEW + sum(cost_of(xs, home) for xs in b.columns)


class Batching:
    """A graph that is built again with batches in the place of their members."""

    def __init__(self, graph: FrozenGraph, batches: Sequence[Batch]) -> None:
        self.graph, self.batches = graph, {b.pack: b for b in batches}
        self.units = Units(graph, self.batches)
        self.home = self.units.home
        self.number = {e: i for p in self.batches for i, e in enumerate(p.members)}
        self.intern = Interning(graph)
        self.new: dict[Expr, Expr] = {}
        self.arrays: dict[Pack, Expr] = {}

    def rebuilt(self) -> FrozenGraph:
        """The graph with batches."""
        for unit in self.units.in_order():
            if isinstance(unit, Pack):
                self.add(self.batches[unit])
            else:
                self.copy(unit)
        for e in (*self.graph.results, *self.graph.measured):
            self.value(e)
        changed = {old: new for old, new in self.new.items() if old is not new}
        return self.graph.with_others(changed, self.intern)

    def copy(self, e: Expr) -> None:
        """Copy an expression that is in no batch."""
        new = self.whole(e)
        if new is None:
            inputs = [self.value(x) for x in e.inputs]
            new = self.intern.copy(e, inputs)
        self.new[e] = new
        if e in self.graph.merged:
            self.intern.note(new, self.graph.merged[e])

    def whole(self, e: Expr) -> Expr | None:
        """The array of a batch that a stack is equal to."""
        if e.op is None or e.op.name != "stack" or e.attrs["axis"] not in (0, -e.type.ndim):
            return None
        if len(e.inputs) < 2 or source_of(e.inputs, self.home) is not Source.WHOLE:
            return None
        return self.arrays[self.home[e.inputs[0]]]

    def value(self, e: Expr) -> Expr:
        """The new expression of a value, also of one that is in a batch."""
        if e not in self.new:
            array = self.arrays[self.home[e]]
            self.new[e] = self.intern.apply("slice", array, index=(self.number[e],), like=e)
        return self.new[e]

    def add(self, b: Batch) -> None:
        """Add the array of a batch."""
        first = b.pack.members[0]
        if b.graph is None:
            array = self.rows(b.pack.members)
        else:
            operands = [self.column(xs) for xs in b.columns]
            array = inlined(self.intern, b.graph, operands, first)
        self.arrays[b.pack] = array
        places = chain.from_iterable(map(self.graph.places, b.pack.members))
        self.intern.note(array, [place for place in places if place != array.place])

    def rows(self, values: Values) -> Expr:
        """The rows of an array as one array."""
        found = rows_of(values)
        assert found is not None
        array, index = found
        if index == (("slice", 0, array.shape[0], None),):
            return self.value(array)
        return self.intern.apply("slice", self.value(array), index=index, like=values[0])

    def column(self, values: Values) -> Expr:
        """A column as an array; its value, if all members share it."""
        first, source = values[0], source_of(values, self.home)
        if source is Source.SHARED:
            return self.value(first)
        if source is Source.WHOLE:
            return self.arrays[self.home[first]]
        if source is Source.ROWS:
            return self.rows(values)
        if source is Source.PART:
            pack = self.home[first]
            key = slice_key(places_in(pack, values))
            return self.intern.apply("slice", self.arrays[pack], index=(key,), like=first)
        if source is Source.CONSTANT:
            return self.intern.constant(np.stack([x.value for x in values]), like=first)
        if source is Source.TAKEN:
            return self.taken(values)
        return self.intern.apply("stack", *map(self.value, values), axis=0, like=first)

    def taken(self, values: Values) -> Expr:
        """Values of packs in any order."""
        runs = [tuple(run) for _, run in groupby(values, self.home.__getitem__)]
        in_parts = len(runs) == len(set(map(self.home.get, values)))
        if in_parts and all(map(self.is_part, runs)):
            parts = map(self.column, runs)
            return self.intern.apply("concatenate", *parts, axis=0, like=values[0])
        starts, count = {}, 0
        for p in dict.fromkeys(self.home[x] for x in values):
            starts[p] = count
            count += len(p.members)
        places = [starts[self.home[x]] + self.number[x] for x in values]
        joined, *others = [self.arrays[p] for p in starts]
        if others:
            joined = self.intern.apply("concatenate", joined, *others, axis=0, like=values[0])
        index = self.intern.constant(np.array(places), like=values[0])
        return self.intern.apply("getitem", joined, index, index=("array",), like=values[0])

    def is_part(self, values: Values) -> bool:
        """True for all values of a pack, or values that are equally far apart."""
        parts = (Source.WHOLE, Source.PART)
        return len(values) > 1 and source_of(values, self.home) in parts


def inlined(intern: Interning, graph: FrozenGraph, operands: Sequence[Expr], like: Expr) -> Expr:
    """The result of a graph for operands, with the place of another expression."""
    result = dict(zip(graph.inputs, operands, strict=True))
    for e in graph.order:
        if e not in result:
            here = e._replace(place=like.place, origin=like.origin)
            result[e] = intern.copy(here, [result[x] for x in e.inputs])
            if e.op is not None and Trait.RETYPING in e.op.traits:
                result[e] = without_retyping(result[e], intern)
    return result[graph.outputs[0]]
