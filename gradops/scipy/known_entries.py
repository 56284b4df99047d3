"""Entries of operands that are known while a function is called, and not only when a graph runs."""

from typing import Any

import numpy as np

from ..core.tracer_protocol import held, is_holder
from ..transforms.forward import Dual

__all__: list[str] = []


def entries_of(x: Any) -> np.ndarray | None:
    """The entries of an operand, of what it holds or its primal; None if they are not known.

    Those of an expression are not, nor are those of an example of a batch.
    """
    while is_holder(x) or isinstance(x, Dual):
        x = x.primal if isinstance(x, Dual) else held(x)
    return np.asarray(x) if isinstance(x, np.ndarray | np.generic) else None
