"""Arrays of constants, and stopping differentiation."""

from typing import Any

import numpy as np

from ...core.samples import cases, integers, reals, unary
from ...core.traits import Trait
from ...core.types import ArrayType
from ...typing import AnyArray, DTypeLike, OperandLike
from ..elementwise.comparison import equal
from ..families import elementwise
from .movement import VIEW, astype, expand_dims, type_with_dtype

__all__ = ["full_like", "one_hot", "ones_like", "stop_gradient", "zeros_like"]


def full_like_infer(x: ArrayType, value: AnyArray, dtype: DTypeLike) -> ArrayType:
    return x if dtype is None else type_with_dtype("full_like", x, dtype)


full_like = elementwise(
    "full_like", lambda x, value, dtype=None: np.full_like(x, value, dtype), d=[None],
    infer=full_like_infer, source="np.full_like({0}, {value}, {dtype})", traits=[Trait.OF_TYPE],
    samples=cases(reals((3, 4), value=2.5), reals((), value=1), integers((2,), value=0.5,
                                                                       dtype="float32")),
    doc="A constant array with the operand's shape, and dtype if none is given.",
)
stop_gradient = elementwise(
    "stop_gradient", lambda x: x, d=[None], source="{0}", traits=VIEW, samples=unary,
    doc="The operand, as a constant for differentiation.",
)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of `x`, whose sizes may be unknown.

    >>> zeros_like(np.array([1.5, 2.5]))
    array([0., 0.])
    """
    return full_like(x, value=0, dtype=dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones in the shape of `x`, whose sizes may be unknown.

    >>> ones_like(np.array([1.5, 2.5]))
    array([1., 1.])
    """
    return full_like(x, value=1, dtype=dtype)


def one_hot(labels: OperandLike, classes: int, dtype: DTypeLike = np.float64) -> Any:
    """One-hot vectors of labels, along a new last axis.

    A label outside 0 to `classes` - 1 gives a row of zeros.

    >>> one_hot(np.array([2, 0]), 3)
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    return astype(equal(expand_dims(labels, axis=-1), np.arange(classes)), dtype=dtype)
