"""Measures: the sizes that an expression stands for, so that ops can take it for a size.

An expression built from sizes, from constants and by arithmetic is known while building, in terms
of sizes. It is found by computing with the ops' own kernels on arrays of `Dim`s.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradops import (
    OPS,
    Op,
    add,
    astype,
    copy,
    expand_dims,
    floor_divide,
    getitem,
    mul,
    neg,
    prod,
    reshape,
    squeeze,
    stop_gradient,
    sub,
    sum,
)
from gradops.core.types import native
from gradops.transforms.reverse import ancestors

from .expr import Expr, Kind

Sizes = np.ndarray[Any, Any]
"""An array of ints and `Dim`s."""


def as_integers(x: Sizes, dtype: Any) -> Sizes:
    """Sizes in another dtype, which must be one of integers."""
    if native(dtype).kind not in "iu":
        raise TypeError(f"{dtype} is no dtype of sizes")
    return x


def picked(x: Sizes, *places: Sizes, index: Any) -> Sizes:
    """Sizes at index arrays."""
    return getitem.kernel(x, *[p.astype(np.intp) for p in places], index=index)


KERNELS: Mapping[Op, Callable[..., Any]] = {
    **{op: op.kernel for op in (
        add, expand_dims, floor_divide, mul, neg, prod, reshape, squeeze, stop_gradient, sub,
        sum, OPS["concatenate"], OPS["slice"], OPS["stack"],
    )},
    astype: as_integers, copy: lambda x: x, getitem: picked,
}  # fmt: skip


def sizes_of(e: Expr) -> Sizes:
    """The sizes that `e` stands for; raises ValueUnknownError where only data tells them."""
    found: dict[Expr, Sizes] = {}
    try:
        for v in sorted(ancestors([e]), key=lambda v: v.number):
            found[v] = measured(v, [found[x] for x in v.inputs])
    except (KeyError, TypeError) as error:
        hint = "a size is made of shape(x), constants and arithmetic on them"
        raise e.unknown("the value", hint) from error
    return found[e]


def measured(e: Expr, inputs: list[Sizes]) -> Sizes:
    """The sizes that an expression stands for, given those of its inputs."""
    if e.kind is Kind.SIZE or (e.kind is Kind.CONSTANT and e.dtype.kind in "iu"):
        return np.array(e.value, object)
    return np.asarray(KERNELS[e.op](*inputs, **e.attrs), object)  # type: ignore[index]
