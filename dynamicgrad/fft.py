"""Fourier transforms, with the names and arguments of `torch.fft`.

>>> dg.fft.irfft(dg.fft.rfft(dg.tensor([1.0, 2.0, 3.0])), n=3)
tensor([1., 2., 3.])
"""

from collections.abc import Callable, Sequence

import numpy as np

from gradops import fft as transforms
from gradops.library.linalg.matrices import conjugate
from gradops.library.signal.fourier import OTHER
from gradops.typing import Axis, DTypeLike, Operand

from .dispatch import default_dtype
from .dispatch.fast_path import operand
from .dispatch.wrapping import Functions, by_name, set_name
from .engine.tensor import Tensor
from .ops import creation

Dims = tuple[int, ...] | None

Sizes = Sequence[int] | None  # of the dimensions that are transformed
Norm = str | None  # the normalization, by default "backward"


def transform_of_one(name: str) -> Callable[..., Tensor]:
    """A transform along one dimension."""
    transform = getattr(transforms, name)

    def call(input: Tensor, n: int | None = None, dim: int = -1, norm: Norm = None) -> Tensor:
        return transform(operand(input), n, dim, norm)

    return set_name(call, name, transform.__doc__)


def transform_of_several(name: str, default: Dims) -> Callable[..., Tensor]:
    """A transform along several dimensions."""
    transform = getattr(transforms, name)

    def call(input: Tensor, s: Sizes = None, dim: Axis = default, norm: Norm = None) -> Tensor:
        return transform(operand(input), s, dim, norm)

    return set_name(call, name, transform.__doc__)


def hfftn(input: Tensor, s: Sizes = None, dim: Axis = None, norm: Norm = None) -> Tensor:
    """The transform, which is real, of an array with Hermitian symmetry.

    >>> dg.fft.hfftn(dg.ones(2, 2)).shape
    (2, 2)
    """
    return transforms.irfftn(conjugate(operand(input)), s, dim, opposite_norm(norm))


def ihfftn(input: Tensor, s: Sizes = None, dim: Axis = None, norm: Norm = None) -> Operand:
    """The inverse of `hfftn`: half of the inverse transform of a real array.

    >>> dg.fft.ihfftn(dg.ones(2, 2)).shape
    (2, 2)
    """
    return conjugate(transforms.rfftn(operand(input), s, dim, opposite_norm(norm)))


def hfft2(input: Tensor, s: Sizes = None, dim: Axis = (-2, -1), norm: Norm = None) -> Tensor:
    """`hfftn` along two dimensions, by default the last.

    >>> dg.fft.hfft2(dg.ones(5, 2, 2)).shape
    (5, 2, 2)
    """
    return hfftn(input, s, dim, norm)


def ihfft2(input: Tensor, s: Sizes = None, dim: Axis = (-2, -1), norm: Norm = None) -> Operand:
    """`ihfftn` along two dimensions, by default the last.

    >>> dg.fft.ihfft2(dg.ones(5, 2, 2)).shape
    (5, 2, 2)
    """
    return ihfftn(input, s, dim, norm)


def opposite_norm(norm: str | None) -> str:
    """The normalization for an inverse transform used as a forward one, and the other way round."""
    return OTHER.get(norm or "backward", str(norm))


def fftshift(input: Tensor, dim: Axis = None) -> Tensor:
    """The frequency 0 moved to the middle of each dimension, or of those given.

    >>> dg.fft.fftshift(dg.tensor([0, 1, 2, -2, -1]))
    tensor([-2, -1,  0,  1,  2])
    """
    return transforms.fftshift(operand(input), dim)


def ifftshift(input: Tensor, dim: Axis = None) -> Tensor:
    """The inverse of `fftshift`.

    >>> dg.fft.ifftshift(dg.tensor([-2, -1, 0, 1, 2]))
    tensor([ 0,  1,  2, -2, -1])
    """
    return transforms.ifftshift(operand(input), dim)


def fftfreq(
    n: int, d: float = 1.0, *, dtype: DTypeLike = None, requires_grad: bool = False
) -> Tensor:
    """The frequencies of the entries of `fft`, for `n` samples at a distance `d`.

    >>> dg.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return frequencies(transforms.fftfreq(n, d), dtype, requires_grad)


def rfftfreq(
    n: int, d: float = 1.0, *, dtype: DTypeLike = None, requires_grad: bool = False
) -> Tensor:
    """The frequencies of the entries of `rfft`, for `n` samples at a distance `d`.

    >>> dg.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    return frequencies(transforms.rfftfreq(n, d), dtype, requires_grad)


def frequencies(values: np.ndarray, dtype: DTypeLike, requires_grad: bool) -> Tensor:
    """Frequencies as a tensor of a dtype, by default the default dtype."""
    dtype = default_dtype.get_default_dtype() if dtype is None else np.dtype(dtype)
    return creation.tensor(values.astype(dtype), requires_grad=requires_grad)


OFFERED: Functions = {
    **{name: transform_of_one(name) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{name: transform_of_several(name, None) for name in ("fftn", "ifftn", "rfftn", "irfftn")},
    **{name: transform_of_several(name, (-2, -1)) for name in ("fft2", "ifft2", "rfft2", "irfft2")},
    **by_name(fftfreq, fftshift, hfft2, hfftn, ifftshift, ihfft2, ihfftn, rfftfreq),
}  # fmt: skip
globals().update(OFFERED)
__all__ = sorted(OFFERED)
