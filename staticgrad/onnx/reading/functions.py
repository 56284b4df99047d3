"""Functions: those that a model defines, and those by which ONNX defines some operators."""

from collections.abc import Sequence
from typing import Any

from gradops.core.dims import Dim

from ..errors import Unsupported
from ..library import library, parsed
from .attributes import with_attributes
from .scopes import Attributes
from .source import Source
from .tensors import NUMBERS
from .values import Value


def function_for(node: Any, operands: Sequence[Any], attributes: Attributes, source: Source) -> Any:
    """The function by which a node is built, as a FunctionProto."""
    if (own := source.functions.get((node.domain, node.op_type))) is not None:
        return own
    schema: Any = library().defs.get_schema(node.op_type, source.opset, "")
    if schema.has_function:
        function: Any = library().FunctionProto()
        function.CopyFrom(schema.function_body)
        stated = schema.attributes.values()
        function.attribute_proto.extend(a.default_value for a in stated if a.default_value.name)
        return function
    return context_dependent(schema, with_attributes(node, attributes), operands)


def context_dependent(schema: Any, node: Any, operands: Sequence[Any]) -> Any:
    """A function that depends on the types of operands and on attributes."""
    types = [type_proto(x).SerializeToString() if x is not None else b"" for x in operands]
    body = schema.get_context_dependent_function(node.SerializeToString(), types)
    if not body:
        raise Unsupported(f"{node.op_type} with these attributes and types")
    return parsed(library().FunctionProto(), body)


def type_proto(x: Value) -> Any:
    """The type of a value in ONNX's words."""
    shape = [None if isinstance(n, Dim) else int(n) for n in x.shape]
    return library().helper.make_tensor_type_proto(NUMBERS[x.dtype], shape)
