"""Building the graph of a model: its nodes in order, each by the builder of its operator."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import CodeType
from typing import Any

import numpy as np

from gradops import Dim, FeedError, GradError, GraphFormatError
from gradops.core.dims import Size
from gradops.core.source_location import Place

from ...build.collector import collector_paused
from ...build.graph import Graph, rename
from ...build.inputs import Variable, constant, placeholder
from ...ir.expr import Expr
from ...ir.kinds import Kind
from ...ir.names import NOT_IN_NAMES
from ..errors import NeedsValue, Unsupported, UnsupportedOperator
from . import registry
from .attributes import attribute, attributes_of
from .functions import function_for
from .scopes import Attributes, Scope
from .source import Source
from .tensors import DTYPES, array_of, dtype_of
from .type_checks import require_types
from .values import SMALL, Value, as_expr, as_value

MOST_NODES = 100  # nodes that are built, in terms of those in the file: functions within functions
FEW_FLOATS = 16  # scales and the like, which may have to be known
FEW = 20_000  # nodes that any model may have built
DEEPEST = 64  # calls within calls
BUGS = (TypeError, ValueError, IndexError, KeyError, OverflowError, ZeroDivisionError, MemoryError)


@dataclass(frozen=True)
class Choices:
    """What is decided when a model is read: values of inputs, shapes, which tensors are trained."""

    values: Mapping[str, np.ndarray] = field(default_factory=dict)
    shapes: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    trainable: bool | frozenset[str] = False

    def refined(
        self, source: Source, values: Mapping[str, Any], shapes: Mapping[str, Sequence[Any]]
    ) -> "Choices":
        """The choices with more values and shapes of inputs."""
        if unknown := (values.keys() | shapes.keys()) - source.inputs.keys():
            raise FeedError(f"the model has no input {min(unknown)!r}")
        arrays = {
            name: np.asarray(x, dtype_of(source.inputs[name].type.tensor_type.elem_type))
            for name, x in values.items()
        }
        return replace(self, values={**self.values, **arrays}, shapes={**self.shapes, **shapes})

    def trains(self, name: str, value: np.ndarray) -> bool:
        """Whether an initializer becomes a variable."""
        if isinstance(self.trainable, bool):
            return self.trainable and value.dtype.kind == "f"
        return name in self.trainable


@dataclass(frozen=True)
class Built:
    """The graph of a model: placeholders by the names of inputs, outputs, variables."""

    graph: Graph
    inputs: dict[str, Expr]
    outputs: list[Expr]
    variables: list[Variable]


def build(source: Source, choices: Choices) -> Built | list[str]:
    """The graph of a model; or the names of the inputs whose values it depends on."""
    graph = Graph(source.name)
    with graph.as_default(), collector_paused():
        builder = GraphBuilder(source, choices, graph)
        try:
            return builder.built()
        except NeedsValue as need:
            return builder.inputs_behind(need)
        except GradError:
            raise
        except BUGS as error:  # names that are no text, numbers that are out of range
            raise error_at(source.name, error) from error


class GraphBuilder:
    """Builds the nodes of one model in a graph."""

    def __init__(self, source: Source, choices: Choices, graph: Graph) -> None:
        self.source, self.choices, self.graph = source, choices, graph
        self.inputs: dict[str, Expr] = {}
        self.variables: list[Variable] = []
        self.depth = 0
        self.left = FEW + MOST_NODES * len(source.model.graph.node)
        self.current: tuple[int, Any] = (0, None)

    def built(self) -> Built:
        """The graph of the whole model."""
        scope = Scope()
        for name, info in self.source.inputs.items():
            scope[name] = self.input(name, info)
        for name, tensor in self.source.initializers.items():
            scope[name] = self.initializer(name, tensor)
        self.run(self.source.model.graph.node, scope)
        outputs = [self.output(info, scope) for info in self.source.model.graph.output]
        return Built(self.graph, self.inputs, outputs, self.variables)

    def input(self, name: str, info: Any) -> Value:
        """An input: a placeholder, or its value."""
        if name in self.choices.values:
            return as_value(self.choices.values[name])
        dtype, shape = self.type_of_input(name, info)
        self.inputs[name] = placeholder(dtype, shape, usable(name))
        return self.inputs[name]

    def type_of_input(self, name: str, info: Any) -> tuple[np.dtype, tuple[Any, ...]]:
        """The dtype and shape of an input; named sizes of the model have their names."""
        tensor = info.type.tensor_type
        try:
            dtype = dtype_of(tensor.elem_type)
        except Unsupported as error:
            raise UnsupportedOperator([(str(error), f"of the input {name!r}")]) from error
        if name in self.choices.shapes:
            return dtype, tuple(self.choices.shapes[name])
        if not tensor.HasField("shape"):
            raise FeedError(
                f"the input {name!r} has any number of axes\n  hint: give its shape,"
                f" specialize(shapes={{{name!r}: (2, 3)}}), or call the model"
            )
        return dtype, tuple(map(size_of, tensor.shape.dim))

    def output(self, info: Any, scope: Scope) -> Expr:
        """An output, which has the type that the model states."""
        e = as_expr(scope.read(info.name, "an output of the model"))
        stated = info.type.tensor_type
        if stated.elem_type and stated.elem_type in DTYPES and DTYPES[stated.elem_type] != e.dtype:
            raise GraphFormatError(
                f"the output {info.name!r} is {e.dtype}, and stated to be"
                f" {DTYPES[stated.elem_type]}"
            )
        if stated.HasField("shape") and conflicts(stated.shape.dim, e.shape):
            raise GraphFormatError(
                f"the output {info.name!r} has the shape {e.shape}, and another one is stated"
            )
        return e

    def initializer(self, name: str, tensor: Any) -> Value:
        """A tensor of the model: known, a constant, or a variable."""
        try:
            value = array_of(tensor, self.source.folder)
        except Unsupported as error:
            raise UnsupportedOperator([(str(error), f"of the initializer {name!r}")]) from error
        if self.choices.trains(name, value):
            self.variables.append(Variable(value, name=usable(name)))
            return self.variables[-1]
        if value.dtype.kind == "f" and value.size > FEW_FLOATS:
            return constant(value, name=usable(name))
        return value if value.size <= SMALL else constant(value, name=usable(name))

    def run(self, nodes: Iterable[Any], scope: Scope) -> None:
        """Build nodes, which read and write names of a scope."""
        members, file = self.graph.members, self.source.name
        for i, node in enumerate(nodes):
            self.left -= 1
            if self.left < 0:
                raise GraphFormatError("functions within functions give too many nodes")
            self.current, before = (i, node), len(members)
            self.node(node, scope)
            if len(members) > before:
                place = place_of(node.name or node.op_type, file, i)
                for e in islice(reversed(members.values()), len(members) - before):
                    e.place = place

    @property
    def at(self) -> str:
        """The node that is being built, in words."""
        i, node = self.current
        return f"node {i} {node.name!r} ({node.op_type})"

    def node(self, node: Any, scope: Scope) -> None:
        """Build one node."""
        operands = self.operands(node, scope)
        names = list(node.output)
        try:
            results = self.results(node, operands, names, scope)
        except Unsupported as error:
            raise UnsupportedOperator([(str(error), self.at)]) from error
        except (UnsupportedOperator, NeedsValue):
            raise
        except (GradError, *BUGS) as error:
            raise error_at(self.at, error) from error
        if len(results) < len(names):
            raise GraphFormatError(f"{self.at} has {len(names)} outputs, not {len(results)}")
        for name, value in zip(names, results, strict=False):
            if name:
                scope[name] = self.named(name, value, operands)

    def operands(self, node: Any, scope: Scope) -> list[Any]:
        """The inputs of a node; None for those that are left out."""
        values, result = scope.values, []
        for name in node.input:
            value = values.get(name) if name else None
            result.append(scope.read(name, self.at) if name and value is None else value)
        return result

    def results(
        self, node: Any, operands: list[Any], names: list[str], scope: Scope
    ) -> Sequence[Any]:
        """The outputs of a node."""
        given = attributes_of(node, scope) if node.attribute else {}
        row = None
        if (node.domain, node.op_type) not in self.source.functions:
            row = registry.find(node.op_type, self.source.opset)
        if row is None:
            function = function_for(node, operands, given, self.source)
            return self.call(function, operands, given, list(map(bool, names)))
        require_types(node.op_type, self.source.opset, operands)
        attributes = {name: attribute(a, self, inside) for name, (a, inside) in given.items()}
        if row.wants:
            attributes["wanted"] = tuple(map(bool, names))
        found = row.build(*operands, **attributes)
        return found if isinstance(found, tuple) else (found,)

    def call(
        self, function: Any, operands: Sequence[Any], attributes: Attributes, wanted: Sequence[bool]
    ) -> list[Value | None]:
        """The outputs of a function of the model, or of ONNX's own definition of an operator."""
        if self.depth >= DEEPEST:
            raise GraphFormatError(f"functions call each other, more than {DEEPEST} deep")
        scope = Scope()
        scope.attributes = {a.name: (a, scope) for a in function.attribute_proto} | attributes
        for name, value in zip(function.input, operands, strict=False):
            scope[name] = value
        for name in function.input[len(operands) :]:
            scope[name] = None
        self.depth += 1
        self.run(function.node, scope)
        self.depth -= 1
        reader = f"an output of the function {function.name!r}"
        return [
            scope.read(name, reader) if is_wanted else None
            for name, is_wanted in zip(function.output, wanted, strict=False)
        ]

    def named(self, name: str, value: Any, operands: Sequence[Any]) -> Value | None:
        """The value of an output, which has the output's name if the node has made it."""
        if value is None:
            return None
        value = as_value(value)
        if type(value) is not Expr or value.op is None or value in self.graph.inside:
            return value
        plain = usable(name)
        if plain in self.graph.names.counts or any(value is x for x in operands):
            return value
        return rename(value, plain)

    def inputs_behind(self, need: NeedsValue) -> list[str]:
        """The inputs that decide a value that has to be known."""
        from gradops.transforms.reverse import ancestors

        known = (Kind.CONSTANT, Kind.SIZE)
        leaves = {e for e in ancestors([need.e]) if e.op is None and e.kind not in known}
        names = [name for name, e in self.inputs.items() if e in leaves]
        if not names or len(names) < len(leaves):
            raise UnsupportedOperator(
                [("a shape or option that depends on data", self.at)]
            ) from need
        return names


