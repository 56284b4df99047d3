"""An estimate of the operations of a graph: whether code for it may run long."""

import math

from gradops.native.costs import OPERATIONS, SPEED

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.tuple_types import TupleType, types_of_parts
from .kinds import MOVES, is_reduction, is_view, name_of

TURNS = 1 << 10  # steps of a loop that ends by a condition, which nobody knows


def work_of(graph: FrozenGraph) -> int:
    """The operations that a run of a graph takes, about."""
    return sum(map(work_of_expression, graph.order))


def work_of_expression(e: Expr) -> int:
    """The operations that an expression takes, if its operands are there."""
    match name_of(e):
        case "":
            return 0
        case "loop" if e.attrs["cond"] is None:
            return int(e.inputs[e.attrs["carries"]].shape[0]) * work_of(e.attrs["body"])
        case "loop":
            return TURNS * (work_of(e.attrs["cond"]) + work_of(e.attrs["body"]))
        case "case":
            return max(map(work_of, e.attrs["branches"]))
        case "call":
            return work_of(e.attrs["function"])
        case "matmul" | "layer_product":
            return size_of(e) * int(e.inputs[0].shape[-1]) // SPEED
        case "conv" | "conv_bias":
            return size_of(e) * math.prod(map(int, e.inputs[1].shape[1:])) // SPEED
        case "conv_operand":
            return size_of(e.inputs[0]) * math.prod(map(int, e.inputs[1].shape[1:])) // SPEED
        case "conv_filters":
            return size_of(e.inputs[1]) * math.prod(map(int, e.shape[1:])) // SPEED
    if name_of(e) in MOVES or (not isinstance(e.type, TupleType) and is_view(e)):
        return 0
    return (size_of(e.inputs[0]) if is_reduction(e) else size_of(e)) * OPERATIONS.get(name_of(e), 1)


def size_of(e: Expr) -> int:
    """The number of entries of a value."""
    types = types_of_parts(e) if isinstance(e.type, TupleType) else [e.type]
    return sum(math.prod(map(int, t.shape)) for t in types)
