"""Shape expressions: sizes computed while building, so that ops can take expressions for sizes.

The value of an expression built from sizes, from constants and by arithmetic is known while
building, in terms of sizes: the ops' own kernels compute it on arrays of `Dim`s.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from gradops import OPS, Op
from gradops.core.types import native
from gradops.transforms.reverse import ancestors

from ..kinds import Kind

if TYPE_CHECKING:
    from gradops.typing import DTypeLike

    from ..expr import Expr


def as_integers(x: np.ndarray, dtype: "DTypeLike") -> np.ndarray:
    """Sizes in another dtype, which must be one of integers."""
    if native(dtype).kind not in "iu":
        raise TypeError(f"{dtype} is not a dtype of sizes")
    return x


def entries_at(x: np.ndarray, *places: np.ndarray, index: object) -> np.ndarray:
    """Sizes at index arrays."""
    return OPS["getitem"].kernel(x, *[p.astype(np.intp) for p in places], index=index)


ARITHMETIC = (
    "add concatenate expand_dims floor_divide mul neg prod reshape slice squeeze stack"
    " stop_gradient sub sum"
)
KERNELS: Mapping[Op | None, Callable[..., np.ndarray]] = {
    **{OPS[name]: OPS[name].kernel for name in ARITHMETIC.split()},
    OPS["astype"]: as_integers,
    OPS["copy"]: lambda x: x,
    OPS["getitem"]: entries_at,
}
"""Kernels that compute with arrays of ints and `Dim`s."""


def shape_value(e: "Expr") -> np.ndarray:
    """The sizes that `e` has as its value; raises ValueUnknownError if they depend on data."""
    result: dict[Expr, np.ndarray] = {}
    try:
        for v in sorted(ancestors([e]), key=lambda v: v.number):
            result[v] = shape_value_on(v, [result[x] for x in v.inputs])
    except (KeyError, TypeError) as error:
        hint = "a size is made of shape(x), constants and arithmetic on them"
        raise e.unknown("the value", hint) from error
    return result[e]


def shape_value_on(e: "Expr", inputs: list[np.ndarray]) -> np.ndarray:
    """The sizes that an expression has as its value, given those of its inputs."""
    if e.kind is Kind.SIZE or (e.kind is Kind.CONSTANT and e.dtype.kind in "iu"):
        return np.array(e.value, object)
    return np.asarray(KERNELS[e.op](*inputs, **e.attrs), object)
