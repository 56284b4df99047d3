"""Taylor mode: derivatives of high order along a curve."""

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np

from gradops import Series, TransformError, astype
from gradops.core.levels import levels
from gradops.typing import Function

from ..engine.handle import Handle, hold, on_face
from ..tracing.captured_writes import run_at
from .levels import as_part, release
from .structure import as_handle, for_caller, outputs_of


def jet(
    func: Function, primals: Sequence[Any], series: Sequence[Sequence[Any]]
) -> tuple[Any, list[Any]]:
    """The value of `func` on a curve, and its derivatives of order 1 to n along the curve.

    The curve runs through `primals`, with the derivatives `series`: for each primal a list of n, of
    which the first is the direction; a number is a constant of its shape. One pass takes of
    the order of n**2 operations, where nested `jvp` take 2**n. Raises TransformError.

    >>> x = dg.tensor(2.0)
    >>> dg.func.jet(lambda x: x**3, (x,), [[1.0, 0.0, 0.0]])
    (tensor(8.), [tensor(12.), tensor(12.), tensor(6.)])
    """
    order = len(series[0]) if series else 0
    if len(series) != len(primals) or any(len(s) != order for s in series):
        raise TransformError(
            f"jet: {len(primals)} primals with series of {[len(s) for s in series]} derivatives"
            "\n  hint: give each primal a list of derivatives, all of one length"
        )
    level = next(levels)
    curves = [curve(as_handle(x), s, level) for x, s in zip(primals, series, strict=True)]
    with np.errstate(all="ignore"):
        returned = run_at(level, func, curves)
    outputs, rebuild = outputs_of(returned, "jet(f, primals, series)", curves)
    found = [coefficients(y, order, level) for y in outputs]
    derivatives = [
        rebuild([c[k] * factorial(k) if k > 1 else c[k] for c in found]) for k in range(order + 1)
    ]
    return for_caller((derivatives[0], derivatives[1:]), primals, series)


def curve(x: Handle, derivatives: Sequence[Any], level: float) -> Handle:
    """A tensor of the series through `x` with these derivatives."""
    found = [as_part(x)]
    for k, d in enumerate(derivatives, 1):
        d = as_handle(d) if hasattr(d, "shape") else hold(type(x), np.full(x.shape, d, x.dtype)[()])
        if d.shape != x.shape:
            raise TransformError(f"jet: a derivative of {x.type} has its shape, not {d.type}")
        found.append(as_part(astype(d, dtype=x.dtype) / factorial(k)))
    return hold(type(x), Series(found, level))


def coefficients(y: Handle, order: int, level: float) -> list[Handle]:
    """The coefficients of an output; zeros for one that is constant along the curve."""
    value = y.value
    if isinstance(value, Series) and value.gradop_level == level:
        return [release(on_face(type(y), c)) for c in value.coefficients]
    zero = hold(type(y), np.zeros(y.shape, y.dtype)[()])
    return [release(y), *([zero] * order)]
