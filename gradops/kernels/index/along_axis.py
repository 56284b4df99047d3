"""take_along_axis and its transpose."""

from typing import Any

import numpy as np

Sizes = tuple[int, ...]
SMALL = 2000  # entries from which counting places costs less than NumPy's index of several arrays


def take_along_axis(x: Any, indices: np.ndarray, axis: int) -> Any:
    """The entries of `x` at `indices` along an axis."""
    require(indices, x.ndim)
    if indices.size <= SMALL or not x.size:
        return x[key_of(indices, x.shape, axis)]
    return x.reshape(-1).take(places_of(indices, x.shape, axis))


def add_along_axis(g: np.ndarray, indices: np.ndarray, axis: int, shape: Sizes) -> np.ndarray:
    """Zeros of `shape` with `g` added at the entries that `take_along_axis` takes."""
    require(indices, len(shape))
    y = np.zeros(shape, g.dtype)
    if max(indices.size, g.size) <= SMALL or not y.size:
        np.add.at(y, key_of(indices, y.shape, axis), g)
        return y
    places = np.broadcast_to(places_of(indices, y.shape, axis), g.shape)
    np.add.at(y.reshape(-1), places.reshape(-1), g.reshape(-1))
    return y


def require(indices: np.ndarray, ndim: int) -> None:
    """Raise for indices that NumPy would interpret differently."""
    if indices.ndim != ndim or indices.dtype.kind not in "iu":
        raise ValueError("type inference has the words for the user")


def key_of(indices: np.ndarray, shape: Sizes, axis: int) -> tuple[np.ndarray, ...]:
    """The key for NumPy: `indices` along the axis, positions along the others."""
    key, ndim = [np.arange(n) for n in shape], len(shape)
    for i in range(ndim - 1):
        key[i] = key[i].reshape(-1, *(1,) * (ndim - 1 - i))
    key[axis] = indices
    return tuple(key)


def places_of(indices: np.ndarray, shape: Sizes, axis: int) -> np.ndarray:
    """The indices into the flattened array; raises IndexError."""
    n, ndim, step = shape[axis], len(shape), 1
    low = indices.min(initial=0)
    if indices.size and not -n <= low <= indices.max() < n:
        raise IndexError("type inference and the op have the words for the user")
    others: Any = 0
    for i in reversed(range(ndim)):
        if i == axis % ndim:
            stride = step
        elif shape[i] > 1:
            rows = np.arange(0, step * shape[i], step)
            others = rows.reshape(-1, *(1,) * (ndim - 1 - i)) + others
        step *= shape[i]
    wrapped = indices if low >= 0 else indices % n
    wrapped = wrapped.astype(np.intp, copy=False)
    return np.add(wrapped if stride == 1 else wrapped * stride, others)
