"""Filters forwards and backwards, which shift no phase, by SciPy's names."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims, flip, moveaxis
from ..known_entries import entries_of
from .filters import (
    lfilter,
    lfilter_zi,
    operand,
    require_coefficients,
    size_of,
    sosfilt,
    sosfilt_zi,
)

__all__ = ["filtfilt", "sosfiltfilt"]


def filtfilt(
    b: Any, a: Any, x: Any, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None,
    method: str = "pad", irlen: int | None = None,
) -> Any:  # fmt: skip
    """`x` filtered along an axis by b / a forwards, and then backwards.

    The ends are extended first by `padlen` entries, 3 max(len(a), len(b)) by default: "odd" or
    "even" reflections, or the "constant" at the end. Raises OptionError for Gustafsson's method,
    which is not here.

    >>> filtfilt([1.0], [1.0, -0.5], np.ones(7)).round(6)
    array([4., 4., 4., 4., 4., 4., 4.])
    """
    if method != "pad":
        raise OptionError("filtfilt", [], f"method={method!r} is not here, only 'pad'")
    b, a, x = operand(b), operand(a), operand(x)
    require_coefficients(b, a, x)
    taps = max(size_of(a), size_of(b))

    def once(x: Any) -> Any:
        if taps < 2:
            return lfilter(b, a, x)
        return lfilter(b, a, x, zi=lfilter_zi(b, a) * x[..., :1])[0]

    return both_ways("filtfilt", once, x, axis, padtype, padlen, 3 * taps)


def sosfiltfilt(
    sos: Any, x: Any, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None
) -> Any:
    """`x` filtered along an axis by sections forwards, and then backwards; see `filtfilt`.

    In a graph `padlen` has to be given: its default depends on coefficients that are zero.

    >>> sosfiltfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], np.ones(7)).round(6)
    array([4., 4., 4., 4., 4., 4., 4.])
    """
    sos, x = operand(sos), operand(x)

    def once(x: Any) -> Any:
        states = sosfilt_zi(sos)
        for _ in range(len(shape_of(x)) - 1):
            states = expand_dims(states, axis=1)
        return sosfilt(sos, x, zi=states * x[..., :1])[0]

    return both_ways(
        "sosfiltfilt", once, x, axis, padtype, padlen,
        3 * taps_of(sos) if padlen is None and padtype is not None else 0,
    )  # fmt: skip


def taps_of(sos: Any) -> int:
    """The number of coefficients of the filter, without those that are zero in all sections."""
    values = entries_of(sos)
    if values is None:
        raise OptionError(
            "sosfiltfilt", [type_of(sos)], "which coefficients are zero is not known",
            hint="give padlen",
        )  # fmt: skip
    zeros = min((values[:, 2] == 0).sum(), (values[:, 5] == 0).sum())
    return int(2 * len(values) + 1 - zeros)


def both_ways(
    call: str, once: Callable[[Any], Any], x: Any, axis: int, padtype: str | None,
    padlen: int | None, default: int,
) -> Any:  # fmt: skip
    """`x`, extended at its ends, filtered forwards and backwards."""
    x = moveaxis(x, axis, -1)
    n = size_of(x)
    edge = 0 if padtype is None else default if padlen is None else padlen
    if padtype not in EXTENSIONS:
        raise OptionError(
            call, [type_of(x)], f"padtype is odd, even, constant or None, not {padtype!r}"
        )
    if isinstance(n, int) and n <= edge:
        raise ShapeError(call, [type_of(x)], f"there must be more than padlen={edge} entries")
    wide = EXTENSIONS[padtype](x, edge) if edge else x
    y = flip(once(flip(once(wide), axis=-1)), axis=-1)
    return moveaxis(y[..., edge : edge + n] if edge else y, -1, axis)


def even(x: Any, n: int) -> Any:
    """`x` with its reflection at both ends."""
    return concatenate([x[..., n:0:-1], x, x[..., -2 : -n - 2 : -1]], axis=-1)


def odd(x: Any, n: int) -> Any:
    """`x` with its reflection through the point at each end."""
    before, after = x[..., n:0:-1], x[..., -2 : -n - 2 : -1]
    return concatenate([2 * x[..., :1] - before, x, 2 * x[..., -1:] - after], axis=-1)


def constant(x: Any, n: int) -> Any:
    """`x` with the value at each end repeated."""
    ones = np.ones(n, dtype=type_of(x).dtype)
    return concatenate([x[..., :1] * ones, x, x[..., -1:] * ones], axis=-1)


EXTENSIONS: dict[str | None, Callable[..., Any]] = {
    "odd": odd, "even": even, "constant": constant, None: lambda x, n: x,
}  # fmt: skip
