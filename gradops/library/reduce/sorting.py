"""Sorting and selection by rank. NaN sorts last.

Values from `sort` and `topk` are differentiable; indices are not. Each entry gets the cotangent of
its sorted position; equal entries keep their order.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core.dims import Size
from ...core.errors import AxisError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, complexes, distinct, exactly, integers
from ...core.types import ArrayType, normalize_axis, shape_of
from ...kernels.index import along_axis as kernels
from ...typing import AnyArray, DTypeLike, OperandLike
from ..families import batch_along_axis, invalid
from ..shape.movement import flatten_without_axis, squeeze
from .along_axis import add_along_axis, take_along_axis

__all__ = ["argsort", "inverse_permutation", "kthvalue", "mode", "msort", "sort", "topk"]

wrong_axis = [
    invalid((2, 3), axis=2, says="axis 2 is out of range"),
    invalid((), axis=-1, says="axis -1 is out of range"),
]

FEW = 64  # entries that show whether values are of a few kinds


class Ranked(NamedTuple):
    """Entries selected by rank along an axis, and their indices."""

    values: Any
    indices: Any


def unchanged_type(name: str, dtype: DTypeLike = None) -> Callable[..., ArrayType]:
    """Type inference along an axis: the operand's type, in another dtype if one is given."""

    def infer(x: ArrayType, axis: int, **attrs: bool) -> ArrayType:
        normalize_axis(name, x, axis)
        return x if dtype is None else ArrayType(x.shape, dtype)

    return infer


def last_reversed(x: Any, axis: int) -> Any:
    """`x` with the entries along an axis in reverse order."""
    return x[(slice(None),) * (axis % x.ndim) + (slice(None, None, -1),)]


