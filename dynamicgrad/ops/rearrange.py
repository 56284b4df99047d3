"""Functions that roll, flip, tile and split tensors, and take diagonals and windows."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.dims import product
from gradops.core.types import broadcast_shapes, shape_of
from gradops.typing import Axis, DTypeLike, Number, ShapeLike

from ..dispatch.casting import as_entry
from ..dispatch.fast_path import operand
from ..dispatch.wrapping import Functions, by_name, set_name
from ..dispatch.zero_dim import as_row
from ..engine.handle import Handle, cut_off
from ..engine.tensor import Tensor, as_tensor, handle
from .assignment import writing_method
from .shapes import axis_of, cat, empty_result, make_writable, own_memory, size_at, sizes


def copy_of_view(x: Tensor) -> Tensor:
    """A result that must not be a view of the operand, as in PyTorch."""
    if not isinstance(x, Handle) or x.alias is None:
        return x
    return own_memory(x)


def roll(x: Tensor, shifts: Any, dims: Axis = None) -> Tensor:
    """The entries shifted cyclically along dimensions, or in the flattened tensor.

    >>> dg.roll(dg.arange(4), 1)
    tensor([3, 0, 1, 2])
    """
    shifts = tuple(shifts) if isinstance(shifts, list) else shifts
    dims = None if dims == () or dims == [] else tuple(dims) if isinstance(dims, list) else dims
    return ops.roll(x, shift=shifts, axis=dims)


def tile(x: Tensor, *times: ShapeLike, dims: Sequence[int] = ()) -> Tensor:
    """The tensor repeated along each dimension.

    >>> dg.arange(2).tile(2)
    tensor([0, 1, 0, 1])
    """
    return ops.tile(x, sizes(times or (tuple(dims),)))


def repeat(x: Tensor, *repeats: ShapeLike) -> Tensor:
    """The tensor repeated along each dimension; there must be a count for each of them.

    >>> dg.arange(2).repeat(2, 2)
    tensor([[0, 1, 0, 1],
            [0, 1, 0, 1]])
    """
    times = sizes(repeats)
    if len(times) < len(shape_of(x)):
        raise ops.ShapeError(
            "repeat", [ops.type_of(x)], f"{times} has fewer counts than there are dimensions",
            hint="tile(...) accepts fewer",
            known_as="Number of dimensions of repeat dims can not be smaller than number of"
            " dimensions of tensor",
        )  # fmt: skip
    return ops.tile(x, times)


def repeat_interleave(
    x: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each entry repeated, along a dimension or in the flattened tensor.

    Given counts alone, each index is repeated.

    >>> dg.repeat_interleave(dg.tensor([1, 2]), dg.tensor([1, 2]))
    tensor([1, 2, 2])
    """
    if repeats is None:
        return ops.repeat(as_tensor(np.arange(size_at(x, 0))), x, axis=0)
    return ops.repeat(operand(x), repeats, axis=dim)


def repeat_entries(
    input: Tensor | None = None, repeats: Any = None, dim: int | None = None, *,
    output_size: int | None = None,
) -> Tensor:  # fmt: skip
    """Each entry repeated; see the method `repeat_interleave`."""
    x, counts = (repeats, None) if input is None else (operand(input), repeats)
    return repeat_interleave(x, counts, dim, output_size=output_size)


