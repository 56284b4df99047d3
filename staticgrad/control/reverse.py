"""Cotangents through loops, branches and calls.

Note [Residuals]. The backward of a loop is a loop the other way round, over what its steps kept: a
list of each value that the backward of one step reads. They come from a second loop that gives
these lists too; as it also gives all that the first one gives, only the second is run (`Widening`).
A further gradient of either reads what is kept already, and widens the widest form there is
(`Graph.wider`), so the forms of a loop are a chain. With residuals="recompute" only the state of
each step is kept, and the rest is computed again.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from gradops import OPS, ArrayType, Dim
from gradops.types import is_inexact

from ..frontend.freeze import enclosed
from ..ir.expr import Expr, apply, new_constant
from ..ir.graph import FrozenGraph, names_in
from ..ir.structure import HistoryType, Parts, Widening
from .lists import nothing, plus, share_of, values_of, zeros_like
from .scratch import Scratch, Split, loop_reach, split

Shares = Callable[[int], Any]


def loop_shares(wanted: Sequence[int], g: Parts, y: Any, *operands: Any, **attrs: Any) -> Shares:
    """The cotangents of a loop's operands. See Note [Residuals]."""
    body, carries, lists = attrs["body"], attrs["carries"], attrs["lists"]
    seeds = values_of(g)
    active = active_state(body, wanted, carries, seeds)
    given = sorted(i for i in seeds if i >= carries)
    if not active and not given:
        return lambda i: None
    asked = [*active, *(i for i in wanted if i >= carries and is_inexact(operands[i].dtype))]
    s = split(
        body, [*active, *given], asked, recompute=attrs["recompute"],
        fixed=range(carries + lists, len(operands)),
    )  # fmt: skip
    back = Backward(s, active, given, carries, lists, operands)
    histories = widened(s, y, operands, attrs, back)
    return back.run(seeds, y, histories, attrs)


def active_state(
    body: FrozenGraph, wanted: Iterable[int], carries: int, seeds: Iterable[int]
) -> list[int]:
    """The state that depends on what is wanted, and on which depends what has a cotangent."""
    reach = loop_reach(body, carries)
    asked = sum(1 << i for i in wanted)
    useful = reduce(or_, [reach[i] for i in seeds], 0)
    return [
        k for k in range(carries)
        if reach[k] & asked and useful >> k & 1 and is_inexact(body.inputs[k].dtype)
    ]  # fmt: skip


class Backward:
    """The loop that carries cotangents back: which state it has, and which lists it goes through.

    Its state is the cotangents of the `active` state, then sums for the operands that all steps
    share. It goes through the kept values, the state of each step that is read, the lists that are
    read, and cotangents of the `given` lists.
    """

    def __init__(
        self, s: Split, active: list[int], given: list[int], carries: int, lists: int, operands: Any
    ) -> None:
        self.split, self.active, self.given, self.operands = s, active, given, operands
        end = carries + lists
        self.sums = [i for i in s.gives if i >= end]
        self.made = [i for i in s.gives if carries <= i < end]
        self.state_read = [i for i in s.reads if i < carries]
        self.lists_read = [i for i in s.reads if carries <= i < end]
        self.shared_read = [i for i in s.reads if i >= end]
        if not s.kept and not self.state_read and not self.lists_read and not given:
            self.state_read = [0] if carries else []  # something has to tell the number of steps
        self.body = self.closed()

    def closed(self) -> FrozenGraph:
        """The body of the backward loop."""
        s, inner = Scratch(), self.split.backward
        reads, kept = self.split.reads, self.split.kept
        n = len(reads)
        by_input = dict(zip(reads, inner.inputs[:n], strict=True))
        of_forward = self.split.forward.inputs
        values = s.parameters(inner.inputs[n : n + kept])
        seeds = s.parameters(inner.inputs[n + kept :])
        state, given = seeds[: len(self.active)], seeds[len(self.active) :]
        read = {
            i: s.parameter(of_forward[i].type, by_input[i].name if i in by_input else "step")
            for i in (*self.state_read, *self.lists_read, *self.shared_read)
        }
        sums = [s.parameter(of_forward[i].type, f"sum/{of_forward[i].name}") for i in self.sums]
        found = s.thaw(inner, [*(read[i] for i in reads), *values, *seeds])
        by_number = dict(zip(self.split.gives, found, strict=True))
        new = [by_number[k] if k in by_number else zeros_like(x)
               for k, x in zip(self.active, state, strict=True)]  # fmt: skip
        totals = [plus(x, by_number[i]) for i, x in zip(self.sums, sums, strict=True)]
        elements = [*values, *(read[i] for i in (*self.state_read, *self.lists_read)), *given]
        parameters = [*state, *sums, *elements, *(read[i] for i in self.shared_read)]
        return enclosed([*new, *totals, *(by_number[i] for i in self.made)], parameters)

    def run(self, g: Mapping[int, Any], y: Expr, histories: Sequence[Any], attrs: Any) -> Shares:
        """The cotangents of the loop's operands, from those of its results."""
        part = OPS["part"]
        start = [g[k] if k in g else zeros_like(part(y, index=k)) for k in self.active]
        sums = [zeros_like(self.operands[i]) for i in self.sums]
        lists = [*histories, *(self.operands[i] for i in self.lists_read),
                 *(g[i] for i in self.given)]  # fmt: skip
        found = OPS["loop"](
            *start, *sums, *lists, *(self.operands[i] for i in self.shared_read),
            body=self.body, carries=len(start) + len(sums), lists=len(lists),
            gives=len(self.made), reverse=not attrs["reverse"],
            recompute=attrs["recompute"],
        )  # fmt: skip
        return shares_of([*self.active, *self.sums, *self.made], found, self.operands)


