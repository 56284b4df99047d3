"""PyTorch's `_saved_*` attributes of nodes: their saved tensors and the attributes of their ops.

They are properties, one for each name that the nodes of some op have: a `__getattr__` would slow
down the access to every attribute of every node.
"""

from typing import Any

from gradops import OPS, TapeError

from ..engine.handle import Handle
from ..engine.node import Leaf, Node, Vertex
from ..engine.saved_tensors import is_saved_value, output_of
from ..engine.tensor import handle, tensor_of
from ..names.torch_names import Row, row_of
from .saved_tensor_hooks import PackedOperands

ATTRIBUTES = {"axis": "dim", "keepdims": "keepdim"}


def saved_values(node: Node) -> dict[str, object]:
    """Saved values by their names after `_saved_`; None for an operand that was not saved."""
    if isinstance(node.operands, PackedOperands):
        with node.operands.unpacked(node, keep=True):
            return saved_values(node)
    if type(node.operands) is not tuple:
        node.operands.read(node, None)  # raises if backward freed it
        return {}
    names = operand_names(row_of(node.op.name))
    values: dict[str, object] = {
        name: saved_operand(x, v) for name, x, v in zip(names, node.operands, node.inputs)
    }
    values |= {ATTRIBUTES.get(k, k): v for k, v in node.attrs.items()}
    if node.output is not None:
        values["result"] = tensor_of(output_of(node))
    return values


def saved_operand(x: Any, vertex: Vertex | None) -> object:
    """A saved operand as a tensor or number; None for one that was not saved."""
    if is_saved_value(x, vertex):
        own = vertex.variable if type(vertex) is Leaf else None
        return handle(x, vertex) if own is None or own.value is not x else own
    return x if isinstance(x, Handle | int | float) else None


def operand_names(row: Row) -> list[str]:
    """The names of saved operands, after `_saved_`."""
    return (row.saved or row.operands.replace("input", "self") or "self other").split()


def saved_property(name: str) -> property:
    """The property `_saved_{name}` of nodes."""

    def read(node: Node) -> object:
        values = saved_values(node)
        if name not in values:
            raise AttributeError(f"{node!r} has no attribute '_saved_{name}'")
        return values[name]

    return property(read)


def names_of(node: Node) -> list[str]:
    """The attributes of a node, with its `_saved_*` ones."""
    try:
        own = {f"_saved_{name}" for name in saved_values(node)}
    except TapeError:  # freed
        own = set()
    return [n for n in object.__dir__(node) if not n.startswith("_saved_") or n in own]


def install() -> None:
    """Set the properties on `Node`."""
    attributes = {ATTRIBUTES.get(k, k) for op in OPS.values() for k in op.params}
    operands = {name for key in OPS for name in operand_names(row_of(key))}
    for name in {"result"} | operands | attributes:
        setattr(Node, f"_saved_{name}", saved_property(name))
    Node.__dir__ = names_of  # type: ignore[method-assign, assignment]
