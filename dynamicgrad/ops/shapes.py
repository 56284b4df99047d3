"""Functions that reshape, join, split and select."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.dims import Dim, Shape, Size, product
from gradops.core.op import SEQUENCES
from gradops.core.types import operand_types, shape_of
from gradops.library.shape.joining import stack_op
from gradops.typing import AnyArray, Axis, ShapeLike, SizeLike

from ..dispatch.attributed import on_several
from ..dispatch.op_dtypes import in_one_dtype
from ..dispatch.zero_dim import as_row, like_indices
from ..engine.handle import Handle, cut_off
from ..engine.storage import memory
from ..engine.tensor import Tensor, as_tensor
from .unbind import SPLIT, SPLIT_WITH_SIZES, entries_along, parts_at

SPLIT_MEMORY = (
    "view size is not compatible with input tensor's size and stride: the entries of {type} do not"
    " lie in memory in the order that the shape {shape} needs. Use .reshape(...) instead."
)


def sizes(shape: Sequence[Any]) -> tuple[Any, ...]:
    """A shape, or dimensions, given as one sequence or as several numbers."""
    if len(shape) == 1 and isinstance(shape[0], list | tuple):
        return tuple(shape[0])
    return tuple(shape)


def reshape(x: Tensor, *sizes_: ShapeLike, shape: Sequence[SizeLike] = ()) -> Tensor:
    """The entries in another shape; a size of -1 is inferred.

    >>> dg.arange(4).reshape(2, -1)
    tensor([[0, 1],
            [2, 3]])
    """
    return ops.reshape(x, shape=sizes(sizes_ or (tuple(shape),)))


def in_order(x: Tensor) -> Tensor:
    """`x`, whose memory a view of another shape will share. See Note [Order]."""
    if isinstance(x, Handle):
        memory(x)
    return x


def view(x: Tensor, *sizes_: ShapeLike, size: Sequence[SizeLike] = ()) -> Tensor:
    """A view of the memory in another shape. Raises TapeError if that needs a copy.

    >>> x = dg.zeros(4)
    >>> x.view(2, 2)[0] = 7.0
    >>> x
    tensor([7., 7., 0., 0.])
    """
    result = reshape(in_order(x), *sizes_, shape=size)
    own, new = x.value, result.value
    if isinstance(own, np.ndarray) and own.size and not np.may_share_memory(own, new):
        raise ops.TapeError(SPLIT_MEMORY.format(type=x.type, shape=new.shape))
    return result


def view_as(x: Tensor, other: Tensor) -> Tensor:
    """A view of the memory in the shape of `other`.

    >>> dg.zeros(4).view_as(dg.ones(2, 2)).shape
    (2, 2)
    """
    return view(x, *other.shape)


def reshape_as(x: Tensor, other: Tensor) -> Tensor:
    """The entries in the shape of `other`.

    >>> dg.zeros(4).reshape_as(dg.ones(2, 2)).shape
    (2, 2)
    """
    return reshape(x, *other.shape)


def permute(x: Tensor, *order: Axis, dims: Axis = None) -> Tensor:
    """The dimensions in the order `dims`.

    >>> dg.zeros(2, 3, 4).permute(2, 0, 1).shape
    (4, 2, 3)
    """
    return ops.transpose(x, axes=sizes(order or (dims,)))


def t(x: Tensor) -> Tensor:
    """The transpose of a matrix; a vector or a number is returned unchanged.

    >>> dg.zeros(2, 3).t().shape
    (3, 2)
    """
    if len(x.shape) > 2:
        raise ops.ShapeError(
            "t", [x.type], "t() expects a tensor with <= 2 dimensions",
            hint="transpose(dim0, dim1) exchanges two dimensions of many",
        )  # fmt: skip
    return ops.transpose(x)


def expand(x: Tensor, *sizes_: ShapeLike, size: Sequence[SizeLike] = ()) -> Tensor:
    """The tensor broadcast to a shape, in which -1 keeps the size of a dimension.

    The result is a view, which cannot be written to if it repeats entries.

    >>> dg.ones(2, 1).expand(-1, 3).shape
    (2, 3)
    """
    if not shape_of(x):
        memory(x)  # a scalar gets memory that a view can share
    return make_writable(ops.expand(x, sizes(sizes_ or (tuple(size),))), x)


def make_writable(view: Tensor, x: Tensor) -> Tensor:
    """Make a view that begins where `x` does writable, unless its entries overlap in memory."""
    own, value = x.value, view.value
    if not isinstance(own, np.ndarray) or not own.flags.writeable:
        return view
    if isinstance(value, np.ndarray) and not (value.size and overlaps(value)):
        view.value = np.lib.stride_tricks.as_strided(own, value.shape, value.strides)
    return view


def overlaps(array: Any) -> bool:
    """True if entries of an array may share memory."""
    least = array.itemsize
    for step, n in sorted((abs(s), n) for s, n in zip(array.strides, array.shape) if n > 1):
        if step < least:
            return True
        least = step * (n - 1) + least
    return False


def expand_as(x: Tensor, other: Tensor) -> Tensor:
    """The tensor broadcast to the shape of `other`.

    >>> dg.ones(2, 1).expand_as(dg.ones(2, 3)).shape
    (2, 3)
    """
    return expand(x, *other.shape)


def broadcast_to(x: Tensor, shape: ShapeLike) -> Tensor:
    """The tensor broadcast to a shape.

    >>> dg.broadcast_to(dg.ones(3), (2, 3)).shape
    (2, 3)
    """
    return expand(as_tensor(x), *sizes((shape,)))


def squeeze(x: Tensor, dim: Any = None) -> Tensor:
    """The tensor without dimensions of size 1: all of them, or those among `dim`.

    >>> dg.zeros(1, 2, 1).squeeze().shape, dg.zeros(1, 2, 1).squeeze(1).shape
    ((2,), (1, 2, 1))
    """
    if dim is None:
        return ops.squeeze(x)
    dims = dim if isinstance(dim, list | tuple) else (dim,)
    if not shape_of(x) and tuple(dims) in ((0,), (-1,)):
        return ops.squeeze(x)
    return ops.squeeze(x, axis=tuple(d for d in dims if size_at(x, d) == 1))


def size_at(x: AnyArray, dim: int) -> Any:
    """The size of a dimension; raises ShapeError if it does not exist."""
    shape = shape_of(x)
    return shape[axis_of(x, dim, len(shape))]


def axis_of(x: AnyArray, dim: int, rank: int) -> int:
    """A dimension counted from the front; raises AxisError if it does not exist."""
    if not isinstance(dim, int | np.integer):
        raise ops.OptionError("dim", [ops.type_of(x)], f"a dimension is an integer, not {dim!r}")
    if not -rank <= dim < rank:
        from ..dispatch.torch_phrases import out_of_range

        raise ops.AxisError(
            "dim", [ops.type_of(x)], f"{dim} is out of range for {rank} dimensions",
            known_as=out_of_range(dim, rank),
        )  # fmt: skip
    return dim % rank


def flatten(x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` merged into one.

    >>> dg.zeros(2, 3, 4).flatten(1).shape
    (2, 12)
    """
    shape = shape_of(x) or (1,)
    start, end = axis_of(x, start_dim, len(shape)), axis_of(x, end_dim, len(shape))
    if start == end and shape_of(x):
        return x
    if start > end:
        raise ops.ShapeError(
            "flatten", [ops.type_of(x)], "flatten() has invalid args: start_dim cannot come after"
            f" end_dim, as {start_dim} does after {end_dim}",
        )  # fmt: skip
    merged = product(shape[start : end + 1])
    return ops.reshape(x, shape=(*shape[:start], merged, *shape[end + 1 :]))


