"""The cost table: its figures, how they are measured, and the file that keeps them."""

from .current import table, using
from .figures import (
    DEFAULT,
    LARGE_PRODUCT,
    OPERATIONS,
    SPEED,
    CostTable,
    Speeds,
    rounded,
)

__all__ = ["DEFAULT", "LARGE_PRODUCT", "OPERATIONS", "SPEED", "CostTable", "Speeds", "rounded",
           "table", "using"]  # fmt: skip
