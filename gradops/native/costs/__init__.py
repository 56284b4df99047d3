"""The cost table: its figures, how they are measured, and the file that keeps them."""

from .figures import (
    DEFAULT,
    LARGE_PRODUCT,
    OPERATIONS,
    SPEED,
    CostTable,
    Speeds,
    rounded,
    table,
    using,
)

__all__ = ["DEFAULT", "LARGE_PRODUCT", "OPERATIONS", "SPEED", "CostTable", "Speeds", "rounded",
           "table", "using"]  # fmt: skip
