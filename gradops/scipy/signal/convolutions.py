"""Convolutions and correlations of any number of axes, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import is_inexact, shape_of, type_of
from ...library.linalg.matrices import conjugate
from ...library.linalg.products import tensordot
from ...library.shape.movement import flip
from ...library.shape.padding import pad
from ...library.shape.windows import sliding_window_view
from ...library.signal import fourier
from ...typing import AnyArray

__all__ = ["convolve", "correlate", "fftconvolve", "oaconvolve"]

MODES = ("full", "same", "valid")
DIRECT = 64  # entries of the smaller operand, up to which sums of products are formed


def operands(call: str, x: Any, y: Any, mode: str) -> tuple[Any, Any]:
    """Two operands with as many axes; the larger first where the mode is "valid"."""
    a, b = (np.asarray(v) if isinstance(v, list | tuple | int | float) else v for v in (x, y))
    kinds = [type_of(a), type_of(b)]
    if kinds[0].ndim != kinds[1].ndim:
        raise ShapeError(call, kinds, "the operands have different numbers of axes")
    if mode not in MODES:
        raise OptionError(call, kinds, f"mode is 'full', 'valid' or 'same', not {mode!r}")
    if mode != "valid":
        return a, b
    sizes: Any = [*zip(kinds[0].shape, kinds[1].shape, strict=True)]
    larger, smaller = [m >= n for m, n in sizes], [m <= n for m, n in sizes]
    if not all(larger) and not all(smaller):
        raise ShapeError(call, kinds, "for mode='valid' one operand is as large along each axis")
    return (a, b) if all(larger) else (b, a)


def middle(y: AnyArray, m: Any, n: Any, mode: str) -> Any:
    """The part of a full convolution of operands of shapes m and n that a mode keeps."""
    if mode == "full":
        return y
    size = m if mode == "same" else tuple(p - q + 1 for p, q in zip(m, n, strict=True))
    starts = [(f - s) // 2 for f, s in zip(shape_of(y), size, strict=True)]
    return y[tuple(slice(i, i + s) for i, s in zip(starts, size, strict=True))]


def direct(a: AnyArray, b: AnyArray) -> Any:
    """The full convolution, as products of windows."""
    m: Any = shape_of(a)
    n: Any = shape_of(b)
    if np.prod(m) < np.prod(n):
        return direct(b, a)
    wide = pad(a, tuple((k - 1, k - 1) for k in n))
    return tensordot(sliding_window_view(wide, n), flip(b), axes=len(n))


def by_fourier(a: AnyArray, b: AnyArray) -> Any:
    """The full convolution, by Fourier transforms."""
    shape = tuple(p + q - 1 for p, q in zip(shape_of(a), shape_of(b), strict=True))
    if "c" in type_of(a).dtype.kind + type_of(b).dtype.kind:
        return fourier.ifftn(fourier.fftn(a, s=shape) * fourier.fftn(b, s=shape))
    return fourier.irfftn(fourier.rfftn(a, s=shape) * fourier.rfftn(b, s=shape), s=shape)


def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The convolution of two operands: "full", or its "valid" or central ("same") part.

    `method` is "direct", for sums of products, "fft", or "auto", which is direct for integers and
    small operands. Raises ShapeError where the operands do not go together, OptionError for
    another mode or method.

    >>> convolve([1.0, 2.0], [1.0, 10.0])
    array([ 1., 12., 20.])
    """
    a, b = operands("convolve", in1, in2, mode)
    kinds = [type_of(a), type_of(b)]
    if method not in ("auto", "direct", "fft"):
        raise OptionError("convolve", kinds, f"method is auto, direct or fft, not {method!r}")
    m: Any = shape_of(a)
    n: Any = shape_of(b)
    if not m:
        return a * b
    if 0 in m + n:
        return np.array([])
    exact = not any(is_inexact(kind.dtype) for kind in kinds)
    small = min(np.prod(m), np.prod(n)) <= DIRECT
    is_direct = method == "direct" or (method == "auto" and (exact or small))
    return middle((direct if is_direct else by_fourier)(a, b), m, n, mode)


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The cross-correlation of two operands; see `convolve`.

    >>> correlate([1.0, 2.0], [1.0, 10.0])
    array([10., 21.,  2.])
    """
    b = np.asarray(in2) if isinstance(in2, list | tuple | int | float) else in2
    return convolve(in1, conjugate(flip(b)) if shape_of(b) else conjugate(b), mode, method)


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: None = None) -> Any:
    """The convolution of two operands by Fourier transforms; see `convolve`.

    Raises OptionError for `axes`: all are convolved.

    >>> fftconvolve([1.0, 2.0], [1.0, 10.0]).round(10)
    array([ 1., 12., 20.])
    """
    if axes is not None:
        raise OptionError("fftconvolve", [], f"axes={axes!r} is not here", hint="use vmap")
    return convolve(in1, in2, mode, "fft")


oaconvolve = fftconvolve
