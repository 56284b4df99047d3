"""Reverse mode of loops, branches and calls.

Note [Residuals]. The backward of a loop is a loop in the opposite direction over residuals: a list
of each value that the backward of a step reads. They come from an extended loop, which returns
these lists too; as it also returns all that the first one does, only the extended one is run
(`Widening`). A further gradient of either reads the lists that exist, and extends the widest form
(`Graph.wider`), so the forms of a loop are a chain. With residuals="recompute" only the state of
each step is saved, and the rest is recomputed. Branches and calls return their residuals as one
value: see Note [Packing].
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from gradops import OPS
from gradops.typing import Attrs

from ..freezing.freezer import freeze_body
from ..ir.expr import Expr, apply
from ..ir.graph import FrozenGraph
from ..ir.sizes import sizes_determined_by
from ..ir.tuple_types import (
    Parts,
    ResidualsType,
    Widening,
    carries_derivatives,
    types_of_parts,
)
from .packing import pack_values, unpack_values, unused_value
from .partial_eval import Scratch, Split, active_state, loop_reach, split
from .stacks import Cotangent, add, cotangent_like, cotangents_in, zeros_like

Cotangents = list[Cotangent | None]


def loop_vjp(wanted: Sequence[int], g: Parts, y: Expr, *operands: Expr, **attrs: Any) -> Cotangents:
    """The cotangents of a loop's operands. See Note [Residuals]."""
    body, carries, lists = attrs["body"], attrs["carries"], attrs["lists"]
    seeds = cotangents_in(g)
    reach = loop_reach(body, carries)
    useful = reduce(or_, [reach[i] for i in seeds], 0)
    active = [k for k in active_state(body, wanted, carries) if useful >> k & 1]
    given = sorted(i for i in seeds if i >= carries)
    if not active and not given:
        return [None] * len(wanted)
    shared = [i for i in wanted if i >= carries and carries_derivatives(operands[i].type)]
    asked = [*active, *shared]
    s = split(
        body, [*active, *given], asked, recompute=attrs["recompute"],
        fixed=range(carries + lists, len(operands)),
    )  # fmt: skip
    back = Backward(s, active, given, carries, lists, operands)
    histories = residual_lists(s, y, operands, attrs, back)
    return back.run(wanted, seeds, y, histories, attrs)


class Backward:
    """The backward loop: its state, and the lists that it iterates over.

    Its state is the cotangents of the `active` state, then sums for the operands that all steps
    share. It iterates over the residuals, the state of each step that is read, the lists that are
    read, and cotangents of the `given` lists.
    """

    def __init__(
        self, s: Split, active: list[int], given: list[int], carries: int, lists: int,
        operands: Sequence[Expr],
    ) -> None:  # fmt: skip
        self.split, self.active, self.given, self.operands = s, active, given, operands
        end = carries + lists
        self.sums = [i for i in s.gives if i >= end]
        self.made = [i for i in s.gives if carries <= i < end]
        self.state_read = [i for i in s.reads if i < carries]
        self.lists_read = [i for i in s.reads if carries <= i < end]
        self.shared_read = [i for i in s.reads if i >= end]
        if not s.kept and not self.state_read and not self.lists_read and not given:
            self.state_read = [0] if carries else []  # something has to tell the number of steps
        self.body = self.build_body()

    def build_body(self) -> FrozenGraph:
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
        result = s.thaw(inner, [*(read[i] for i in reads), *values, *seeds])
        by_number = dict(zip(self.split.gives, result, strict=True))
        new = [by_number[k] if k in by_number else zeros_like(x)
               for k, x in zip(self.active, state, strict=True)]  # fmt: skip
        totals = [add(x, by_number[i]) for i, x in zip(self.sums, sums, strict=True)]
        elements = [*values, *(read[i] for i in (*self.state_read, *self.lists_read)), *given]
        parameters = [*state, *sums, *elements, *(read[i] for i in self.shared_read)]
        return freeze_body([*new, *totals, *(by_number[i] for i in self.made)], parameters)

    def run(
        self, wanted: Sequence[int], g: Mapping[int, Expr], y: Expr, histories: Sequence[Expr],
        attrs: Attrs,
    ) -> Cotangents:  # fmt: skip
        """The cotangents of the loop's operands, from those of its results."""
        part = OPS["part"]
        start = [g[k] if k in g else zeros_like(part(y, index=k)) for k in self.active]
        sums = [zeros_like(self.operands[i]) for i in self.sums]
        lists = [*histories, *(self.operands[i] for i in self.lists_read),
                 *(g[i] for i in self.given)]  # fmt: skip
        result = OPS["loop"](
            *start, *sums, *lists, *(self.operands[i] for i in self.shared_read),
            body=self.body, carries=len(start) + len(sums), lists=len(lists),
            gives=len(self.made), reverse=not attrs["reverse"],
            recompute=attrs["recompute"],
        )  # fmt: skip
        return cotangents_of(wanted, [*self.active, *self.sums, *self.made], result, self.operands)


