"""NumPy's Fourier transform functions, made of three ops."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dims import Dim, Size
from ...core.errors import OptionError, ShapeError
from ...core.types import normalize_axes, normalize_axis, shape_of, type_of
from ...typing import AnyArray, Axis, Operand, OperandLike
from ..elementwise.complexes import conj
from ..linalg.matrices import conjugate
from ..shape.padding import pad
from ..shape.repeating import roll
from .fft import OTHER, fft_op, irfft_op, rfft_op

__all__: list[str] = []

LAST = (-2, -1)


def resize_axis(op: str, x: AnyArray, n: Size | None, axis: int) -> AnyArray:
    """`x` truncated or zero-padded to `n` entries along an axis."""
    kind = type_of(x)
    axis = normalize_axis(op, kind, axis)
    if n is None or n == -1 or n == kind.shape[axis]:
        return x
    if not isinstance(n, int | np.integer | Dim):
        raise OptionError(op, [kind], f"a length is an integer, not {n!r}")
    if isinstance(n, int) and n < 1:
        raise ShapeError(op, [kind], f"there is no transform of {n} numbers")
    m = kind.shape[axis]
    if not isinstance(m, int) or not isinstance(n, int):
        raise ShapeError(op, [kind], f"whether {m} entries are fewer than {n} is not known")
    if n < m:
        return x[(slice(None),) * axis + (slice(n),)]
    return pad(x, [(0, n - m if i == axis else 0) for i in range(kind.ndim)])


def axes_and_lengths(op: str, x: Any, s: Any, axes: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The axes of a transform, counted from the front, and the length of each."""
    kind = type_of(x)
    if axes is None:
        axes = range(kind.ndim) if s is None else range(kind.ndim - len(s), kind.ndim)
    found = normalize_axes(op, kind, axes)
    lengths = [None] * len(found) if s is None else list(s)
    if len(lengths) != len(found):
        raise ShapeError(op, [kind], f"there are {len(lengths)} lengths for {len(found)} axes")
    return found, lengths


def resize_axes(op: str, x: Any, lengths: Sequence[Size | None], axes: Sequence[int]) -> Any:
    """`x` truncated or zero-padded along several axes."""
    for n, axis in zip(lengths, axes):
        x = resize_axis(op, x, n, axis)
    return x


