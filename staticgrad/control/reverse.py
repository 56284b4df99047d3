"""Cotangents through loops, branches and calls.

Note [Residuals]. The backward of a loop is a loop the other way round, over what its steps kept: a
list of each value that the backward of one step reads. They come from a second loop that gives
these lists too; as it also gives all that the first one gives, only the second is run (`Widening`).
With residuals="recompute" only the state of each step is kept, and the rest is computed again.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradops import OPS, ArrayType, Dim
from gradops.types import is_inexact

from ..frontend.freeze import enclosed
from ..ir.expr import Expr, Widening, apply, new_constant, parts_of
from ..ir.graph import FrozenGraph
from ..ir.structure import HistoryType, Parts
from .lists import nothing, plus, share_of, values_of, zeros_like
from .scratch import Scratch, Split, chosen, dependencies, names_in, split

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
        body, [*active, *given], asked, again=again_of(attrs),
        fixed=range(carries + lists, len(operands)),
    )  # fmt: skip
    back = Backward(s, active, given, carries, lists, operands)
    histories = widened(s, y, operands, attrs, back)
    return back.run(seeds, y, histories, attrs)


def again_of(attrs: dict[str, Any]) -> Callable[[Expr], bool]:
    """Which values of a step are computed again in the backward, not kept."""
    return lambda e: bool(attrs["recompute"])


def active_state(
    body: FrozenGraph, wanted: Sequence[int], carries: int, seeds: Iterable[int]
) -> list[int]:
    """The state that depends on what is wanted, and on which depends what has a cotangent."""
    bits = dependencies(body)
    varied = 0
    for i in wanted:
        varied |= 1 << i
    useful = {i for i in seeds if i < carries}
    ends = [bits[i] for i in seeds if i >= carries]
    state = (1 << carries) - 1
    for _ in range(carries):
        for k in range(carries):
            varied |= (1 << k) if bits[k] & varied else 0
        reached = [*ends, *(bits[k] for k in useful)]
        for each in reached:
            useful |= chosen(each & state)
    return [
        k for k in range(carries)
        if varied >> k & 1 and k in useful and is_inexact(body.inputs[k].dtype)
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
    body = s.forward
    state = tuple(body.inputs[i] for i in back.state_read)
    more = s.kept + len(state)
    if not more:
        return []
    wide = FrozenGraph(body.inputs, (*body.outputs, *state), merged=body.merged)
    found = widen(y, "loop", operands, {**attrs, "body": wide, "gives": attrs["gives"] + more})
    return list(found[-more:])


def widen(
    y: Expr, name: str, operands: Sequence[Any], attrs: dict[str, Any], places: Sequence[int] = ()
) -> Any:
    """An application that gives all that `y` gives, part i of it as `places[i]`, and more.

    Over a batch of examples it is an application like any other.
    """
    op = OPS[name]
    if not all(isinstance(x, Expr) for x in operands):
        return op(*operands, **attrs)
    assert y.names is not None
    count = len(y.type.parts)  # type: ignore[attr-defined]
    operands, attrs = op.bind(operands, attrs)
    type = op.infer(*(x.type for x in operands), **attrs)
    widening = Widening(y, tuple(places or range(count)))
    return parts_of(apply(y.names, op, tuple(operands), attrs, type, widening))


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
    total = sum(s.kept for s in splits)
    if not total:
        return []
    kept = [e.type for s in splits for e in s.forward.outputs[len(s.forward.outputs) - s.kept :]]
    wide, before = [], 0
    for s in splits:
        wide.append(padded(s.forward, s.kept, kept, before))
        before += s.kept
    found = widen(y, "case", operands, {"branches": tuple(wide)})
    return list(found[-total:])


def padded(graph: FrozenGraph, count: int, kept: Sequence[ArrayType], before: int) -> FrozenGraph:
    """A branch that gives something also for what other branches keep."""
    s = Scratch()
    inputs = s.parameters(graph.inputs)
    outputs = s.thaw(graph, inputs)
    results, own = outputs[: len(outputs) - count], outputs[len(outputs) - count :]
    known = {name for e in inputs for name in names_in(e)}
    row = [
        own[i - before] if before <= i < before + count else absent(s, t, known)
        for i, t in enumerate(kept)
    ]
    return enclosed([*results, *row], inputs)


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
    kept: list[Any] = []
    if s.kept:
        found = widen(y, "call", operands, {"function": s.forward})
        kept = list(found[-s.kept :])
    reads = [operands[i] for i in s.reads]
    found = OPS["call"](*reads, *kept, *(given[i] for i in seeds), function=s.backward)
    return shares_of(s.gives, found, operands)
