"""The sparse Jacobians that frozen graphs have for functions that solvers call."""

from ..ir.graph import FrozenGraph


def sparse_jacobian(graph: FrozenGraph) -> FrozenGraph:
    """The graph of a Jacobian's entries, columns, and where rows start; or of a matrix."""
    from . import function_graphs

    return function_graphs.sparse_jacobian(graph)


FrozenGraph.sparse_jacobian = sparse_jacobian  # type: ignore[attr-defined]
