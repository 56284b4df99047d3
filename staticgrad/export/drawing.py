"""The nodes of a picture of a graph, in any format: expressions with numbers and roles."""

from dataclasses import dataclass

from gradops.core.source_location import short

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, require_frozen

INPUTS = (Kind.PLACEHOLDER, Kind.VARIABLE, Kind.PARAMETER)


@dataclass(frozen=True)
class DrawnNode:
    """One expression, with the numbers of its operands and of its forward node, if it has one."""

    id: int
    expr: Expr
    inputs: list[int]
    cause: int | None

    @property
    def role(self) -> str:
        """The kind of node: input, constant, forward or backward."""
        if self.expr.kind is not Kind.OP:
            return "input" if self.expr.kind in INPUTS else "constant"
        return "forward" if self.expr.origin is None else "backward"

    @property
    def title(self) -> str:
        """The op, or the name of an expression without one."""
        return self.expr.what if self.expr.op else self.expr.name

    @property
    def line(self) -> str | None:
        """The user's line, `model.py:12`."""
        return None if self.expr.place is None else short(self.expr.place)


def drawing(graph: FrozenGraph) -> dict[Expr, DrawnNode]:
    """The nodes of a graph, each after its operands, by expression."""
    numbers = {e: i for i, e in enumerate(require_frozen("a drawing", graph).order)}
    by_name = {e.name: i for e, i in numbers.items()}
    result = {}
    for e, i in numbers.items():
        cause = None if e.origin is None else by_name.get(e.origin.name)
        result[e] = DrawnNode(i, e, [numbers[x] for x in e.inputs], cause)
    return result
