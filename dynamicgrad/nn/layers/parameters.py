"""The parameters of layers: created by shape, drawn by the size of the input."""

import math
from collections.abc import Sequence

from gradops.typing import DTypeLike

from ...ops.creation import empty
from .. import init
from ..modules.module import Module
from ..modules.parameter import Parameter


def add_parameter(module: Module, name: str, shape: Sequence[int] | None, dtype: DTypeLike) -> None:
    """Register a parameter of a shape with a module; None registers the name only."""
    value = None if shape is None else Parameter(empty(*shape, dtype=dtype))
    module.register_parameter(name, value)


def draw_uniformly(module: Module, size: int) -> None:
    """Draw all parameters, uniform up to 1 / sqrt(size)."""
    bound = 1 / math.sqrt(size) if size > 0 else 0.0
    for p in module.parameters():
        init.uniform_(p, -bound, bound)
