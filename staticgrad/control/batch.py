"""Batching rules of loops, branches and calls: the graphs inside are batched."""

from collections.abc import Sequence

from gradops import OPS, Batched, MissingRuleError, Op
from gradops.core.dims import Size
from gradops.core.levels import at_level, levels
from gradops.transforms.batching import Shared
from gradops.typing import Attrs

from ..freezing.freezer import freeze_body
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.tuple_types import HistoryType, ResidualsType
from .partial_eval import Scratch
from .stacks import Flags, add_batch_axis, batch_size, is_list, swap_leading_axes, with_batch_axis

Results = tuple[Expr | Shared, ...]  # of a batching rule: some without a batch axis


class BatchedGraph:
    """A frozen graph rebuilt with a leading batch axis on some of its inputs."""

    def __init__(self, graph: FrozenGraph, batched: Flags, size: Size) -> None:
        self.scratch, self.size, self.level = Scratch(), size, next(levels)
        self.inputs = [
            self.scratch.parameter(with_batch_axis(e.type, size) if b else e.type, e.name)
            for e, b in zip(graph.inputs, batched, strict=True)
        ]
        arguments = [
            Batched(x, self.level) if b else x for x, b in zip(self.inputs, batched, strict=True)
        ]
        with at_level(self.level):
            self.outputs = graph(*arguments)
        self.batched = [isinstance(y, Batched) and y.gradop_level == self.level
                        for y in self.outputs]  # fmt: skip

    def graph(self, batched: Flags) -> FrozenGraph:
        """The graph whose outputs have a batch axis where `batched` says so."""
        outputs = [
            y
            if not b
            else y.stack
            if own
            else add_batch_axis(self.scratch.expression(y), self.size)
            for y, b, own in zip(self.outputs, batched, self.batched, strict=True)
        ]
        return freeze_body([self.scratch.expression(y) for y in outputs], self.inputs)


def mark_shared(values: Sequence[Expr], batched: Flags) -> Results:
    """Values for a batching rule: those without a batch axis are marked as shared."""
    return tuple(y if b else Shared(y) for y, b in zip(values, batched, strict=True))


def loop_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Results:
    """Batch a loop: one loop runs the steps of all examples."""
    carries, lists = attrs["carries"], attrs["lists"]
    size, end = batch_size(stacks, batched), carries + lists
    flags = list(batched)
    while True:
        inside = BatchedGraph(attrs["body"], flags, size)
        state = [a or b for a, b in zip(flags[:carries], inside.batched, strict=False)]
        if state == flags[:carries]:
            break
        flags[:carries] = state
    outputs = [*state, *inside.batched[carries:]]
    cond = attrs["cond"]
    if cond is not None:
        seen = [*flags[:carries], *flags[end:]]
        inner = BatchedGraph(cond, seen, size)
        if inner.batched[0]:
            raise MissingRuleError(
                "loop", "batch", hint="the examples would take different numbers of steps"
            )
        cond = inner.graph([False])
    operands = [
        batched_operand(x, was, now, i, carries, end, size)
        for i, (x, was, now) in enumerate(zip(stacks, batched, flags, strict=True))
    ]
    result = op(*operands, **{**attrs, "body": inside.graph(outputs), "cond": cond})
    return mark_shared(result, outputs)


def batched_operand(
    x: Expr, was: bool, now: bool, i: int, carries: int, end: int, size: Size
) -> Expr:
    """An operand of a batched loop: with a batch axis if it needs one, steps first in arrays."""
    if now and not was:
        return add_batch_axis(x, size)
    return swap_leading_axes(x) if was and carries <= i < end and not is_list(x) else x


def case_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Results:
    """Batch a branch: one if the index is shared, else all, with a selection per example."""
    size, flags = batch_size(stacks, batched), batched[1:]
    inside = [BatchedGraph(b, flags, size) for b in attrs["branches"]]
    if batched[0]:
        return select_by_example(stacks, inside, size)
    outputs = [any(each) for each in zip(*(x.batched for x in inside), strict=True)]
    branches = tuple([x.graph(outputs) for x in inside])
    return mark_shared(op(*stacks, branches=branches), outputs)


def select_by_example(
    stacks: Sequence[Expr], inside: Sequence[BatchedGraph], size: Size
) -> Results:
    """Run all branches for all examples, and select the results of each example's branch."""
    graphs = [x.graph([True] * len(x.outputs)) for x in inside]
    rows = [OPS["call"](*stacks[1:], function=g) for g in graphs]
    index = OPS["astype"](stacks[0], dtype="int64")
    result = [initial_selection(column) for column in zip(*rows, strict=True)]
    for k, row in enumerate(rows[:-1]):
        for j, y in enumerate(row):
            if isinstance(y.type, HistoryType):
                raise MissingRuleError("case", "batch", hint="lists cannot be selected from")
            if is_list(y):
                continue
            here = OPS["reshape"](OPS["equal"](index, k), shape=(size, *[1] * (len(y.shape) - 1)))
            result[j] = OPS["where"](here, y, result[j])
    return tuple(result)


def initial_selection(column: Sequence[Expr]) -> Expr:
    """The result of the last branch; for residuals, those of all branches packed together."""
    type = column[-1].type
    if not isinstance(type, ResidualsType):
        return column[-1]
    own = [OPS["unpack"](y, index=k, type=type) for k, y in enumerate(column)]
    return OPS["pack"](*own, type=type)


def call_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Results:
    """Batch a call; the batched function is cached with its graph."""
    graph, size = attrs["function"], batch_size(stacks, batched)
    key = "batch", tuple(batched), size
    result = graph.derived.get(key)
    if result is None:
        inside = BatchedGraph(graph, batched, size)
        result = graph.derived.setdefault(key, (inside.graph(inside.batched), inside.batched))
    return mark_shared(op(*stacks, function=result[0]), result[1])
