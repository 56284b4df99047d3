"""The limit of the work that parsing a text may take.

Note [Budget]. A short text can need much work: a million inputs, nested brackets, products of sums
as sizes. So each piece of work is counted in bytes of ordinary text, at most 0.12 us and 30 bytes
of memory each, before it is done; a text that needs more than its limit is refused. An ordinary
graph needs less than its length.
"""

from collections.abc import Iterable

from gradops import ArrayType, Dim, GraphFormatError
from gradops.typing import Attrs

from ..ir.graph import FrozenGraph
from ..ir.tuple_types import TupleType

SAFE = 16 << 20  # bytes that are read in less than two seconds, in less than 512 MB

LINE, STATEMENT = 6, 20  # to find it, and to read it
TOKEN = 20
EXPRESSION, CONSTANT = 76, 80
OPERAND = 6
CHARACTER = 4  # of attributes, where they are long
ENTRY, ROW = 3, 12  # of a constant
SECTION, DIGEST = 400, 120
LONG = 256
PARTS = 12  # of a size, each time that sizes are added or multiplied
AXIS = 30
INFERENCE = 300  # of a type that no earlier line has led to
ARRAY = 1500  # to read one from a file
PLACE, MENTION = 80, 4  # of a line of the user's, in a file


class Budget:
    """The remaining work. See Note [Budget]."""

    __slots__ = ("fitted", "left", "limit")

    def __init__(self, limit: float = SAFE) -> None:
        self.left = self.limit = limit
        self.fitted: dict[FrozenGraph, int] = {}  # the work of fitting operands to a graph inside

    def spend(self, work: float) -> None:
        """Subtract work from the budget; raise GraphFormatError if it is exhausted."""
        self.left -= work
        if self.left < 0:
            raise GraphFormatError(
                f"the text asks for more work than {self.limit:,} bytes of an ordinary graph do"
                "\n  hint: give a higher limit= if you trust where it comes from"
            )

    def spend_on_size(self, parts: int) -> None:
        """Spend the work of adding or multiplying sizes."""
        self.spend(PARTS * parts)

    def spend_on_graph(self, graph: FrozenGraph) -> None:
        """Spend the work of hashing an inner graph, once."""
        if graph.sequence is None:
            self.spend(sum(DIGEST + weight_of(e.type) + attrs_weight(e.attrs) for e in graph.order))

    def spend_on_types(self, operands: Iterable[ArrayType], attrs: Attrs, type: ArrayType) -> None:
        """Spend the work of inferring a type, and of comparing it with the declared one."""
        inside = sum(self.fitting(v) for v in attrs.values())
        self.spend(INFERENCE + inside + sum(map(array_weight, operands)) + weight_of(type))

    def fitting(self, value: object) -> int:
        """The work of matching operands with the inputs of graphs in an attribute."""
        if isinstance(value, tuple):
            return sum(map(self.fitting, value))
        if not isinstance(value, FrozenGraph):
            return 0
        if value not in self.fitted:
            ends = (*value.inputs, *value.outputs)
            self.fitted[value] = sum(weight_of(e.type) for e in ends)
        return self.fitted[value]


def weight_of(type: ArrayType) -> int:
    """The work of comparing or printing a type."""
    if isinstance(type, TupleType):
        return sum(map(weight_of, type.parts))
    return array_weight(type)


def array_weight(type: ArrayType) -> int:
    """The work that the shape of an operand takes; several values have none."""
    return AXIS + sum(AXIS + PARTS * n.parts if isinstance(n, Dim) else AXIS for n in type.shape)


def attrs_weight(attrs: Attrs) -> int:
    """The work of printing the sizes in attributes, which are compared as they are printed."""
    return sum(map(value_weight, attrs.values()))


def value_weight(value: object) -> int:
    """The work of printing the sizes in a value."""
    if isinstance(value, Dim):
        return PARTS * value.parts
    return sum(map(value_weight, value)) if isinstance(value, tuple) else 0
