"""Loops taken apart and put together again: the base of the passes over them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gradops import OPS, ArrayType
from gradops.core.dims import UNKNOWN, Size
from gradops.typing import Attrs

from ...control.ops import element_of, match_sizes
from ...ir.expr import Expr, whole_of
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.sizes import bound_type, names_in
from ...ir.tuple_types import HistoryType, TupleType, types_of_parts
from ..prune import values_read
from ..subgraphs import inline

Values = Sequence[Expr]
"""The values of a loop or branch after a change: one for each part."""


@dataclass(frozen=True, eq=False)
class LoopEditor:
    """A loop of a graph that is being rebuilt, and the making of expressions beside it.

    `operands` and whatever it makes are expressions of the new graph, made with its interning.
    """

    e: Expr
    operands: Sequence[Expr]
    intern: Interning

    @property
    def attrs(self) -> Attrs:
        """The attributes of the loop."""
        return self.e.attrs

    @property
    def body(self) -> FrozenGraph:
        """The graph of one step."""
        result: FrozenGraph = self.e.attrs["body"]
        return result

    @property
    def carries(self) -> int:
        """The number of values of the state."""
        return int(self.e.attrs["carries"])

    @property
    def end(self) -> int:
        """The number of operands before those that all steps share."""
        return self.carries + int(self.e.attrs["lists"])

    @property
    def types(self) -> Sequence[ArrayType]:
        """The types of the loop's values."""
        return types_of_parts(self.e)

    @cached_property
    def sizes(self) -> Mapping[str, Size]:
        """The sizes outside, by their names in the body, of those that no step changes."""
        types = [x.type for x in self.operands]
        types[self.carries : self.end] = map(element_of, types[self.carries : self.end])
        pairs = zip(self.body.inputs[: self.carries], self.body.outputs, strict=False)
        changing = [n for x, y in pairs for n, m in zip(x.shape, y.shape, strict=True) if n != m]
        names = names_in(changing)
        matched = match_sizes("loop", self.body, types)
        return {name: n for name, n in matched.items() if name not in names}

    @property
    def length(self) -> Size:
        """The number of steps, unknown for a loop with a condition."""
        if self.attrs["cond"] is not None or self.end == self.carries:
            return UNKNOWN
        size: Size = self.operands[self.carries].shape[0]
        return size

    def outside(self, type: ArrayType) -> ArrayType | None:
        """A type in the body as a type outside; None if a size has no name there."""
        result = bound_type(type, self.sizes)
        return None if UNKNOWN in result.shape else result

    def make(self, op: str, *inputs: Expr, like: Expr | None = None, **attrs: object) -> Expr:
        """An application of an op outside the loop, in the place of `like`."""
        return self.intern.apply(op, *inputs, like=self.e if like is None else like, **attrs)

    def inline(self, body: FrozenGraph, operands: Sequence[Expr]) -> list[Expr]:
        """The outputs of a graph of this body's expressions, computed outside of the loop."""
        return inline(self.intern, body, operands, self.sizes)

    def rebuilt(
        self, body: FrozenGraph, operands: Sequence[Expr], types: Sequence[ArrayType],
        **attrs: object,
    ) -> Expr:  # fmt: skip
        """The loop with another body, operands, types of values and attributes."""
        merged = {**self.attrs, "body": body, **attrs}
        merged["gives"] = len(types) - merged["carries"]
        operands = tuple(operands)
        new = self.e._replace(type=TupleType(types), attrs=merged, inputs=operands)
        return self.intern.copy(new, operands)

    def parts(self, loop: Expr, indices: Iterable[int]) -> list[Expr]:
        """Some values of a loop."""
        return [self.intern.part(loop, i) for i in indices]

    def list_as_array(self, values: Expr, element: ArrayType) -> Expr:
        """A list among the operands or values, as an array; an array as it is."""
        if not isinstance(values.type, HistoryType):
            return values
        if values.op is OPS["unstacked"]:
            return values.inputs[0]
        return self.make("stacked", values, shape=element.shape, dtype=element.dtype)


Change = Callable[[LoopEditor], Values | None]


def with_loops(graph: FrozenGraph, change: Change) -> FrozenGraph:
    """The graph with the values that `change` gives for loops; for None a loop stays."""
    return with_values(graph, "loop", lambda e, xs, intern: change(LoopEditor(e, xs, intern)))


def with_values(
    graph: FrozenGraph, name: str,
    change: Callable[[Expr, Sequence[Expr], Interning], Values | None],
) -> FrozenGraph:  # fmt: skip
    """The graph with other values for the ops called `name` that are read part by part."""
    if not any(e.op is not None and e.op.name == name for e in graph.order):
        return graph
    editable = {e for e in values_read(graph) if e.op is not None and e.op.name == name}
    values: dict[Expr, Values] = {}

    def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        if (whole := whole_of(e)) is not None and whole in values:
            return values[whole][e.attrs["index"]]
        if e in editable and (result := change(e, inputs, intern)) is not None:
            values[e] = result
            return e
        return intern.copy(e, inputs)

    return graph.remade(make)
