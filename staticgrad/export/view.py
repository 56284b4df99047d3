"""Frozen graphs as pictures have them: expressions with numbers, roles, scopes and labels.

Note [Roles]. A node with an origin belongs to a gradient. What a program computes from gradients
is backward, too, so that nothing forward depends on it; what only new values of variables are
computed from is an update: the rule of an optimizer, a moving average.
"""

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from gradops import ArrayType
from gradops.core.dims import Dim, Shape, Size
from gradops.core.source_location import Place
from gradops.inspection.lines import source_line_of
from gradops.inspection.model import NOTHING, GraphView, NodeView, Role, SourceLine

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, graphs_in, inner_graphs, require_frozen
from ..text.printer import GraphNames, size_text, type_text, unique_names, value_text

LEAF_ROLES = {
    Kind.PLACEHOLDER: Role.INPUT, Kind.PARAMETER: Role.INPUT, Kind.VARIABLE: Role.PARAMETER,
    Kind.CONSTANT: Role.CONSTANT, Kind.SIZE: Role.CONSTANT, Kind.TOKEN: Role.INPUT,
}  # fmt: skip
TypeFacts = tuple[tuple[int | str, ...], str, int | None]
Values = Mapping[str, np.ndarray]
"""Arrays of variables by name, of a session or an executable."""


def graph_view(graph: FrozenGraph, title: str = "graph", values: Values = NOTHING) -> GraphView:
    """The picture's model of a graph and of those inside it.

    `values` has the current values of variables, by name; by default they are the initial ones.

    >>> from staticgrad.export.view import graph_view
    >>> x = sg.placeholder("float32", ["batch"], name="x")
    >>> view = graph_view(sg.freeze([sg.reduce_sum(x * x, name="energy")], [x]))
    >>> for n in view.nodes:
    ...     print(n.title, n.type, n.role, n.outputs)
    x float32[batch] input ()
    mul float32[batch] forward ()
    energy float32[] forward ('energy',)
    """
    named = inner_graphs(require_frozen("a view", graph))
    inner = {name: Builder(each, named, values).view(name) for each, name in named.items()}
    return Builder(graph, named, values).view(title, inner)


class Builder:
    """Makes the view of one graph."""

    def __init__(self, graph: FrozenGraph, named: GraphNames, values: Values) -> None:
        self.graph, self.named, self.values = graph, named, values
        self.numbers = {e: i for i, e in enumerate(graph.order)}
        self.names = unique_names(graph)
        self.by_name = {e.name: e for e in graph.order}
        self.roles = roles(graph)
        self.labels = labels(graph)
        self.lines: dict[tuple[int, int], SourceLine] = {}

    def view(self, title: str, graphs: Mapping[str, GraphView] = NOTHING) -> GraphView:
        """The view."""
        numbers, graph = self.numbers, self.graph
        return GraphView(
            title, "graph", tuple([self.node(e) for e in graph.order]),
            tuple([numbers[e] for e in graph.inputs]),
            tuple([numbers[e] for e in graph.outputs]),
            tuple([(numbers[v], numbers[new]) for v, new in graph.updates]), graphs,
        )  # fmt: skip

    def node(self, e: Expr) -> NodeView:
        """The node of an expression."""
        shape, dtype, nbytes = type_of_view(e.type)
        cause, name = self.cause(e), self.names[e]
        return NodeView(
            self.numbers[e], name, e.what, tuple([self.numbers[x] for x in e.inputs]),
            shape, dtype, self.roles[e], scope_of(name if e.origin is None else e.origin.name),
            None if cause is None else self.numbers[cause], self.places(e), self.attrs(e), nbytes,
            self.labels.get(e, ()), tuple([self.named[g] for g in graphs_in(e)]), (), self.data(e),
        )  # fmt: skip

    def cause(self, e: Expr) -> Expr | None:
        """The expression to whose gradient one belongs, or if that is gone, that one's cause."""
        origin = e.origin
        while origin is not None:
            if origin.name in self.by_name:
                return self.by_name[origin.name]
            origin = origin.origin
        return None

    def places(self, e: Expr) -> tuple[SourceLine, ...]:
        """The user's lines, each once."""
        if e in self.graph.merged:
            return tuple(dict.fromkeys(map(self.line, self.graph.places(e))))
        return () if e.place is None else (self.line(e.place),)

    def line(self, place: Place) -> SourceLine:
        """A source location as a line, cached."""
        key = id(place[0]), place[1]  # to hash code takes as long as the code is
        if key not in self.lines:
            self.lines[key] = source_line_of(place)
        return self.lines[key]

    def attrs(self, e: Expr) -> Mapping[str, str]:
        """The attributes as text."""
        if not e.attrs:
            return NOTHING
        return {k: value_text(v, self.named) for k, v in e.attrs.items()}

    def data(self, e: Expr) -> Any:
        """The array of a constant or variable; a size as text."""
        if e.kind is Kind.VARIABLE:
            value = self.values.get(e.name, e.value)
            return value if isinstance(value, np.ndarray) else None
        if e.kind is Kind.SIZE:
            return str(e.value)
        return e.value if e.kind is Kind.CONSTANT else None


