"""Convolutions and correlations of any number of axes, by SciPy's names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dims import common_size
from ...core.errors import OptionError, ShapeError
from ...core.types import conflict, is_inexact, normalize_axes, shape_of, type_of
from ...library.elementwise.rounding import round
from ...library.linalg.matrices import conjugate
from ...library.linalg.products import tensordot
from ...library.shape.movement import astype, flip
from ...library.shape.padding import pad
from ...library.shape.windows import sliding_window_view
from ...library.signal import fourier
from ...typing import AnyArray
from ..promotion import promoted

__all__ = ["convolve", "correlate", "correlation_lags", "fftconvolve", "oaconvolve"]

MODES = ("full", "same", "valid")
DIRECT = 64  # entries of the smaller operand, up to which sums of products are formed


def operands(call: str, x: Any, y: Any, mode: str) -> tuple[Any, Any]:
    """Two operands with as many axes; the larger first where the mode is "valid"."""
    a, b = (np.asarray(v) if isinstance(v, list | tuple | int | float) else v for v in (x, y))
    a, b = promoted(a, b)
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


def by_fourier(a: AnyArray, b: AnyArray, axes: Sequence[int]) -> Any:
    """The full convolution along some axes, by Fourier transforms; others broadcast."""
    m: Any = shape_of(a)
    n: Any = shape_of(b)
    shape, axes = [m[i] + n[i] - 1 for i in axes], tuple(axes)
    if not axes:
        return a * b
    if "c" in type_of(a).dtype.kind + type_of(b).dtype.kind:
        spectrum = fourier.fftn(a, s=shape, axes=axes) * fourier.fftn(b, s=shape, axes=axes)
        return fourier.ifftn(spectrum, axes=axes)
    spectrum = fourier.rfftn(a, s=shape, axes=axes) * fourier.rfftn(b, s=shape, axes=axes)
    return fourier.irfftn(spectrum, s=shape, axes=axes)


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
    if method == "direct" or (method == "auto" and (exact or small)):
        return middle(direct(a, b), m, n, mode)
    y = middle(by_fourier(a, b, range(len(m))), m, n, mode)
    dtype = np.result_type(*(kind.dtype for kind in kinds))
    return astype(round(y), dtype=dtype) if exact else y


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The cross-correlation of two operands; see `convolve`.

    >>> correlate([1.0, 2.0], [1.0, 10.0])
    array([10., 21.,  2.])
    """
    b = np.asarray(in2) if isinstance(in2, list | tuple | int | float) else in2
    return convolve(in1, conjugate(flip(b)) if shape_of(b) else conjugate(b), mode, method)


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """The convolution of two operands by Fourier transforms, along all axes or some.

    Along the others the operands broadcast. The result is of floats.

    >>> fftconvolve([1.0, 2.0], [1.0, 10.0]).round(10)
    array([ 1., 12., 20.])
    """
    a, b = operands("fftconvolve", in1, in2, "full")
    kind = type_of(a)
    chosen = sorted(normalize_axes("fftconvolve", kind, axes))
    m, n = list(shape_of(a)), list(shape_of(b))
    for i in set(range(kind.ndim)) - set(chosen):
        if 1 not in (m[i], n[i]) and conflict(m[i : i + 1], n[i : i + 1]):
            raise ShapeError(
                "fftconvolve", [kind, type_of(b)], f"along axis {i} the operands do not broadcast"
            )
        m[i] = n[i] = common_size([m[i], n[i]])
    if not kind.ndim:
        return a * b
    if 0 in (*m, *n):
        return np.array([])
    pairs: Any = [(m[i], n[i]) for i in chosen]
    if mode == "valid" and any(p < q for p, q in pairs):
        if any(p > q for p, q in pairs):
            raise ShapeError(
                "fftconvolve", [kind, type_of(b)],
                "for mode='valid' one operand is as large along each axis",
            )  # fmt: skip
        a, b, m, n = b, a, n, m
    if mode not in MODES:
        raise OptionError("fftconvolve", [kind], f"mode is full, valid or same, not {mode!r}")
    whole = by_fourier(a, b, chosen)
    return middle(whole, m, [n[i] if i in chosen else 1 for i in range(kind.ndim)], mode)


def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """The convolution of a long operand and a short one; here by `fftconvolve`.

    >>> oaconvolve([1.0, 2.0], [1.0, 10.0]).round(10)
    array([ 1., 12., 20.])
    """
    return fftconvolve(in1, in2, mode, axes)


def correlation_lags(in1_len: int, in2_len: int, mode: str = "full") -> np.ndarray:
    """The lags of the entries of `correlate`, for vectors of these lengths.

    >>> correlation_lags(3, 2)
    array([-1,  0,  1,  2])
    """
    lags = np.arange(-in2_len + 1, in1_len)
    if mode == "full":
        return lags
    if mode == "same":
        middle, half = lags.size // 2, in1_len // 2
        return lags[middle - half : middle + half + in1_len % 2]
    if mode != "valid":
        raise OptionError("correlation_lags", [], f"mode is full, valid or same, not {mode!r}")
    less = in1_len - in2_len
    return np.arange(less + 1) if less >= 0 else np.arange(less, 1)
