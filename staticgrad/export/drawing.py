"""What a picture of a graph shows, whatever the format: nodes with roles, and edges."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gradops.core.source_location import short

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, require_frozen


@dataclass(frozen=True)
class DrawnNode:
    """One expression: its number, name, op, type, line, and what part it plays."""

    id: int
    expr: Expr
    role: str  # input, constant, forward, backward
    cause: int | None  # the forward node that a backward node belongs to

    @property
    def title(self) -> str:
        """The op, or the name of what has none."""
        return self.expr.what if self.expr.op else self.expr.name

    @property
    def line(self) -> str | None:
        """The user's line, `model.py:12`."""
        return None if self.expr.place is None else short(self.expr.place)


@dataclass(frozen=True)
class Drawing:
    """The nodes of a graph in order, each after its inputs."""

    graph: FrozenGraph

    @cached_property
    def nodes(self) -> list[DrawnNode]:
        """The expressions, numbered in the order in which they are computed."""
        numbers = self.numbers
        by_name = {e.name: i for e, i in numbers.items()}
        return [DrawnNode(i, e, role(e), by_name.get(cause(e))) for e, i in numbers.items()]

    @cached_property
    def numbers(self) -> dict[Expr, int]:
        """The number of each expression."""
        return {e: i for i, e in enumerate(require_frozen("a drawing", self.graph).order)}

    @property
    def edges(self) -> list[tuple[int, int]]:
        """From each operand to its user, in order."""
        return [(self.numbers[x], n.id) for n in self.nodes for x in n.expr.inputs]

    @property
    def outputs(self) -> list[int]:
        """The numbers of the results."""
        return [self.numbers[e] for e in self.graph.results]


def role(e: Expr) -> str:
    """What part an expression plays."""
    if e.kind in (Kind.PLACEHOLDER, Kind.VARIABLE, Kind.PARAMETER):
        return "input"
    if e.kind is not Kind.OP:
        return "constant"
    return "forward" if e.origin is None else "backward"


def cause(e: Expr) -> Any:
    """The name of the forward expression that a gradient's expression was made for."""
    return None if e.origin is None else e.origin.name
