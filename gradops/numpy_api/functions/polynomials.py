"""NumPy's functions of polynomials, given by their coefficients from the highest."""

from typing import Any

import numpy as np

import gradops as ops

from ...core.types import shape_of, type_of
from ...typing import AnyArray, OperandLike
from ..refusals import length, refusal
from .differences import convolve
from .joining import as_array, concatenate

__all__ = [
    "poly", "polyadd", "polyder", "polyfit", "polyint", "polymul", "polysub", "polyval", "vander",
]  # fmt: skip


def vander(x: OperandLike, N: int | None = None, increasing: bool = False) -> AnyArray:
    """The powers of the entries, one column each."""
    n = length(x) if N is None else N
    x = ops.astype(x, dtype=np.promote_types(type_of(x).dtype, int))
    columns = [ops.ones_like(x)]
    for _ in range(n - 1):
        columns.append(columns[-1] * x)
    return ops.stack((columns if increasing else columns[::-1])[:n], axis=1)


def polyval(p: AnyArray, x: AnyArray) -> AnyArray:
    """A polynomial, by its coefficients from the highest, at `x`."""
    p = as_array(p)
    y = ops.zeros_like(as_array(x))
    for i in range(length(p)):
        y = y * x + p[i]
    return y


def poly(seq_of_zeros: AnyArray) -> Any:
    """The coefficients of the polynomial with given zeros, the highest first."""
    if len(shape_of(seq_of_zeros)) != 1:
        raise ops.ShapeError("poly", [ops.type_of(seq_of_zeros)], "the zeros are a vector",
                             hint="of a matrix, give its eigenvalues")  # fmt: skip
    dtype = np.dtype(np.mintypecode(type_of(seq_of_zeros).dtype.char))
    if dtype.kind == "c":
        raise refusal(
            "numpy.poly", "of complex zeros it depends on their values whether the result is real",
            "multiply the factors with np.polymul",
        )  # fmt: skip
    zeros: AnyArray = ops.astype(seq_of_zeros, dtype=dtype)
    found: AnyArray = np.ones(1, dtype)
    for i in range(length(zeros)):
        factor = ops.stack([ops.ones_like(zeros[i]), -zeros[i]])
        found = convolve(found, factor)
    return found


def pad_to_equal_length(a: OperandLike, b: OperandLike) -> tuple[Any, Any]:
    """Two vectors of coefficients, the shorter one padded with leading zeros."""
    a, b = (x if shape_of(x) else ops.reshape(x, shape=(1,)) for x in map(as_array, (a, b)))
    n = max(length(a), length(b))
    a, b = (ops.pad(x, (n - length(x), 0)) for x in (a, b))
    return a, b


def polyadd(a1: OperandLike, a2: OperandLike) -> AnyArray:
    """The sum of two polynomials."""
    a, b = pad_to_equal_length(a1, a2)
    return a + b


def polysub(a1: OperandLike, a2: OperandLike) -> AnyArray:
    """The difference of two polynomials."""
    a, b = pad_to_equal_length(a1, a2)
    return a - b


def polymul(a1: OperandLike, a2: OperandLike) -> AnyArray:
    """The product of two polynomials."""
    return convolve(a1, a2)


def polyder(p: AnyArray, m: int = 1) -> AnyArray:
    """The derivative of a polynomial, `m` times over."""
    for _ in range(m):
        n = length(p)
        p = p[:-1] * np.arange(n - 1, 0, -1)
    return p


def polyint(p: AnyArray, m: int = 1, k: Any = None) -> AnyArray:
    """The antiderivative of a polynomial, `m` times over, with constants `k`."""
    constants = [0.0] * m if k is None else np.broadcast_to(np.atleast_1d(k), (m,))
    for c in constants:
        n = length(p)
        p = concatenate([p / np.arange(n, 0, -1), np.array([c])])
    return p


def polyfit(x: object, y: Any, deg: int, w: Any = None) -> AnyArray:
    """The coefficients of the polynomial of a degree with the least squared error at points."""
    columns = vander(as_array(x), deg + 1)
    y = as_array(y)
    if w is not None:
        columns, y = columns * as_array(w)[:, None], y * w
    scale = ops.sqrt(ops.sum(ops.square(columns), axis=0))
    scaled = columns / scale
    return np.linalg.lstsq(scaled, y, rcond=None)[0] / scale
