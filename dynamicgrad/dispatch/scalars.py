"""Numbers as tensors, and tensors without dimensions as numbers."""

from typing import Any

import numpy as np

from gradops import DTypeError, type_of

from ..engine.handle import Handle, cut_off
from ..engine.tensor import Tensor, handle
from .default_dtype import natural_dtype


def is_plain_number(x: object) -> bool:
    """True if `x` is a number, or a tensor of an array without history."""
    if not hasattr(x, "gradop_level"):
        return True
    return isinstance(x, Handle) and x.node is None and isinstance(x.value, np.ndarray | np.generic)


def number(call: str, name: str, x: Any) -> Any:
    """The number in a tensor without dimensions; anything but a tensor unchanged.

    Raises DTypeError for a tensor with dimensions, or with a history that would be lost.
    """
    if not hasattr(x, "gradop_level"):
        return x
    if is_plain_number(x) and x.ndim == 0:
        return x.item()
    raise DTypeError(
        call, [type_of(x)], f"{name} is a tensor that has dimensions or a history, not a number",
        hint="compute the tensor with operations: x.expand(shape), start + step * dg.arange(n)",
        known_as=f"{call}(): argument '{name}' must be Number, not Tensor",
    )  # fmt: skip


def tensor_of_number(x: bool | int | float | complex) -> Tensor:
    """A Python number as a tensor, in the dtype that `dg.tensor` gives it."""
    value = np.array(x)
    return cut_off(handle(value.astype(natural_dtype(value), copy=False)), None, tracked=False)