def shares_of(numbers: Sequence[int], found: Sequence[Any], operands: Sequence[Any]) -> Shares:
    """The function that gives the cotangent of an operand, from those of some operands."""
    given = dict(zip(numbers, found, strict=True))
    return lambda i: share_of(operands[i], given[i]) if i in given else None


def widened(
    s: Split, y: Expr, operands: Sequence[Expr], attrs: dict[str, Any], back: Backward
) -> list[Any]:
    """The lists of what the steps keep, from a loop that gives them beside the rest."""
    body, before = s.forward, len(s.forward.outputs) - s.kept
    outputs = (*body.outputs, *(body.inputs[i] for i in back.state_read))
    places, new = places_of(outputs, before, attrs["carries"])
    wide = FrozenGraph(body.inputs, (*outputs[:before], *new), merged=body.merged)
    more = {"body": wide, "gives": attrs["gives"] + len(new)}
    return kept_parts(y, "loop", operands, {**attrs, **more}, places, len(new))


def places_of(outputs: Sequence[Expr], before: int, first: int = 0) -> tuple[list[int], list[Expr]]:
    """Where each value after those `before` is given, at `first` or behind; and those that are new.

    A value that is given already is not given again.
    """
    found = {outputs[i]: i for i in reversed(range(first, before))}
    new = [e for e in dict.fromkeys(outputs[before:]) if e not in found]
    found |= {e: before + i for i, e in enumerate(new)}
    return [found[e] for e in outputs[before:]], new


def kept_parts(
    y: Expr, name: str, operands: Sequence[Any], attrs: dict[str, Any], places: Sequence[int],
    new: int,
) -> list[Any]:  # fmt: skip
    """Values that `y`, or if there are `new` ones a wider form of it, gives at `places`."""
    whole = y
    if new and places:
        whole = widen(y, name, operands, attrs)
        graph = y.names.graph() if y.names else None
        if graph is not None:
            graph.wider[y] = whole
    return [OPS["part"](whole, index=i) for i in places]


def widen(
    y: Expr, name: str, operands: Sequence[Any], attrs: dict[str, Any], places: Sequence[int] = ()
) -> Expr:
    """An application that gives all that `y` gives, part i of it as part `places[i]`, and more."""
    assert y.names is not None
    op, count = OPS[name], len(y.type.parts)  # type: ignore[attr-defined]
    operands, attrs = op.bind(operands, attrs)
    type = op.infer(*(x.type for x in operands), **attrs)
    widening = Widening(y, tuple(places or range(count)))
    made = apply(y.names, op, tuple(operands), attrs, type, widening)
    made.control_inputs = y.control_inputs  # whoever reads it, and wherever it was asked for
    return made


def case_shares(wanted: Sequence[int], g: Parts, y: Any, *operands: Any, **attrs: Any) -> Shares:
    """The cotangents of what the branches are given: those of the branch that was taken."""
    index, given = operands[0], operands[1:]
    seeds = values_of(g)
    asked = [i - 1 for i in wanted if i and is_inexact(operands[i].dtype)]
    splits = [split(b, sorted(seeds), asked) for b in attrs["branches"]]
    gives = sorted({i for s in splits for i in s.gives})
    if not gives:
        return lambda i: None
    kept = keep_in_all(splits, y, operands)
    back = [one_backward(k, splits, gives) for k in range(len(splits))]
    cotangents = [seeds[i] for i in sorted(seeds)]
    found = OPS["case"](index, *given, *kept, *cotangents, branches=tuple(back))
    return shares_of([i + 1 for i in gives], found, operands)


