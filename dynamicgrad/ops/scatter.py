"""Functions that read or update entries at indices and masks: scatter, index_add, where."""

from typing import Any

import numpy as np

import gradops as ops
from gradops.core.types import is_inexact, operand_types, shape_of
from gradops.library.elementwise.comparison import limits_of
from gradops.typing import AnyArray, Number

from ..dispatch.casting import as_entry, as_mask, require_dtype, require_range
from ..dispatch.fast_path import several
from ..dispatch.wrapping import by_name
from ..dispatch.zero_dim import as_row, numbers_as_rows
from ..engine.handle import REAL_NUMBERS, Handle
from ..engine.tensor import Tensor, as_tensor
from .shapes import axis_of, key_along
from .sorting import nonzero

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
WRITES = {"prod": "multiply", "amax": "max", "amin": "min"}
"""The updates of entries that reductions other than sums are."""
Values = Tensor | Number  # that are written: one for each place, or one for all


def grid(name: str, x: Tensor, dim: int, index: Tensor, src: object) -> tuple[Any, ...]:
    """The advanced-indexing key of `scatter`: `index` along `dim`, positions along the others.

    Refuses an index or a source that does not fit.
    """
    index, rank = as_row(as_tensor(index)), len(shape_of(x))
    k = axis_of(x, dim, rank)
    if len(shape_of(index)) != rank:
        raise ops.ShapeError(
            "scatter", [ops.type_of(x), ops.type_of(index)],
            "Index tensor must have the same number of dimensions as self tensor",
        )  # fmt: skip
    require_places(name, x, k, index, src)
    require_dtype(name, x, src)
    sizes: tuple[int, ...] = index.shape
    return tuple(
        index if i == k else np.arange(n).reshape(-1, *(1,) * (rank - 1 - i))
        for i, n in enumerate(sizes)
    )


def require_places(name: str, x: Tensor, k: int, index: Tensor, src: object) -> None:
    """Refuse an index that is larger than the source, or than `x` outside of dimension `k`."""
    sizes, own = index.shape, x.shape
    if 0 in sizes:
        return
    of = (src.shape or (1,)) if isinstance(src, Tensor) else sizes
    beside = zip(sizes, own, strict=True)
    if (
        len(of) != len(sizes)
        or any(n > m for n, m in zip(sizes, of, strict=True))
        or any(n > m for i, (n, m) in enumerate(beside) if i != k)
    ):
        raise ops.AxisError(
            name, operand_types([x, index]), f"the index has more entries than {of} or"
            f" than {own} outside of dimension {k}",
            known_as="Expected index to be no larger than self apart from dimension, and no larger"
            " size than src",
        )  # fmt: skip


def is_empty_index(index: Tensor, x: Tensor) -> bool:
    """True if an index is empty and has another rank than `x`, which PyTorch accepts."""
    return 0 in shape_of(index) and len(shape_of(index)) != len(shape_of(x))


def part_for_index(src: Values, index: Tensor) -> Values:
    """The part of `src` that has the shape of the index; numbers are returned unchanged."""
    if not isinstance(src, Tensor) or not src.shape:
        return src
    return src[tuple(slice(n) for n in shape_of(as_tensor(index)))]


@numbers_as_rows
def scatter(
    x: Tensor, dim: int, index: Tensor, src: Tensor | None = None, *,
    value: Values | None = None, reduce: str | None = None,
) -> AnyArray:  # fmt: skip
    """A copy with entries of `src`, or a number, written at the indices `index` along `dim`.

    With `reduce`, "add" or "multiply", they are added or multiplied. Of several for one entry, the
    last is written.

    >>> dg.zeros(2, 2).scatter(1, dg.tensor([[1], [0]]), 5.0)
    tensor([[0., 5.],
            [5., 0.]])
    """
    if is_empty_index(index, x):
        return ops.copy(x)
    place = ops.at(x)[grid("scatter", x, dim, index, src)]
    if isinstance(src, Tensor):
        values = part_for_index(src, index)
    else:
        values = as_entry("scatter", x, value if src is None else src)
    if reduce not in (None, "add", "multiply"):
        raise ops.OptionError("scatter", [x.type], f"reduce is 'add' or 'multiply', not {reduce!r}")
    return getattr(place, reduce or "set")(values)


@numbers_as_rows
def scatter_add(x: Tensor, dim: int, index: Tensor, src: Tensor) -> AnyArray:
    """A copy with the entries of `src` added at the indices `index` along `dim`.

    >>> dg.zeros(3).scatter_add(0, dg.tensor([0, 2, 2]), dg.ones(3))
    tensor([1., 0., 2.])
    """
    if is_empty_index(index, x):
        return ops.copy(x)
    place = ops.at(x)[grid("scatter_add", x, dim, index, src)]
    return place.add(part_for_index(src, index))


