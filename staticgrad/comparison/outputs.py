"""The results of a function: their leaves, and which of them is the loss."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import TransformError, leaves_of, type_of
from gradops.core.tracer_protocol import held

from ..ir.expr import Expr
from .subject import is_operand

NUMBERS = bool | int | float | complex


def outputs_of(result: Any, name: str) -> tuple[list[Any], int]:
    """The leaves that a function returned, and the number of the one to differentiate: the loss.

    That is the first real number of floats. Raises TransformError if there is none.
    """
    leaves = leaves_of(result)
    for i, y in enumerate(leaves):
        if is_loss(y):
            return leaves, i
    shown = ", ".join(map(text_of_leaf, leaves)) or "nothing"
    raise TransformError(
        f"compare: a gradient is of one number, and {name} returns {shown}\n  hint: reduce it, as"
        " by np.sum(...); of several results the first that is one number counts"
    )


def is_loss(y: Any) -> bool:
    """True for a real number of floats."""
    if not is_result(y):
        return False
    kind = type_of(held(y))
    return bool(kind.dtype.kind == "f" and all(n == 1 for n in kind.shape))


def is_result(y: object) -> bool:
    """True for an array, a number, a tensor or an expression."""
    return is_operand(y) or isinstance(y, Expr | NUMBERS)


def text_of_leaf(y: Any) -> str:
    """The type of a result."""
    return str(type_of(held(y))) if is_result(y) else repr(y)


def as_arrays(leaves: Sequence[Any]) -> list[np.ndarray]:
    """The leaves that are numbers, arrays or tensors as arrays."""
    return [np.asarray(held(y)) for y in leaves if is_result(y)]
