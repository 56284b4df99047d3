"""PyTorch's spelling of the ops: the names of functions, methods and nodes, in one table each."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops.types import shape_of

from . import inplace, leaves
from .backward import backward
from .fast import binary, operand, several, unary
from .tensor import Tensor, as_tensor, detached, storage_of


def spelled(function: Callable[..., Any], **names: str) -> Callable[..., Any]:
    """`function` with PyTorch's names for its arguments, as in `dim="axis"`."""
    if isinstance(function, ops.Op):
        return several(function, names)

    @functools.wraps(function, updated=())
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        x = x if isinstance(x, Tensor) else operand(x)
        return function(x, *args, **{names.get(k, k): v for k, v in kwargs.items()})

    return call


class Extremes(NamedTuple):
    """The extreme values along a dimension, and where they are."""

    values: Tensor
    indices: Tensor


def sizes(shape: Sequence[Any]) -> tuple[Any, ...]:
    """A shape given as one sequence or as several numbers."""
    return (
        tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], list | tuple) else tuple(shape)
    )


def reshape(x: Any, *shape: Any) -> Any:
    """The entries in another shape; -1 stands for the size that is left.

    >>> dg.arange(4).reshape(2, -1)
    tensor([[0, 1],
            [2, 3]])
    """
    return ops.reshape(x, shape=sizes(shape))


def permute(x: Any, *dims: Any) -> Any:
    """The dimensions in another order.

    >>> dg.zeros(2, 3, 4).permute(2, 0, 1).shape
    (4, 2, 3)
    """
    return ops.transpose(x, axes=sizes(dims))


def expand(x: Any, *shape: Any) -> Any:
    """The tensor broadcast to a shape, in which -1 keeps the size a dimension has.

    >>> dg.ones(2, 1).expand(-1, 3).shape
    (2, 3)
    """
    return ops.expand(x, sizes(shape))


def flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from `start_dim` to `end_dim` made one.

    >>> dg.zeros(2, 3, 4).flatten(1).shape
    (2, 12)
    """
    shape = shape_of(x) or (1,)
    start, end = range(len(shape))[start_dim], range(len(shape))[end_dim]
    return ops.reshape(x, shape=(*shape[:start], -1, *shape[end + 1 :]))


def extreme(reduce: Any, choose: Any, both: Any, name: str) -> Callable[..., Any]:
    """PyTorch's `max` and `min`: of all entries, along a dimension with indices, or of a pair."""

    def call(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        if dim is None:
            return reduce(x)
        if not isinstance(dim, int):
            return both(x, dim)
        indices = choose(x, axis=dim, keepdims=True)
        values = ops.take_along_axis(x, indices, axis=dim)
        if keepdim:
            return Extremes(values, indices)
        return Extremes(ops.squeeze(values, axis=dim), ops.squeeze(indices, axis=dim))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"The {name}imum of all entries; along `dim`, with its indices; or of two tensors."
    )
    return call


def split(x: Any, split_size: Any, dim: int = 0) -> tuple[Any, ...]:
    """Parts of a size, or of several sizes, along a dimension; the last may be smaller.

    >>> [p.shape for p in dg.zeros(5, 2).split(2)]
    [(2, 2), (2, 2), (1, 2)]
    """
    n = shape_of(x)[dim]
    if isinstance(split_size, int):
        ends = list(range(split_size, n, split_size))
    else:
        if sum(split_size) != n:
            raise ops.ShapeError(
                "split", [ops.type_of(x)], f"the sizes {split_size} do not add up to {n}"
            )
        ends = list(np.cumsum(split_size)[:-1])
    return tuple(ops.split(x, ends, axis=dim))


