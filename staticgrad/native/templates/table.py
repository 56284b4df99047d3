"""The table of ops that have code of their own in the native tier."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...ir.expr import Expr

if TYPE_CHECKING:
    from ..lowering import GraphWriter

WRITERS: dict[str, "Callable[[GraphWriter, Expr], None]"] = {}
"""By the name of an op, what writes the code of an application of it."""
