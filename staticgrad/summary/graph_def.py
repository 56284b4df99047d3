"""Graphs for TensorBoard: a node for each expression, under its own name."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradops import GraphError
from gradops.core.source_location import short
from gradops.inspection.event_files.graph_def import GraphNode, graph_def

from ..build.graph import Graph
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.tuple_types import TupleType


def graph_def_of(graph: Graph | FrozenGraph) -> Any:
    """The message of TensorBoard's protocol for a graph; raises GraphError for something else."""
    if isinstance(graph, Graph):
        return graph_def(map(node_of, graph.get_operations()))
    if isinstance(graph, FrozenGraph):
        return graph_def(map(node_of, graph.order))
    raise GraphError(f"TensorBoard shows a Graph or a FrozenGraph, not {graph!r}")


def node_of(e: Expr) -> GraphNode:
    """An expression as a node: its op, operands, type, user's line and value if that is small."""
    inputs, after = [x.name for x in e.inputs], [x.name for x in e.control_inputs]
    op = e.kind.value if e.op is None else e.op.name
    several = isinstance(e.type, TupleType) or e.dtype.kind == "O"
    dtype = None if several else e.dtype.name
    return GraphNode(e.name, op, inputs, after, e.shape, dtype, dict(attributes(e)))


def attributes(e: Expr) -> Iterator[tuple[str, str]]:
    """The attributes that TensorBoard shows beside the type of an expression."""
    if e.place is not None:
        yield "line", short(e.place)
    if e.origin is not None:
        yield "gradient of", e.origin.name
    for key, value in e.attrs.items():
        if isinstance(value, int | float | str | tuple | np.dtype):
            yield key, str(value)
