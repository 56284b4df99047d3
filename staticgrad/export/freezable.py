"""Arguments of exports: frozen graphs, executables, graphs under construction, and expressions."""

from typing import Any

from gradops import GraphError

from ..build.graph import Graph
from ..freezing.freezer import freeze
from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.reachability import by_age, forward_dependencies, reachable
from ..ir.tuple_types import TupleType

WITHOUT_VALUE = frozenset({Kind.PLACEHOLDER, Kind.VARIABLE, Kind.CONSTANT, Kind.SIZE, Kind.TOKEN})


def frozen_graph(call: str, x: Any) -> FrozenGraph:
    """The frozen graph of what a user wants to see.

    That of an executable is optimised; of a graph under construction it has all that was built; of
    expressions, what they are computed from. Raises GraphError for anything else.
    """
    if isinstance(x, FrozenGraph):
        return x
    if isinstance(x, Graph):
        return whole_graph(x)
    if isinstance(x, Expr):
        return graph_of_fetches([x])
    if isinstance(x, list | tuple) and x and all(isinstance(e, Expr) for e in x):
        return graph_of_fetches(list(x))
    graph = getattr(x, "graph", None)  # of an executable; of a session, the graph it runs
    if isinstance(graph, FrozenGraph | Graph):
        return frozen_graph(call, graph)
    raise GraphError(
        f"{call} takes a graph, an executable or expressions, not {x!r}\n  hint: of a function f of"
        " arrays, sg.trace(f, arguments) gives the graph; sg.function(f).graph(*arguments) the"
        " optimised one"
    )


def graph_of_fetches(fetches: list[Expr]) -> FrozenGraph:
    """The graph of expressions, fed by the placeholders that they need.

    To look at expressions is no use of them, so their shapes may still be refined.
    """
    needed = reachable(fetches, (), forward_dependencies)
    feeds = [e for e in sorted(needed, key=by_age) if e.kind is Kind.PLACEHOLDER]
    graph = fetches[0].graph if fetches else None
    before = set() if graph is None else set(graph.frozen)
    result = freeze(fetches, feeds)
    if graph is not None:
        graph.frozen &= before
    return result


def whole_graph(graph: Graph) -> FrozenGraph:
    """The graph of everything that was built outside of bodies: of what nothing else reads."""
    members = [e for e in graph.get_operations() if e not in graph.inside]
    read = {x for e in members for x in (*e.inputs, *e.control_inputs)}
    ends = [e for e in members if e not in read and e.kind not in WITHOUT_VALUE]
    fetches = [e for e in ends if not isinstance(e.type, TupleType) or e.kind is Kind.GROUP]
    return graph_of_fetches(fetches)