def keep_in_all(splits: Sequence[Split], y: Expr, operands: Sequence[Expr]) -> list[Any]:
    """What the branches keep, side by side: of a branch that is not taken, what nobody reads."""
    places, new = [], list[tuple[int, Expr]]()
    for k, s in enumerate(splits):
        before = len(s.forward.outputs) - s.kept
        found, more = places_of(s.forward.outputs, before)
        places += [i if i < before else i + len(new) for i in found]
        new += [(k, e) for e in more]
    wide = tuple([padded(s, k, new) for k, s in enumerate(splits)]) if new else ()
    return kept_parts(y, "case", operands, {"branches": wide}, places, len(new))


def padded(split: Split, k: int, new: Sequence[tuple[int, Expr]]) -> FrozenGraph:
    """Branch k, which gives something also for what other branches keep."""
    graph, s = split.forward, Scratch()
    inputs = s.parameters(graph.inputs)
    outputs = s.thaw(graph, inputs)
    own = dict(zip(graph.outputs, outputs, strict=True))
    known = {name for e in inputs for name in names_in(e)}
    row = [own[e] if branch == k else absent(s, e.type, known) for branch, e in new]
    return enclosed([*outputs[: len(outputs) - split.kept], *row], inputs)


def absent(s: Scratch, type: ArrayType, known: Container[str]) -> Expr:
    """A value of a type that nobody reads: zeros, where sizes are not known none; no steps."""
    shape = tuple(0 if unknown_size(n, known) else n for n in type.shape)
    if isinstance(type, HistoryType):
        attrs = {"shape": shape, "dtype": type.dtype, "depth": depth_of(type)}
        return apply(s.names, nothing, (), attrs, nothing.infer(**attrs))
    zero = new_constant(s.names, np.zeros((), type.dtype), "zero")
    return OPS["broadcast_to"](zero, shape=shape) if shape else zero


def unknown_size(size: Any, known: Container[str]) -> bool:
    """Whether a size has a name in it that is not known."""
    return isinstance(size, Dim) and any(name not in known for name in size.names())


def depth_of(type: ArrayType) -> int:
    """How many lists there are within one another."""
    return 1 + depth_of(type.element) if isinstance(type, HistoryType) else 0


def one_backward(k: int, splits: Sequence[Split], gives: Sequence[int]) -> FrozenGraph:
    """The backward of branch k, which takes what all backwards take and gives what all give."""
    own = splits[k]
    s = Scratch()
    inputs = s.parameters(own.forward.inputs)
    kept = [
        s.parameters(x.forward.outputs[len(x.forward.outputs) - x.kept :], "kept/") for x in splits
    ]
    cotangents = s.parameters(own.backward.inputs[len(own.reads) + own.kept :])
    reads = [inputs[i] for i in own.reads]
    found = s.thaw(own.backward, [*reads, *kept[k], *cotangents])
    by_number = dict(zip(own.gives, found, strict=True))
    results = [by_number[i] if i in by_number else zeros_like(inputs[i]) for i in gives]
    every = [x for each in kept for x in each]
    return enclosed(results, [*inputs, *every, *cotangents])


def call_shares(wanted: Sequence[int], g: Parts, y: Any, *operands: Any, **attrs: Any) -> Shares:
    """The cotangents of a function's operands. Its backward is made once, and kept with it."""
    given = values_of(g)
    seeds = tuple(sorted(given))
    asked = tuple(i for i in wanted if is_inexact(operands[i].dtype))
    graph = attrs["function"]
    key = "reverse", seeds, asked
    s = graph.derived.get(key)
    if s is None:
        s = graph.derived.setdefault(key, split(graph, seeds, asked))
    outputs, before = s.forward.outputs, len(s.forward.outputs) - s.kept
    places, new = places_of(outputs, before)
    wide = FrozenGraph(s.forward.inputs, (*outputs[:before], *new), merged=s.forward.merged)
    kept = kept_parts(y, "call", operands, {"function": wide}, places, len(new))
    reads = [operands[i] for i in s.reads]
    found = OPS["call"](*reads, *kept, *(given[i] for i in seeds), function=s.backward)
    return shares_of(s.gives, found, operands)
