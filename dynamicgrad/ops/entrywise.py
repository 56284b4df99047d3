"""Functions of single entries that PyTorch spells in a way of its own."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops.core import types

from ..dispatch.casting import require_range
from ..dispatch.fast_path import operand, unary
from ..dispatch.op_dtypes import in_one_dtype

direction = unary(ops.sign)
PLAIN_BOUNDS = frozenset({float, int, type(None)})
"""Types of bounds that have the dtype of the floats beside them."""


def real(x: Any) -> Any:
    """The real part of complex entries: a view; what is real already is returned itself.

    >>> dg.real(dg.tensor([1 + 2j]))
    tensor([1.])
    """
    return ops.real(x) if types.is_complex(x.dtype) else x


def conj(x: Any) -> Any:
    """The complex conjugates; what is real is returned itself.

    >>> dg.conj(dg.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return ops.conj(x) if types.is_complex(x.dtype) else x


def sign(x: Any) -> Any:
    """-1, 0 or 1 for each entry; refused for complex numbers, which `sgn` is for.

    >>> dg.sign(dg.tensor([-2.0, 0.0]))
    tensor([-1.,  0.])
    """
    if types.is_complex(x.dtype):
        raise ops.DTypeError(
            "sign", [ops.type_of(x)], "it is of real numbers", hint="sgn(x) keeps the direction",
            known_as="torch.sign is not intended to support complex numbers",
        )  # fmt: skip
    return sgn(x)


def sgn(x: Any) -> Any:
    """-1, 0 or 1 for each entry; of complex ones, the direction z / |z|.

    >>> dg.sgn(dg.tensor([-2.0, 0.0]))
    tensor([-1.,  0.])
    """
    return ops.copy(x) if x.dtype == np.bool_ else direction(x)


def positive(x: Any) -> Any:
    """The tensor itself, as `+x` is; refused for bool, as `-x` is.

    >>> dg.positive(dg.ones(2))
    tensor([1., 1.])
    """
    if x.dtype == np.bool_:
        raise ops.DTypeError("positive", [ops.type_of(x)], "a bool has no sign")
    return x


def clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """Each entry, but no less than `min` and no more than `max`.

    >>> dg.clamp(dg.tensor([-2.0, 0.5, 2.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    x = operand(x)
    require_range("clamp", x.dtype, min, max)
    if x.dtype.kind == "f" and PLAIN_BOUNDS.issuperset((type(min), type(max))):
        return ops.clip(x, min, max)
    given = in_one_dtype([x, *(b for b in (min, max) if b is not None)])
    low = None if min is None else given[1]
    return ops.clip(given[0], low, None if max is None else given[-1])


def clamp_max(x: Any, max: Any) -> Any:
    """Each entry, but no more than `max`.

    >>> dg.clamp_max(dg.tensor([1.0, 3.0]), 2.0)
    tensor([1., 2.])
    """
    return clamp(x, max=max)


def clamp_min(x: Any, min: Any) -> Any:
    """Each entry, but no less than `min`.

    >>> dg.clamp_min(dg.tensor([1.0, 3.0]), 2.0)
    tensor([2., 3.])
    """
    return clamp(x, min=min)


BOTH: dict[str, Callable[..., Any]] = {
    "real": real, "conj": conj, "sign": sign, "sgn": sgn, "positive": positive,
    "clamp": clamp, "clamp_max": clamp_max, "clamp_min": clamp_min,
}  # fmt: skip
