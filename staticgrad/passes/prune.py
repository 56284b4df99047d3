"""Pruning: unread results of loops, branches and calls are not computed."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, NamedTuple

from gradops.core.traits import Trait
from gradops.typing import Attrs

from ..ir.expr import Expr, whole_of
from ..ir.graph import FrozenGraph, graphs_in
from ..ir.interning import Interning
from ..ir.reachability import reachable
from ..ir.sizes import sizes_determined_by, sizes_introduced_by, sizes_missing
from ..ir.tuple_types import TupleType, types_of_parts
from .interface import Pass
from .subgraphs import subgraph

Step = Callable[[FrozenGraph], FrozenGraph]
WITH_GRAPHS = frozenset({"loop", "case", "call"})


class Prune(Pass):
    """Drop values, state and operands of loops, branches and calls that nothing needs."""

    whole: ClassVar[bool] = True

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return prune(graph)


def prune(graph: FrozenGraph) -> FrozenGraph:
    """The graph without unread values, state and operands."""
    return memoize("pruned", drop_unread, graph)


def memoize(key: object, step: Step, graph: FrozenGraph) -> FrozenGraph:
    """The result of `step` for a graph, cached with it: a graph may be used many times."""
    if key not in graph.derived:
        result = step(graph)
        graph.derived[key] = None if result is graph else result  # it does not refer to itself
    result = graph.derived[key]
    return graph if result is None else result


class Remainder(NamedTuple):
    """A pruned expression: the numbers of its remaining operands and values, its attributes."""

    operands: list[int]
    values: list[int]
    attrs: Attrs


def drop_unread(graph: FrozenGraph) -> FrozenGraph:
    """The graph whose loops, branches and calls return only values that are read."""
    every = {e: remainder_of(e, read) for e, read in values_read(graph).items()}
    remainders = {e: r for e, r in every.items() if r.attrs != e.attrs or is_less(r, e)}
    if not remainders:
        return graph

    def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        if e in remainders:
            r = remainders[e]
            type = TupleType([types_of_parts(e)[i] for i in r.values])
            inputs = tuple([inputs[i] for i in r.operands])
            return intern.copy(e._replace(type=type, attrs=r.attrs, inputs=inputs), inputs)
        if (whole := whole_of(e)) is not None and whole in remainders:
            index = remainders[whole].values.index(e.attrs["index"])
            return intern.copy(e._replace(attrs={"index": index}, inputs=tuple(inputs)), inputs)
        return intern.copy(e, inputs)

    return graph.remade(make)


def is_less(remainder: Remainder, e: Expr) -> bool:
    """True if an operand or a value of an expression was dropped."""
    every = len(types_of_parts(e))
    return len(remainder.operands) < len(e.inputs) or len(remainder.values) < every


def values_read(graph: FrozenGraph) -> dict[Expr, set[int]]:
    """The numbers of the values that are read, of each loop, branch and call."""
    result: dict[Expr, set[int]] = {}
    for e in graph.order:
        if type(e.type) is TupleType and e.op is not None and e.op.name in WITH_GRAPHS:
            result[e] = set()
        if (whole := whole_of(e)) is not None and whole in result:
            result[whole].add(e.attrs["index"])
        else:
            for x in e.inputs:
                result.pop(x, None)  # it is read as a whole
    for e in (*graph.results, *graph.measured):
        result.pop(e, None)
    for e, read in result.items():
        if read:  # what runs has its effects: a check of a value raises
            read |= effects_of(e)
    return result


def effects_of(e: Expr) -> set[int]:
    """The numbers of the values of a loop, branch or call that effects give, which order them."""
    bodies = [e.attrs["body"]] if e.op is not None and e.op.name == "loop" else graphs_in(e)
    return {k for body in bodies for k, y in enumerate(body.outputs) if is_effect(y)}


def is_effect(y: Expr) -> bool:
    """True if an effect gives a value, be it inside of the loop, branch or call that gives it."""
    stack = [y]
    while stack:
        y = stack.pop()
        if y.op is not None and Trait.EFFECT in y.op.traits:
            return True
        if (whole := whole_of(y)) is not None and whole.op is not None:
            bodies = [g for g in graphs_in(whole) if y.attrs["index"] < len(g.outputs)]
            stack += [g.outputs[y.attrs["index"]] for g in bodies if whole.op.name in WITH_GRAPHS]
    return False


def remainder_of(e: Expr, read: set[int]) -> Remainder:
    """The remainder of a loop, branch or call of which the values numbered `read` are read."""
    assert e.op is not None
    if e.op.name == "loop":
        return remainder_of_loop(e, read)
    values, first = sorted(read), 1 if e.op.name == "case" else 0
    graphs = list(graphs_in(e))
    inside = sorted(set[int]().union(*[inputs_read(g, values) for g in graphs]))
    smaller = [part_of(g, inside, values) for g in graphs]
    attrs = {"branches": tuple(smaller)} if first else {"function": smaller[0]}
    return Remainder([*range(first), *(i + first for i in inside)], values, attrs)


def remainder_of_loop(e: Expr, read: set[int]) -> Remainder:
    """The remainder of a loop; it keeps all state that read values or the condition depend on."""
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
    return Remainder(operands, kept, attrs)


def inputs_read(graph: FrozenGraph, values: Iterable[int]) -> set[int]:
    """The numbers of the inputs that some outputs depend on, or that determine sizes."""
    ends = [graph.outputs[i] for i in values]
    needed = reachable([*ends, *measured_for(graph, ends)])
    result = {i for i, e in enumerate(graph.inputs) if e in needed}
    while missing := sizes_missing(needed, sizes_determined_by([graph.inputs[i] for i in result])):
        determining = (missing & sizes_determined_by([e]) for e in graph.inputs)
        result.add(next(i for i, sizes in enumerate(determining) if sizes))
    return result


def part_of(graph: FrozenGraph, inputs: Sequence[int], outputs: Sequence[int]) -> FrozenGraph:
    """The pruned graph with some of its inputs and outputs."""
    if len(inputs) == len(graph.inputs) and len(outputs) == len(graph.outputs):
        return prune(graph)
    key = "part", tuple(inputs), tuple(outputs)
    return memoize(key, lambda graph: prune(unpruned_part(graph, inputs, outputs)), graph)


def unpruned_part(graph: FrozenGraph, inputs: Sequence[int], outputs: Sequence[int]) -> FrozenGraph:
    """The graph with some of its inputs and outputs, in its order."""
    ends = [graph.outputs[i] for i in outputs]
    return subgraph(graph, [graph.inputs[i] for i in inputs], ends, measured_for(graph, ends))


def measured_for(graph: FrozenGraph, ends: Sequence[Expr]) -> list[Expr]:
    """The expressions that are computed only for a size that some outputs need."""
    if not graph.measured:
        return []
    missing = sizes_missing(reachable(ends), sizes_determined_by(graph.inputs))
    return [e for e in graph.measured if missing & sizes_introduced_by(e)]
