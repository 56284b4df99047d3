"""Fourier transforms: complex, from real numbers, and back to real numbers.

Note [Halves]. The transform of n real numbers is stored as its first n // 2 + 1 entries; the others
are conjugates of these. So in transposes each stored entry counts twice, except the first, and for
an even n the last.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Dim, Size
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, complexes, reals
from ...core.types import ArrayType, conflict, normalize_axes, normalize_axis, shape_of, type_of
from ...typing import AnyArray, Arrays, Attrs, Axis, Flags, Operand, OperandLike
from ..elementwise.comparison import equal, where
from ..elementwise.complexes import conj
from ..families import batch_along_axis, invalid, linear
from ..index.indexing import numbers
from ..linalg.matrices import conjugate
from ..shape.movement import reshape
from ..shape.padding import pad
from ..shape.repeating import roll

__all__: list[str] = []

OTHER = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def require_norm(op: str, x: ArrayType, norm: str) -> None:
    """Raise an OptionError unless `norm` names a normalization."""
    if norm not in OTHER:
        raise OptionError(op, [x], f"norm is 'backward', 'ortho' or 'forward', not {norm!r}")


def require_points(op: str, x: ArrayType, *axes: int) -> None:
    """Raise a ShapeError for an empty axis."""
    for axis in axes:
        if x.shape[axis] == 0:
            raise ShapeError(op, [x], f"axis {axis} is empty", hint="give its length: n=, s=")


def complex_of(x: ArrayType) -> np.dtype:
    """The dtype of the transform."""
    return np.result_type(x.dtype, 1j)


def fft_infer(x: ArrayType, axes: tuple[int, ...], inverse: bool, norm: str) -> ArrayType:
    require_norm("fft", x, norm)
    require_points("fft", x, *normalize_axes("fft", x, axes))
    return ArrayType(x.shape, complex_of(x))


def fft_kernel(x: np.ndarray, axes: Any, inverse: bool = False, norm: str = "backward") -> Any:
    transform: Any = np.fft.ifft if inverse else np.fft.fft
    normalize_axes("fft", type_of(x), axes)
    y = x
    for axis in reversed(axes):
        y = transform(y, axis=axis, norm=norm)
    return y if axes else np.array(x, np.result_type(x, 1j))


def fft_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    axes = normalize_axes(op, type_of(xs[0]).example, attrs["axes"])
    return op(xs[0], **{**attrs, "axes": tuple(i + 1 for i in axes)})


fft_op = linear(
    "fft", fft_kernel, infer=fft_infer, transpose=lambda g, y, x, **attrs: fft_op(g, **attrs),
    flops=flops.fft,
    batch=fft_batch,
    samples=cases(
        reals((4,), axes=(0,)), complexes((2, 3), axes=(-1,), inverse=True),
        complexes((3, 4), axes=(0, 1), norm="ortho"), reals((2, 3, 2), axes=(2, 0), norm="forward"),
        reals((0, 3), axes=(1,)), complexes((2,), axes=()),
    ),
    error_samples=[
        invalid((3,), axes=(1,), says="axis 1 is out of range"),
        invalid((3, 3), axes=(0, -2), says="named twice"),
        invalid((0, 3), axes=(0,), says="axis 0 is empty"),
        invalid((3,), axes=(0,), norm="x", error=OptionError, says="not 'x'"),
    ],
    doc="The Fourier transform along axes, or its inverse.",
)


def scale_paired(x: AnyArray, axis: int, n: Size, factor: float) -> AnyArray:
    """Entries that stand for two times `factor`, the others unchanged. See Note [Halves]."""
    axis = normalize_axis("twice", type_of(x), axis)
    k = numbers(x, axis)
    once = equal(k, 0) | equal(2 * k, n)
    once = reshape(once, shape=(-1, *(1,) * (len(shape_of(x)) - 1 - axis)))
    return where(once, x, x * factor)


def rfft_infer(x: ArrayType, axis: int, norm: str) -> ArrayType:
    require_norm("rfft", x, norm)
    if x.dtype.kind == "c":
        raise DTypeError("rfft", [x], "the numbers are complex", hint="use fft")
    axis = normalize_axis("rfft", x, axis)
    require_points("rfft", x, axis)
    shape = (n // 2 + 1 if i == axis else n for i, n in enumerate(x.shape))
    return ArrayType(tuple(shape), complex_of(x))


def rfft_transpose(g: AnyArray, y: AnyArray, x: AnyArray, axis: int, norm: str) -> AnyArray:
    n = shape_of(x)[axis]
    return irfft_op(conj(scale_paired(g, axis, n, 0.5)), n=n, axis=axis, norm=OTHER[norm])


rfft_op = linear(
    "rfft", lambda x, axis, norm="backward": np.fft.rfft(x, axis=axis, norm=norm), infer=rfft_infer,
    flops=flops.rfft,
    transpose=rfft_transpose, batch=batch_along_axis,
    samples=cases(
        reals((4,), axis=0), reals((3, 5), axis=-1, norm="ortho"),
        reals((6, 2), axis=0, norm="forward"), reals((1,), axis=0), reals((0, 2), axis=1),
    ),
    error_samples=[
        invalid((3,), axis=1, says="axis 1 is out of range"),
        invalid((0,), axis=0, says="axis 0 is empty"),
        ErrorSample([np.ones(3) * 1j], {"axis": 0}, DTypeError, "complex"),
    ],
    doc="The first half of the Fourier transform of real numbers along an axis.",
)


def irfft_infer(x: ArrayType, n: Size, axis: int, norm: str) -> ArrayType:
    require_norm("irfft", x, norm)
    axis = normalize_axis("irfft", x, axis)
    if n == 0:
        raise ShapeError("irfft", [x], "there is no transform to 0 numbers", hint="give n=")
    half = n // 2 + 1
    if conflict((x.shape[axis],), (half,)):
        raise ShapeError(
            "irfft", [x],
            f"axis {axis} has the size {x.shape[axis]}; {n} numbers have {half} frequencies",
        )
    shape = (n if i == axis else m for i, m in enumerate(x.shape))
    return ArrayType(tuple(shape), np.result_type(real_of(x.dtype), 1.0))


def real_of(dtype: np.dtype) -> np.dtype:
    """The dtype of real and imaginary parts."""
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype


def irfft_kernel(x: np.ndarray, n: int, axis: int, norm: str = "backward") -> np.ndarray:
    if x.shape[axis] != n // 2 + 1:
        raise ValueError("n does not fit")  # type inference has the words for the user
    inverse: Any = np.fft.irfft  # whose types name each norm
    return inverse(x, n, axis, norm)


irfft_op = linear(
    "irfft", irfft_kernel, infer=irfft_infer,
    flops=flops.irfft,
    transpose=lambda g, y, x, n, axis, norm: (
        scale_paired(rfft_op(g, axis=axis, norm=OTHER[norm]), axis, n, 2)
    ),
    batch=batch_along_axis,
    samples=cases(
        complexes((3,), n=4, axis=0), complexes((2, 3), n=5, axis=-1, norm="ortho"),
        complexes((4, 2), n=6, axis=0, norm="forward"), complexes((1,), n=1, axis=0),
        reals((0, 2), n=2, axis=1), reals((3,), n=4, axis=0),
    ),
    error_samples=[
        invalid((3,), n=4, axis=1, says="axis 1 is out of range"),
        invalid((3,), n=7, axis=0, says="7 numbers have 4 frequencies"),
        invalid((1,), n=0, axis=0, says="0 numbers"),
    ],
    doc="Real numbers along an axis, from the first half of their Fourier transform.",
)


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


def fft2(x: OperandLike, s: Any = None, axes: Axis = LAST, norm: str | None = None) -> Any:
    """`fftn` along two axes, by default the last.

    >>> fft2(np.ones((5, 2, 2))).shape
    (5, 2, 2)
    """
    return fftn(x, s, axes, norm)


def ifft2(x: OperandLike, s: Any = None, axes: Axis = LAST, norm: str | None = None) -> Any:
    """`ifftn` along two axes, by default the last.

    >>> ifft2(np.ones((5, 2, 2))).shape
    (5, 2, 2)
    """
    return ifftn(x, s, axes, norm)


def rfft2(x: OperandLike, s: Any = None, axes: Axis = LAST, norm: str | None = None) -> Any:
    """`rfftn` along two axes, by default the last.

    >>> rfft2(np.ones((5, 4, 4))).shape
    (5, 4, 3)
    """
    return rfftn(x, s, axes, norm)


def irfft2(x: OperandLike, s: Any = None, axes: Axis = LAST, norm: str | None = None) -> Any:
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
