"""Division of integers, which PyTorch refuses where the divisor is zero."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradops import DivisionError, Op
from gradops.core.types import operand_types

from ..engine.handle import Handle

DIVISIONS = ("floor_divide", "remainder", "fmod")
"""The ops that give integers for integers, by PyTorch's names."""


def refusing_zero(function: Any) -> Callable[[Any, Any], Any]:
    """A division that raises where an integer would be divided by zero."""

    @functools.wraps(function, updated=())
    def call(input: Any, other: Any) -> Any:
        require_divisor(function.spells, input, other)
        return function(input, other)

    call.spells = function.spells  # type: ignore[attr-defined]
    return call


def require_divisor(op: Op, x: Any, other: Any) -> None:
    """Refuse zeros among integers that integers are to be divided by."""
    a, b = known(x), known(other)
    if a is None or b is None or a.dtype.kind not in "iub" or b.dtype.kind not in "iub":
        return
    if a.size and not b.all():
        raise DivisionError(
            op, operand_types([x, other]), "an integer is divided by zero",
            hint="make floats of them first: x.float()", known_as="ZeroDivisionError",
        )  # fmt: skip


def known(x: Any) -> Any:
    """The entries of an operand as an array; None if they are not known or are no numbers."""
    x = x.value if isinstance(x, Handle) else x
    return np.asarray(x) if isinstance(x, np.ndarray | np.generic | bool | int | float) else None
