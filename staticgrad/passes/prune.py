"""Pruning: of loops, branches and calls, what nobody reads is not computed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from typing import Any

from ..ir.expr import Expr, whole_of
from ..ir.graph import FrozenGraph, graphs_in
from ..ir.interning import Interning
from ..ir.reachability import reachable
from ..ir.sizes import sizes_determined_by, sizes_introduced_by, sizes_missing
from ..ir.tuple_types import TupleType

RESTS = frozenset({"loop", "case", "call"})


@dataclass(frozen=True)
class Prune:
    """Drop values, state and operands of loops, branches and calls that nothing needs. Exact."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return once("pruned", pruned, graph)


def once(key: object, step: Callable[[FrozenGraph], FrozenGraph], graph: FrozenGraph) -> Any:
    """What `step` makes of a graph, kept with it: a graph may stand inside another many times."""
    if key not in graph.derived:
        result = step(graph)
        graph.derived[key] = None if result is graph else result  # it does not refer to itself
    result = graph.derived[key]
    return graph if result is None else result


@dataclass(frozen=True)
class Rest:
    """What remains of an expression: the numbers of its operands and values, and its attributes."""

    operands: list[int]
    values: list[int]
    attrs: dict[str, Any]


def pruned(graph: FrozenGraph) -> FrozenGraph:
    """The graph in which loops, branches and calls give only what is read."""
    rests = {e: rest_of(e, read) for e, read in values_read(graph).items()}
    rests = {e: rest for e, rest in rests.items() if rest.attrs != e.attrs or is_less(rest, e)}
    if not rests:
        return graph

    def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        if e in rests:
            rest = rests[e]
            type = TupleType([e.type.parts[i] for i in rest.values])  # type: ignore[attr-defined]
            inputs = [inputs[i] for i in rest.operands]
            return intern.copy(
                e._replace(type=type, attrs=rest.attrs, inputs=tuple(inputs)), inputs
            )
        if (whole := whole_of(e)) is not None and whole in rests:
            index = rests[whole].values.index(e.attrs["index"])
            return intern.copy(e._replace(attrs={"index": index}, inputs=tuple(inputs)), inputs)
        return intern.copy(e, inputs)

    return graph.remade(make)


def is_less(rest: Rest, e: Expr) -> bool:
    """Whether an operand or a value of an expression is not among what remains."""
    every: int = len(e.type.parts)  # type: ignore[attr-defined]
    return len(rest.operands) < len(e.inputs) or len(rest.values) < every


def values_read(graph: FrozenGraph) -> dict[Expr, set[int]]:
    """The numbers of the values that are read, of what has graphs inside."""
    result: dict[Expr, set[int]] = {}
    for e in graph.order:
        if type(e.type) is TupleType and e.op is not None and e.op.name in RESTS:
            result[e] = set()
        if (whole := whole_of(e)) is not None and whole in result:
            result[whole].add(e.attrs["index"])
        else:
            for x in e.inputs:
                result.pop(x, None)  # it is read as a whole
    for e in (*graph.results, *graph.measured):
        result.pop(e, None)
    return result


def rest_of(e: Expr, read: set[int]) -> Rest:
    """What remains of a loop, a choice or a call of which some values are read."""
    assert e.op is not None
    if e.op.name == "loop":
        return rest_of_loop(e, read)
    values, first = sorted(read), 1 if e.op.name == "case" else 0
    graphs = list(graphs_in(e))
    inside = sorted(set[int]().union(*[inputs_read(g, values) for g in graphs]))
    smaller = [part_of(g, inside, values) for g in graphs]
    attrs = {"branches": tuple(smaller)} if first else {"function": smaller[0]}
    return Rest([*range(first), *(i + first for i in inside)], values, attrs)


def rest_of_loop(e: Expr, read: set[int]) -> Rest:
    """What remains of a loop: also the state on which depends what is read, or the condition."""
    body, cond, carries, lists = (e.attrs[k] for k in ("body", "cond", "carries", "lists"))
    values, outside = set(read), [*range(carries), *range(carries + lists, len(e.inputs))]
    tested = {outside[i] for i in inputs_read(cond, [0])} if cond else set()
    while True:
        inside = inputs_read(body, sorted(values)) | tested
        state = {i for i in inside if i < carries}
        if state <= values:
            break
        values |= state
    inside |= {i for i in values if i < carries}
    if not cond and not any(carries <= i < carries + lists for i in inside):
        inside.add(carries)  # a list says how many steps there are
    operands, kept = sorted(inside), sorted(values)
    attrs = {
        **e.attrs,
        "body": part_of(body, operands, kept),
        "cond": cond and part_of(cond, [k for k, i in enumerate(outside) if i in inside], [0]),
        "carries": sum(i < carries for i in kept),
        "lists": sum(carries <= i < carries + lists for i in operands),
        "gives": sum(i >= carries for i in kept),
    }
    return Rest(operands, kept, attrs)


def inputs_read(graph: FrozenGraph, values: Iterable[int]) -> set[int]:
    """The numbers of the inputs that are needed for some outputs, or to know sizes."""
    ends = [graph.outputs[i] for i in values]
    needed = reachable([*ends, *measured_for(graph, ends)])
    result = {i for i, e in enumerate(graph.inputs) if e in needed}
    while missing := sizes_missing(needed, sizes_determined_by([graph.inputs[i] for i in result])):
        result.add(
            next(i for i, e in enumerate(graph.inputs) if missing & sizes_determined_by([e]))
        )
    return result


def part_of(graph: FrozenGraph, inputs: Sequence[int], outputs: Sequence[int]) -> FrozenGraph:
    """A graph with some of its inputs and outputs, itself pruned."""
    if len(inputs) == len(graph.inputs) and len(outputs) == len(graph.outputs):
        return Prune()(graph)
    key = "part", tuple(inputs), tuple(outputs)
    return once(key, lambda graph: Prune()(part_left(graph, inputs, outputs)), graph)


def part_left(graph: FrozenGraph, inputs: Sequence[int], outputs: Sequence[int]) -> FrozenGraph:
    """A graph with some of its inputs and outputs, in its order."""
    ends = [graph.outputs[i] for i in outputs]
    some = FrozenGraph(
        tuple([graph.inputs[i] for i in inputs]),
        tuple(ends),
        measured=tuple(measured_for(graph, ends)),
        merged=graph.merged,
    )
    needed = some.reached()
    return replaced(some, sequence=tuple([e for e in graph.order if e in needed]))


def measured_for(graph: FrozenGraph, ends: Sequence[Expr]) -> list[Expr]:
    """The expressions that are computed for their size alone, which some outputs need."""
    if not graph.measured:
        return []
    missing = sizes_missing(reachable(ends), sizes_determined_by(graph.inputs))
    return [e for e in graph.measured if missing & sizes_introduced_by(e)]
