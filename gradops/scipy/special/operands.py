"""Operands as SciPy's functions take them: also lists."""

from typing import Any

import numpy as np

__all__: list[str] = []


def operands(*xs: Any) -> list[Any]:
    """The operands, with arrays for lists. Numbers stay numbers, whose dtype gives way."""
    return [np.asarray(x) if isinstance(x, list | tuple) else x for x in xs]
