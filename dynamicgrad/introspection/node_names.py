"""PyTorch's names of nodes."""

from collections.abc import Callable

from gradops.core.types import shape_of
from gradops.kernels.index.indexing import FULL

from ..engine.node import Node
from ..names.torch_names import row_of


def camel(name: str) -> str:
    """`log_softmax` as `LogSoftmax`."""
    return "".join(part.capitalize() for part in name.split("_"))


def node_name(self: Node) -> str:
    """The name of a node, the same before and after its saved operands are freed."""
    names = row_of(self.op.name).grad_fn.split()
    if not names:
        return f"{camel(self.op.name)}Backward0"
    return names[VARIANTS[self.op.name](self)] if len(names) > 1 else names[0]


def is_freed(node: Node) -> bool:
    """True if backward has freed the operands of a node."""
    return type(node.operands) is not tuple


def is_number(node: Node, i: int) -> bool:
    """True if operand i is a Python number; of a freed node, whether it may have been one."""
    if is_freed(node):
        return node.inputs[i] is None
    return type(node.operands[i]) in (int, float, bool)


def of_power(node: Node) -> int:
    """Which name a power has, by whether the exponent or the base is a number."""
    return 1 if is_number(node, 1) else 2 if is_number(node, 0) else 0


def of_product(node: Node) -> int:
    """Which name a matrix product has, by the ranks of the operands."""
    return {(2, 2): 1, (2, 1): 2, (1, 2): 3, (1, 1): 4}.get(ranks(node), 0)


def ranks(node: Node) -> tuple[int, int]:
    """The number of axes of each operand of a matrix product."""
    if not is_freed(node):
        a, b = (len(shape_of(x)) for x in node.operands)
        return a, b
    a, b = (0 if x is None else len(x.shape) for x in node.inputs)
    return a or partner(b, node), b or partner(a, node)


def partner(rank: int, node: Node) -> int:
    """The number of axes of the other operand of a matrix product, given that of one."""
    out = len(node.shape)
    return out + 1 if rank == 1 else 1 if out == rank - 1 else out


def of_part(node: Node) -> int:
    """Which name a view at integers, slices and new axes has."""
    index = node.attrs["index"]
    if int in map(type, index):
        return 1
    only_new = all(entry in (None, FULL, "...") for entry in index)
    return 2 if None in index and only_new else 0


def of_squeeze(node: Node) -> int:
    """Which name a view without axes of size 1 has: all of them, one, or several."""
    axis = node.attrs["axis"]
    return 0 if axis is None else 1 if isinstance(axis, int) or len(axis) == 1 else 2


def has_axis(node: Node) -> int:
    """Which name a reduction has: of all entries, or along an axis."""
    return int(node.attrs["axis"] is not None)


VARIANTS: dict[str, Callable[[Node], int]] = {
    "sub": lambda node: int(is_number(node, 0)), "power": of_power, "matmul": of_product,
    "slice": of_part, "squeeze": of_squeeze, "transpose": lambda node: int(len(node.shape) != 2),
    **dict.fromkeys(("sum", "mean", "prod", "max", "min"), has_axis),
}  # fmt: skip
"""Which of the names in its row a node has, for ops that have several."""
