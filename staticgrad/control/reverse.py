"""Cotangents through loops, branches and calls.

Note [Residuals]. The backward of a loop is a loop the other way round, over what its steps kept: a
list of each value that the backward of one step reads. They come from a second loop that gives
these lists too; as it also gives all that the first one gives, only the second is run (`Widening`).
A further gradient of either reads what is kept already, and widens the widest form there is
(`Graph.wider`), so the forms of a loop are a chain. With residuals="recompute" only the state of
each step is kept, and the rest is computed again. Branches and calls give all that they keep as one
value: see Note [Packing].
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from gradops import OPS

from ..freezing.freezer import freeze_body
from ..ir.expr import Expr, apply
from ..ir.graph import FrozenGraph
from ..ir.sizes import sizes_determined_by
from ..ir.tuple_types import Parts, ResidualsType, Widening, carries_derivatives
from .packing import nothing, packed, unpacked
from .partial_eval import Scratch, Split, loop_reach, split
from .stacks import plus, share_of, values_of, zeros_like


def loop_shares(wanted: Sequence[int], g: Parts, y: Any, *operands: Any, **attrs: Any) -> list[Any]:
    """The cotangents of a loop's operands. See Note [Residuals]."""
    body, carries, lists = attrs["body"], attrs["carries"], attrs["lists"]
    seeds = values_of(g)
    active = active_state(body, wanted, carries, seeds)
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
    histories = widened(s, y, operands, attrs, back)
    return back.run(wanted, seeds, y, histories, attrs)


