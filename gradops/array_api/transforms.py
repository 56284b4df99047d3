"""The standard's extension `fft`."""

from collections.abc import Callable
from typing import Any

from .. import fft

Function = Callable[..., Any]


def along_one(f: Function) -> Function:
    """A transform along one axis."""
    return lambda x, /, *, n=None, axis=-1, norm="backward": f(x, n=n, axis=axis, norm=norm)


def along_several(f: Function) -> Function:
    """A transform along several axes."""
    return lambda x, /, *, s=None, axes=None, norm="backward": f(x, s=s, axes=axes, norm=norm)


def shift(f: Function) -> Function:
    """A rearrangement of frequencies."""
    return lambda x, /, *, axes=None: f(x, axes=axes)


ONE = (fft.fft, fft.ifft, fft.rfft, fft.irfft, fft.hfft, fft.ihfft)
SEVERAL = (fft.fftn, fft.ifftn, fft.rfftn, fft.irfftn)
FFT: dict[str, Function] = {
    **{f.__name__: along_one(f) for f in ONE},
    **{f.__name__: along_several(f) for f in SEVERAL},
    **{f.__name__: shift(f) for f in (fft.fftshift, fft.ifftshift)},
}