def argsort_kernel(x: Any, axis: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The indices that sort; in descending order, too, equal entries keep their order."""
    if not x.ndim:  # NumPy takes a number for a row of one
        raise ValueError("type inference has the words for the user")
    if not descending:
        return ascending_order(x, axis, stable)
    found = last_reversed(ascending_order(last_reversed(x, axis), axis, stable), axis)
    return np.subtract(x.shape[axis] - 1, found)


def ascending_order(x: Any, axis: int, stable: bool) -> Any:
    """The indices that sort in ascending order.

    A stable sort of floats takes several times as long as any other. Rows without equal entries
    have only one order, so only rows with ties are sorted stably, if the first few have none.
    """
    if not stable or x.dtype.kind != "f" or x.size < 2000 or has_repeats(x.ravel()[:FEW]):
        return x.argsort(axis, stable=stable)
    rows = x.swapaxes(axis, -1)
    found = rows.argsort(axis=-1)
    s = kernels.take_along_axis(rows, found, -1)
    tied = ~np.greater(s[..., 1:], s[..., :-1]).all(axis=-1)  # or NaN
    found[tied] = rows[tied].argsort(axis=-1, stable=True)
    return found.swapaxes(axis, -1)


def has_repeats(x: Any) -> bool:
    """True if an entry occurs twice in a sorted row."""
    s = np.sort(x)
    return bool(np.equal(s[1:], s[:-1]).any())


argsort_op = Op(
    "argsort", argsort_kernel,
    infer=unchanged_type("argsort", np.intp),
    vjp=[None], jvp=[None], batch=batch_along_axis, family="sorting",
    samples=cases(
        distinct((3, 4)), distinct((3, 4), axis=0, descending=True), integers((9,), stable=True),
        integers((2, 9), descending=True, stable=True), distinct((0, 3), axis=0),
    ),
    error_samples=wrong_axis,
    doc="The indices that sort along an axis, in ascending or descending order.",
)


def inverse_permutation_kernel(order: Any, axis: int = -1) -> np.ndarray:
    y = np.empty_like(order)
    shape = [1] * order.ndim
    shape[axis] = n = order.shape[axis]
    np.put_along_axis(y, order, np.arange(n).reshape(shape), axis)
    return y


inverse_permutation = Op(
    "inverse_permutation", inverse_permutation_kernel, infer=unchanged_type("inverse_permutation"),
    vjp=[None], jvp=[None], batch=batch_along_axis, family="sorting",
    samples=cases(exactly([[2, 0, 1], [0, 1, 2]]), exactly([[1, 0], [0, 1]], axis=0)),
    error_samples=[ErrorSample([np.array([0])], {"axis": 1}, ShapeError, "axis 1 is out of range")],
    doc="The inverse of permutations along an axis.",
)


def sort_kernel(
    x: np.ndarray, axis: int = -1, descending: bool = False, stable: bool = False
) -> Any:
    """Sorts; order among equal entries matters only for zeros of two signs."""
    y = np.array(last_reversed(x, axis) if descending and stable else x, order="K")
    y.sort(axis, stable=stable)
    return last_reversed(y, axis) if descending else y


def stable_order(x: AnyArray, axis: int, descending: bool, stable: bool) -> AnyArray:
    """The indices that sort, where of equal entries the first stays first."""
    return argsort_op(x, axis=axis, descending=descending, stable=True)


sort_op = Op(
    "sort", sort_kernel, infer=unchanged_type("sort"), batch=batch_along_axis, family="sorting",
    vjp=[lambda g, y, x, axis, **how: (
        add_along_axis(g, stable_order(x, axis, **how), axis=axis, shape=shape_of(x))
    )],
    jvp=[lambda t, y, x, axis, **how: take_along_axis(t, stable_order(x, axis, **how), axis)],
    samples=cases(
        distinct((4,), descending=True, stable=True),
        distinct((3, 4)), distinct((3, 4), axis=0, descending=True), integers((9,)),
        distinct((2, 3, 2), axis=-2), distinct((0, 3), axis=0), complexes((5,)),
    ),
    error_samples=wrong_axis,
    doc="The entries sorted along an axis, in ascending or descending order.",
)


def best_places(x: Any, k: int, largest: bool) -> Any:
    """The indices of the k largest or smallest entries along the last axis, best first.

    Of equal entries the first are taken, which partitioning alone does not guarantee.
    """
    if not 0 < k < x.shape[-1] // 4:
        return argsort_kernel(x, -1, largest, stable=True)[..., :k]
    n = -k if largest else k - 1
    found = np.argpartition(x, n)
    worst = np.take_along_axis(x, found[..., n, None], -1)
    found = np.sort(found[..., -k:] if largest else found[..., :k])
    as_good = np.greater_equal(x, worst) if largest else np.less_equal(x, worst)
    if np.count_nonzero(as_good) != found.size:  # some are as good as the worst, or NaN
        return argsort_kernel(x, -1, largest, stable=True)[..., :k]
    chosen = np.take_along_axis(x, found, -1)
    ranked = argsort_kernel(chosen, -1, largest, stable=True)
    return np.take_along_axis(found, ranked, -1)


def argtopk_kernel(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    if not 0 <= k <= x.shape[axis]:
        raise ValueError("type inference has the words for the user")
    found = best_places(x.swapaxes(axis, -1), k, largest)
    return np.ascontiguousarray(found.swapaxes(axis, -1))


def rank_axis(op: str, x: ArrayType, k: int, axis: int, least: int) -> int:
    """The axis, checked to have at least k entries."""
    a = normalize_axis(op, x, axis)
    n: Size = x.shape[a]
    if isinstance(n, int) and not least <= k <= n:
        raise (ShapeError if n else AxisError)(
            op, [x], f"k={k} is not from {least} to {n}, the size of axis {a}",
        )
    return a


def argtopk_infer(x: ArrayType, k: int, axis: int, largest: bool) -> ArrayType:
    a = rank_axis("argtopk", x, k, axis, 0)
    return ArrayType((*x.shape[:a], k, *x.shape[a + 1 :]), np.intp)


argtopk = Op(
    "argtopk", argtopk_kernel,
    infer=argtopk_infer, vjp=[None], jvp=[None], batch=batch_along_axis, family="sorting",
    samples=cases(
        distinct((3, 4), k=2), distinct((9, 2), k=2, axis=0, largest=False),
        integers((30,), k=4), distinct((2, 40), k=3), distinct((3,), k=0), distinct((0, 3), k=3),
    ),
    error_samples=[
        invalid((3,), k=4, says="k=4 is not from 0 to 3"),
        invalid((3,), k=1, axis=1, says="axis 1 is out of range"),
    ],
    doc="The indices of the k largest, or smallest, entries along an axis, best first.",
)


def argkth_kernel(x: np.ndarray, k: int, axis: int = -1) -> np.ndarray:
    if not 1 <= k <= x.shape[axis]:
        raise ValueError("type inference has the words for the user")
    places = np.argpartition(x, k - 1, axis)
    return np.array(places.swapaxes(axis, -1)[..., k - 1 : k].swapaxes(axis, -1))


def argkth_infer(x: ArrayType, k: int, axis: int) -> ArrayType:
    a = rank_axis("argkth", x, k, axis, 1)
    return ArrayType((*x.shape[:a], 1, *x.shape[a + 1 :]), np.intp)


argkth = Op(
    "argkth", argkth_kernel,
    infer=argkth_infer, vjp=[None], jvp=[None], batch=batch_along_axis, family="sorting",
    samples=cases(distinct((3, 4), k=2), distinct((5, 2), k=5, axis=0), distinct((0, 3), k=1)),
    error_samples=[
        invalid((3,), k=0, says="k=0 is not from 1 to 3"),
        invalid((3,), k=1, axis=1, says="axis 1 is out of range"),
    ],
    doc="The index of the k-th smallest entry along an axis, which is kept with size 1.",
)


def argmode_kernel(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The index of the mode: the first longest run of equal entries in sorted rows."""
    rows = np.moveaxis(x, axis, -1)
    if not rows.shape[-1]:
        raise ValueError("type inference has the words for the user")
    order = rows.argsort(-1, stable=True)
    s = np.take_along_axis(rows, order, -1)
    n = np.arange(s.shape[-1])
    starts = np.ones(s.shape, bool)
    np.not_equal(s[..., 1:], s[..., :-1], out=starts[..., 1:])
    run = n - np.maximum.accumulate(np.where(starts, n, 0), axis=-1)  # how many equal ones before
    last = run.argmax(axis=-1, keepdims=True)
    return np.moveaxis(np.take_along_axis(order, last, -1), -1, axis)


def argmode_infer(x: ArrayType, axis: int) -> ArrayType:
    a = normalize_axis("argmode", x, axis)
    if x.shape[a] == 0:
        raise AxisError("argmode", [x], f"axis {a} is empty")
    return ArrayType((*x.shape[:a], 1, *x.shape[a + 1 :]), np.intp)


argmode = Op(
    "argmode", argmode_kernel, infer=argmode_infer, vjp=[None], jvp=[None], batch=batch_along_axis,
    family="sorting", samples=cases(integers((3, 9)), integers((9, 2), axis=0), distinct((4,))),
    error_samples=[invalid((2, 0), says="axis 1 is empty"), wrong_axis[0]],
    doc="The last index of the most frequent entry along an axis, of several the smallest.",
)


def sort(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = False) -> Any:
    """`x` sorted along an axis; with axis None, flattened first.

    `stable` keeps zeros of two signs in order, too.

    >>> sort(np.array([3.0, 1.0, 2.0]), descending=True)
    array([3., 2., 1.])
    """
    x, axis = flatten_without_axis(x, axis)
    return sort_op(x, axis=axis, descending=descending, stable=stable)


def argsort(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = False) -> Any:
    """The indices that sort `x` along an axis; with axis None, flattened first.

    With `stable`, equal entries keep their order.

    >>> argsort(np.array([3.0, 1.0, 2.0]))
    array([1, 2, 0])
    """
    x, axis = flatten_without_axis(x, axis)
    return argsort_op(x, axis=axis, descending=descending, stable=stable)


def msort(x: OperandLike) -> Any:
    """`x` sorted along its first axis.

    >>> msort(np.array([[2, 3], [1, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    return sort_op(x, axis=0)


def topk(x: OperandLike, k: int, axis: int = -1, largest: bool = True) -> Ranked:
    """The k largest entries of `x` along an axis, or the smallest, and their indices.

    The best comes first; of equal ones, the first. Raises ShapeError if there are fewer than k.

    >>> values, indices = topk(np.array([1.0, 3.0, 2.0]), 2)
    >>> values, indices
    (array([3., 2.]), array([1, 2]))
    """
    indices = argtopk(x, k=k, axis=axis, largest=largest)
    return Ranked(take_along_axis(x, indices, axis), indices)


def entries_at(x: Any, indices: AnyArray, axis: int, keepdims: bool) -> Ranked:
    """The entries at indices along an axis of size 1, which is kept or dropped."""
    values = take_along_axis(x, indices, axis)
    if not keepdims:
        values, indices = squeeze(values, axis=(axis,)), squeeze(indices, axis=(axis,))
    return Ranked(values, indices)


def kthvalue(x: OperandLike, k: int, axis: int = -1, keepdims: bool = False) -> Ranked:
    """The k-th smallest entry of `x` along an axis, counted from 1, and its index.

    Raises ShapeError if there are fewer than k.

    >>> float(kthvalue(np.array([3.0, 1.0, 2.0]), 2).values)
    2.0
    """
    return entries_at(x, argkth(x, k=k, axis=axis), axis, keepdims)


def mode(x: OperandLike, axis: int = -1, keepdims: bool = False) -> Ranked:
    """The most frequent entry of `x` along an axis and its last index; of several the smallest.

    Raises ShapeError for an empty axis.

    >>> int(mode(np.array([3, 1, 3])).values)
    3
    """
    return entries_at(x, argmode(x, axis=axis), axis, keepdims)
