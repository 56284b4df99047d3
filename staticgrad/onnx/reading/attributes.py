"""The attributes of nodes as Python values; graphs become functions."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gradops import GraphFormatError

from ..errors import Unsupported
from .scopes import Attributes, Scope
from .tensors import array_of, dtype_of
from .values import Value, as_value

if TYPE_CHECKING:
    from .graph_builder import GraphBuilder


class Body:
    """A graph within a node, as a function of its inputs that returns its outputs."""

    def __init__(self, graph: Any, builder: "GraphBuilder", scope: Scope) -> None:
        self.graph, self.builder, self.scope = graph, builder, scope
        self.count = len(graph.output)

    def __call__(self, *operands: Any) -> list[Value]:
        if len(operands) != len(self.graph.input):
            raise GraphFormatError(
                f"the graph {self.graph.name!r} has {len(self.graph.input)} inputs, and is given"
                f" {len(operands)}"
            )
        scope = Scope(self.scope)
        for info, value in zip(self.graph.input, operands, strict=True):
            scope[info.name] = value
        for tensor in self.graph.initializer:
            scope[tensor.name] = as_value(array_of(tensor, self.builder.source.folder))
        self.builder.run(self.graph.node, scope)
        name = self.graph.name
        return [scope.read(v.name, f"an output of the graph {name!r}") for v in self.graph.output]

    def array(self, tensor: Any) -> Any:
        """The entries of a tensor of the graph."""
        return array_of(tensor, self.builder.source.folder)

    @property
    def output_types(self) -> list[tuple[Any, Sequence[Any] | None]]:
        """The dtype and the sizes, or None for any shape, that the graph states of its outputs."""
        tensors = [v.type.tensor_type for v in self.graph.output]
        return [
            (dtype_of(t.elem_type) if t.elem_type else None,
             [d.dim_value if d.HasField("dim_value") else None for d in t.shape.dim]
             if t.HasField("shape") else None)
            for t in tensors
        ]  # fmt: skip


READERS: dict[int, Callable[[Any], Any]] = {
    1: lambda a: a.f, 2: lambda a: a.i, 3: lambda a: a.s.decode("utf-8", "replace"),
    6: lambda a: tuple(a.floats), 7: lambda a: tuple(a.ints),
    8: lambda a: tuple(s.decode("utf-8", "replace") for s in a.strings),
}  # fmt: skip


def attributes_of(node: Any, scope: Scope) -> Attributes:
    """The attributes of a node, each with the scope that it is read in.

    Those that refer to an attribute of a function are that of the function's call, if it has it.
    """
    result: Attributes = {}
    for a in node.attribute:
        if not a.ref_attr_name:
            result[a.name] = (a, scope)
        elif a.ref_attr_name in scope.attributes:
            result[a.name] = scope.attributes[a.ref_attr_name]
    return result


def with_attributes(node: Any, attributes: Attributes) -> Any:
    """A copy of a node whose attributes refer to nothing."""
    made = type(node)()
    made.CopyFrom(node)
    del made.attribute[:]
    for name, (a, _) in attributes.items():
        made.attribute.add().CopyFrom(a)
        made.attribute[-1].name = name
    return made


def attribute(a: Any, builder: "GraphBuilder", scope: Scope) -> Any:
    """The value of an attribute."""
    if (reader := READERS.get(a.type)) is not None:
        return reader(a)
    match a.type:
        case 4:
            return array_of(a.t, builder.source.folder)
        case 5:
            return Body(a.g, builder, scope)
        case 0:
            raise GraphFormatError(f"the attribute {a.name!r} has no type")
    raise Unsupported(f"an attribute like {a.name!r}, of tensors, graphs or types")