def error_at(place: str, error: Exception) -> GraphFormatError:
    """The error of a node; that of a node within another names its place already."""
    if isinstance(error, GraphFormatError) and str(error).startswith("node "):
        return error
    return GraphFormatError(f"{place}: {error}")


def conflicts(dims: Sequence[Any], shape: Sequence[Any]) -> bool:
    """Whether a stated shape cannot be a shape that was found."""
    if len(dims) != len(shape):
        return True
    pairs = [(d.dim_value, n) for d, n in zip(dims, shape, strict=True) if d.HasField("dim_value")]
    return any(isinstance(n, int) and n != stated for stated, n in pairs)


def usable(name: str) -> str:
    """A name of a model as a name of ours, which has no spaces and no colons."""
    return NOT_IN_NAMES.sub("_", name)


def size_of(dim: Any) -> Size | None:
    """A size of a model: a number, a name, or None for any."""
    if dim.HasField("dim_value"):
        if dim.dim_value < 0:
            raise GraphFormatError(f"a size of {dim.dim_value}")
        return int(dim.dim_value)
    return Dim(usable(dim.dim_param)) if dim.dim_param else None


def place_of(name: str, file: str, i: int) -> Place:
    """The place of a node, for messages: the model, and the node's number as a line."""
    return TEMPLATE.replace(co_filename=file, co_name=name, co_firstlineno=i + 1), 0


def template() -> None:
    """Have the code that stands for nodes."""


TEMPLATE: CodeType = template.__code__
