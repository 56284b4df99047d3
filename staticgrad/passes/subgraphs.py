"""Parts of graphs: taken out, put into another graph, and given other parameters."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace as replaced

from gradops import ArrayType
from gradops.core.dims import Size
from gradops.core.traits import Trait

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.names import unique_name
from ..ir.reachability import reachable
from ..ir.sizes import bound_type, names_in, substitute_sizes


def inline(
    intern: Interning, graph: FrozenGraph, operands: Sequence[Expr], sizes: Mapping[str, Size]
) -> list[Expr]:
    """The outputs of a graph for operands, in the graph of an interning."""
    result = dict(zip(graph.inputs, operands, strict=True))
    for e in graph.order:
        if e not in result:
            new = result[e] = intern.copy(with_sizes(e, sizes), [result[x] for x in e.inputs])
            if e in graph.merged:
                intern.note(new, graph.merged[e])
    return [result[e] for e in graph.outputs]


def with_sizes(e: Expr, sizes: Mapping[str, Size]) -> Expr:
    """An expression with other sizes in its type and attributes."""
    if not names_in((*e.shape, e.value, *e.attrs.values())):
        return e
    attrs = {k: substitute_sizes(v, sizes) for k, v in e.attrs.items()}
    value = substitute_sizes(e.value, sizes)
    return e._replace(type=bound_type(e.type, sizes), attrs=attrs, value=value, inputs=e.inputs)


def subgraph(
    graph: FrozenGraph, inputs: Sequence[Expr], outputs: Iterable[Expr],
    measured: Sequence[Expr] = (),
) -> FrozenGraph:  # fmt: skip
    """The part of a graph that computes some of its expressions from some others."""
    some = FrozenGraph(
        tuple(inputs), tuple(outputs), measured=tuple(measured), merged=graph.merged,
        lowering=graph.lowering,
    )  # fmt: skip
    needed = reachable((*some.outputs, *some.measured), stop=inputs) | dict.fromkeys(inputs)
    return replaced(some, sequence=tuple([e for e in graph.order if e in needed]))


def with_parameters(
    graph: FrozenGraph, parameters: Mapping[Expr, Expr], inputs: Sequence[Expr],
    outputs: Sequence[Expr],
) -> FrozenGraph:  # fmt: skip
    """The graph of `outputs` on other `inputs`; some expressions become parameters."""
    before = set(graph.inputs)
    new = [e for e in inputs if e not in before]
    wide = FrozenGraph(
        (*graph.inputs, *new), tuple(outputs), measured=graph.measured,
        merged=graph.merged, sequence=(*new, *graph.order), lowering=graph.lowering,
    )  # fmt: skip
    made = wide.remade(lambda e, xs, intern: intern.copy(*leaf_or(e, xs, parameters)))
    by_old = dict(zip(wide.inputs, made.inputs, strict=True))
    return subgraph(made, [by_old[e] for e in inputs], made.outputs, made.measured)


def leaf_or(
    e: Expr, inputs: Sequence[Expr], parameters: Mapping[Expr, Expr]
) -> tuple[Expr, Sequence[Expr]]:
    """The parameter in the place of an expression, or the expression on other inputs."""
    return (parameters[e], ()) if e in parameters else (e, inputs)


def parameters_for(graph: Iterable[Expr], values: Sequence[Expr]) -> list[Expr]:
    """A parameter of the type of each value, with a name that no expression of a graph has."""
    taken = {e.name for e in graph}
    return [parameter(e, e.type, taken) for e in values]


def parameter(like: Expr, type: ArrayType, taken: set[str]) -> Expr:
    """A parameter with a name that is not taken, and the source location of `like`."""
    return like._replace(
        kind=Kind.PARAMETER, op=None, attrs={}, inputs=(), value=None, type=type,
        name=unique_name(like.name, taken),
    )  # fmt: skip


def is_pure(e: Expr) -> bool:
    """True if an expression is a leaf of a known value, or an op that may run more or less often.

    Loops, branches, calls, and what works on their lists, are not.
    """
    if e.op is None:
        return e.kind in (Kind.CONSTANT, Kind.SIZE)
    return e.op.traits.isdisjoint((Trait.EFFECT, Trait.CONTROL, Trait.GUARD))


def readers(graph: FrozenGraph) -> dict[Expr, list[Expr]]:
    """The expressions that read each expression."""
    result: dict[Expr, list[Expr]] = {e: [] for e in graph.order}
    for e in graph.order:
        for x in dict.fromkeys(e.inputs):
            result[x].append(e)
    return result


def border(graph: FrozenGraph, inside: Collection[Expr], also: Iterable[Expr] = ()) -> list[Expr]:
    """The ops among `inside` that others, or the outputs, read."""
    read = {x for e in graph.order if e not in inside for x in e.inputs}
    read.update(graph.results, graph.measured, also)
    return [e for e in graph.order if e in inside and e.op is not None and e in read]
