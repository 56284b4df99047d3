"""Repeated stretches as steps of a loop: where the operands of each op come from.

Note [Rolling]. Each operand of a stretch is, in all steps, the same expression; or an op of the
same step; or an op of the step before, which makes it state; or a value of its own for each step,
which comes in a list. Such a list is one that another rolled loop gives, in its order or reversed,
as in a backward, or an array of numbers. Values that others read are given in lists, unless they
are the last state. Lists become arrays and are taken apart again, so values in them are small, and
in C order, so that results keep their bits.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gradops import OPS, ArrayType
from gradops.core.traits import Trait

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.nominal import nominal_bytes
from .repeats import Run, with_best_phase

SMALL = 1024  # bytes of a value that may be copied into an array and out of it
TRIMMED = 6  # steps at the ends that may stay outside
TRIES = 6

Source = tuple[str, int]
"""Where an operand comes from: an op of the step, state, a column or a shared value, by number."""
Column = tuple[Expr, ...]
"""A value of each step."""


@dataclass(eq=False)
class Stretch:
    """A repeated stretch: the ops of each step, and where the operands of each op come from.

    `state` numbers the values that pass to the next step: the place of an op, and the value that
    the first step has. `given` numbers the places of ops that others read.
    """

    run: Run
    steps: Sequence[Sequence[Expr]]
    sources: list[list[Source]] = field(default_factory=list)
    state: dict[tuple[int, Expr], int] = field(default_factory=dict)
    columns: dict[Column, int] = field(default_factory=dict)
    shared: dict[Expr, int] = field(default_factory=dict)
    given: dict[int, int] = field(default_factory=dict)
    is_reversed: bool = False

    @property
    def count(self) -> int:
        """The number of ops in all steps."""
        return len(self.steps) * self.run.period

    def index(self, step: int) -> int:
        """The index of a step in the lists."""
        return len(self.steps) - 1 - step if self.is_reversed else step

    def last_state(self, place: int) -> int | None:
        """The number of the state that an op becomes."""
        return next((n for (k, _), n in self.state.items() if k == place), None)


@dataclass(frozen=True, slots=True)
class Home:
    """The place of a value in a stretch: the op `place` of the step `step`."""

    stretch: Stretch
    place: int
    step: int


class Homes:
    """The places of values in stretches, which follow from their positions among the ops."""

    def __init__(self, position: Mapping[Expr, int]) -> None:
        self.position = position
        self.starts: list[int] = []
        self.stops: list[int] = []
        self.stretches: list[Stretch] = []

    def add(self, s: Stretch) -> None:
        """Add the places of a stretch."""
        i = bisect_right(self.starts, s.run.start)
        self.starts.insert(i, s.run.start)
        self.stops.insert(i, s.run.start + s.count)
        self.stretches.insert(i, s)

    def get(self, e: Expr) -> Home | None:
        """The place of an expression, if it is in a stretch."""
        at = self.position.get(e, -1)
        i = bisect_right(self.starts, at) - 1
        if i < 0 or at >= self.stops[i]:
            return None
        s = self.stretches[i]
        step, place = divmod(at - s.run.start, s.run.period)
        return Home(s, place, step)

    def __getitem__(self, e: Expr) -> Home:
        home = self.get(e)
        assert home is not None
        return home

    def __contains__(self, e: Expr) -> bool:
        at = self.position.get(e, -1)
        i = bisect_right(self.starts, at) - 1
        return i >= 0 and at < self.stops[i]


Steps = tuple[int, int]
"""The first step of a stretch that may be rolled, and the one after the last."""


class Planner:
    """Finds out which stretches of a graph can be rolled."""

    def __init__(self, graph: FrozenGraph, ops: Sequence[Expr]) -> None:
        self.ops = ops
        self.position = {e: i for i, e in enumerate(ops)}
        self.last = last_readers(graph, self.position)
        self.homes = Homes(self.position)

    def add(self, run: Run, repeats: int) -> Stretch | None:
        """The stretch of a run, perhaps without some steps at its ends; None if it is no loop."""
        run = with_best_phase(run, self.ops, self.position)
        for _ in range(TRIES):
            if run.steps < repeats:
                return None
            s = Stretch(run, steps_of(run, self.ops))
            steps = self.connect(s)
            if steps is None:
                return None
            if steps == (0, run.steps):
                return self.finished(s)
            p = run.period
            run = Run(run.start + steps[0] * p, run.start + steps[1] * p, p)
        return None

    def connect(self, s: Stretch) -> Steps | None:
        """Add the sources of all operands; the steps in which they are alike, None if in none."""
        every = 0, len(s.steps)
        for place, e in enumerate(s.steps[0]):
            if e.op is None or Trait.EFFECT in e.op.traits:
                return None
            s.sources.append([])
            for i in range(len(e.inputs)):
                steps = self.connect_operand(s, place, tuple([x[place].inputs[i] for x in s.steps]))
                if steps != every:
                    return steps
        return every

    def connect_operand(self, s: Stretch, place: int, values: Column) -> Steps | None:
        """Add the source of one operand, which has these values in the steps."""
        count, x, p = len(values), values[1], s.run.period
        if all(y is x for y in values[2:]):
            at = self.position.get(x, -1)
            if at >= s.run.start:
                return (at - s.run.start) // p + 1, count
            return self.add_shared(s, place, x, count) if values[0] is x else (1, count)
        distance = s.run.start + p + place - self.position.get(x, s.run.stop)
        if distance > 0 and self.are_apart(values[1:], s.run.start + p + place - distance, p):
            return self.add_inner(s, place, values, distance)
        return self.add_column(s, place, values)

    def are_apart(self, values: Sequence[Expr], first: int, period: int) -> bool:
        """True if values are at positions from `first` on, a period apart."""
        position = self.position
        return all(position.get(x) == first + k * period for k, x in enumerate(values))

    def add_shared(self, s: Stretch, place: int, x: Expr, count: int) -> Steps:
        """Add an operand that is the same in all steps."""
        s.sources[place].append(("shared", s.shared.setdefault(x, len(s.shared))))
        return 0, count

    def add_inner(self, s: Stretch, place: int, values: Column, distance: int) -> Steps | None:
        """Add an operand that is an op of the step, or of the step before."""
        other, count = place - distance, len(values)
        if other >= 0:
            s.sources[place].append(("op", other))
            is_alike = self.position.get(values[0]) == s.run.start + other
            return (0 if is_alike else 1), count
        other += s.run.period
        if other < 0 or type(values[1].type) is not ArrayType:
            return None
        if values[0].type != values[1].type:
            return 1, count
        number = s.state.setdefault((other, values[0]), len(s.state))
        s.sources[place].append(("state", number))
        return 0, count

    def add_column(self, s: Stretch, place: int, values: Column) -> Steps | None:
        """Add an operand that has a value of its own in each step."""
        late = [k for k, x in enumerate(values) if self.position.get(x, -1) >= s.run.start]
        if late:
            return None
        direction = self.direction(values)
        if direction == 0 and any(x in self.homes for x in values):
            steps = self.longest(values)
            if steps[1] - steps[0] >= len(values) - TRIMMED:
                return steps
        if len({x.type for x in values}) > 1:
            return None
        if rows_of(values) is None and not all(map(is_copyable, values)):
            return None
        s.is_reversed |= direction < 0
        s.sources[place].append(("column", s.columns.setdefault(values, len(s.columns))))
        return 0, len(values)

    def direction(self, values: Sequence[Expr]) -> int:
        """1 or -1 if values are those of another stretch, in its order or reversed; else 0."""
        by = step_between(self.homes.get(values[0]), self.homes.get(values[1]))
        homes = map(self.homes.get, values)
        return by if by and all(step_between(a, b) == by for a, b in pairwise(homes)) else 0

    def longest(self, values: Sequence[Expr]) -> Steps:
        """The longest run of values that are those of another stretch, in order or reversed."""
        best, first, by = (0, 0), 0, 0
        homes = map(self.homes.get, values)
        for k, (a, b) in enumerate(pairwise(homes), 1):
            step = step_between(a, b)
            if step != by:
                first, by = (k - 1 if step else k), step
            if by and k + 1 - first > best[1] - best[0]:
                best = first, k + 1
        return best

    def finished(self, s: Stretch) -> Stretch | None:
        """The stretch with the places that others read; None if these cannot be given."""
        last = len(s.steps) - 1
        states = {place for place, _ in s.state}
        for k, step in enumerate(s.steps):
            for place, e in enumerate(step):
                if self.last.get(e, 0) >= s.run.stop and not (k == last and place in states):
                    if not is_copyable(e):
                        return None
                    s.given.setdefault(place, len(s.given))
        self.homes.add(s)
        return s


def step_between(a: Home | None, b: Home | None) -> int:
    """1 or -1 if two places are those of one op of a stretch, in neighbouring steps; else 0."""
    if a is None or b is None or a.stretch is not b.stretch or a.place != b.place:
        return 0
    by = a.stretch.index(b.step) - a.stretch.index(a.step)
    return by if abs(by) == 1 else 0


def last_readers(graph: FrozenGraph, position: Mapping[Expr, int]) -> dict[Expr, int]:
    """The position of the last reader of each expression; after all for results and others."""
    result: dict[Expr, int] = {}
    after = len(graph)
    for e in graph.order:
        at = position.get(e, after)
        for x in e.inputs:
            result[x] = max(at, result.get(x, 0))
    result.update(dict.fromkeys((*graph.results, *graph.measured), after))
    return result


def steps_of(run: Run, ops: Sequence[Expr]) -> list[Sequence[Expr]]:
    """The ops of each step."""
    p = run.period
    return [ops[i : i + p] for i in range(run.start, run.start + run.steps * p, p)]


def is_copyable(e: Expr) -> bool:
    """True for a small array, or a number, whose copy in C order is alike."""
    if type(e.type) is not ArrayType or nominal_bytes(e.type) > SMALL:
        return False
    return not e.shape or e.in_c_order


def rows_of(values: Column) -> tuple[Expr, tuple[object, ...]] | None:
    """An array and an index of it with these entries, which are equally far apart; else None.

    A slice of an array of unknown size may be shorter, where a row out of range is an error.
    """
    first, second = values[0], values[1]
    if any(x.op is not OPS["slice"] or len(x.inputs) > 1 for x in values):
        return None
    if any(x.inputs[0] is not first.inputs[0] for x in values):
        return None
    if not all(type(n) is int for n in first.inputs[0].shape[:1]):
        return None
    i, j = (x.attrs["index"][0] for x in (first, second))
    rest = first.attrs["index"][1:]
    if type(i) is not int or type(j) is not int or i == j or min(i, j) < 0:
        return None
    wanted = [(i + k * (j - i), *rest) for k in range(len(values))]
    if [x.attrs["index"] for x in values] != wanted or not rest_is_simple(rest):
        return None
    end = wanted[-1][0] + (j - i)
    key = ("slice", i, None if end < 0 else end, None if j - i == 1 else j - i)
    return first.inputs[0], (key, *rest)


def rest_is_simple(rest: Sequence[object]) -> bool:
    """True if the rest of an index chooses entries by integers and slices only."""
    return all(type(i) is int or (type(i) is tuple and i[0] == "slice") for i in rest)
