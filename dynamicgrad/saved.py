"""What a node saved, as PyTorch's `_saved_*` attributes show it."""

from typing import Any

from .packing import PackedOperands
from .reading import output_of
from .tape import Node
from .tensor import Tensor

OPERANDS = {
    "power": ("self", "exponent"), "matmul": ("self", "mat2"),
    "where": ("condition", "self", "other"), "clamp": ("self", "min", "max"),
}  # fmt: skip
ATTRIBUTES = {"axis": "dim", "keepdims": "keepdim"}


def saved(node: Node) -> dict[str, Any]:
    """The values by the names they have after `_saved_`; None for an operand that was not saved."""
    if isinstance(node.operands, PackedOperands):
        with node.operands.laid_out(node, keep=True):
            return saved(node)
    if type(node.operands) is not tuple:
        node.operands.read(node, None)  # raises if backward freed it
        return {}
    names = OPERANDS.get(node.op.name, ("self", "other"))
    found = {name: shown(x) for name, x in zip(names, node.operands, strict=False)}
    found |= {ATTRIBUTES.get(k, k): v for k, v in node.attrs.items()}
    if node.output is not None:
        found["result"] = output_of(node)
    return found


def shown(x: Any) -> Any:
    """A saved operand: a tensor, a number, or None for what was not saved."""
    return x if isinstance(x, Tensor | int | float) else None
