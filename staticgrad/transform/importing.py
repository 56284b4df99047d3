"""Importing a frozen graph into the default graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import BinaryIO

import numpy as np

from gradops import ArrayType, Dim, FeedError, FetchError
from gradops.core.dims import Size
from gradops.core.source_location import here
from gradops.typing import Attrs, Operand

from ..build.graph import Graph, get_default_graph
from ..build.inputs import Variable, constant
from ..export.saving import load
from ..ir.expr import Expr, Kind, sequence
from ..ir.graph import FrozenGraph, require_frozen
from ..ir.lossless import operand_for
from ..ir.replay import add_values
from ..ir.sizes import bind_sizes, substitute_sizes
from ..ir.tuple_types import named_sizes
from ..text.parser import parse
from .lookup import Elements

Key = Expr | str  # an expression of a frozen graph, or its name
GraphLike = FrozenGraph | str | PathLike[str] | BinaryIO


def import_graph(
    graph: GraphLike,
    input_map: Mapping[Key, Operand] | None = None,
    return_elements: Key | Sequence[Key] | None = None,
    name: str = "import",
) -> list[Expr]:
    """Build the expressions of a frozen graph in the default graph, under the name scope `name`.

    `graph` is a frozen graph, a file of one as `load` takes it, or text as `parse` takes it, which
    is recognized by its line breaks. `input_map` maps inputs to expressions of the default graph,
    numbers or arrays. Other inputs become placeholders, and variables become Variables with their
    saved values. Returns the expressions that `return_elements` names, by default the outputs and
    then the assignments to variables. Expressions keep their source lines. Raises FeedError for an
    input that the graph does not have or that is of another type, FetchError for an element that it
    does not have.

    Named sizes take the values that `input_map` gives them. The others are renamed for the scope.

    >>> x = sg.placeholder("float32", ["n"], name="x")
    >>> graph = sg.freeze([sg.exp(x, name="e") + 1], [x])
    >>> rows = sg.placeholder("float32", [5], name="rows")
    >>> sg.import_graph(graph, {"x": rows}, name="a")
    [<add a/add: float32[5]>]
    >>> sg.import_graph(graph, return_elements=["x", "e"], name="b")
    [<placeholder b/x: float32[b/n]>, <exp b/e: float32[b/n]>]
    """
    frozen = read_graph(graph)
    elements, target = Elements(frozen), get_default_graph()
    wanted = [elements.find(key, FetchError) for key in sequence(return_elements)]
    with target.name_scope(name) as scope:
        importer = Importer(frozen, elements, target, scope)
        importer.map_inputs(resolve_inputs(frozen, elements, input_map or {}))
        add_values(frozen, importer.values, importer.sizes, importer.build)
        if return_elements is not None:
            return [importer.values[e] for e in wanted]
        return [importer.values[e] for e in frozen.outputs] + importer.updates()


def read_graph(graph: GraphLike) -> FrozenGraph:
    """The frozen graph itself, or one read from a file or a text."""
    if isinstance(graph, FrozenGraph):
        return graph
    if isinstance(graph, Expr):
        return require_frozen("import_graph", graph)
    return parse(graph) if isinstance(graph, str) and "\n" in graph else load(graph)


def resolve_inputs(
    frozen: FrozenGraph, elements: Elements, input_map: Mapping[Key, Operand]
) -> dict[Expr, Operand]:
    """The values of mapped inputs, whose keys are expressions or names."""
    if not isinstance(input_map, Mapping):
        raise FeedError(f"input_map is a mapping from inputs to values, not {input_map!r}")
    result, inputs = {}, set(frozen.inputs)
    for key, value in input_map.items():
        e = elements.find(key, FeedError)
        if e not in inputs:
            raise FeedError(
                f"{e.label} is not an input of the frozen graph"
                f"\n  hint: extract(graph, outputs, [{key!r}]) has it as one"
            )
        if e in result:
            raise FeedError(f"{e.label} is mapped twice")
        result[e] = value
    return result


@dataclass
class Importer:
    """The state of an import: new expressions and sizes, by those of the frozen graph."""

    frozen: FrozenGraph
    elements: Elements
    target: Graph
    scope: str
    values: dict[Expr, Expr] = field(default_factory=dict)
    sizes: dict[str, Size] = field(default_factory=dict)

    def map_inputs(self, given: Mapping[Expr, Operand]) -> None:
        """Bind each input to its mapped value or a new leaf; raises FeedError if sizes disagree."""
        mapped = {e: self.operand(e, a) for e, a in given.items()}
        self.sizes |= bind_sizes(list(mapped), [a.shape for a in mapped.values()])
        self.values = {e: mapped[e] if e in mapped else self.leaf(e) for e in self.frozen.inputs}
        self.sizes |= bind_sizes(self.frozen.inputs, [a.shape for a in self.values.values()])

    def operand(self, e: Expr, a: Operand) -> Expr:
        """The expression for the value `a` of input `e`; raises FeedError unless it fits."""
        if isinstance(a, Expr) and a not in self.target:
            owner = a.names.label if a.names else "a frozen graph"
            raise FeedError(f"{e.label} is mapped to {a.label} of {owner}"
                            f"\n  hint: {self.target.names.label} is built in")  # fmt: skip
        result = operand_for(e, a)
        return result if isinstance(a, Expr) else constant(result, name=e.name)

    def leaf(self, e: Expr) -> Expr:
        """A new placeholder or variable for input `e`, with its sizes renamed for the scope."""
        if e.kind is Kind.VARIABLE:
            if e.value is None:
                raise FeedError(
                    f"{e.label} has no value: a text has none of variables"
                    f"\n  hint: map it, input_map={{{e.name!r}: ...}}, or import a saved file"
                )
            result: Expr = Variable(e.value, e.name, e.dtype, e.attrs.get("trainable", True))
            result.place = e.place or result.place
            return result
        names = self.target.names
        name = names.unique(e.name)
        for old in [old for n in e.shape if isinstance(n, Dim) for old in sorted(n.names())]:
            own = old.removeprefix(f"{e.name}.")
            new = f"{name}.{own}" if own != old else f"{self.scope}{old}"
            self.sizes.setdefault(old, Dim(new))
        type = ArrayType(substitute_sizes(e.shape, self.sizes), e.dtype)
        return names.add(Expr(e.kind, type, name, names, place=e.place or here()))

    def build(self, e: Expr, inputs: list[Expr], sizes: dict[str, Size]) -> Expr:
        """Rebuild `e` on new inputs, with the type inferred from them."""
        names, kind, type, value = (
            self.target.names,
            e.kind,
            e.type,
            substitute_sizes(e.value, sizes),
        )
        attrs = {k: substitute_sizes(v, sizes) for k, v in e.attrs.items()}
        if kind is Kind.SIZE and not isinstance(value, Dim):
            kind, value = Kind.CONSTANT, np.array(value, e.dtype)
        if e.op is not None:
            type = infer_type(e, inputs, attrs)
        name = names.unique(e.name)
        return names.add(
            Expr(
                kind, named_sizes(type, name), name, names, op=e.op, inputs=tuple(inputs),
                attrs=attrs, value=value, place=e.place or here(), origin=self.origin(e),
            )
        )  # fmt: skip

    def origin(self, e: Expr) -> Expr | None:
        """The new form of the expression whose gradient `e` is part of, if it is imported."""
        forward = None if e.origin is None else self.elements.by_name.get(e.origin.name)
        return None if forward is None else self.values.get(forward)

    def updates(self) -> list[Expr]:
        """Assignments to variables; for inputs mapped to other expressions, the new values."""
        pairs = [(self.values[v], self.values[new]) for v, new in self.frozen.updates]
        return [v.assign(new) if isinstance(v, Variable) else new for v, new in pairs]


def infer_type(e: Expr, inputs: Sequence[Expr], attrs: Attrs) -> ArrayType:
    """The type of the op of `e` on other inputs."""
    assert e.op is not None
    return e.op.infer(*[x.type for x in inputs], **attrs)
