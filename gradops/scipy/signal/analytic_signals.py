"""Analytic signals, whose imaginary part is the Hilbert transform, by SciPy's names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import DTypeError, OptionError
from ...core.types import is_complex, shape_of, type_of
from ...library.shape.movement import moveaxis
from ...library.signal import fourier
from .filters import operand
from .resampling import known_size

__all__ = ["hilbert", "hilbert2"]


def require_real(call: str, x: Any) -> Any:
    """`x`; a DTypeError if it is complex."""
    if is_complex(type_of(x).dtype):
        raise DTypeError(call, [type_of(x)], "the signal is real")
    return x


def hilbert(x: Any, N: int | None = None, axis: int = -1) -> Any:
    """The analytic signal of `x` along an axis, of `N` entries; see `scipy.signal.hilbert`.

    >>> hilbert([1.0, 0.0, -1.0, 0.0])
    array([ 1.+0.j,  0.+1.j, -1.+0.j,  0.-1.j])
    """
    x = moveaxis(require_real("hilbert", operand(x)), axis, -1)
    n = known_size("hilbert", x) if N is None else N
    if n < 1:
        raise OptionError("hilbert", [type_of(x)], f"N is positive, not {n}")
    weights = np.zeros(n)
    weights[0] = 1
    weights[1 : (n + 1) // 2] = 2
    if n % 2 == 0:
        weights[n // 2] = 1
    return moveaxis(fourier.ifft(fourier.fft(x, n) * weights), -1, axis)


def hilbert2(x: Any, N: Any = None, axes: Sequence[int] = (-2, -1)) -> Any:
    """The analytic signal of an image along two axes; see `scipy.signal.hilbert2`.

    >>> hilbert2(np.ones((2, 2)))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    x = moveaxis(require_real("hilbert2", operand(x)), tuple(axes), (-2, -1))
    given: Any = shape_of(x)[-2:] if N is None else (N, N) if isinstance(N, int) else tuple(N)
    rows, columns = (half_plane(n) for n in given)
    spectrum = fourier.fft2(x, given) * (rows[:, None] * columns)
    return moveaxis(fourier.ifft2(spectrum), (-2, -1), tuple(axes))


def half_plane(n: int) -> np.ndarray:
    """1 for the frequency 0, 2 for positive ones, 0 for others."""
    weights = np.zeros(n)
    weights[0], weights[1 : (n + 1) // 2] = 1, 2
    return weights
