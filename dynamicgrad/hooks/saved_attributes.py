"""What a node saved, as PyTorch's `_saved_*` attributes show it.

They are properties, one for each name that some op's nodes have: a `__getattr__` would slow down
every look at a node.
"""

from typing import Any

from gradops import OPS, TapeError

from ..engine.handle import Handle
from ..engine.node import Node
from ..engine.saved_tensors import output_of
from ..engine.tensor import tensor_of
from ..names.torch_names import Row, row_of
from .saved_tensor_hooks import PackedOperands

ATTRIBUTES = {"axis": "dim", "keepdims": "keepdim"}


def saved(node: Node) -> dict[str, Any]:
    """The values by the names they have after `_saved_`; None for an operand that was not saved."""
    if isinstance(node.operands, PackedOperands):
        with node.operands.laid_out(node, keep=True):
            return saved(node)
    if type(node.operands) is not tuple:
        node.operands.read(node, None)  # raises if backward freed it
        return {}
    names = operand_names(row_of(node.op.name))
    found = {name: shown(x) for name, x in zip(names, node.operands, strict=False)}
    found |= {ATTRIBUTES.get(k, k): v for k, v in node.attrs.items()}
    if node.output is not None:
        found["result"] = tensor_of(output_of(node))
    return found


def operand_names(row: Row) -> list[str]:
    """The names of saved operands, after `_saved_`."""
    return (row.saved or row.operands.replace("input", "self") or "self other").split()


def shown(x: Any) -> Any:
    """A saved operand: a tensor, a number, or None for what was not saved."""
    return x if isinstance(x, Handle | int | float) else None


def saved_property(name: str) -> property:
    """The property that shows what was saved under a name."""

    def read(node: Node) -> Any:
        found = saved(node)
        if name not in found:
            raise AttributeError(f"{node!r} has no attribute '_saved_{name}'")
        return found[name]

    return property(read)


def names_of(node: Node) -> list[str]:
    """The attributes of a node, of those that show saved values the ones it has."""
    try:
        own = {f"_saved_{name}" for name in saved(node)}
    except TapeError:  # freed
        own = set()
    return [n for n in object.__dir__(node) if not n.startswith("_saved_") or n in own]


def install() -> None:
    """Give nodes the properties."""
    attributes = {ATTRIBUTES.get(k, k) for op in OPS.values() for k in op.params}
    operands = {name for key in OPS for name in operand_names(row_of(key))}
    for name in {"result"} | operands | attributes:
        setattr(Node, f"_saved_{name}", saved_property(name))
    Node.__dir__ = names_of  # type: ignore[method-assign, assignment]


install()
