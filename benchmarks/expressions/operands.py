"""What the ops are called on, and what a row is."""

from collections.abc import Callable
from typing import Any

import numpy as np

Call = tuple[list[Any], dict[str, Any], Callable[..., Any]]  # operands, attributes, in NumPy
rng = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    """Random float32 entries."""
    return rng.standard_normal(shape).astype(np.float32)


x, y, row = floats(1000, 100), floats(1000, 100), floats(100)
square, z = floats(128, 128), (floats(1000, 50) + 1j * floats(1000, 50)).astype(np.complex64)
labels, places = rng.integers(0, 100, 1000), rng.integers(0, 1000, 500)
