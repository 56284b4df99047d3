"""Propagating constants into the graphs of loops, branches and calls.

A body captures all that it reads from outside, so that it can be fed and differentiated by. In a
frozen graph a captured constant is never fed: inside the body it is a number in the generated code,
and can be folded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace as replaced
from typing import ClassVar

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, graphs_in, has_graphs, inner_graphs
from ..ir.interning import Interning, key_of
from .inner import with_inner
from .interface import Pass

Known = dict[int, Expr]
"""The constants that a graph gets wherever it is used, by the numbers of its inputs."""


class PropagateConstants(Pass):
    """Put constants into inner graphs that get them in every use, and share equal inner graphs."""

    whole: ClassVar[bool] = True

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        innermost_first = list(inner_graphs(graph))
        if not innermost_first:
            return graph
        known = constants_given([graph, *reversed(innermost_first)])
        made: dict[FrozenGraph, FrozenGraph] = {}
        for each in innermost_first:
            made[each] = with_constants(with_inner(each, made.__getitem__), known[each])
        return with_inner(graph, made.__getitem__)


def constants_given(outermost_first: Sequence[FrozenGraph]) -> dict[FrozenGraph, Known]:
    """The constants that each graph gets in all places where it is used."""
    result: dict[FrozenGraph, Known] = {outermost_first[0]: {}}
    for graph in outermost_first:
        numbers = {e: i for i, e in enumerate(graph.inputs)}
        for e in graph.order:
            for inner, operands in uses(e):
                given = [result[graph].get(numbers.get(x, -1), x) for x in operands]
                result[inner] = common_constants(result.get(inner), inner, given)
    return result


def uses(e: Expr) -> Iterator[tuple[FrozenGraph, Sequence[Expr]]]:
    """The graphs inside an expression, each with the operands for its last inputs."""
    if not has_graphs(e):
        return
    name, changing = e.op.name if e.op else "", 0
    if name == "loop":
        changing = e.attrs["carries"] + e.attrs["lists"]
    elif name == "case":
        changing = 1
    operands = e.inputs[changing:] if name in ("loop", "case", "call") else ()
    for graph in graphs_in(e):
        yield graph, operands


def common_constants(before: Known | None, graph: FrozenGraph, operands: Sequence[Expr]) -> Known:
    """The constants known of a graph that one more use agrees with."""
    first = len(graph.inputs) - len(operands)
    new = {
        i: x for i, x in enumerate(operands, first)
        if x.kind is Kind.CONSTANT and x.type == graph.inputs[i].type
    }  # fmt: skip
    if before is None:
        return new
    return {i: x for i, x in new.items() if i in before and key_of(x, ()) == key_of(before[i], ())}


def with_constants(graph: FrozenGraph, known: Known) -> FrozenGraph:
    """The graph with constants in place of some inputs, which stay but are no longer read."""
    if not known:
        return graph
    constants = {graph.inputs[i]: x for i, x in known.items()}

    def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        return intern.copy(constants[e], ()) if e in constants else intern.copy(e, inputs)

    result = graph.remade(make)
    return replaced(result, inputs=graph.inputs, sequence=(*constants, *result.order))
