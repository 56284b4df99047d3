"""Activation functions on arrays, and reductions of short rows.

Note [Short rows]. NumPy's reductions take short rows one at a time. As columns of a matrix all rows
are reduced at once.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.float_errors import without_float_errors
from ..elementwise.erf import erf
from ..elementwise.tables import inexact
from ..native_kernels import native
from .gelu import BLOCK, by_pieces, gelu_piece

SHORT = 32  # entries of a row up to which turning the array is the lesser cost


def has_short_rows(x: np.ndarray, axis: int) -> bool:
    """True if `axis` is the last axis, and short, of a float array with several."""
    return (
        type(x) is np.ndarray
        and x.ndim > 1
        and axis in (-1, x.ndim - 1)
        and 0 < x.shape[-1] <= SHORT
        and x.dtype.kind == "f"
    )


def columns(x: np.ndarray) -> Any:
    """The rows of `x` as columns of a matrix: a contiguous copy if they are short, else a view."""
    turned = x.reshape(-1, x.shape[-1]).T
    return turned.copy() if x.shape[-1] <= SHORT else turned


def rows(y: np.ndarray, like: np.ndarray, out: np.ndarray | None = None) -> Any:
    """The columns of `y` as rows, in the shape of `like` or in `out`."""
    if out is None:
        return np.ascontiguousarray(y.T).reshape(like.shape)
    np.copyto(out, y.T.reshape(like.shape))
    return out


WIDE = 1 << 13  # entries that are compared at a time
MANY = 2 * WIDE  # entries from which that pays


def positive_part(x: np.ndarray, out: np.ndarray | None = None) -> Any:
    """`np.maximum(x, 0)`, for large arrays against a row of zeros, which is faster."""
    if type(x) is not np.ndarray or x.size < MANY or x.dtype.kind != "f":
        return np.maximum(x, 0, out=out)
    y = np.empty_like(x) if out is None else out
    if y.strides != x.strides or y.dtype != x.dtype:
        return np.maximum(x, 0, out=out)
    into, whole = y.ravel("K"), x.size // WIDE * WIDE
    if not np.may_share_memory(into, y):  # entries do not lie side by side
        return np.maximum(x, 0, out=out)
    flat, zeros = x.ravel("K"), np.zeros(WIDE, x.dtype)
    np.maximum(flat[:whole].reshape(-1, WIDE), zeros, out=into[:whole].reshape(-1, WIDE))
    np.maximum(flat[whole:], 0, out=into[whole:])
    return y


SMALL = 64  # entries up to which the number of NumPy calls is the cost


def reusable(y: Any) -> Any:
    """`y` if it may be overwritten by the next steps, else None."""
    return y if type(y) is np.ndarray and y.dtype.kind == "f" else None


ONES: dict[str, Any] = {char: np.array(1, char) for char in "fd"}
"""1 as arrays, which cost half as much as a Python number beside small arrays."""
ARRAYS = frozenset({np.ndarray, np.float32, np.float64})


@native("activations", "sigmoid", "x, out", entrywise=1)
def sigmoid(x: np.ndarray, out: np.ndarray | None = None) -> Any:
    """1 / (1 + exp(-x)), exact in both tails."""
    one = ONES.get(x.dtype.char) if type(x) in ARRAYS else None
    if one is None:
        x, one = inexact(x), 1
    return without_float_errors(one_over_sum, x, one, out)  # 1 / inf is the 0 that is meant


def one_over_sum(x: np.ndarray, one: Any, out: np.ndarray | None) -> Any:
    """1 / (1 + exp(-x)), which may overflow."""
    y = np.negative(x, out)
    if out is None and type(y) is np.ndarray:
        out = y
    return np.divide(one, np.add(np.exp(y, out), one, out), out)


def softplus(x: np.ndarray, out: np.ndarray | None = None) -> Any:
    x = inexact(x)
    if np.size(x) <= SMALL:
        return np.logaddexp(x, 0, out=out)
    y = softplus_of_minus(np.abs(x))
    return np.add(y, np.maximum(x, 0), out=reusable(y) if out is None else out)


def softplus_of_minus(x: np.ndarray) -> Any:
    """log(1 + exp(-x)) for an array `x` >= 0, which is overwritten."""
    out = reusable(x)
    return np.log1p(np.exp(np.negative(x, out=out), out=out), out=out)


@native("activations", "silu", "x, out", entrywise=1)
def silu(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    x = inexact(x)
    with np.errstate(over="ignore"):  # x / inf is the 0 that is meant
        y = np.negative(x)
        buffer = reusable(y)
        y = np.exp(y, out=buffer)
        return np.divide(x, np.add(y, 1, out=buffer), out=out)


CUBIC, SCALE = 0.044715, math.sqrt(2 / math.pi)


def is_single(x: Any) -> bool:
    """True for entries whose precision the float32 kernels of gelu reach."""
    return type(x) in ARRAYS and x.dtype.kind == "f" and x.dtype.itemsize <= 4


@native("activations", "gelu", "x, out", entrywise=1)
def gelu_by_erf(x: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    if is_single(x):
        return by_pieces(gelu_piece, x, out)
    y = erf(x * math.sqrt(0.5))
    y += 1
    y *= 0.5
    return np.multiply(y, x, out=out)


@native("activations", "gelu_tanh", "x, out", entrywise=1)
def gelu_by_tanh(x: np.ndarray, out: np.ndarray | None) -> Any:
    return in_pieces(tanh_piece, x, out)


def in_pieces(f: Callable[[Any, Any], Any], x: Any, out: np.ndarray | None) -> Any:
    """An elementwise function, of large arrays a block of entries at a time."""
    if type(x) is not np.ndarray or x.size <= BLOCK:
        return f(x, out)
    return by_pieces(f, x, out, x.dtype)


def tanh_piece(x: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    y = x * x
    y *= CUBIC
    y += 1
    y *= x
    y *= SCALE
    y = np.tanh(y, out=reusable(y))
    y += 1
    y *= 0.5
    return np.multiply(y, x, out=out)
