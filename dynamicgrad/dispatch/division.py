"""Integer division, which PyTorch refuses for a divisor of zero."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradops import DivisionError, Op
from gradops.core.types import operand_types
from gradops.typing import Operand

from ..engine.handle import Handle

DIVISIONS = ("floor_divide", "remainder", "fmod")
"""The ops that give integers for integers, by PyTorch's names."""


def refuse_zero(function: Any) -> Callable[[Any, Any], Any]:
    """A division that raises DivisionError if integers are divided by zero."""

    @functools.wraps(function, updated=())
    def call(input: Operand, other: Operand) -> Any:
        require_divisor(function.spells, input, other)
        return function(input, other)

    call.spells = function.spells  # type: ignore[attr-defined]
    return call


def require_divisor(op: Op, x: Operand, other: Operand) -> None:
    """Raise DivisionError for integer operands with zeros in the divisor."""
    a, b = known_entries(x), known_entries(other)
    if a is None or b is None or a.dtype.kind not in "iub" or b.dtype.kind not in "iub":
        return
    if a.size and not b.all():
        raise DivisionError(
            op, operand_types([x, other]), "an integer is divided by zero",
            hint="convert them to floats first: x.float()", known_as="ZeroDivisionError",
        )  # fmt: skip


def known_entries(x: object) -> np.ndarray | None:
    """The entries of an operand as an array; None for tracers."""
    x = x.value if isinstance(x, Handle) else x
    return np.asarray(x) if isinstance(x, np.ndarray | np.generic | bool | int | float) else None