def fft(x: OperandLike, n: Size | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The discrete Fourier transform along an axis.

    `n` is its length: `x` is truncated or zero-padded to it. By default the inverse is divided by
    the length; with `norm` "forward" the transform is, with "ortho" each by its square root. Raises
    ShapeError for an empty axis, OptionError for another `norm`.

    >>> fft(np.array([1.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return fftn(x, (n,), (axis,), norm)


def ifft(x: OperandLike, n: Size | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The inverse of `fft`, with the same parameters.

    >>> ifft(np.array([3.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return ifftn(x, (n,), (axis,), norm)


def fftn(x: OperandLike, s: Any = None, axes: Axis = None, norm: str | None = None) -> Any:
    """The Fourier transform along several axes, by default all, with the lengths `s`; see `fft`.

    >>> fftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    axes, lengths = axes_and_lengths("fft", x, s, axes)
    return fft_op(resize_axes("fft", x, lengths, axes), axes=axes, norm=norm or "backward")


def ifftn(x: Any, s: Any = None, axes: Axis = None, norm: str | None = None) -> Any:
    """The inverse of `fftn`, with the same parameters.

    >>> ifftn(np.ones((2, 2)))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    axes, lengths = axes_and_lengths("ifft", x, s, axes)
    x = resize_axes("ifft", x, lengths, axes)
    return fft_op(x, axes=axes, inverse=True, norm=norm or "backward")


def rfft(x: OperandLike, n: Size | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The first n // 2 + 1 entries of the Fourier transform of real numbers; see `fft`.

    The others are conjugates of these. Raises DTypeError for complex numbers.

    >>> rfft(np.array([1.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j])
    """
    return rfftn(x, (n,), (axis,), norm)


def irfft(x: OperandLike, n: Size | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The inverse of `rfft`, as `n` real numbers: by default an even number of them.

    >>> irfft(np.array([3.0, 0.0]), 3)
    array([1., 1., 1.])
    """
    return irfftn(x, (n,), (axis,), norm)


def rfftn(x: Any, s: Any = None, axes: Axis = None, norm: str | None = None) -> Any:
    """`fftn` of real numbers, halved along the last of the axes; see `rfft`.

    >>> rfftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    axes, lengths = axes_and_lengths("rfft", x, s, axes)
    require_axis("rfft", x, axes)
    norm = norm or "backward"
    y = rfft_op(resize_axes("rfft", x, lengths, axes), axis=axes[-1], norm=norm)
    return fft_op(y, axes=axes[:-1], norm=norm) if axes[:-1] else y


def irfftn(x: Any, s: Any = None, axes: Axis = None, norm: str | None = None) -> Any:
    """The inverse of `rfftn`; the last of the lengths `s` is that of the result.

    >>> irfftn(np.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    axes, lengths = axes_and_lengths("irfft", x, s, axes)
    require_axis("irfft", x, axes)
    norm, last = norm or "backward", axes[-1]
    n = 2 * (shape_of(x)[last] - 1) if lengths[-1] in (None, -1) else lengths[-1]
    if n == 0:
        raise ShapeError("irfft", [type_of(x)], "there is no transform to 0 numbers")
    x = resize_axes("irfft", x, [*lengths[:-1], n // 2 + 1], axes)
    if axes[:-1]:
        x = fft_op(x, axes=axes[:-1], inverse=True, norm=norm)
    return irfft_op(x, n=n, axis=last, norm=norm)


def require_axis(op: str, x: Any, axes: Sequence[int]) -> None:
    """Raise a ShapeError if there is no axis to transform."""
    if not axes:
        raise ShapeError(op, [type_of(x)], "there is no axis to transform along")


def hfft(x: OperandLike, n: Size | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The real transform, of length `n`, of the first half of a Hermitian signal; see `irfft`.

    >>> hfft(np.array([1.0, 0.0]), 3)
    array([1., 1., 1.])
    """
    return irfft(conjugate(x), n, axis, OTHER.get(norm or "backward", norm))


def ihfft(x: OperandLike, n: Size | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The inverse of `hfft`: the first half of the inverse transform of real numbers.

    >>> ihfft(np.array([3.0, 0.0, 0.0]))
    array([1.-0.j, 1.-0.j])
    """
    return conj(rfft(x, n, axis, OTHER.get(norm or "backward", norm)))


def fft2(
    x: OperandLike, s: OperandLike | None = None, axes: tuple[int, ...] = LAST,
    norm: str | None = None,
) -> Any:
    """`fftn` along two axes, by default the last.

    >>> fft2(np.ones((5, 2, 2))).shape
    (5, 2, 2)
    """
    return fftn(x, s, axes, norm)


def ifft2(
    x: OperandLike, s: OperandLike | None = None, axes: tuple[int, ...] = LAST,
    norm: str | None = None,
) -> Any:
    """`ifftn` along two axes, by default the last.

    >>> ifft2(np.ones((5, 2, 2))).shape
    (5, 2, 2)
    """
    return ifftn(x, s, axes, norm)


def rfft2(
    x: OperandLike, s: OperandLike | None = None, axes: tuple[int, ...] = LAST,
    norm: str | None = None,
) -> Any:
    """`rfftn` along two axes, by default the last.

    >>> rfft2(np.ones((5, 4, 4))).shape
    (5, 4, 3)
    """
    return rfftn(x, s, axes, norm)


def irfft2(
    x: OperandLike, s: OperandLike | None = None, axes: tuple[int, ...] = LAST,
    norm: str | None = None,
) -> Any:
    """`irfftn` along two axes, by default the last.

    >>> irfft2(np.ones((5, 4, 3))).shape
    (5, 4, 4)
    """
    return irfftn(x, s, axes, norm)


def fftshift(x: OperandLike, axes: int | Sequence[int] | None = None) -> Any:
    """The spectrum with frequency 0 moved to the middle of each axis, or of the given ones.

    >>> fftshift(np.array([0, 1, 2, -2, -1]))
    array([-2, -1,  0,  1,  2])
    """
    found = normalize_axes("fftshift", type_of(x), axes)
    return roll_axes(x, found, [n // 2 for n in shape_of(x)])


def ifftshift(x: OperandLike, axes: int | Sequence[int] | None = None) -> Any:
    """The inverse of `fftshift`.

    >>> ifftshift(np.array([-2, -1, 0, 1, 2]))
    array([ 0,  1,  2, -2, -1])
    """
    found = normalize_axes("ifftshift", type_of(x), axes)
    return roll_axes(x, found, [-(n // 2) for n in shape_of(x)])


def roll_axes(x: Any, axes: Sequence[int], shifts: Sequence[Size]) -> Operand:
    """`x` rolled along the axes by their shifts."""
    return roll(x, shift=tuple([shifts[i] for i in axes]), axis=tuple(axes))


def fftfreq(n: int, d: float = 1.0) -> Any:
    """The frequencies of the entries of `fft`, for `n` samples at distance `d`.

    >>> fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    return np.fft.fftfreq(n, d)


def rfftfreq(n: int, d: float = 1.0) -> Any:
    """The frequencies of the entries of `rfft`, for `n` samples at distance `d`.

    >>> rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    return np.fft.rfftfreq(n, d)
