"""Fourier transforms: complex, from real numbers, and back to real numbers.

Note [Halves]. The transform of n real numbers is stored as its first n // 2 + 1 entries; the others
are conjugates of these. So in transposes each stored entry counts twice, except the first, and for
an even n the last.
"""

from typing import Any

import numpy as np

from ...core.dims import Size
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, complexes, reals
from ...core.types import ArrayType, conflict, normalize_axes, normalize_axis, shape_of, type_of
from ...typing import AnyArray, Arrays, Attrs, Flags
from ..elementwise.comparison import equal, where
from ..elementwise.complexes import conj
from ..families import batch_along_axis, linear
from ..index.indexing import numbers
from ..shape.movement import reshape

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


def fft_kernel(
    x: np.ndarray, axes: tuple[int, ...], inverse: bool = False, norm: str = "backward"
) -> np.ndarray:
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
    "fft", fft_kernel,
    infer=fft_infer,
    transpose=lambda g, y, x, **attrs: fft_op(g, **attrs),
    batch=fft_batch,
    samples=cases(
        reals((4,), axes=(0,)), complexes((2, 3), axes=(-1,), inverse=True),
        complexes((3, 4), axes=(0, 1), norm="ortho"), reals((2, 3, 2), axes=(2, 0), norm="forward"),
        reals((0, 3), axes=(1,)), complexes((2,), axes=()),
    ),
    error_samples=[
        ErrorSample([np.ones(3)], {"axes": (1,)}, ShapeError, "axis 1 is out of range"),
        ErrorSample([np.ones((3, 3))], {"axes": (0, -2)}, ShapeError, "named twice"),
        ErrorSample([np.ones((0, 3))], {"axes": (0,)}, ShapeError, "axis 0 is empty"),
        ErrorSample([np.ones(3)], {"axes": (0,), "norm": "x"}, OptionError, "not 'x'"),
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
    "rfft", lambda x, axis, norm="backward": np.fft.rfft(x, axis=axis, norm=norm),
    infer=rfft_infer,
    transpose=rfft_transpose,
    batch=batch_along_axis,
    samples=cases(
        reals((4,), axis=0), reals((3, 5), axis=-1, norm="ortho"),
        reals((6, 2), axis=0, norm="forward"), reals((1,), axis=0), reals((0, 2), axis=1),
    ),
    error_samples=[
        ErrorSample([np.ones(3)], {"axis": 1}, ShapeError, "axis 1 is out of range"),
        ErrorSample([np.ones(0)], {"axis": 0}, ShapeError, "axis 0 is empty"),
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
    "irfft", irfft_kernel,
    infer=irfft_infer,
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
        ErrorSample([np.ones(3)], {"n": 4, "axis": 1}, ShapeError, "axis 1 is out of range"),
        ErrorSample([np.ones(3)], {"n": 7, "axis": 0}, ShapeError, "7 numbers have 4 frequencies"),
        ErrorSample([np.ones(1)], {"n": 0, "axis": 0}, ShapeError, "0 numbers"),
    ],
    doc="Real numbers along an axis, from the first half of their Fourier transform.",
)
