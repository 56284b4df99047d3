"""What nodes are called: PyTorch's names for the operations that made a result."""

from typing import Any

from gradops.core.types import shape_of
from gradops.kernels.index.indexing import FULL

from ..engine.node import Node


def camel(name: str) -> str:
    """`log_softmax` as `LogSoftmax`."""
    return "".join(part.capitalize() for part in name.split("_"))


def by_axis(whole: str, along: str) -> Any:
    """The name of a reduction of all entries, and that of one along an axis."""
    return lambda node: whole if node.attrs["axis"] is None else along


def freed(node: Any) -> bool:
    """Whether backward let go of the operands of a node."""
    return type(node.operands) is not tuple


def number(node: Any, i: int) -> bool:
    """Whether operand i is a Python number; of a freed node, whether it can have been one."""
    if freed(node):
        return node.inputs[i] is None
    return type(node.operands[i]) in (int, float, bool)


def ranks(node: Any) -> tuple[int, ...]:
    """How many axes each operand of a matrix product has."""
    if not freed(node):
        return tuple(len(shape_of(x)) for x in node.operands)
    known = [0 if x is None else len(x.shape) for x in node.inputs]
    return known[0] or partner(known[1], node), known[1] or partner(known[0], node)


def partner(rank: int, node: Any) -> int:
    """How many axes the other operand of a matrix product has, given those of one."""
    out = len(node.shape)
    return out + 1 if rank == 1 else 1 if out == rank - 1 else out


def product(node: Any) -> str:
    """The name of a matrix product, which depends on the ranks of the operands."""
    kinds: dict[Any, str] = {(1, 1): "DotBackward0", (2, 1): "MvBackward0", (2, 2): "MmBackward0"}
    return {**kinds, (1, 2): "SqueezeBackward4"}.get(ranks(node), "BmmBackward0")


def part(node: Any) -> str:
    """The name of a view at integers and slices."""
    index = node.attrs["index"]
    if int in map(type, index):
        return "SelectBackward0"
    only_new = all(entry in (None, FULL, "...") for entry in index)
    return "UnsqueezeBackward0" if None in index and only_new else "SliceBackward0"


def squeezed(node: Any) -> str:
    """The name of a view without axes of size 1: all of them, one, or several."""
    axis = node.attrs["axis"]
    return f"SqueezeBackward{0 if axis is None else 1 if len(axis) == 1 else 2}"


NAMES: dict[str, Any] = {
    "sub": lambda n: "RsubBackward1" if number(n, 0) else "SubBackward0",
    "power": lambda n: f"PowBackward{0 if number(n, 1) else 2 if number(n, 0) else 1}",
    "sum": by_axis("SumBackward0", "SumBackward1"),
    "mean": by_axis("MeanBackward0", "MeanBackward1"),
    "prod": by_axis("ProdBackward0", "ProdBackward1"),
    "max": by_axis("MaxBackward1", "AmaxBackward0"),
    "min": by_axis("MinBackward1", "AminBackward0"),
    "transpose": lambda n: "TBackward0" if len(n.shape) == 2 else "PermuteBackward0",
    "matmul": product, "slice": part, "squeeze": squeezed,
    "broadcast_to": "ExpandBackward0", "expand_to": "ExpandBackward0",
    "expand_dims": "UnsqueezeBackward0",
    "reshape": "ViewBackward0", "concatenate": "CatBackward0", "copy": "CloneBackward0",
    "square": "PowBackward0", "astype": "ToCopyBackward0", "log1p": "Log1PBackward0",
    "clamp": "ClampBackward1", "copy_slices": "CopySlices",
    "getitem": "IndexBackward0", "scatter": "IndexPutBackward0", "pad": "ConstantPadNdBackward0",
    "nll_loss": "NllLossBackward0", "sparse_cross_entropy": "NllLossBackward0",
    "logsumexp": "LogsumexpBackward0", "take_along_axis": "GatherBackward0",
}  # fmt: skip


def node_name(self: Node) -> str:
    """The name of a self, the same before and after what it saved is freed."""
    name = NAMES.get(self.op.name)
    if name is None:
        return f"{camel(self.op.name)}Backward0"
    return name if isinstance(name, str) else str(name(self))


Node.name = node_name  # type: ignore[method-assign, assignment]
