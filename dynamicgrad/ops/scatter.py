"""Reading and updating entries by their place, as PyTorch spells it: scatter, index_add and kin."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.types import is_float, is_inexact, operand_types, shape_of

from ..dispatch.casting import as_entry, as_mask, require_dtype, require_range
from ..dispatch.fast_path import several
from ..dispatch.zero_dim import as_row, numbers_as_rows
from ..engine.handle import REAL_NUMBERS, Handle
from ..engine.tensor import Tensor, as_tensor
from .shapes import along, axis_of
from .sorting import nonzero

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def grid(x: Any, dim: int, index: Any) -> tuple[Any, ...]:
    """The key of the entries whose place along `dim` is `index`, and else that of the index."""
    index, rank = as_row(as_tensor(index)), len(shape_of(x))
    k = axis_of(x, dim, rank)
    if len(shape_of(index)) != rank:
        raise ops.ShapeError(
            "scatter", [ops.type_of(x), ops.type_of(index)],
            "Index tensor must have the same number of dimensions as self tensor",
        )  # fmt: skip
    sizes: Any = shape_of(index)
    return tuple(
        index if i == k else np.arange(n).reshape(-1, *(1,) * (rank - 1 - i))
        for i, n in enumerate(sizes)
    )


def require_places(name: str, x: Any, dim: int, index: Any, src: Any) -> None:
    """Refuse an index with more entries than the source has, or than `x` beside the dimension."""
    sizes: Any = shape_of(as_row(as_tensor(index)))
    own: Any = shape_of(x)
    if 0 in sizes:
        return
    of: Any = (shape_of(src) or (1,)) if isinstance(src, Tensor) else sizes
    k = axis_of(x, dim, len(own))
    beside = zip(sizes, own, strict=True)
    if (
        len(of) != len(sizes)
        or any(n > m for n, m in zip(sizes, of, strict=True))
        or any(n > m for i, (n, m) in enumerate(beside) if i != k)
    ):
        raise ops.AxisError(
            name, operand_types([x, as_tensor(index)]), f"the index has more entries than {of} or"
            f" than {own} beside dimension {k}",
            known_as="Expected index to be no larger than self apart from dimension, and no larger"
            " size than src",
        )  # fmt: skip


def names_nothing(index: Any, x: Any) -> bool:
    """Whether an index has no entries, and another number of dimensions, which is let pass."""
    return 0 in shape_of(index) and len(shape_of(index)) != len(shape_of(x))


def of_index(src: Any, index: Any) -> Any:
    """What of `src` there is an index for; a number is for all."""
    if not isinstance(src, Tensor) or not src.shape:
        return src
    return src[tuple(slice(n) for n in shape_of(as_tensor(index)))]


@numbers_as_rows
def scatter(
    x: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Any:
    """The tensor with entries of `src`, or a number, in the places along `dim` that `index` names.

    With `reduce`, "add" or "multiply", they are added or multiplied. Of several for one place, the
    last is written.

    >>> dg.zeros(2, 2).scatter(1, dg.tensor([[1], [0]]), 5.0)
    tensor([[0., 5.],
            [5., 0.]])
    """
    if names_nothing(index, x):
        return ops.copy(x)
    place = ops.at(x)[grid(x, dim, index)]
    require_places("scatter", x, dim, index, src)
    require_dtype("scatter", x, src)
    given = value if src is None else src
    values = of_index(src, index) if isinstance(given, Tensor) else as_entry("scatter", x, given)
    if reduce not in (None, "add", "multiply"):
        raise ops.OptionError(
            "scatter", [ops.type_of(x)], f"reduce is 'add' or 'multiply', not {reduce!r}"
        )
    return getattr(place, reduce or "set")(values)


@numbers_as_rows
def scatter_add(x: Any, dim: int, index: Any, src: Any) -> Any:
    """The tensor with entries of `src` added in the places along `dim` that `index` names.

    >>> dg.zeros(3).scatter_add(0, dg.tensor([0, 2, 2]), dg.ones(3))
    tensor([1., 0., 2.])
    """
    if names_nothing(index, x):
        return ops.copy(x)
    place = ops.at(x)[grid(x, dim, index)]
    require_places("scatter_add", x, dim, index, src)
    require_dtype("scatter_add", x, src)
    return place.add(of_index(src, index))


@numbers_as_rows
def scatter_reduce(
    x: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """The tensor with its entries reduced with those that `src` has for their places.

    `reduce` is "sum", "prod", "mean", "amax" or "amin". Without `include_self`, entries that get
    others do not count themselves.

    >>> x, i = dg.ones(2), dg.tensor([0, 0])
    >>> x.scatter_reduce(0, i, dg.tensor([2.0, 4.0]), "mean", include_self=False)
    tensor([3., 1.])
    """
    if names_nothing(index, x):
        return ops.copy(x)
    key = grid(x, dim, index)
    require_places("scatter_reduce", x, dim, index, src)
    require_dtype("scatter_reduce", x, src)
    return reduced(x, key, of_index(src, index), reduce, include_self)


def reduced(x: Any, key: Any, values: Any, reduce: str, include_self: bool) -> Any:
    """`x` with its entries at a key reduced with values."""
    if reduce not in REDUCTIONS:
        known = ", ".join(REDUCTIONS)
        raise ops.OptionError(
            "scatter_reduce", [ops.type_of(x)], f"reduce is one of {known}, not {reduce!r}"
        )
    if reduce in ("amax", "amin") and x.dtype.kind == "c":
        raise ops.DTypeError(
            "scatter_reduce", [ops.type_of(x)], "of complex numbers none is the largest"
        )
    if not include_self:
        x = ops.at(x)[key].set(neutral(x.dtype, reduce))
    place = ops.at(x)[key]
    match reduce:
        case "prod":
            return place.multiply(values)
        case "amax":
            return place.max(values)
        case "amin":
            return place.min(values)
    total = place.add(values)
    if reduce == "sum":
        return total
    counts = ops.at(np.full(x.shape, int(include_self)))[key].add(1)
    counts = ops.astype(ops.maximum(counts, 1), dtype=x.dtype)
    return total / counts if is_inexact(x.dtype) else ops.floor_divide(total, counts)


def neutral(dtype: Any, reduce: str) -> Any:
    """What changes nothing when it is reduced with others."""
    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    if dtype == np.bool:
        return reduce == "amin"
    if is_float(dtype):
        return -np.inf if reduce == "amax" else np.inf
    return np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max


@numbers_as_rows
def index_add(x: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """The tensor with `alpha * source` added to the parts along `dim` that `index` names.

    >>> dg.zeros(2).index_add(0, dg.tensor([1, 1]), dg.ones(2), alpha=3)
    tensor([0., 6.])
    """
    require_dtype("index_add", x, source)
    return ops.at(x)[along(x, dim, index)].add(source if alpha == 1 else source * alpha)


@numbers_as_rows
def index_copy(x: Any, dim: int, index: Any, source: Any) -> Any:
    """The tensor with `source` for the parts along `dim` that `index` names.

    >>> dg.zeros(3).index_copy(0, dg.tensor([2, 0]), dg.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    require_dtype("index_copy", x, source)
    return ops.at(x)[along(x, dim, index)].set(as_tensor(source))


@numbers_as_rows
def index_fill(x: Any, dim: int, index: Any, value: Any) -> Any:
    """The tensor with a number in the parts along `dim` that `index` names.

    >>> dg.zeros(3).index_fill(0, dg.tensor([2]), 7.0)
    tensor([0., 0., 7.])
    """
    return ops.at(x)[along(x, dim, index)].set(as_entry("index_fill", x, value))


@numbers_as_rows
def index_reduce(
    x: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """The tensor with the parts along `dim` reduced with those of `source` for their places.

    >>> dg.ones(2).index_reduce(0, dg.tensor([1, 1]), dg.tensor([2.0, 3.0]), "prod")
    tensor([1., 6.])
    """
    require_dtype("index_reduce", x, source)
    return reduced(x, along(x, dim, index), as_tensor(source), reduce, include_self)


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """The tensor with values at the places that a tuple of index tensors names, or added there.

    >>> dg.zeros(2, 2).index_put((dg.tensor([0, 1]), dg.tensor([1, 0])), dg.tensor(1.0))
    tensor([[0., 1.],
            [1., 0.]])
    """
    require_dtype("index_put", x, values)
    place = ops.at(x)[tuple(slice(None) if i is None else i for i in indices)]
    return place.add(values) if accumulate else place.set(values)


def take(x: Any, index: Any) -> Any:
    """The entries at indices of all of them in a row, in the shape of the indices.

    >>> dg.take(dg.tensor([[1, 2], [3, 4]]), dg.tensor([3, 0]))
    tensor([4, 1])
    """
    return ops.take(x, as_tensor(index))


def put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """The tensor with entries of `source` at indices of all its entries in a row.

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


def masked_select(x: Any, mask: Any) -> Any:
    """The entries where a mask holds, in a row.

    >>> dg.masked_select(dg.tensor([1, 2, 3]), dg.tensor([True, False, True]))
    tensor([1, 3])
    """
    x, mask = ops.broadcast_arrays(x, as_tensor(mask))
    return ops.index(x, mask)


def masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """The tensor with the entries of `source`, one after the other, where a mask holds.

    >>> dg.zeros(3).masked_scatter(dg.tensor([True, False, True]), dg.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    require_dtype("masked_scatter", x, source)
    x, mask = ops.broadcast_arrays(x, as_tensor(mask))
    order = ops.cumulative_sum(ops.reshape(mask, shape=(-1,)), axis=0) - 1
    places = ops.where(mask, ops.reshape(order, shape=shape_of(mask)), 0)
    return ops.where(mask, ops.take(as_tensor(source), places), x)


def select_scatter(x: Any, src: Any, dim: int, index: int) -> Any:
    """The tensor with another as its part at `index` along a dimension.

    >>> dg.zeros(2, 2).select_scatter(dg.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return ops.at(x)[along(x, dim, int(index))].set(as_tensor(src))


def slice_scatter(
    x: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """The tensor with another as its part from `start` to `end` along a dimension.

    >>> dg.zeros(3).slice_scatter(dg.ones(2), start=1)
    tensor([0., 1., 1.])
    """
    return ops.at(x)[along(x, dim, slice(start, end, step))].set(as_tensor(src))


BOOL, select = np.dtype(bool), several(ops.where)


def where(condition: Any, a: Any = None, b: Any = None) -> Any:
    """Entries of `a` where the condition holds, else of `b`; alone, the indices where it holds.

    A gradient of zero stays zero through the branch that was not taken, also where that branch is
    infinite or NaN.

    >>> dg.where(dg.tensor([True, False]), dg.ones(2), 0.0)
    tensor([1., 0.])
    """
    if a is None and b is None:
        return nonzero(condition, as_tuple=True)
    condition = as_tensor(condition)
    if condition.value.dtype is not BOOL:
        condition = truth_of(condition)
    if not isinstance(a, Handle):
        require_range("where", b.dtype if isinstance(b, Handle) else bool, a)
    elif not isinstance(b, Handle):
        require_range("where", a.dtype, b)
    return select(condition, a, b)


def truth_of(condition: Any) -> Any:
    """A condition of bytes as one of truth values."""
    if condition.dtype not in (np.bool_, np.uint8):
        raise ops.DTypeError(
            "where", [condition.type], "the condition is of truth values",
            known_as="where expected condition to be a boolean tensor, but got a tensor with dtype"
            f" {condition.dtype}", hint="use condition != 0",
        )  # fmt: skip
    return condition if condition.dtype == np.bool_ else condition != 0


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """The tensor with a number where the mask holds.

    >>> dg.masked_fill(dg.ones(2), dg.tensor([True, False]), 0.0)
    tensor([0., 1.])
    """
    if x.dtype.kind == "f" and type(value) in REAL_NUMBERS:
        require_range("masked_fill", x.dtype, value)
    else:
        value = as_entry("masked_fill", x, value)
    return select(as_mask("masked_fill", mask), value, x)


CONVERTING: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        index_add, index_copy, index_fill, index_put, index_reduce, masked_fill, masked_scatter,
        masked_select, put, scatter, scatter_add, scatter_reduce, select_scatter, slice_scatter,
        take,
    )
}  # fmt: skip
