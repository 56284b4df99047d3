"""The Python array API 2025.12 on `Array`: the result of `x.__array_namespace__()`.

>>> x = dg.array([1.0, 2.0])
>>> xp = x.__array_namespace__()
>>> xp.sum(x * xp.asarray([3.0, 4.0]))
array(11.)
"""

import numpy as np

from gradops.array_api import Making, namespace
from gradops.typing import AnyArray, DTypeLike, Number

from .devices import CPU
from .engine.array import Array
from .engine.handle import hold
from .engine.tensor import numeric


def new(array: AnyArray) -> Array:
    """An `Array` on memory that is not shared."""
    return hold(Array, array)


def filled_like(x: Array, value: Number, dtype: DTypeLike = None) -> Array:
    """A number in the shape and, by default, the dtype of `x`."""
    return new(np.full(x.shape, value, dtype or x.dtype))


MAKING = Making(
    kind=Array,
    new=new,
    shared=lambda x: new(numeric(x)) if isinstance(x, np.ndarray) else new(x),
    filled=lambda shape, value, dtype: new(np.full(shape, value, dtype)),
    filled_like=filled_like,
    counted=lambda *args: new(np.arange(*args)),
    default_dtype=lambda: np.dtype(np.float64),
    device=CPU,
)
globals().update(namespace(MAKING, __name__))