@numbers_as_rows
def scatter_reduce(
    x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> AnyArray:
    """A copy whose entries are reduced with those of `src` that `index` assigns to them.

    `reduce` is "sum", "prod", "mean", "amax" or "amin". Without `include_self`, the own value of an
    entry counts only if nothing is assigned to it.

    >>> x, i = dg.ones(2), dg.tensor([0, 0])
    >>> x.scatter_reduce(0, i, dg.tensor([2.0, 4.0]), "mean", include_self=False)
    tensor([3., 1.])
    """
    if is_empty_index(index, x):
        return ops.copy(x)
    key = grid("scatter_reduce", x, dim, index, src)
    return reduce_at(x, key, part_for_index(src, index), reduce, include_self)


def reduce_at(
    x: AnyArray, key: object, values: Values, reduce: str, include_self: bool
) -> AnyArray:
    """`x` with its entries at a key reduced with values."""
    if reduce not in REDUCTIONS:
        known = ", ".join(REDUCTIONS)
        raise ops.OptionError(
            "scatter_reduce", [ops.type_of(x)], f"reduce is one of {known}, not {reduce!r}"
        )
    if reduce in ("amax", "amin") and x.dtype.kind == "c":
        raise ops.DTypeError("scatter_reduce", [ops.type_of(x)], "complex numbers have no order")
    if not include_self:
        x = ops.at(x)[key].set(neutral_element(x.dtype, reduce))
    place = ops.at(x)[key]
    if reduce in WRITES:
        return getattr(place, WRITES[reduce])(values)
    total = place.add(values)
    if reduce == "sum":
        return total
    counts = ops.at(np.full(x.shape, int(include_self)))[key].add(1)
    counts = ops.astype(ops.maximum(counts, 1), dtype=x.dtype)
    return total / counts if is_inexact(x.dtype) else ops.floor_divide(total, counts)


def neutral_element(dtype: np.dtype, reduce: str) -> float:
    """The neutral element of a reduction."""
    least, greatest = limits_of(dtype)
    return {"prod": 1, "amax": least, "amin": greatest}.get(reduce, 0)


@numbers_as_rows
def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Values = 1) -> AnyArray:
    """A copy with `alpha * source` added to the slices along `dim` at `index`.

    >>> dg.zeros(2).index_add(0, dg.tensor([1, 1]), dg.ones(2), alpha=3)
    tensor([0., 6.])
    """
    require_dtype("index_add", x, source)
    return ops.at(x)[key_along(x, dim, index)].add(source if alpha == 1 else source * alpha)


