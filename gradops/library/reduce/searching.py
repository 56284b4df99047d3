"""Searching: indices of entries with some property, or of where others would be inserted.

Indices have no derivative. The size of the results of `nonzero` and its like depends on the data:
in a graph it is unknown, and `vmap` refuses, as each example would have another size.
"""

from typing import Any

import numpy as np

from ...core.dims import UNKNOWN
from ...core.errors import OptionError, ShapeError
from ...core.op import Op, as_operand
from ...core.samples import beside, booleans, cases, distinct, exactly, integers, reals
from ...core.types import ArrayType, conflict, shape_of, type_of
from ...typing import AnyArray, Arrays, Attrs, Flags, OperandLike
from ..elementwise.arithmetic import sub
from ..elementwise.comparison import equal, greater, where
from ..elementwise.logic import logical_not
from ..families import invalid
from ..index.index_keys import with_strong_dtypes
from ..index.indexing import index, take
from ..shape.broadcasting import repeat_shared
from ..shape.movement import expand_dims, flip, reshape
from .reduction import any

__all__ = ["argwhere", "bucketize", "digitize", "flatnonzero", "isin", "nonzero", "searchsorted"]

SIDES = ("left", "right")

argwhere = Op(
    "argwhere", lambda x: np.stack(np.asarray(x).nonzero(), -1) if np.ndim(x) else np.argwhere(x),
    infer=lambda x: ArrayType((UNKNOWN, x.ndim), np.intp),
    vjp=[None], jvp=[None], family="searching",
    samples=cases(booleans((3, 4)), integers((5,)), reals((2, 2)), booleans((0, 2)), booleans(())),
    doc="The indices of the nonzero entries, one row for each.",
)  # fmt: skip


def searchsorted_kernel(bins: Any, x: np.ndarray, side: str = "left") -> np.ndarray:
    if side not in SIDES or np.shape(bins)[:-1] not in ((), np.shape(x)[:-1]):
        raise ValueError("type inference has the words for the user")
    if np.ndim(bins) == 1:
        return bins.searchsorted(x, side)
    y = np.empty(x.shape, np.intp)
    for i in np.ndindex(x.shape[:-1]):
        y[i] = bins[i].searchsorted(x[i], side)
    return y


def searchsorted_infer(bins: ArrayType, x: ArrayType, side: str) -> ArrayType:
    if side not in SIDES:
        raise OptionError("searchsorted", [bins, x], f"side is 'left' or 'right', not {side!r}")
    rest = bins.shape[:-1]
    if not bins.ndim or (rest and (x.ndim != bins.ndim or conflict(rest, x.shape))):
        raise ShapeError(
            "searchsorted", [bins, x], "the values are not of as many rows as what is sorted"
        )
    return ArrayType(x.shape, np.intp)


def searchsorted_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch with a row of values for each sorted row, or for the one that is shared."""
    if not batched[0] and len(shape_of(xs[0])) == 1:
        return op(*xs, **attrs)
    bins, x = repeat_shared(xs, batched)
    if len(shape_of(bins)) > 2:
        return op(bins, x, **attrs)
    n, *rest = shape_of(x)
    m = type_of(x).size // n if n else 0
    return reshape(op(bins, reshape(x, shape=(n, m)), **attrs), shape=(n, *rest))


searchsorted_op = Op(
    "searchsorted", searchsorted_kernel, arity=2, infer=searchsorted_infer,
    vjp=[None, None], jvp=[None, None], batch=searchsorted_batch, family="searching",
    samples=cases(
        beside(exactly([0.0, 1.0, 2.0]), distinct((3, 4))),
        beside(exactly([0, 1, 1, 2]), integers((5,), side="right")),
        beside(exactly([[0.0, 1.0], [-1.0, 0.5]]), distinct((2, 3))),
        beside(exactly([0.0, 1.0]), distinct(())), beside(exactly(np.zeros(0)), distinct((2,))),
    ),
    error_samples=[
        invalid((2,), (2,), side="middle", error=OptionError, says="not 'middle'"),
        invalid((2, 2), (3, 2), says="not of as many rows"),
        invalid((), (2,), says="not of as many rows"),
    ],
    doc="The indices at which entries of the second operand would be inserted into the first.",
)


def isin_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch by comparing all entries with all of the table, if examples have their own tables."""
    x, test = xs
    if not batched[1]:
        return op(x, test, **attrs)
    x = x if batched[0] else expand_dims(x, axis=0)
    n, m = shape_of(test)[0], type_of(test).example.size
    rows = reshape(test, shape=(n, *(1,) * (len(shape_of(x)) - 1), m))
    found = any(equal(expand_dims(x, axis=-1), rows), axis=-1)
    return logical_not(found) if attrs["invert"] else found


