"""Kernels of SciPy, which is imported when one of them is first called."""

from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from ...core.errors import MissingExtraError
from .tables import float_dtype

LARGEST_ORDER = 2**31
HALF = np.dtype(np.float16)


def of_scipy(
    name: str, orders: int = 0, part: int | None = None, limit: float = np.inf
) -> Callable[..., Any]:
    """The kernel of the function `name` of `scipy.special`.

    Of the operands the first ones, `orders`, may be integers that SciPy takes as such. Of a
    function with several results it computes one part. Where an operand is NaN or beyond a finite
    `limit`, from which on SciPy's function searches for ever, the result is NaN.
    """

    def kernel(*xs: np.ndarray, out: np.ndarray | None = None) -> Any:
        dtype = float_dtype(*xs)
        wide = np.dtype(np.float32) if dtype == HALF else dtype
        lost = np.False_ if limit == np.inf else is_beyond(limit, xs)
        with np.errstate(all="ignore"):
            xs = tuple(np.where(lost, 0.5, x) for x in xs) if lost.any() else xs
            given = [as_order(x, wide) for x in xs[:orders]]
            y = scipy_function(name)(*given, *(np.asarray(x, wide) for x in xs[orders:]))
        y = np.asarray(y if part is None else y[part])[()]
        y = np.where(lost, np.nan, y)[()] if lost.any() else y
        return y.astype(dtype, copy=False) if out is None else np.positive(y, out=out)

    kernel.__name__ = kernel.__qualname__ = name
    return kernel


def of_whole_orders(name: str) -> Callable[..., Any]:
    """The kernel of the function `name` of `scipy.special`, whose first operand is a whole number.

    The result is NaN for other numbers, which SciPy refuses, or rounds toward 0 with a warning.
    """
    kernel = of_scipy(name, 1)

    def of_whole(n: Any, *xs: np.ndarray, out: np.ndarray | None = None) -> Any:
        n, dtype = np.asarray(n), float_dtype(n, *xs)
        lost = ~((np.abs(n) < LARGEST_ORDER) & (n == np.rint(n)))
        y = kernel(np.where(lost, 0, n).astype(np.int64), *(np.asarray(x, dtype) for x in xs))
        y = np.where(lost, np.nan, y)[()].astype(dtype, copy=False)
        return y if out is None else np.positive(y, out=out)

    of_whole.__name__ = of_whole.__qualname__ = name
    return of_whole


def is_beyond(limit: float, xs: tuple[Any, ...]) -> Any:
    """True where one of the operands is NaN or larger than the limit, in double precision."""
    return reduce(np.logical_or, [~(np.abs(x) <= np.float64(limit)) for x in xs])


def complex_of_scipy(name: str) -> Callable[..., Any]:
    """The kernel of the function `name` of `scipy.special` on complex numbers."""

    def kernel(x: np.ndarray, out: np.ndarray | None = None) -> Any:
        x = np.asarray(x)
        dtype = complex_dtype(x)
        with np.errstate(all="ignore"):
            y = scipy_function(name)(x.astype(dtype, copy=False))
        return y.astype(dtype, copy=False) if out is None else np.positive(y, out=out)

    kernel.__name__ = kernel.__qualname__ = name
    return kernel


def lambertw(z: np.ndarray, k: int = 0) -> Any:
    """Branch k of Lambert's function of complex numbers."""
    z = np.asarray(z)
    with np.errstate(all="ignore"):
        w = scipy_function("lambertw")(z, k)
    return w.astype(complex_dtype(z), copy=False)[()]


def faddeeva_part(x: np.ndarray, y: np.ndarray, part: int = 0) -> Any:
    """The real (0) or imaginary part of the Faddeeva function at x + iy."""
    dtype = float_dtype(x, y)
    z = np.asarray(x, np.float64) + 1j * np.asarray(y, np.float64)
    with np.errstate(all="ignore"):
        w = scipy_function("wofz")(z)
    return (w.imag if part else w.real).astype(dtype)[()]


def as_order(x: Any, wide: np.dtype) -> np.ndarray:
    """An order: whole numbers as integers, with which SciPy is more accurate.

    Infinite ones become NaN, since some functions of SciPy search for ever at them.
    """
    x = np.asarray(x)
    if x.dtype.kind in "biu" or np.all((np.abs(x) < LARGEST_ORDER) & (x == np.rint(x))):
        return x.astype(np.int64)
    return np.where(np.isfinite(x), x, np.nan).astype(wide)


def complex_dtype(x: Any) -> np.dtype:
    """The complex dtype of an operand or a type: complex128 unless it has single precision."""
    return np.dtype(np.result_type(x, np.complex64))


@cache
def scipy_function(name: str) -> Callable[..., Any]:
    """A function of `scipy.special`, or a MissingExtraError."""
    try:
        from scipy import special
    except ImportError as error:
        raise MissingExtraError(name, "SciPy", "scipy") from error
    return getattr(special, name)