def cotangents_of(
    wanted: Sequence[int], numbers: Sequence[int], values: Sequence[Expr], operands: Sequence[Expr]
) -> Cotangents:
    """The cotangents of the wanted operands, from the values for operands with `numbers`."""
    by_number = dict(zip(numbers, values, strict=True))
    return [cotangent_like(operands[i], by_number[i]) if i in by_number else None for i in wanted]


def residual_lists(
    s: Split, y: Expr, operands: Sequence[Expr], attrs: Attrs, back: Backward
) -> list[Expr]:
    """The lists of residuals, from a loop that is extended to return them."""
    body, before = s.forward, len(s.forward.outputs) - s.kept
    outputs = (*body.outputs, *(body.inputs[i] for i in back.state_read))
    places, new = places_of(outputs, before, attrs["carries"])
    wide = FrozenGraph(body.inputs, (*outputs[:before], *new), merged=body.merged)
    more = {"body": wide, "gives": attrs["gives"] + len(new)}
    return extended_parts(y, "loop", operands, {**attrs, **more}, places, len(new))


def places_of(outputs: Sequence[Expr], before: int, first: int = 0) -> tuple[list[int], list[Expr]]:
    """The place of each value after those `before`, and the values that are new.

    A value that is returned at `first` or later is not returned a second time.
    """
    result = {outputs[i]: i for i in reversed(range(first, before))}
    new = [e for e in dict.fromkeys(outputs[before:]) if e not in result]
    result |= {e: before + i for i, e in enumerate(new)}
    return [result[e] for e in outputs[before:]], new


def extended_parts(
    y: Expr, name: str, operands: Sequence[Expr], attrs: Attrs, places: Sequence[int],
    new: int,
) -> list[Expr]:  # fmt: skip
    """The parts `places` of `y`, or of an extended form of it if there are `new` values."""
    whole = y
    if new and places:
        whole = extend(y, name, operands, attrs)
        graph = y.names.graph() if y.names else None
        if graph is not None:
            graph.wider[y] = whole
    return [OPS["part"](whole, index=i) for i in places]


def extend(
    y: Expr, name: str, operands: Sequence[Expr], attrs: Attrs, places: Sequence[int] = ()
) -> Expr:
    """An extended form of `y`, which returns part i of `y` as its part `places[i]`, and more."""
    assert y.names is not None
    op, count = OPS[name], len(types_of_parts(y))
    operands, attrs = op.bind(operands, attrs)
    type = op.infer(*(x.type for x in operands), **attrs)
    widening = Widening(y, tuple(places or range(count)))
    made = apply(y.names, op, tuple(operands), attrs, type, widening)
    made.control_inputs = y.control_inputs  # whoever reads it, and wherever it was asked for
    return made


def case_vjp(wanted: Sequence[int], g: Parts, y: Expr, *operands: Expr, **attrs: Any) -> Cotangents:
    """The cotangents of a branch's operands, from the backward of the branch that was taken."""
    index, given = operands[0], operands[1:]
    seeds = cotangents_in(g)
    asked = [i - 1 for i in wanted if i and carries_derivatives(operands[i].type)]
    splits = [split(b, sorted(seeds), asked) for b in attrs["branches"]]
    gives = sorted({i for s in splits for i in s.gives})
    if not gives:
        return [None] * len(wanted)
    kept: list[Expr] = []
    if any(s.kept for s in splits):
        wide = tuple([branch_with_residuals(k, splits) for k in range(len(splits))])
        kept = [packed_residuals(y, "case", operands, {"branches": wide}, wide)]
    back = tuple([branch_backward(k, splits, gives, bool(kept)) for k in range(len(splits))])
    cotangents = [seeds[i] for i in sorted(seeds)]
    result = OPS["case"](index, *given, *kept, *cotangents, branches=back)
    return cotangents_of(wanted, [i + 1 for i in gives], result, operands)