def active_state(
    body: FrozenGraph, wanted: Iterable[int], carries: int, seeds: Iterable[int]
) -> list[int]:
    """The state that depends on what is wanted, and on which depends what has a cotangent."""
    reach = loop_reach(body, carries)
    asked = sum(1 << i for i in wanted)
    useful = reduce(or_, [reach[i] for i in seeds], 0)
    return [
        k for k in range(carries)
        if reach[k] & asked and useful >> k & 1 and carries_derivatives(body.inputs[k].type)
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
        return freeze_body([*new, *totals, *(by_number[i] for i in self.made)], parameters)

    def run(
        self, wanted: Sequence[int], g: Mapping[int, Any], y: Expr, histories: Sequence[Any],
        attrs: Any,
    ) -> list[Any]:  # fmt: skip
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
        return shares_of(wanted, [*self.active, *self.sums, *self.made], found, self.operands)


def shares_of(
    wanted: Sequence[int], numbers: Sequence[int], found: Sequence[Any], operands: Sequence[Any]
) -> list[Any]:
    """The cotangents of the wanted operands, from those found of the operands with `numbers`."""
    given = dict(zip(numbers, found, strict=True))
    return [share_of(operands[i], given[i]) if i in given else None for i in wanted]


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


def case_shares(wanted: Sequence[int], g: Parts, y: Any, *operands: Any, **attrs: Any) -> list[Any]:
    """The cotangents of what the branches are given: those of the branch that was taken."""
    index, given = operands[0], operands[1:]
    seeds = values_of(g)
    asked = [i - 1 for i in wanted if i and carries_derivatives(operands[i].type)]
    splits = [split(b, sorted(seeds), asked) for b in attrs["branches"]]
    gives = sorted({i for s in splits for i in s.gives})
    if not gives:
        return [None] * len(wanted)
    kept: list[Expr] = []
    if any(s.kept for s in splits):
        wide = tuple([branch_keeping(k, splits) for k in range(len(splits))])
        kept = [kept_value(y, "case", operands, {"branches": wide}, wide)]
    back = tuple([branch_back(k, splits, gives, bool(kept)) for k in range(len(splits))])
    cotangents = [seeds[i] for i in sorted(seeds)]
    found = OPS["case"](index, *given, *kept, *cotangents, branches=back)
    return shares_of(wanted, [i + 1 for i in gives], found, operands)


def branch_keeping(k: int, splits: Sequence[Split]) -> FrozenGraph:
    """Branch k, which after what it gives gives residuals: its own, in the place k of as many."""
    s = Scratch()
    inputs, outputs, own = keeping(s, splits[k])
    row = [own if i == k else nothing(s.names) for i in range(len(splits))]
    return freeze_body([*outputs, packed(s.names, row)], inputs)


def branch_back(k: int, splits: Sequence[Split], gives: Sequence[int], keeps: bool) -> FrozenGraph:
    """The backward of branch k, which takes what all backwards take and gives what all give."""
    own, s = splits[k], Scratch()
    inputs = s.parameters(own.forward.inputs)
    kept = [s.parameter(ResidualsType(()), "residuals")] if keeps else []
    values: Sequence[Expr] = ()
    if own.kept:
        values = unpacked(unpacked(kept[0], [kept[0]] * (k + 1))[k], own.kept_values)
    cotangents = s.parameters(own.cotangents)
    found = s.thaw(own.backward, [*(inputs[i] for i in own.reads), *values, *cotangents])
    by_number = dict(zip(own.gives, found, strict=True))
    results = [by_number[i] if i in by_number else zeros_like(inputs[i]) for i in gives]
    parameters = [*inputs, *kept, *cotangents]
    return freeze_body(results, parameters, measured=telling(values, parameters))


def keeping(s: Scratch, split: Split) -> tuple[list[Expr], list[Expr], Expr]:
    """The inputs of a graph, what it gives, and all that it keeps as one value."""
    inputs = s.parameters(split.forward.inputs)
    outputs = s.thaw(split.forward, inputs)
    n = len(outputs) - split.kept
    return inputs, outputs[:n], packed(s.names, outputs[n:])


def kept_value(
    y: Expr, name: str, operands: Sequence[Any], attrs: dict[str, Any],
    graphs: Sequence[FrozenGraph],
) -> Expr:  # fmt: skip
    """The last of the values that all `graphs` give, which those of `y` may give already."""
    last = len(graphs[0].outputs) - 1
    place = next(i for i in range(last + 1) if all(g.outputs[i] is g.outputs[-1] for g in graphs))
    return kept_parts(y, name, operands, attrs, [place], int(place == last))[0]


def call_shares(wanted: Sequence[int], g: Parts, y: Any, *operands: Any, **attrs: Any) -> list[Any]:
    """The cotangents of a function's operands. Its backward is made once, and kept with it."""
    given = values_of(g)
    seeds = tuple(sorted(given))
    asked = tuple([i for i in wanted if carries_derivatives(operands[i].type)])
    graph = attrs["function"]
    key = "reverse", seeds, asked
    found = graph.derived.get(key)
    if found is None:
        found = graph.derived.setdefault(key, function_back(split(graph, seeds, asked)))
    s, wide, back = found
    kept = [kept_value(y, "call", operands, {"function": wide}, [wide])] if s.kept else []
    reads = [operands[i] for i in s.reads]
    results = OPS["call"](*reads, *kept, *(given[i] for i in seeds), function=back)
    return shares_of(wanted, s.gives, results, operands)


def function_back(own: Split) -> tuple[Split, FrozenGraph, FrozenGraph]:
    """How a function is taken apart, the one that also gives residuals, and its backward."""
    if not own.kept:
        return own, own.forward, own.backward
    s = Scratch()
    inputs, outputs, kept = keeping(s, own)
    wide = freeze_body([*outputs, kept], inputs)
    reads = s.parameters([own.forward.inputs[i] for i in own.reads])
    residuals = s.parameter(ResidualsType(()), "residuals")
    cotangents = s.parameters(own.cotangents)
    values = unpacked(residuals, own.kept_values)
    found = s.thaw(own.backward, [*reads, *values, *cotangents])
    parameters = [*reads, residuals, *cotangents]
    return own, wide, freeze_body(found, parameters, measured=telling(values, parameters))


def telling(values: Iterable[Expr], parameters: Sequence[Expr]) -> list[Expr]:
    """The values that tell sizes that no parameter tells."""
    known = sizes_determined_by(parameters)
    return [e for e in values if sizes_determined_by([e]) - known]