isin = Op(
    "isin", lambda x, test, invert=False: np.isin(x, test, invert=invert), arity=2,
    infer=lambda x, test, invert: ArrayType(x.shape, bool),
    vjp=[None, None], jvp=[None, None], batch=isin_batch, family="searching",
    samples=cases(
        beside(integers((3, 4)), exactly([0, 2, 5])),
        beside(exactly([0.5, 1.0, 2.0]), exactly([[1.0, 2.0]], invert=True)),
        beside(integers(()), exactly(1)), beside(integers((2, 0)), exactly(np.zeros(0))),
    ),
    doc="Whether each entry of the first operand is in the second.",
)


def searchsorted(bins: Any, x: OperandLike, side: str = "left", sorter: Any = None) -> Any:
    """The indices at which entries of `x` would be inserted into the sorted `bins`.

    With `side="right"`, after equal entries. `bins` is sorted along its last axis, or by the
    indices `sorter`; it has one axis, or the same leading axes as `x`. Raises ShapeError for other
    shapes, OptionError for another side.

    >>> searchsorted(np.array([1, 2, 2, 3]), np.array([2, 5]), side="right")
    array([3, 4])
    """
    if sorter is not None:
        bins = take(bins, sorter)
    if not hasattr(bins, "shape") or not hasattr(x, "shape"):
        bins, x = with_strong_dtypes([as_operand(bins), as_operand(x)])
    return searchsorted_op(bins, x, side=side)


def bucketize(x: OperandLike, boundaries: Any, right: bool = False) -> Any:
    """The bucket of each entry of `x` between ascending boundaries.

    An entry equal to a boundary is below it, or above it with `right`.

    >>> bucketize(np.array([1, 3, 6]), np.array([1, 3, 5]))
    array([0, 1, 3])
    """
    return searchsorted(boundaries, x, side="right" if right else "left")


def digitize(x: OperandLike, bins: Any, right: bool = False) -> Any:
    """The bin of each entry of `x`, for bins with ascending or descending bounds.

    An entry equal to a bound is in the bin above it, or in the one below with `right`. Raises
    ShapeError unless `bins` has one axis, OptionError if it is not monotonic.

    >>> digitize(np.array([0.5, 2.0]), np.array([0.0, 1.0, 2.0]))
    array([1, 3])
    """
    bins = as_operand(bins)
    kind, side = type_of(bins), "left" if right else "right"
    if kind.ndim != 1:
        raise ShapeError("digitize", [type_of(x), kind], f"the bins have {kind.ndim} axes, not one")
    if not isinstance(bins, np.ndarray):
        fall = greater(bins[:1], bins[-1:])  # which way they go, a graph learns when it runs
        down = sub(kind.size, searchsorted(flip(bins), x, side))
        return where(fall, down, searchsorted(bins, x, side))
    steps = np.diff(bins)
    if (steps >= 0).all():
        return searchsorted(bins, x, side)
    if not (steps <= 0).all():
        raise OptionError("digitize", [type_of(x), kind], "the bins neither ascend nor descend")
    return sub(kind.size, searchsorted(flip(bins), x, side))


def nonzero(x: OperandLike) -> tuple[Any, ...]:
    """The indices of the nonzero entries of `x`, as an array for each axis.

    Raises ShapeError for a number.

    >>> nonzero(np.array([[0, 1], [2, 0]]))
    (array([0, 1]), array([1, 0]))
    """
    kind = type_of(x)
    if not kind.ndim:
        raise ShapeError("nonzero", [kind], "a number has no places", hint="use atleast_1d(x)")
    if isinstance(x, np.ndarray):
        return x.nonzero()
    found = argwhere(x)
    return tuple([index(found, (slice(None), i)) for i in range(kind.ndim)])


def flatnonzero(x: OperandLike) -> Any:
    """The indices of the nonzero entries of the flattened array.

    >>> flatnonzero(np.array([[0, 1], [2, 0]]))
    array([1, 2])
    """
    return nonzero(reshape(x, shape=(-1,)))[0]
