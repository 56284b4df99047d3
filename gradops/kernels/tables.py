"""Functions of floats, entry by entry, and tables of polynomials for them."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

BLOCK = 4096  # entries at a time, so that their coefficients stay in the cache


def entrywise(body: Callable[[np.ndarray], np.ndarray]) -> Callable[..., Any]:
    """The kernel of a function of one number, from `body`, which takes rows of float64.

    The kernel gives the dtype of its operand, rounded from float64; for integers, float64.
    """

    @functools.wraps(body)
    def kernel(x: ArrayLike, out: np.ndarray | None = None) -> Any:
        x = np.asarray(x)
        dtype = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
        y = np.empty_like(x, dtype) if out is None else out
        with np.errstate(all="ignore"):
            for xs, ys in blocks(x, y, np.dtype(np.float64), BLOCK):
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
    """The polynomials in `step` whose coefficients are the columns `k` of a table."""
    c = table.take(k.astype(np.intp), axis=1, mode="clip")
    y = c[-1] * step
    for row in c[-2:0:-1]:
        y += row
        y *= step
    y += c[0]
    return y


def interpolated(
    f: Callable[[np.ndarray], np.ndarray], nodes: np.ndarray, reach: float, terms: int
) -> np.ndarray:
    """The polynomials that agree with `f` at Chebyshev's points within `reach` of each node.

    They are in the distance from the node, and a row of the table has the coefficients of a power.
    """
    points = np.cos(np.pi * (np.arange(terms) + 0.5) / terms)
    values = f(nodes + reach * points[:, None])
    powers = np.arange(terms)
    return np.linalg.solve(points[:, None] ** powers, values) / reach ** powers[:, None]


def float_dtype(*xs: Any) -> np.dtype:
    """The dtype of floats that operands, or types, have together; for integers, float64."""
    dtype = np.result_type(*xs)
    if dtype.kind == "c":
        raise TypeError("it takes no complex numbers")
    return dtype if dtype.kind == "f" else np.dtype(np.float64)