@numbers_as_rows
def index_copy(x: Tensor, dim: int, index: Tensor, source: Tensor) -> AnyArray:
    """A copy with the slices along `dim` at `index` replaced by `source`.

    >>> dg.zeros(3).index_copy(0, dg.tensor([2, 0]), dg.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    require_dtype("index_copy", x, source)
    return ops.at(x)[key_along(x, dim, index)].set(as_tensor(source))


@numbers_as_rows
def index_fill(x: Tensor, dim: int, index: Tensor, value: Values) -> AnyArray:
    """A copy with the slices along `dim` at `index` filled with a number.

    >>> dg.zeros(3).index_fill(0, dg.tensor([2]), 7.0)
    tensor([0., 0., 7.])
    """
    return ops.at(x)[key_along(x, dim, index)].set(as_entry("index_fill", x, value))


@numbers_as_rows
def index_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> AnyArray:
    """A copy with the slices along `dim` at `index` reduced with those of `source`.

    >>> dg.ones(2).index_reduce(0, dg.tensor([1, 1]), dg.tensor([2.0, 3.0]), "prod")
    tensor([1., 6.])
    """
    require_dtype("index_reduce", x, source)
    return reduce_at(x, key_along(x, dim, index), as_tensor(source), reduce, include_self)


def index_put(x: Tensor, indices: Tensor, values: Values, accumulate: bool = False) -> AnyArray:
    """A copy with values written, or added, at a tuple of index tensors.

    >>> dg.zeros(2, 2).index_put((dg.tensor([0, 1]), dg.tensor([1, 0])), dg.tensor(1.0))
    tensor([[0., 1.],
            [1., 0.]])
    """
    require_dtype("index_put", x, values)
    place = ops.at(x)[tuple(slice(None) if i is None else i for i in indices)]
    return place.add(values) if accumulate else place.set(values)


def take(x: Tensor, index: Tensor) -> AnyArray:
    """The entries at indices into the flattened tensor, in the shape of the indices.

    >>> dg.take(dg.tensor([[1, 2], [3, 4]]), dg.tensor([3, 0]))
    tensor([4, 1])
    """
    return ops.take(x, as_tensor(index))


def put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> AnyArray:
    """A copy with the entries of `source` written at indices into the flattened tensor.

    >>> dg.zeros(2, 2).put(dg.tensor([3]), dg.tensor([1.0]))
    tensor([[0., 0.],
            [0., 1.]])
    """
    index, source = as_tensor(index), as_tensor(source)
    require_dtype("put", x, source)
    place = ops.at(ops.reshape(x, shape=(-1,)))[ops.reshape(index, shape=(-1,))]
    values = ops.reshape(source, shape=(-1,))
    row = place.add(values) if accumulate else place.set(values)
    return ops.reshape(row, shape=shape_of(x))


def masked_select(x: Tensor, mask: Tensor) -> AnyArray:
    """The entries where a mask is true, as a vector.

    >>> dg.masked_select(dg.tensor([1, 2, 3]), dg.tensor([True, False, True]))
    tensor([1, 3])
    """
    x, mask = ops.broadcast_arrays(x, as_tensor(mask))
    return ops.index(x, mask)


def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> AnyArray:
    """A copy with the entries of `source`, in order, written where a mask is true.

    >>> dg.zeros(3).masked_scatter(dg.tensor([True, False, True]), dg.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    require_dtype("masked_scatter", x, source)
    x, mask = ops.broadcast_arrays(x, as_tensor(mask))
    order = ops.cumulative_sum(ops.reshape(mask, shape=(-1,)), axis=0) - 1
    places = ops.where(mask, ops.reshape(order, shape=shape_of(mask)), 0)
    return ops.where(mask, ops.take(as_tensor(source), places), x)


def select_scatter(x: Tensor, src: Tensor, dim: int, index: int) -> AnyArray:
    """A copy with `src` written to the slice at `index` along a dimension.

    >>> dg.zeros(2, 2).select_scatter(dg.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return ops.at(x)[key_along(x, dim, int(index))].set(as_tensor(src))


def slice_scatter(
    x: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
    step: int = 1,
) -> AnyArray:  # fmt: skip
    """A copy with `src` written to the slices from `start` to `end` along a dimension.

    >>> dg.zeros(3).slice_scatter(dg.ones(2), start=1)
    tensor([0., 1., 1.])
    """
    return ops.at(x)[key_along(x, dim, slice(start, end, step))].set(as_tensor(src))


BOOL, select = np.dtype(bool), several(ops.where)


def where(
    condition: Tensor, a: Tensor | Number | None = None, b: Tensor | Number | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Entries of `a` where the condition is true, else of `b`; with a condition alone, its indices.

    A gradient of zero stays zero through the branch that is not taken, even if that branch is
    infinite or NaN.

    >>> dg.where(dg.tensor([True, False]), dg.ones(2), 0.0)
    tensor([1., 0.])
    """
    if a is None and b is None:
        return nonzero(condition, as_tuple=True)
    condition = as_tensor(condition)
    if condition.value.dtype is not BOOL:
        condition = as_condition(condition)
    if not isinstance(a, Handle):
        require_range("where", b.dtype if isinstance(b, Handle) else bool, a)
    elif not isinstance(b, Handle):
        require_range("where", a.dtype, b)
    return select(condition, a, b)


def as_condition(condition: Tensor) -> Tensor:
    """A condition as booleans; uint8 is converted, other dtypes are refused."""
    if condition.dtype not in (np.bool_, np.uint8):
        raise ops.DTypeError(
            "where", [condition.type], "the condition is not boolean",
            known_as="where expected condition to be a boolean tensor, but got a tensor with dtype"
            f" {condition.dtype}", hint="use condition != 0",
        )  # fmt: skip
    return condition if condition.dtype == np.bool_ else condition != 0


def masked_fill(x: Tensor, mask: Tensor, value: Values) -> AnyArray:
    """A copy with a number written where the mask is true.

    >>> dg.masked_fill(dg.ones(2), dg.tensor([True, False]), 0.0)
    tensor([0., 1.])
    """
    if x.dtype.kind == "f" and type(value) in REAL_NUMBERS:
        require_range("masked_fill", x.dtype, value)
    else:
        value = as_entry("masked_fill", x, value)
    return select(as_mask("masked_fill", mask), value, x)


CONVERTING = by_name(
    index_add, index_copy, index_fill, index_put, index_reduce, masked_fill, masked_scatter,
    masked_select, put, scatter, scatter_add, scatter_reduce, select_scatter, slice_scatter, take,
)  # fmt: skip
