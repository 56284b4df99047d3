"""Loops taken apart and put together again: the base of the passes over them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cached_property

from gradops import OPS, ArrayType
from gradops.core.dims import UNKNOWN, Size
from gradops.core.traits import Trait
from gradops.typing import Attrs

from ...control.ops import element_of, match_sizes
from ...ir.expr import Expr, Kind, whole_of
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.names import unique_name
from ...ir.reachability import reachable
from ...ir.sizes import bound_type, names_in, substitute_sizes
from ...ir.tuple_types import HistoryType, TupleType
from ..prune import values_read

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
        return self.e.type.parts  # type: ignore[attr-defined]

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
        return made(self.intern, self.e if like is None else like, op, *inputs, **attrs)

    def inline(self, body: FrozenGraph, operands: Sequence[Expr]) -> list[Expr]:
        """The outputs of a graph of this body's expressions, computed outside of the loop."""
        return inline(self.intern, body, operands, self.sizes)

    def rebuilt(
        self, body: FrozenGraph, operands: Sequence[Expr], types: Sequence[ArrayType],
        **attrs: object,
    ) -> Expr:  # fmt: skip
        """The loop with another body, operands, types of values and attributes."""
        counts = {"gives": len(types) - int(attrs.get("carries", self.carries))}  # type: ignore[call-overload]
        merged = {**self.attrs, "body": body, **counts, **attrs}
        operands = tuple(operands)
        new = self.e._replace(type=TupleType(types), attrs=merged, inputs=operands)
        return self.intern.copy(new, operands)

    def parts(self, loop: Expr, indices: Iterable[int]) -> list[Expr]:
        """Some values of a loop."""
        return [part_of(self.intern, loop, i) for i in indices]

    def list_as_array(self, values: Expr, element: ArrayType) -> Expr:
        """A list among the operands or values, as an array; an array as it is."""
        if not isinstance(values.type, HistoryType):
            return values
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


def made(intern: Interning, like: Expr, op: str, *inputs: Expr, **attrs: object) -> Expr:
    """An application of an op in the place of `like`."""
    operands, bound = OPS[op].bind(inputs, attrs)
    type = OPS[op].infer(*[x.type for x in operands], **bound)
    new = like._replace(kind=Kind.OP, type=type, op=OPS[op], attrs=bound, inputs=operands)
    return intern.copy(new, operands)


def part_of(intern: Interning, whole: Expr, index: int) -> Expr:
    """One of the values of a loop or branch."""
    type = whole.type.parts[index]  # type: ignore[attr-defined]
    new = whole._replace(
        type=type, op=OPS["part"], attrs={"index": index}, inputs=(whole,),
        name=f"{whole.name}.{index}",
    )  # fmt: skip
    return intern.copy(new, (whole,))


def inline(
    intern: Interning, graph: FrozenGraph, operands: Sequence[Expr], sizes: Mapping[str, Size]
) -> list[Expr]:
    """The outputs of a graph for operands, in the graph of an interning."""
    result = dict(zip(graph.inputs, operands, strict=True))
    for e in graph.order:
        if e not in result:
            new = result[e] = intern.copy(with_sizes(e, sizes), [result[x] for x in e.inputs])
            if e in graph.merged:
                intern.note(new, graph.merged[e])
    return [result[e] for e in graph.outputs]


def with_sizes(e: Expr, sizes: Mapping[str, Size]) -> Expr:
    """An expression with other sizes in its type and attributes."""
    if not names_in((*e.shape, e.value, *e.attrs.values())):
        return e
    attrs = {k: substitute_sizes(v, sizes) for k, v in e.attrs.items()}
    value = substitute_sizes(e.value, sizes)
    return e._replace(type=bound_type(e.type, sizes), attrs=attrs, value=value, inputs=e.inputs)


def subgraph(
    graph: FrozenGraph, inputs: Sequence[Expr], outputs: Iterable[Expr],
    measured: Sequence[Expr] = (),
) -> FrozenGraph:  # fmt: skip
    """The part of a graph that computes some of its expressions from some others."""
    some = FrozenGraph(
        tuple(inputs), tuple(outputs), measured=tuple(measured), merged=graph.merged,
        lowering=graph.lowering,
    )  # fmt: skip
    needed = reachable((*some.outputs, *some.measured), stop=inputs) | dict.fromkeys(inputs)
    return replaced(some, sequence=tuple([e for e in graph.order if e in needed]))


def with_parameters(
    graph: FrozenGraph, parameters: Mapping[Expr, Expr], inputs: Sequence[Expr],
    outputs: Sequence[Expr],
) -> FrozenGraph:  # fmt: skip
    """The graph of `outputs` on other `inputs`; some expressions become parameters."""
    before = set(graph.inputs)
    new = [e for e in inputs if e not in before]
    wide = FrozenGraph(
        (*graph.inputs, *new), tuple(outputs), measured=graph.measured,
        merged=graph.merged, sequence=(*new, *graph.order), lowering=graph.lowering,
    )  # fmt: skip
    made = wide.remade(lambda e, xs, intern: intern.copy(*leaf_or(e, xs, parameters)))
    by_old = dict(zip(wide.inputs, made.inputs, strict=True))
    return subgraph(made, [by_old[e] for e in inputs], made.outputs, made.measured)


def leaf_or(
    e: Expr, inputs: Sequence[Expr], parameters: Mapping[Expr, Expr]
) -> tuple[Expr, Sequence[Expr]]:
    """The parameter in the place of an expression, or the expression on other inputs."""
    return (parameters[e], ()) if e in parameters else (e, inputs)


def parameters_for(graph: Iterable[Expr], values: Sequence[Expr]) -> list[Expr]:
    """A parameter of the type of each value, with a name that no expression of a graph has."""
    taken = {e.name for e in graph}
    return [
        e._replace(kind=Kind.PARAMETER, op=None, attrs={}, inputs=(), value=None,
                   name=unique_name(e.name, taken))
        for e in values
    ]  # fmt: skip


def is_pure(e: Expr) -> bool:
    """True if an expression is a leaf of a known value, or an op that may run more or less often.

    Loops, branches, calls, and what works on their lists, are not.
    """
    if e.op is None:
        return e.kind in (Kind.CONSTANT, Kind.SIZE)
    return e.op.traits.isdisjoint((Trait.EFFECT, Trait.CONTROL, Trait.GUARD))


def readers(graph: FrozenGraph) -> dict[Expr, list[Expr]]:
    """The expressions that read each expression."""
    result: dict[Expr, list[Expr]] = {e: [] for e in graph.order}
    for e in graph.order:
        for x in dict.fromkeys(e.inputs):
            result[x].append(e)
    return result


def border(graph: FrozenGraph, inside: Collection[Expr], also: Iterable[Expr] = ()) -> list[Expr]:
    """The ops among `inside` that others, or the outputs, read."""
    read = {x for e in graph.order if e not in inside for x in e.inputs}
    read.update(graph.results, graph.measured, also)
    return [e for e in graph.order if e in inside and e.op is not None and e in read]