def scope_of(name: str) -> str:
    """The scope of a name: all of it but the last level."""
    return name.rpartition("/")[0]


def type_of_view(type: ArrayType) -> TypeFacts:
    """Shape, dtype and bytes of a type; the whole text as dtype if it is not that of an array."""
    if type.__class__ is not ArrayType:
        return (), type_text(type), None
    return array_facts(type.shape, type.dtype)


@lru_cache(maxsize=4096)
def array_facts(shape: Shape, dtype: np.dtype) -> TypeFacts:
    """Shape, dtype and bytes of an array's type."""
    sizes = tuple(map(size_of_view, shape))
    known = [n for n in sizes if isinstance(n, int)]
    nbytes = dtype.itemsize * math.prod(known) if len(known) == len(sizes) else None
    return sizes, dtype.name, nbytes


def size_of_view(size: Size) -> int | str:
    """A size as a number, or an unknown one as text."""
    return size_text(size) if isinstance(size, Dim) else int(size)


def labels(graph: FrozenGraph) -> dict[Expr, tuple[str, ...]]:
    """The labels of outputs and other derivatives, and of updates the names of variables."""
    result: dict[Expr, tuple[str, ...]] = {}
    for i, e in enumerate(graph.outputs):
        label = graph.labels[i] if i < len(graph.labels) else e.name
        result[e] = (*result.get(e, ()), label)
    for v, new in graph.updates:
        result[new] = (*result.get(new, ()), f"new {v.name}")
    if graph.derivatives:
        for e in graph.order:
            if e.name in graph.derivatives and e not in result:
                result[e] = (graph.derivatives[e.name],)
    return result


def roles(graph: FrozenGraph) -> dict[Expr, Role]:
    """The role of each expression. See Note [Roles]."""
    after = depending_on_gradients(graph)
    wanted = leading_to(graph, [*graph.outputs, *graph.measured, *causes(graph)])
    stepped = leading_to(graph, [new for _, new in graph.updates])
    result = {}
    for e in graph.order:
        if e.op is None and e.kind in LEAF_ROLES:
            result[e] = LEAF_ROLES[e.kind]
        elif e.origin is None and e in stepped and (e in after or e not in wanted):
            result[e] = Role.UPDATE
        else:
            result[e] = Role.BACKWARD if e in after else Role.FORWARD
    return result


def depending_on_gradients(graph: FrozenGraph) -> set[Expr]:
    """The expressions of gradients, and all that are computed from one."""
    result: set[Expr] = set()
    for e in graph.order:
        if e.op is not None and (e.origin is not None or not result.isdisjoint(e.inputs)):
            result.add(e)
    return result


def causes(graph: FrozenGraph) -> list[Expr]:
    """The expressions of gradients, which depend on all that is forward for them."""
    return [e for e in graph.order if e.op is not None and e.origin is not None]


def leading_to(graph: FrozenGraph, ends: Iterable[Expr]) -> set[Expr]:
    """The expressions that some are computed from, with these."""
    result = set(ends)
    for e in reversed(graph.order):
        if e in result:
            result.update(e.inputs)
    return result