def ravel(x: Tensor) -> Tensor:
    """All entries as a vector.

    >>> dg.zeros(2, 3).ravel().shape
    (6,)
    """
    return ops.reshape(contiguous(x), shape=(-1,))


def flip(x: Tensor, *order: Axis, dims: Axis = None) -> Tensor:
    """A copy with the order of entries reversed along the dimensions `dims`.

    >>> dg.flip(dg.arange(3), (0,))
    tensor([2, 1, 0])
    """
    axes = sizes(order or (dims,))
    if not shape_of(x) and axes in ((0,), (-1,)):
        return ops.copy(x)
    return own_memory(ops.flip(x, axis=axes))


def own_memory(x: Tensor) -> Tensor:
    """Copy a new result that is a view in NumPy but not in PyTorch, and drop its alias."""
    if isinstance(x.value, np.ndarray):
        x.value, x.storage, x.alias = x.value.copy(), None, None
        if x.node is not None:
            x.node.storage = None
    return cut_off(x, None, False)


def contiguous(x: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor in C order in memory: itself if it already is.

    >>> dg.zeros(2, 3).t().contiguous().view(6).shape
    (6,)
    """
    if not isinstance(value := memory(x), np.ndarray) or value.flags.c_contiguous:
        return x
    result = ops.copy(x)
    result.value = np.ascontiguousarray(result.value)
    return result


def split(x: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of one size, or of several sizes, along a dimension; the last may be smaller.

    >>> [p.shape for p in dg.zeros(5, 2).split(2)]
    [(2, 2), (2, 2), (1, 2)]
    """
    n = size_at(x, dim)
    sizes = [split_size] if isinstance(split_size, int) else list(split_size)
    if min(sizes, default=0) < 0 or (split_size == 0 and n):
        raise ops.ShapeError(
            "split", [ops.type_of(x)], f"split_size can only be 0 if dimension size is 0, and never"
            f" negative, not {split_size}",
        )  # fmt: skip
    if isinstance(split_size, int):
        sizes = [min(split_size, n - i) for i in range(0, n, split_size or 1)] or [0]
    if sum(sizes) != n:
        raise ops.ShapeError("split", [x.type], f"the sizes {split_size} do not add up to {n}")
    op = SPLIT if isinstance(split_size, int) else SPLIT_WITH_SIZES
    return tuple(parts_at(x, dim % len(shape_of(x)), [0, *accumulate(sizes)], op))


def chunk(x: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts of equal size along a dimension; the last may be smaller.

    >>> [len(p) for p in dg.arange(5).chunk(2)]
    [3, 2]
    """
    if chunks < 1:
        raise ops.OptionError("chunk", [ops.type_of(x)], f"chunks must be at least 1, not {chunks}")
    return split(x, max(1, -(-int(size_at(x, dim)) // chunks)), dim)


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along a dimension, each without it.

    >>> dg.unbind(dg.tensor([[1, 2], [3, 4]]), dim=1)
    (tensor([1, 3]), tensor([2, 4]))
    """
    return tuple(entries_along(x, axis_of(x, dim, len(shape_of(x)))))


def select(x: Tensor, dim: int, index: int) -> Tensor:
    """The slice at `index` along a dimension, without it.

    >>> dg.select(dg.tensor([[1, 2], [3, 4]]), 1, 0)
    tensor([1, 3])
    """
    return x[key_along(x, dim, int(index))]


def narrow(x: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` entries along a dimension, from `start` on.

    >>> dg.narrow(dg.arange(5), 0, 1, 3)
    tensor([1, 2, 3])
    """
    n = size_at(x, dim)
    first = start + n if start < 0 else start
    if not 0 <= first <= n:
        raise ops.AxisError("narrow", [ops.type_of(x)], f"start {start} is outside of size {n}")
    if length < 0 or first > n - length:
        raise ops.ShapeError(
            "narrow", [ops.type_of(x)],
            f"start ({start}) + length ({length}) exceeds dimension size ({n})",
        )  # fmt: skip
    return x[key_along(x, dim, slice(first, first + length))]


def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along a dimension at an array of indices.

    >>> dg.index_select(dg.eye(2), 0, dg.tensor([1, 1]))
    tensor([[0., 1.],
            [0., 1.]])
    """
    if not shape_of(x):
        return part_of_number(x, dim, index)
    if not size_at(x, dim) and product(shape_of(index)):
        raise ops.AxisError("index_select", [x.type], f"dimension {dim} is empty")
    return x[key_along(x, dim, index)]


def part_of_number(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """A number selected from itself by an index with one entry."""
    axis_of(x, dim, 1)
    if product(shape_of(index)) != 1:
        raise ops.ShapeError(
            "index_select", operand_types([x, index]), "a number has only the index 0",
            known_as="Index to scalar can have only 1 value",
        )  # fmt: skip
    return ops.reshape(index_select(as_row(x), dim, as_row(index)), shape=())


def key_along(x: Tensor, dim: int, entry: Any) -> tuple[Tensor, ...]:
    """The key that has `entry` at a dimension and full slices before it."""
    size_at(x, dim)
    return (*[slice(None)] * (dim % len(x.shape)), entry)


def empty_result(x: Tensor, shape: Sequence[Any]) -> Tensor:
    """An empty result of `x`, of a shape with a size of 0."""
    return ops.reshape(ops.reshape(x, shape=(-1,))[:0], shape=tuple(shape))


@like_indices
def gather(x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """The entries at `index` along `dim`, and at their own positions along the other dimensions.

    >>> dg.gather(dg.tensor([[1, 2], [3, 4]]), 1, dg.tensor([[1], [0]]))
    tensor([[2],
            [3]])
    """
    dim = axis_of(x, dim, len(shape_of(x)))
    if 0 in shape_of(index):
        return own_memory(empty_result(x, shape_of(index)))
    own = [slice(None) if i == dim else slice(n) for i, n in enumerate(shape_of(index))]
    return ops.take_along_axis(x[tuple(own)], index, axis=dim)


def take_along_dim(x: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The entries at indices along a dimension, or of the flattened tensor.

    >>> dg.take_along_dim(dg.tensor([[3, 1], [2, 4]]), dg.tensor([0, 3]))
    tensor([3, 4])
    """
    x, indices = as_tensor(x), as_tensor(indices)
    if dim is None:
        x, indices, dim = ravel(x), ravel(indices), 0
    return ops.take_along_axis(x, indices, axis=dim)


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors concatenated along an existing dimension; empty vectors are skipped.

    >>> dg.cat([dg.ones(2), dg.zeros(1)])
    tensor([1., 1., 0.])
    """
    tensors = listed("cat", tensors)
    if (0,) not in [t.value.shape for t in tensors]:
        return ops.concatenate(tensors, axis=dim)
    kept = [t for t in tensors if t.shape != (0,)]
    if kept and len(kept) < len(tensors) and len(kept[0].shape) != 1:
        tensors = in_one_dtype(tensors)  # including the dtypes of those left out
        return ops.concatenate([t for t in tensors if t.shape != (0,)], axis=dim)
    return ops.concatenate(tensors, axis=dim if kept else 0)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new dimension.

    >>> dg.stack([dg.ones(2), dg.zeros(2)])
    tensor([[1., 1.],
            [0., 0.]])
    """
    if type(tensors) in SEQUENCES and type(dim) is int and tensors:
        y = quick_stack(tensors, axis_attrs(dim))
        if y is not NotImplemented:
            return y
    return ops.stack(listed("stack", tensors), axis=dim)


quick_stack = on_several(stack_op, Tensor)


@lru_cache(maxsize=64)
def axis_attrs(axis: int) -> dict[str, int]:
    """The attributes of ops along an axis; one dictionary for all nodes."""
    return {"axis": axis}


def listed(name: str, tensors: Iterable[Any]) -> list[Tensor]:
    """The tensors that a function joins; raises TypeError for a single one and for a number."""
    if isinstance(tensors, Handle) or not isinstance(tensors, Iterable):
        raise TypeError(
            f"{name}(): tensors are a list or a tuple, not {type(tensors).__name__}"
            f"\n  hint: {name}([x, y], dim)"
        )
    return [as_tensor(t) for t in tensors]


class Count(int):
    """The number of entries, as in the array API; calling it gives sizes, as in PyTorch."""

    of: Tensor

    def __call__(self, dim: int | None = None) -> Shape | Size:
        """The shape, or the size of one dimension."""
        return self.of.shape if dim is None else size_at(self.of, dim)


def size(x: Tensor) -> Count | Callable[..., Shape | Size]:
    """`x.size()` gives the shape, `x.size(dim)` one size; `x.size` is the number of entries.

    >>> x = dg.zeros(2, 3)
    >>> x.size(), x.size(1), x.size + 1
    ((2, 3), 3, 7)
    """
    count = product(x.shape)
    if isinstance(count, Dim):
        return lambda dim=None: x.shape if dim is None else size_at(x, dim)
    result = Count(count)
    result.of = x
    return result
