"""Loops, branches and calls over a batch of examples: the graphs inside are batched."""

from collections.abc import Sequence
from typing import Any

from gradops import OPS, Batched, MissingRuleError
from gradops.core.levels import at_level, levels
from gradops.transforms.batching import Shared

from ..freezing.freezer import freeze_body
from ..ir.graph import FrozenGraph
from ..ir.tuple_types import HistoryType, ResidualsType
from .partial_eval import Scratch
from .stacks import Flags, is_list, size_of, spread, to_front, with_examples


class Inside:
    """A graph built anew in which some inputs have an axis of examples in front."""

    def __init__(self, graph: FrozenGraph, batched: Flags, size: Any) -> None:
        self.scratch, self.size, self.level = Scratch(), size, next(levels)
        self.inputs = [
            self.scratch.parameter(with_examples(e.type, size) if b else e.type, e.name)
            for e, b in zip(graph.inputs, batched, strict=True)
        ]
        given = [
            Batched(x, self.level) if b else x for x, b in zip(self.inputs, batched, strict=True)
        ]
        with at_level(self.level):
            self.outputs = graph(*given)
        self.batched = [isinstance(y, Batched) and y.gradop_level == self.level
                        for y in self.outputs]  # fmt: skip

    def graph(self, batched: Flags) -> FrozenGraph:
        """The graph that gives the examples of those outputs that are to have them."""
        outputs = [
            y if not b else y.stack if own else spread(self.scratch.expression(y), self.size)
            for y, b, own in zip(self.outputs, batched, self.batched, strict=True)
        ]
        return freeze_body([self.scratch.expression(y) for y in outputs], self.inputs)


def given(values: Sequence[Any], batched: Flags) -> tuple[Any, ...]:
    """Several values of which some have examples."""
    return tuple(y if b else Shared(y) for y, b in zip(values, batched, strict=True))


def loop_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """One loop over the steps of all examples."""
    carries, lists = attrs["carries"], attrs["lists"]
    size, end = size_of(stacks, batched), carries + lists
    flags = list(batched)
    while True:
        inside = Inside(attrs["body"], flags, size)
        state = [a or b for a, b in zip(flags[:carries], inside.batched, strict=False)]
        if state == flags[:carries]:
            break
        flags[:carries] = state
    outputs = [*state, *inside.batched[carries:]]
    cond = attrs["cond"]
    if cond is not None:
        seen = [*flags[:carries], *flags[end:]]
        inner = Inside(cond, seen, size)
        if inner.batched[0]:
            raise MissingRuleError(
                "loop", "batch", hint="the examples would take different numbers of steps"
            )
        cond = inner.graph([False])
    operands = [
        ready(x, was, now, i, carries, end, size)
        for i, (x, was, now) in enumerate(zip(stacks, batched, flags, strict=True))
    ]
    found = op(*operands, **{**attrs, "body": inside.graph(outputs), "cond": cond})
    return given(found, outputs)


def ready(x: Any, was: bool, now: bool, i: int, carries: int, end: int, size: Any) -> Any:
    """An operand of a loop over examples: spread if it has to have them, steps first in arrays."""
    if now and not was:
        return spread(x, size)
    return to_front(x) if was and carries <= i < end and not is_list(x) else x


def case_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """The branch that all examples take; if they may take different ones, all are computed."""
    size, flags = size_of(stacks, batched), batched[1:]
    inside = [Inside(b, flags, size) for b in attrs["branches"]]
    if batched[0]:
        return chosen_by_example(stacks, inside, size)
    outputs = [any(each) for each in zip(*(x.batched for x in inside), strict=True)]
    branches = tuple([x.graph(outputs) for x in inside])
    return given(op(*stacks, branches=branches), outputs)


def chosen_by_example(stacks: Sequence[Any], inside: Sequence[Inside], size: Any) -> Any:
    """What each example's branch gives, selected from what all branches give for all examples."""
    graphs = [x.graph([True] * len(x.outputs)) for x in inside]
    rows = [OPS["call"](*stacks[1:], function=g) for g in graphs]
    index = OPS["astype"](stacks[0], dtype="int64")
    found = [of_all_branches(column) for column in zip(*rows, strict=True)]
    for k, row in enumerate(rows[:-1]):
        for j, y in enumerate(row):
            if isinstance(y.type, HistoryType):
                raise MissingRuleError("case", "batch", hint="lists cannot be selected from")
            if is_list(y):
                continue
            here = OPS["reshape"](OPS["equal"](index, k), shape=(size, *[1] * (len(y.shape) - 1)))
            found[j] = OPS["where"](here, y, found[j])
    return tuple(found)


def of_all_branches(column: Sequence[Any]) -> Any:
    """The result of the last branch; of residuals, those of all, of which each reads its own."""
    type = column[-1].type
    if not isinstance(type, ResidualsType):
        return column[-1]
    own = [OPS["unpack"](y, index=k, type=type) for k, y in enumerate(column)]
    return OPS["pack"](*own, type=type)


def call_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """The function over examples, which is made once, and kept with it."""
    graph, size = attrs["function"], size_of(stacks, batched)
    key = "batch", tuple(batched), size
    found = graph.derived.get(key)
    if found is None:
        inside = Inside(graph, batched, size)
        found = graph.derived.setdefault(key, (inside.graph(inside.batched), inside.batched))
    return given(op(*stacks, function=found[0]), found[1])
