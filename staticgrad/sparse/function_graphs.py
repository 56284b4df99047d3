"""Sparse Jacobians of the functions that solvers call."""

from ..control import function_graphs
from ..control.partial_eval import Scratch
from ..freezing.freezer import freeze_body
from ..ir.graph import FrozenGraph
from . import derivatives


def sparse_jacobian(graph: FrozenGraph) -> FrozenGraph:
    """The graph of a Jacobian's entries, columns, and where rows start, by the first operand.

    It is that of a matrix where many products would be needed for the entries.
    """
    key = "sparse jacobian"
    result: FrozenGraph | None = graph.derived.get(key)
    if result is None:
        s = Scratch()
        inputs = s.parameters(graph.inputs)
        (y,) = s.thaw(graph, inputs)
        found = derivatives.sparse_jacobian(y, inputs[0])
        if 4 * found.products > min(found.shape):
            return function_graphs.jacobian(graph)
        places = (found.pattern.indices, found.pattern.indptr)
        outputs = [found.data, *map(s.expression, places)]
        result = graph.derived[key] = freeze_body(outputs, inputs)
    return result
