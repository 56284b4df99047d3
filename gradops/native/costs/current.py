"""The cost table in force: that of the machine, or another one inside a `with` block."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .figures import CostTable
from .file import machine_table

TABLE: ContextVar[CostTable | None] = ContextVar("cost_table", default=None)


def table() -> CostTable:
    """The cost table that is set here, or that of the machine, measured at the first need."""
    return TABLE.get() or machine_table()


@contextmanager
def using(table: CostTable) -> Iterator[CostTable]:
    """Choose by another table inside a `with` block.

    >>> from gradops.native import costs
    >>> with costs.using(costs.DEFAULT):
    ...     costs.table().is_measured
    False
    """
    token = TABLE.set(table)
    try:
        yield table
    finally:
        TABLE.reset(token)
