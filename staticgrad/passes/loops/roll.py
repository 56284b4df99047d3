"""Unrolled loops rolled up: repeated stretches of a graph become the body of a `loop`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import is_

import numpy as np

from gradops import OPS

from ...control.ops import element_of
from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.kinds import Kind
from ...ir.tuple_types import HistoryType, TupleType
from ..interface import Pass
from ..subgraphs import parameters_for
from .repeats import codes_of, ops_in_sequence, runs_in
from .stretches import Column, Home, Planner, Stretch, rows_of

MOST_SINGLE = 4  # ops of a stretch for each value that is read by itself; with fewer it stays


@dataclass(frozen=True)
class RollRepeats(Pass):
    """Roll repeated stretches of ops into loops. See Note [Rolling].

    A stretch has at least `ops` ops and `repeats` repeats, and `least` ops in all: fewer compile
    fast as they are.
    """

    repeats: int = 8
    ops: int = 4
    least: int = 1000

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        if len(graph) < self.least:
            return graph
        ops = ops_in_sequence(graph)
        runs = runs_in(codes_of(ops), self.repeats + 1, self.ops)
        runs = [run for run in runs if run.stop - run.start >= self.least]
        if not runs:
            return graph
        while True:
            planner = Planner(graph, ops)
            stretches = [s for run in runs if (s := planner.add(run, self.repeats)) is not None]
            single = values_read_singly(graph, planner, stretches)
            paying = [s for s in stretches if single[s] * MOST_SINGLE <= s.count]
            if len(paying) == len(stretches):
                break
            runs = [s.run for s in paying]
        return Rebuilding(graph, planner, stretches).rebuilt() if stretches else graph


def values_read_singly(
    graph: FrozenGraph, planner: Planner, stretches: Sequence[Stretch]
) -> dict[Stretch, int]:
    """The number of values of each stretch that are not read as a list: each is an op more."""
    homes = planner.homes
    rest = [x for e in graph.order if e not in homes for x in e.inputs]
    columns = [xs for s in stretches for xs in s.columns if not planner.direction(xs)]
    read = dict.fromkeys((*rest, *chain.from_iterable(columns), *graph.results))
    result = dict.fromkeys(stretches, 0)
    for x in read:
        if x in homes:
            result[homes[x].stretch] += 1
    return result


class Rebuilding:
    """A graph that is built again with loops in the place of stretches."""

    def __init__(self, graph: FrozenGraph, planner: Planner, stretches: Sequence[Stretch]) -> None:
        self.graph, self.planner, self.homes = graph, planner, planner.homes
        self.stretches = {s.steps[0][0]: s for s in stretches}
        self.intern = Interning(graph)
        self.new: dict[Expr, Expr] = {}
        self.loops: dict[Stretch, Expr] = {}

    def rebuilt(self) -> FrozenGraph:
        """The graph with loops."""
        for e in self.early():
            self.copy(e)
        for e in self.graph.order:
            if e in self.stretches:
                self.add_loop(self.stretches[e])
            if e not in self.new and e not in self.homes:
                self.copy(e)
        for e in (*self.graph.results, *self.graph.measured):
            self.value(e)
        changed = {old: new for old, new in self.new.items() if old is not new}
        return self.graph.with_others(changed, self.intern)

    def early(self) -> list[Expr]:
        """Leaves, and views of them, which lists may be made of."""
        result: dict[Expr, None] = {}
        for e in self.graph.order:
            if e not in self.planner.position and all(x in result for x in e.inputs):
                result[e] = None
        return list(result)

    def copy(self, e: Expr) -> None:
        """Copy an expression."""
        inputs = [self.value(x) for x in e.inputs]
        if all(map(is_, inputs, e.inputs)):
            self.intern.order[e] = None
            self.new[e] = e
        else:
            self.new[e] = self.intern.copy(e, inputs)
        if e in self.graph.merged:
            self.intern.note(self.new[e], self.graph.merged[e])

    def value(self, e: Expr) -> Expr:
        """The new expression of a value, also of one that a loop gives."""
        if e not in self.new:
            self.new[e] = self.entry(self.homes[e], e)
        return self.new[e]

    def entry(self, home: Home, e: Expr) -> Expr:
        """The value of an op of a step: the last state, or an entry of a list."""
        s, loop = home.stretch, self.loops[home.stretch]
        number = s.last_state(home.place)
        if number is not None and home.step == len(s.steps) - 1:
            return self.intern.part(loop, number)
        return self.intern.apply("list_entry", self.given(home), index=s.index(home.step), like=e)

    def given(self, home: Home) -> Expr:
        """The list of the values of an op in all steps."""
        s = home.stretch
        return self.intern.part(self.loops[s], len(s.state) + s.given[home.place])

    def column(self, values: Column, s: Stretch) -> Expr:
        """A list or array with a value for each step."""
        ordered = values[::-1] if s.is_reversed else values
        if not self.planner.direction(ordered):
            return self.stacked(ordered, s)
        first, last = self.homes[ordered[0]], self.homes[ordered[-1]]
        other, given = first.stretch, self.given(first)
        start, stop = other.index(first.step), other.index(last.step)
        if (start, stop) == (0, len(other.steps) - 1):
            return given
        by = 1 if start < stop else -1
        end = stop + by
        places = {"start": start, "stop": None if end < 0 else end, "step": by}
        return self.intern.apply("list_slice", given, like=given, **places)

    def stacked(self, ordered: Column, s: Stretch) -> Expr:
        """Values of all steps as an array; of a slice of an array, if they are that."""
        like = s.steps[0][0]
        rows = rows_of(ordered)
        if rows is not None:
            array, index = rows
            return self.intern.apply("slice", self.value(array), index=index, like=ordered[0])
        if all(x.kind is Kind.CONSTANT for x in ordered):
            return self.intern.constant(np.stack([x.value for x in ordered]), like)
        return self.intern.apply("stack", *map(self.value, ordered), axis=0, like=like)

    def add_loop(self, s: Stretch) -> None:
        """Add the loop of a stretch."""
        columns = [self.column(values, s) for values in s.columns]
        if not columns:  # something has to tell the number of steps
            columns = [self.intern.constant(np.zeros(len(s.steps), np.bool_), s.steps[0][0])]
        operands = [
            *(self.value(x) for _, x in s.state), *columns, *(self.value(x) for x in s.shared),
        ]  # fmt: skip
        body = body_of(s, columns, self.graph)
        attrs = {
            "body": body, "cond": None, "carries": len(s.state), "lists": len(columns),
            "gives": len(s.given), "reverse": s.is_reversed, "recompute": False,
        }  # fmt: skip
        types = [y.type for y in body.outputs]
        for k in range(len(s.state), len(types)):
            types[k] = HistoryType(len(s.steps), types[k])
        new = s.steps[0][0]._replace(
            name="rolled", op=OPS["loop"], attrs=attrs, type=TupleType(types),
            inputs=tuple(operands),
        )  # fmt: skip
        self.loops[s] = self.intern.copy(new, operands)


def body_of(s: Stretch, columns: Sequence[Expr], graph: FrozenGraph) -> FrozenGraph:
    """The graph of one step, with the ops of the first."""
    step = s.steps[0]
    state = [step[place] for place, _ in s.state]
    types = [element_of(x.type) for x in columns]
    entries = [x._replace(type=t) for x, t in zip(columns, types, strict=True)]
    intern = Interning()
    parameters = parameters_for(step, [*state, *entries, *s.shared])
    inputs = [intern.copy(p, ()) for p in parameters]
    first = {"state": 0, "column": len(state), "shared": len(state) + len(entries)}
    ops: list[Expr] = []
    for e, sources, places in zip(step, s.sources, zip(*s.steps, strict=True), strict=True):
        xs = [ops[i] if kind == "op" else inputs[first[kind] + i] for kind, i in sources]
        ops.append(intern.copy(e, xs))
        lines = dict.fromkeys(chain.from_iterable(map(graph.places, places)))
        intern.note(ops[-1], [line for line in lines if line != e.place])
    outputs = [*(ops[place] for place, _ in s.state), *(ops[place] for place in s.given)]
    merged = {e: lines for e, lines in intern.merged.items() if lines}
    return FrozenGraph(
        tuple(inputs), tuple(outputs), merged=merged, sequence=tuple(intern.order),
        lowering=graph.lowering,
    )  # fmt: skip
