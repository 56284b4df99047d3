"""Kernels of elementwise functions from tables of polynomials, and their dtypes."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

BLOCK = 4096  # entries at a time, so that their coefficients stay in the cache
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
BERNOULLI = [
    (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510),
    (43867, 798), (-174611, 330),
]  # fmt: skip
SHORT = 6  # terms of a polynomial that float32 can tell from none


def entrywise(body: Callable[[np.ndarray], np.ndarray]) -> Callable[..., Any]:
    """A kernel from `body`, which computes rows of float32 or float64.

    The kernel returns the dtype of its operand; for integers, float64.
    """

    @functools.wraps(body)
    def kernel(x: np.ndarray | float, out: np.ndarray | None = None) -> Any:
        x = np.asarray(x)
        dtype = x.dtype if x.dtype.kind == "f" else DOUBLE
        y = np.empty_like(x, dtype) if out is None else out
        with np.errstate(all="ignore"):
            for xs, ys in blocks(x, y, SINGLE if dtype.itemsize <= 4 else DOUBLE, BLOCK):
                ys[...] = body(xs)
        return y[()] if out is None and y.ndim == 0 else y

    return kernel


def blocks(
    x: np.ndarray, y: np.ndarray, dtype: np.dtype, size: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pieces of `x` to read and of `y` to write, one-dimensional and of `dtype`."""
    with np.nditer(
        [x, y],
        flags=["external_loop", "buffered", "zerosize_ok", "copy_if_overlap"],
        op_flags=[[access, "overlap_assume_elementwise"] for access in ("readonly", "writeonly")],
        op_dtypes=[dtype, dtype],
        casting="same_kind",
        buffersize=size,
    ) as pieces:
        yield from pieces


def horner(table: np.ndarray, k: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Polynomials in `step` by Horner's scheme, with columns `k` of a table as coefficients."""
    c = table.take(k.astype(np.intp), axis=1, mode="clip")
    y = c[-1] * step
    for row in c[-2:0:-1]:
        y += row
        y *= step
    y += c[0]
    return y


def in_both(make: Callable[[], np.ndarray]) -> Callable[[np.dtype], np.ndarray]:
    """`make()` as a table by dtype: rounded and shortened for float32, and cached."""

    @functools.cache
    @functools.wraps(make)
    def table(dtype: np.dtype) -> np.ndarray:
        return make() if dtype == DOUBLE else table(DOUBLE)[:SHORT].astype(dtype)

    return table


def interpolants(
    f: Callable[[np.ndarray], np.ndarray], nodes: np.ndarray, reach: float, terms: int
) -> np.ndarray:
    """The polynomials that interpolate `f` at Chebyshev points within `reach` of each node.

    They are in the distance from the node; row i of the table has the coefficients of power i.
    """
    points = np.cos(np.pi * (np.arange(terms) + 0.5) / terms)
    values = f(nodes + reach * points[:, None])
    powers = np.arange(terms)
    return np.linalg.solve(points[:, None] ** powers, values) / reach ** powers[:, None]


def float_dtype(*xs: Any) -> np.dtype:
    """The common dtype of operands or types as a float dtype, float64 for integers."""
    dtype = np.result_type(*xs)
    if dtype.kind == "c":
        raise TypeError("it takes no complex numbers")
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


PYTHON_FLOATS = frozenset({float, complex})
INTEGERS = frozenset({bool, int})
HALF = np.dtype(np.float16)


def inexact(x: Any) -> Any:
    """`x` as floats; integers and truth values in the dtype in which `np.exp` computes them.

    Else operations before the first function of floats would wrap around.
    """
    if type(x) in PYTHON_FLOATS or (type(x) not in INTEGERS and x.dtype.kind in "fc"):
        return x
    return float(x) if type(x) in INTEGERS else x.astype(np.result_type(x.dtype, HALF))
