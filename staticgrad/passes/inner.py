"""The graphs inside loops, branches and calls: listing and replacing them."""

from collections.abc import Callable

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph, graphs_in, has_graphs
from ..ir.interning import Interning

Replacement = Callable[[FrozenGraph], FrozenGraph]


def within(graph: FrozenGraph) -> tuple[FrozenGraph, ...]:
    """The graphs inside a graph, each object once, the innermost first.

    Objects are compared, not what they compute, which would take a hash of each.
    """
    if "within" not in graph.derived:
        graph.derived["within"] = tuple(innermost_first(graph))
    result: tuple[FrozenGraph, ...] = graph.derived["within"]
    return result


def innermost_first(graph: FrozenGraph) -> list[FrozenGraph]:
    """The graphs inside a graph, each after those inside it."""
    result: dict[int, FrozenGraph] = {}
    stack = [(inner, False) for inner in directly_within(graph)]
    while stack:
        each, is_done = stack.pop()
        if id(each) in result:
            continue
        if is_done:
            result[id(each)] = each
        else:
            stack += [(each, True), *((inner, False) for inner in directly_within(each))]
    return list(result.values())


def directly_within(graph: FrozenGraph) -> list[FrozenGraph]:
    """The graphs among the attributes of a graph's expressions, the last first."""
    return [inner for e in reversed(graph.holders) for inner in graphs_in(e)]


def total_size(graph: FrozenGraph) -> int:
    """The number of expressions of a graph and of the graphs inside it."""
    return len(graph) + sum(map(len, within(graph)))


def with_inner(graph: FrozenGraph, replacement: Replacement) -> FrozenGraph:
    """The graph with `replacement` of each graph that is directly inside it."""
    if not graph.holders:
        return graph

    def replace(e: Expr, intern: Interning) -> Expr:
        if not has_graphs(e):
            return e
        attrs = {k: with_graphs(v, replacement) for k, v in e.attrs.items()}
        if all(attrs[k] is v for k, v in e.attrs.items()):
            return e
        return intern.copy(e._replace(attrs=attrs), e.inputs)

    return graph.rebuilt(replace)


def with_graphs(value: object, replacement: Replacement) -> object:
    """The value of an attribute with its graphs replaced."""
    if isinstance(value, FrozenGraph):
        return replacement(value)
    if type(value) is not tuple:
        return value
    new = tuple([with_graphs(v, replacement) for v in value])
    return value if all(a is b for a, b in zip(new, value, strict=True)) else new
