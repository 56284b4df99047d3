"""Functions that arrange entries anew, and take diagonals and windows, as PyTorch spells them."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.dims import product
from gradops.core.types import broadcast_shapes, shape_of

from ..dispatch.casting import as_entry
from ..dispatch.fast_path import operand
from ..dispatch.zero_dim import as_row
from ..engine.handle import Handle, cut_off
from ..engine.tensor import Tensor, as_tensor, handle
from .assignment import updated_by
from .shapes import axis_of, none_of, own_memory, size_at, sizes, writable


def copied(x: Any) -> Any:
    """A result that is not the operand and no view of it, as in PyTorch."""
    if not isinstance(x, Handle) or x.alias is None:
        return x
    return own_memory(x)


def roll(x: Any, shifts: Any, dims: Any = None) -> Any:
    """The entries moved along dimensions, or in one row if none is given; the last become first.

    >>> dg.roll(dg.arange(4), 1)
    tensor([3, 0, 1, 2])
    """
    shifts = tuple(shifts) if isinstance(shifts, list) else shifts
    dims = None if dims == () or dims == [] else tuple(dims) if isinstance(dims, list) else dims
    return ops.roll(x, shift=shifts, axis=dims)


def tile(x: Any, *times: Any, dims: Any = ()) -> Any:
    """The tensor beside itself along each dimension, so many times.

    >>> dg.arange(2).tile(2)
    tensor([0, 1, 0, 1])
    """
    return ops.tile(x, sizes(times or (tuple(dims),)))


def repeat(x: Any, *repeats: Any) -> Any:
    """The tensor beside itself along each dimension; there must be a number for each of them.

    >>> dg.arange(2).repeat(2, 2)
    tensor([[0, 1, 0, 1],
            [0, 1, 0, 1]])
    """
    times = sizes(repeats)
    if len(times) < len(shape_of(x)):
        raise ops.ShapeError(
            "repeat", [ops.type_of(x)], f"{times} are fewer numbers than dimensions",
            hint="tile(...) takes fewer",
            known_as="Number of dimensions of repeat dims can not be smaller than number of"
            " dimensions of tensor",
        )  # fmt: skip
    return ops.tile(x, times)


def repeat_interleave(
    x: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    """Each entry so many times, one after the other, along a dimension or in one row.

    With nothing but counts for an operand, the numbers of the entries.

    >>> dg.repeat_interleave(dg.tensor([1, 2]), dg.tensor([1, 2]))
    tensor([1, 2, 2])
    """
    if repeats is None:
        return ops.repeat(as_tensor(np.arange(size_at(x, 0))), x, axis=0)
    return ops.repeat(operand(x), repeats, axis=dim)


def each_repeated(
    input: Any = None,
    repeats: Any = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Any:
    """Each entry so many times, one after the other; see the method `repeat_interleave`."""
    x, counts = (repeats, None) if input is None else (operand(input), repeats)
    return repeat_interleave(x, counts, dim, output_size=output_size)


def rot90(x: Any, k: int = 1, dims: Any = (0, 1)) -> Any:
    """A copy turned `k` times by a quarter in the plane of two dimensions.

    >>> dg.rot90(dg.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    return own_memory(ops.copy(x) if k % 4 == 0 else ops.rot90(x, k, dims))


def fliplr(x: Any) -> Any:
    """A copy with the columns in reverse order.

    >>> dg.fliplr(dg.tensor([[1, 2]]))
    tensor([[2, 1]])
    """
    return own_memory(ops.fliplr(x))


def flipud(x: Any) -> Any:
    """A copy with the rows in reverse order.

    >>> dg.flipud(dg.tensor([1, 2]))
    tensor([2, 1])
    """
    return own_memory(ops.flipud(x))


def diagonal(x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The diagonal of two dimensions, along a new last one: a view.

    >>> dg.diagonal(dg.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return ops.diagonal(x, offset=offset, axis1=dim1, axis2=dim2)


def diag(x: Any, diagonal: int = 0) -> Any:
    """A matrix with a vector on its diagonal; of a matrix, a copy of its diagonal.

    >>> dg.diag(dg.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    return copied(ops.diag(x, diagonal))


def diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the last dimension on their diagonal.

    >>> dg.diag_embed(dg.ones(5, 2)).shape
    (5, 2, 2)
    """
    return ops.diag_embed(x, offset, dim1, dim2)


def diagflat(x: Any, offset: int = 0) -> Any:
    """A matrix with all entries on its diagonal.

    >>> dg.diagflat(dg.ones(2, 2)).shape
    (4, 4)
    """
    return ops.diagflat(x, offset)


def diagonal_scatter(x: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The tensor with another on its diagonal.

    >>> dg.diagonal_scatter(dg.zeros(2, 2), dg.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    steps = (("diagonal", (("offset", offset), ("axis1", dim1), ("axis2", dim2))),)
    return ops.OPS["copy_slices"](x, as_tensor(src), steps=steps)


def tril(x: Any, diagonal: int = 0) -> Any:
    """The entries on and below a diagonal of each matrix, zeros above it.

    >>> dg.tril(dg.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return ops.tril(x, k=diagonal)


def triu(x: Any, diagonal: int = 0) -> Any:
    """The entries on and above a diagonal of each matrix, zeros below it.

    >>> dg.triu(dg.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return ops.triu(x, k=diagonal)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> Any:
    """The rows and columns of the entries on and below a diagonal.

    >>> dg.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    found = np.stack(np.tril_indices(row, offset, col)).astype(dtype or np.int64)
    return cut_off(handle(found), None, False)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> Any:
    """The rows and columns of the entries on and above a diagonal.

    >>> dg.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    found = np.stack(np.triu_indices(row, offset, col)).astype(dtype or np.int64)
    return cut_off(handle(found), None, False)


def fill_diagonal(x: Any, fill_value: Any, wrap: bool = False) -> Any:
    """The matrix with a number on its diagonal, which goes on below with `wrap`."""
    value = as_tensor(as_entry("fill_diagonal_", x, fill_value))
    rows, columns = (int(n) for n in shape_of(x)[:2])
    step = columns + 1
    if not wrap or rows <= columns:
        return diagonal_scatter(x, value)
    row = ops.at(ops.reshape(x, shape=(-1,)))[::step].set(value)
    return ops.reshape(row, shape=shape_of(x))


def unfold(x: Any, dimension: int, size: int, step: int) -> Any:
    """The windows of a size that slide along a dimension, along a new last one: a view.

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
        return none_of(x, (*shape, 0))
    return writable(ops.sliding_window_view(x, size, axis=dimension, step=step), x)


def unflatten(x: Any, dim: int, sizes: Any) -> Any:
    """A dimension taken apart into several; -1 stands for the size that is left.

    >>> dg.zeros(2, 6).unflatten(1, (2, -1)).shape
    (2, 2, 3)
    """
    shape = shape_of(x)
    k = axis_of(x, dim, len(shape))
    known = product(n for n in sizes if n != -1)
    if known == 0 and -1 in sizes:
        raise ops.ShapeError(
            "unflatten",
            [ops.type_of(x)],
            f"-1 beside a size of 0 in {tuple(sizes)} may be any size",
        )
    parts = [shape[k] // known if n == -1 else n for n in sizes]
    return ops.reshape(x, shape=(*shape[:k], *parts, *shape[k + 1 :]))


def tensor_split(x: Any, indices_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Parts along a dimension: so many, the first ones larger by one, or ending at indices.

    >>> dg.arange(5).tensor_split(2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.value.tolist()
    return tuple(ops.array_split(x, indices_or_sections, dim))


def parted(dim: Callable[[int], int], least: int, name: str, along: str) -> Callable[..., Any]:
    """`hsplit` and the like: parts of one dimension, of which an operand has enough."""

    def call(x: Any, indices_or_sections: Any) -> Any:
        ndim = len(shape_of(x))
        if ndim < least:
            raise ops.ShapeError(name, [ops.type_of(x)], f"it has fewer than {least} dimensions")
        return tuple(ops.split(x, indices_or_sections, dim(ndim)))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Parts along the {along} dimension: so many equal ones, or ending at indices."
    return call


hsplit = parted(lambda ndim: min(ndim - 1, 1), 1, "hsplit", "second (or only)")
vsplit = parted(lambda ndim: 0, 2, "vsplit", "first")
dsplit = parted(lambda ndim: 2, 3, "dsplit", "third")


def joined(function: Callable[[Any], Any], name: str, like: str) -> Callable[[Any], Any]:
    """`hstack` and the like, of a sequence of tensors."""

    def call(tensors: Any) -> Any:
        return function([as_tensor(t) for t in tensors])

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Tensors one after the other {like}."
    return call


hstack = joined(ops.hstack, "hstack", "along the second dimension, or the first if it is the only")
vstack = joined(ops.vstack, "vstack", "along the first dimension; a vector counts as a row")
dstack = joined(ops.dstack, "dstack", "along the third dimension, which they get if they have none")
column_stack = joined(ops.column_stack, "column_stack", "as columns of a matrix")


def at_least(function: Callable[..., Any], name: str, ndim: str) -> Callable[..., Any]:
    """`atleast_1d` and the like, of tensors or a sequence of them."""

    def call(*tensors: Any) -> Any:
        return function(*map(operand, sizes(tensors)))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Each tensor with at least {ndim}; several come as a tuple."
    return call


atleast_1d = at_least(ops.atleast_1d, "atleast_1d", "one dimension")
atleast_2d = at_least(ops.atleast_2d, "atleast_2d", "two dimensions")
atleast_3d = at_least(ops.atleast_3d, "atleast_3d", "three dimensions")


def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """The tensors in the shape that they broadcast to: views.

    >>> [t.shape for t in dg.broadcast_tensors(dg.ones(3), dg.ones(2, 1))]
    [(2, 3), (2, 3)]
    """
    xs = [as_tensor(t) for t in tensors]
    shape = broadcast_shapes("broadcast_tensors", [x.type for x in xs])
    return tuple([ops.expand(x, shape) for x in xs])


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """The coordinates of the points of a grid, from those along each dimension.

    >>> dg.meshgrid(dg.arange(2), dg.arange(3))[0]
    tensor([[0, 0, 0],
            [1, 1, 1]])
    """
    return ops.meshgrid(*map(as_tensor, sizes(tensors)), indexing=indexing)


def cartesian_prod(*tensors: Any) -> Any:
    """All combinations of entries, one of each vector, as rows.

    >>> dg.cartesian_prod(dg.tensor([1, 2]), dg.tensor([3, 4])).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    if len(tensors) == 1:
        return as_tensor(tensors[0])
    return ops.stack([ops.reshape(x, shape=(-1,)) for x in meshgrid(*tensors)], axis=1)


def block_diag(*tensors: Any) -> Any:
    """A matrix with matrices along its diagonal; vectors count as rows.

    >>> dg.block_diag(dg.ones(1, 2), dg.tensor(2.0))
    tensor([[1., 1., 0.],
            [0., 0., 2.]])
    """
    xs = [ops.atleast_2d(as_tensor(t)) for t in tensors]
    columns = [x.shape[1] for x in xs]
    before = [sum(columns[:i]) for i in range(len(xs))]
    rows = [
        ops.pad(x, ((0, 0), (left, sum(columns) - left - x.shape[1])))
        for x, left in zip(xs, before, strict=True)
    ]
    return ops.concatenate(rows, axis=0)


CONVERTING: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        diag, diag_embed, diagflat, diagonal, diagonal_scatter, dsplit, fliplr, flipud, hsplit,
        roll, rot90, tensor_split, tile, tril, triu, unflatten, vsplit,
    )
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {
    "fill_diagonal_": updated_by(fill_diagonal), "repeat": repeat, "unfold": unfold,
    "repeat_interleave": repeat_interleave,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        atleast_1d, atleast_2d, atleast_3d, block_diag, broadcast_tensors, cartesian_prod,
        column_stack, dstack, hstack, meshgrid, tril_indices, triu_indices, vstack,
    )
} | {"repeat_interleave": each_repeated}  # fmt: skip
