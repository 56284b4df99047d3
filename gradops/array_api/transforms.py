"""The standard's extension `fft`."""

from collections.abc import Callable
from typing import Any

import gradops

ops: Any = gradops


def along_one(name: str) -> Callable[..., Any]:
    """A transform along one axis."""
    return lambda x, /, *, n=None, axis=-1, norm="backward": getattr(ops, name)(
        x, n=n, axis=axis, norm=norm
    )


def along_several(name: str) -> Callable[..., Any]:
    """A transform along several axes."""
    return lambda x, /, *, s=None, axes=None, norm="backward": getattr(ops, name)(
        x, s=s, axes=axes, norm=norm
    )


FFT: dict[str, Callable[..., Any]] = {
    **{name: along_one(name) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{name: along_several(name) for name in ("fftn", "ifftn", "rfftn", "irfftn")},
    "fftshift": lambda x, /, *, axes=None: ops.fftshift(x, axes=axes),
    "ifftshift": lambda x, /, *, axes=None: ops.ifftshift(x, axes=axes),
}