def chunk(x: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """At most `chunks` parts of equal size along a dimension; the last may be smaller.

    >>> [len(p) for p in dg.arange(5).chunk(2)]
    [3, 2]
    """
    return split(x, max(1, -(-int(shape_of(x)[dim]) // chunks)), dim)


def to(x: Any, dtype: Any) -> Any:
    """The tensor in another dtype; itself if it has that one.

    >>> dg.tensor([1, 2]).to("float64")
    tensor([1., 2.], dtype=float64)
    """
    dtype = dtype.dtype if isinstance(dtype, Tensor) else np.dtype(dtype)
    return x if x.dtype == dtype else ops.astype(x, dtype=dtype)


def numpy(t: Tensor) -> np.ndarray[Any, Any]:
    """The entries as an array on the same memory; refused while gradients are required.

    >>> dg.ones(2).numpy()
    array([1., 1.], dtype=float32)
    """
    if t.node is not None:
        raise ops.TapeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    t.value = np.asarray(t.value)
    storage_of(t).viewed = True
    return t.value


def item(t: Tensor) -> Any:
    """The one entry, as a Python number.

    >>> dg.tensor([2.0]).item()
    2.0
    """
    if t.value.size != 1:
        raise ops.TapeError(f"a Tensor with {t.value.size} elements cannot be converted to Scalar")
    return t.value.item()


def clone(t: Any) -> Any:
    """A copy, through which gradients flow."""
    return ops.copy(t)


def size(t: Tensor, dim: int | None = None) -> Any:
    """The shape, or the size of one dimension."""
    return t.shape if dim is None else t.shape[dim]


def where(condition: Any, a: Any, b: Any) -> Any:
    """Entries of `a` where the condition holds, else of `b`.

    A gradient of zero stays zero through the branch that was not taken, also where that branch is
    infinite or NaN.

    >>> dg.where(dg.tensor([True, False]), dg.ones(2), 0.0)
    tensor([1., 0.])
    """
    return ops.where(as_tensor(condition), a, b)


def einsum(equation: str, *operands: Any) -> Any:
    """Products summed over indices, in Einstein's notation.

    >>> dg.einsum("ij,j->i", dg.ones(2, 3), dg.ones(3))
    tensor([3., 3.])
    """
    return ops.einsum(equation, *map(as_tensor, operands))


def cat(tensors: Any, dim: int = 0) -> Any:
    """Tensors one after the other along a dimension they have.

    >>> dg.cat([dg.ones(2), dg.zeros(1)])
    tensor([1., 1., 0.])
    """
    return ops.concatenate([as_tensor(t) for t in tensors], axis=dim)


def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension.

    >>> dg.stack([dg.ones(2), dg.zeros(2)])
    tensor([[1., 1.],
            [0., 0.]])
    """
    return ops.stack([as_tensor(t) for t in tensors], axis=dim)


DIM = {"dim": "axis", "keepdim": "keepdims"}
UNARY = {
    op.name: unary(op)
    for op in (
        ops.abs, ops.ceil, ops.cos, ops.erf, ops.exp, ops.expm1, ops.floor, ops.isfinite,
        ops.isnan, ops.log, ops.log1p, ops.logical_not, ops.neg, ops.reciprocal, ops.relu,
        ops.round, ops.sigmoid, ops.sign, ops.silu, ops.sin, ops.softplus, ops.sqrt, ops.square,
        ops.tan, ops.tanh,
    )
}  # fmt: skip
BINARY = {
    name: binary(op)
    for name, op in {
        "add": ops.add, "sub": ops.sub, "mul": ops.mul, "div": ops.div, "pow": ops.power,
        "floor_divide": ops.floor_divide, "remainder": ops.remainder, "matmul": ops.matmul,
        "maximum": ops.maximum, "minimum": ops.minimum, "eq": ops.equal, "ne": ops.not_equal,
        "lt": ops.less, "le": ops.less_equal, "gt": ops.greater, "ge": ops.greater_equal,
        "logical_and": ops.logical_and, "logical_or": ops.logical_or,
        "bitwise_and": ops.bitwise_and, "bitwise_or": ops.bitwise_or,
        "bitwise_xor": ops.bitwise_xor,
    }.items()
}  # fmt: skip
WITH_DIM = {
    "sum": spelled(ops.sum, **DIM), "mean": spelled(ops.mean, **DIM),
    "amax": spelled(ops.max, **DIM), "amin": spelled(ops.min, **DIM),
    "prod": spelled(ops.prod, **DIM), "logsumexp": spelled(ops.logsumexp, **DIM),
    "argmax": spelled(ops.argmax, **DIM), "argmin": spelled(ops.argmin, **DIM),
    "all": spelled(ops.all, **DIM), "any": spelled(ops.any, **DIM),
    "softmax": spelled(ops.softmax, **DIM), "log_softmax": spelled(ops.log_softmax, **DIM),
    "unsqueeze": spelled(ops.expand_dims, **DIM), "squeeze": spelled(ops.squeeze, **DIM),
    "flip": spelled(ops.flip, dims="axis"), "clamp": spelled(ops.clip),
    "transpose": spelled(ops.swapaxes, dim0="axis1", dim1="axis2"),
    "moveaxis": spelled(ops.moveaxis), "gelu": spelled(ops.gelu),
    "take_along_dim": spelled(ops.take_along_axis, **DIM),
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **UNARY, **BINARY, **WITH_DIM,
    "reshape": reshape, "permute": permute, "flatten": flatten, "split": split, "chunk": chunk,
    "max": extreme(ops.max, ops.argmax, ops.maximum, "max"),
    "min": extreme(ops.min, ops.argmin, ops.minimum, "min"), "clone": clone,
    "where": where, "einsum": einsum, "cat": cat, "concat": cat, "stack": stack,
    "subtract": BINARY["sub"], "multiply": BINARY["mul"], "divide": BINARY["div"],
    "true_divide": BINARY["div"], "negative": UNARY["neg"], "clip": WITH_DIM["clamp"],
    "mm": BINARY["matmul"], "bmm": BINARY["matmul"], "mv": BINARY["matmul"],
    "dot": BINARY["matmul"], "swapaxes": WITH_DIM["transpose"],
}  # fmt: skip
METHODS: dict[str, Any] = {
    **FUNCTIONS, "view": reshape, "expand": expand, "numpy": numpy, "item": item, "size": size,
    "to": to, "detach": detached, "backward": backward, "retain_grad": leaves.retain_grad,
    "requires_grad_": leaves.requires_grad_, "zero_": inplace.zero_, "fill_": inplace.fill_,
    "copy_": inplace.copy_, "__setitem__": inplace.set_item,
    "dim": lambda self: len(self.shape), "numel": lambda self: int(np.prod(self.shape)),
    "tolist": lambda self: self.value.tolist(), "t": lambda self: ops.transpose(self),
    "type_as": lambda self, other: to(self, other.dtype),
    "data_ptr": lambda self: memory(self).ctypes.data,
    "float": lambda self: to(self, np.float32), "double": lambda self: to(self, np.float64),
    "int": lambda self: to(self, np.int32), "long": lambda self: to(self, np.int64),
    "bool": lambda self: to(self, np.bool_),
}  # fmt: skip
PROPERTIES = {
    "grad": property(leaves.read_grad, leaves.write_grad),
    "requires_grad": property(leaves.read_requires_grad, leaves.write_requires_grad),
}
OPERATORS = {
    "add": BINARY["add"], "sub": BINARY["sub"], "mul": BINARY["mul"], "truediv": BINARY["div"],
    "pow": BINARY["pow"], "matmul": BINARY["matmul"],
}  # fmt: skip
IN_PLACE = {
    "add": ops.add, "sub": ops.sub, "mul": ops.mul, "div": ops.div, "pow": ops.power,
    "truediv": ops.div,
}  # fmt: skip


def memory(t: Tensor) -> Any:
    """The array a tensor holds, made of a scalar if need be."""
    t.value = np.asarray(t.value)
    return t.value


def reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`function` with its operands exchanged."""
    return lambda self, other: function(other, self)


def install() -> None:
    """Give `Tensor` its methods and operators."""
    for name, function in (METHODS | PROPERTIES).items():
        setattr(Tensor, name, function)
    for name, function in OPERATORS.items():
        setattr(Tensor, f"__{name}__", function)
        setattr(Tensor, f"__r{name}__", reflected(function))
    Tensor.__neg__ = UNARY["neg"]  # type: ignore[method-assign]
    for name, op in IN_PLACE.items():
        setattr(Tensor, f"{name}_", inplace.in_place(op))
        setattr(Tensor, f"__i{name}__", inplace.in_place(op))


install()


def camel(name: str) -> str:
    """`log_softmax` as `LogSoftmax`."""
    return "".join(part.capitalize() for part in name.split("_"))


def by_rank(node: Any) -> str:
    """The name of a matrix product, which depends on the operands' dimensions."""
    m, n = (len(shape_of(x)) for x in node.operands)
    return {(1, 1): "Dot", (2, 1): "Mv", (1, 2): "Squeeze", (2, 2): "Mm"}.get((m, n), "Bmm")


def number(i: int) -> Callable[[Any], bool]:
    """Whether operand i of a node is a Python number."""
    return lambda node: type(node.operands[i]) in (int, float, bool)


NAMES: dict[str, Any] = {
    "sub": lambda n: "RsubBackward1" if number(0)(n) else "SubBackward0",
    "power": lambda n: "PowBackward0" if number(1)(n) else "PowBackward1",
    "sum": lambda n: "SumBackward0" if n.attrs["axis"] is None else "SumBackward1",
    "mean": lambda n: "MeanBackward0" if n.attrs["axis"] is None else "MeanBackward1",
    "prod": lambda n: "ProdBackward0" if n.attrs["axis"] is None else "ProdBackward1",
    "max": lambda n: "MaxBackward1" if n.attrs["axis"] is None else "AmaxBackward0",
    "min": lambda n: "MinBackward1" if n.attrs["axis"] is None else "AminBackward0",
    "matmul": lambda n: f"{by_rank(n)}Backward{4 if by_rank(n) == 'Squeeze' else 0}",
    "transpose": lambda n: "TBackward0" if len(n.shape) == 2 else "PermuteBackward0",
    "broadcast_to": "ExpandBackward0", "expand_dims": "UnsqueezeBackward0",
    "reshape": "ViewBackward0", "concatenate": "CatBackward0", "copy": "CloneBackward0",
    "astype": "ToCopyBackward0", "log1p": "Log1PBackward0", "clamp": "ClampBackward1",
    "slice": lambda n: (
        "SelectBackward0" if int in map(type, n.attrs["index"]) else "SliceBackward0"
    ),
    "getitem": "IndexBackward0", "scatter": "IndexPutBackward0", "pad": "ConstantPadNdBackward0",
    "cross_entropy": "NllLossBackward0", "logsumexp": "LogsumexpBackward0",
}  # fmt: skip


def node_name(node: Any) -> str:
    """The name of a node, as PyTorch calls it."""
    name = NAMES.get(node.op.name)
    if isinstance(name, str):
        return name
    return (
        str(name(node))
        if name and type(node.operands).__name__ != "Freed"
        else (f"{camel(node.op.name)}Backward0")
    )