def branch_with_residuals(k: int, splits: Sequence[Split]) -> FrozenGraph:
    """Branch k with residuals as a last result: its own at place k, constants elsewhere."""
    s = Scratch()
    inputs, outputs, own = rebuild_forward(s, splits[k])
    row = [own if i == k else unused_value(s.names) for i in range(len(splits))]
    return freeze_body([*outputs, pack_values(s.names, row)], inputs)


def branch_backward(
    k: int, splits: Sequence[Split], gives: Sequence[int], keeps: bool
) -> FrozenGraph:
    """The backward of branch k, with the parameters and results that all backwards have."""
    own, s = splits[k], Scratch()
    inputs = s.parameters(own.forward.inputs)
    kept = [s.parameter(ResidualsType(()), "residuals")] if keeps else []
    values: Sequence[Expr] = ()
    if own.kept:
        values = unpack_values(unpack_values(kept[0], [kept[0]] * (k + 1))[k], own.kept_values)
    cotangents = s.parameters(own.cotangents)
    result = s.thaw(own.backward, [*(inputs[i] for i in own.reads), *values, *cotangents])
    by_number = dict(zip(own.gives, result, strict=True))
    results = [by_number[i] if i in by_number else zeros_like(inputs[i]) for i in gives]
    parameters = [*inputs, *kept, *cotangents]
    return freeze_body(results, parameters, measured=size_sources(values, parameters))


def rebuild_forward(s: Scratch, split: Split) -> tuple[list[Expr], list[Expr], Expr]:
    """The inputs of a split graph, its results, and its residuals as one value."""
    inputs = s.parameters(split.forward.inputs)
    outputs = s.thaw(split.forward, inputs)
    n = len(outputs) - split.kept
    return inputs, outputs[:n], pack_values(s.names, outputs[n:])


def packed_residuals(
    y: Expr, name: str, operands: Sequence[Expr], attrs: Attrs,
    graphs: Sequence[FrozenGraph],
) -> Expr:  # fmt: skip
    """The residuals, which are the last result of all `graphs`; `y` may return them already."""
    last = len(graphs[0].outputs) - 1
    place = next(i for i in range(last + 1) if all(g.outputs[i] is g.outputs[-1] for g in graphs))
    return extended_parts(y, name, operands, attrs, [place], int(place == last))[0]


def call_vjp(wanted: Sequence[int], g: Parts, y: Expr, *operands: Expr, **attrs: Any) -> Cotangents:
    """The cotangents of a function's operands; the backward is cached with its graph."""
    given = cotangents_in(g)
    seeds = tuple(sorted(given))
    asked = tuple([i for i in wanted if carries_derivatives(operands[i].type)])
    graph = attrs["function"]
    key = "reverse", seeds, asked
    result = graph.derived.get(key)
    if result is None:
        result = graph.derived.setdefault(key, split_function(split(graph, seeds, asked)))
    s, wide, back = result
    kept = [packed_residuals(y, "call", operands, {"function": wide}, [wide])] if s.kept else []
    reads = [operands[i] for i in s.reads]
    results = OPS["call"](*reads, *kept, *(given[i] for i in seeds), function=back)
    return cotangents_of(wanted, s.gives, results, operands)


def split_function(own: Split) -> tuple[Split, FrozenGraph, FrozenGraph]:
    """The split of a function, the forward that returns residuals, and the backward."""
    if not own.kept:
        return own, own.forward, own.backward
    s = Scratch()
    inputs, outputs, kept = rebuild_forward(s, own)
    wide = freeze_body([*outputs, kept], inputs)
    reads = s.parameters([own.forward.inputs[i] for i in own.reads])
    residuals = s.parameter(ResidualsType(()), "residuals")
    cotangents = s.parameters(own.cotangents)
    values = unpack_values(residuals, own.kept_values)
    result = s.thaw(own.backward, [*reads, *values, *cotangents])
    parameters = [*reads, residuals, *cotangents]
    return own, wide, freeze_body(result, parameters, measured=size_sources(values, parameters))


def size_sources(values: Iterable[Expr], parameters: Sequence[Expr]) -> list[Expr]:
    """The values that have sizes that no parameter determines."""
    known = sizes_determined_by(parameters)
    return [e for e in values if sizes_determined_by([e]) - known]