def rot90(x: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """A copy rotated `k` times by 90 degrees in the plane of two dimensions.

    >>> dg.rot90(dg.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    return own_memory(ops.copy(x) if k % 4 == 0 else ops.rot90(x, k, dims))


def fliplr(x: Tensor) -> Tensor:
    """A copy with the order of columns reversed.

    >>> dg.fliplr(dg.tensor([[1, 2]]))
    tensor([[2, 1]])
    """
    return own_memory(ops.fliplr(x))


def flipud(x: Tensor) -> Tensor:
    """A copy with the order of rows reversed.

    >>> dg.flipud(dg.tensor([1, 2]))
    tensor([2, 1])
    """
    return own_memory(ops.flipud(x))


def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonals of two dimensions along a new last one, as a view.

    >>> dg.diagonal(dg.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return ops.diagonal(x, offset=offset, axis1=dim1, axis2=dim2)


def diag(x: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix with a vector as its diagonal; given a matrix, a copy of its diagonal.

    >>> dg.diag(dg.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    return copy_of_view(ops.diag(x, diagonal))


def diag_embed(x: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices whose diagonals are the last dimension.

    >>> dg.diag_embed(dg.ones(5, 2)).shape
    (5, 2, 2)
    """
    return ops.diag_embed(x, offset, dim1, dim2)


def diagflat(x: Tensor, offset: int = 0) -> Tensor:
    """A matrix whose diagonal has all entries.

    >>> dg.diagflat(dg.ones(2, 2)).shape
    (4, 4)
    """
    return ops.diagflat(x, offset)


def diagonal_scatter(
    x: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy with `src` written to the diagonal.

    >>> dg.diagonal_scatter(dg.zeros(2, 2), dg.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    steps = (("diagonal", (("offset", offset), ("axis1", dim1), ("axis2", dim2))),)
    return ops.OPS["copy_slices"](x, as_tensor(src), steps=steps)


def tril(x: Tensor, diagonal: int = 0) -> Tensor:
    """The entries on and below a diagonal of each matrix, zeros above it.

    >>> dg.tril(dg.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return ops.tril(x, k=diagonal)


def triu(x: Tensor, diagonal: int = 0) -> Tensor:
    """The entries on and above a diagonal of each matrix, zeros below it.

    >>> dg.triu(dg.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return ops.triu(x, k=diagonal)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: DTypeLike = None) -> Tensor:
    """The rows and columns of the entries on and below a diagonal.

    >>> dg.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    indices = np.stack(np.tril_indices(row, offset, col)).astype(dtype or np.int64)
    return cut_off(handle(indices), None, False)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: DTypeLike = None) -> Tensor:
    """The rows and columns of the entries on and above a diagonal.

    >>> dg.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    indices = np.stack(np.triu_indices(row, offset, col)).astype(dtype or np.int64)
    return cut_off(handle(indices), None, False)


def fill_diagonal(x: Tensor, fill_value: Tensor | Number, wrap: bool = False) -> Tensor:
    """A copy with a number on the diagonal; `wrap` starts again below it in tall matrices."""
    value = as_tensor(as_entry("fill_diagonal_", x, fill_value))
    rows, columns = (int(n) for n in shape_of(x)[:2])
    step = columns + 1
    if not wrap or rows <= columns:
        return diagonal_scatter(x, value)
    row = ops.at(ops.reshape(x, shape=(-1,)))[::step].set(value)
    return ops.reshape(row, shape=shape_of(x))


def unfold(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Sliding windows along a dimension, as a view with a new last one.

    >>> dg.arange(5).unfold(0, 3, 2)
    tensor([[0, 1, 2],
            [2, 3, 4]])
    """
    if not shape_of(x):
        return unfold(as_row(x), dimension, size, step)[0]
    n = size_at(x, dimension)
    if size == 0 and step > 0:
        shape, axis = list(shape_of(x)), dimension % len(shape_of(x))
        shape[axis] = n // step + 1
        return empty_result(x, (*shape, 0))
    return make_writable(ops.sliding_window_view(x, size, axis=dimension, step=step), x)


def unflatten(x: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """A dimension split into several; a size of -1 is inferred.

    >>> dg.zeros(2, 6).unflatten(1, (2, -1)).shape
    (2, 2, 3)
    """
    shape = shape_of(x)
    k = axis_of(x, dim, len(shape))
    known = product(n for n in sizes if n != -1)
    if known == 0 and -1 in sizes:
        raise ops.ShapeError(
            "unflatten", [ops.type_of(x)], f"-1 is ambiguous next to a size of 0 in {tuple(sizes)}"
        )
    parts = [shape[k] // known if n == -1 else n for n in sizes]
    return ops.reshape(x, shape=(*shape[:k], *parts, *shape[k + 1 :]))


def tensor_split(
    x: Tensor, indices_or_sections: Tensor | int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Parts along a dimension: a number of them, the first ones larger by one, or split at indices.

    >>> dg.arange(5).tensor_split(2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.value.tolist()
    return tuple(ops.array_split(x, indices_or_sections, dim))


def split_function(
    dim: Callable[[int], int], least: int, name: str, along: str
) -> Callable[..., tuple[Tensor, ...]]:
    """`hsplit`, `vsplit` or `dsplit`, of operands with at least so many dimensions."""

    def call(x: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
        ndim = len(shape_of(x))
        if ndim < least:
            raise ops.ShapeError(name, [ops.type_of(x)], f"it has fewer than {least} dimensions")
        return tuple(ops.split(x, indices_or_sections, dim(ndim)))

    doc = f"Parts along the {along} dimension: a number of equal ones, or split at indices."
    return set_name(call, name, doc)


hsplit = split_function(lambda ndim: min(ndim - 1, 1), 1, "hsplit", "second (or only)")
vsplit = split_function(lambda ndim: 0, 2, "vsplit", "first")
dsplit = split_function(lambda ndim: 2, 3, "dsplit", "third")


def stack_function(name: str, like: str) -> Callable[..., Tensor]:
    """`hstack` and similar functions, of a sequence of tensors."""
    function = getattr(ops, name)

    def call(tensors: Sequence[Tensor]) -> Tensor:
        return function([as_tensor(t) for t in tensors])

    return set_name(call, name, f"Tensors joined {like}.")


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the second dimension, or the first if it is the only.

    >>> dg.hstack([dg.ones(2), dg.zeros(1)])
    tensor([1., 1., 0.])
    """
    rows = [atleast_1d(t) for t in tensors]
    return cat(rows, 0 if not rows or len(shape_of(rows[0])) == 1 else 1)


vstack = stack_function("vstack", "along the first dimension; a vector counts as a row")
dstack = stack_function("dstack", "along the third dimension, which they get if they have none")
column_stack = stack_function("column_stack", "as columns of a matrix")


def at_least(name: str, ndim: str) -> Callable[..., Tensor]:
    """`atleast_1d` and similar functions, of tensors or a sequence of them."""
    function = getattr(ops, name)

    def call(*tensors: Tensor) -> Tensor:
        return function(*map(operand, sizes(tensors)))

    return set_name(call, name, f"Each tensor with at least {ndim}; several are a tuple.")


atleast_1d = at_least("atleast_1d", "one dimension")
atleast_2d = at_least("atleast_2d", "two dimensions")
atleast_3d = at_least("atleast_3d", "three dimensions")


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors broadcast to their common shape, as views.

    >>> [t.shape for t in dg.broadcast_tensors(dg.ones(3), dg.ones(2, 1))]
    [(2, 3), (2, 3)]
    """
    xs = [as_tensor(t) for t in tensors]
    shape = broadcast_shapes("broadcast_tensors", [x.type for x in xs])
    return tuple([ops.expand(x, shape) for x in xs])


def meshgrid(*tensors: Tensor, indexing: str = "ij") -> tuple[Tensor, ...]:
    """The coordinates of the points of a grid, from those along each dimension.

    >>> dg.meshgrid(dg.arange(2), dg.arange(3))[0]
    tensor([[0, 0, 0],
            [1, 1, 1]])
    """
    return ops.meshgrid(*map(as_tensor, sizes(tensors)), indexing=indexing)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations of one entry from each vector, as rows.

    >>> dg.cartesian_prod(dg.tensor([1, 2]), dg.tensor([3, 4])).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    if len(tensors) == 1:
        return as_tensor(tensors[0])
    return ops.stack([ops.reshape(x, shape=(-1,)) for x in meshgrid(*tensors)], axis=1)


def block_diag(*tensors: Tensor) -> Tensor:
    """A block-diagonal matrix; vectors count as rows.

    >>> dg.block_diag(dg.ones(1, 2), dg.tensor(2.0))
    tensor([[1., 1., 0.],
            [0., 0., 2.]])
    """
    xs = [ops.atleast_2d(as_tensor(t)) for t in tensors]
    ends = [0, *accumulate(x.shape[1] for x in xs)]
    sides = [(start, ends[-1] - end) for start, end in pairwise(ends)]
    return ops.concatenate([ops.pad(x, ((0, 0), side)) for x, side in zip(xs, sides)], axis=0)


CONVERTING = by_name(
    diag, diag_embed, diagflat, diagonal, diagonal_scatter, dsplit, fliplr, flipud, hsplit, roll,
    rot90, tensor_split, tile, tril, triu, unflatten, vsplit,
)  # fmt: skip
METHODS: Functions = {
    "fill_diagonal_": writing_method(fill_diagonal), "repeat": repeat, "unfold": unfold,
    "repeat_interleave": repeat_interleave,
}  # fmt: skip
FUNCTIONS = by_name(
    atleast_1d, atleast_2d, atleast_3d, block_diag, broadcast_tensors, cartesian_prod, column_stack,
    dstack, hstack, meshgrid, tril_indices, triu_indices, vstack,
) | {"repeat_interleave": repeat_entries}  # fmt: skip
