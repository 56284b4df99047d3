"""Errors for expressions that are no operands of an op, or not of the same one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradops import DTypeError, Op
from gradops.core.errors import MixedOperandsError
from gradops.core.source_location import describe

if TYPE_CHECKING:
    from .expr import Expr


def no_operand(op: Op, inputs: Sequence["Expr"]) -> DTypeError:
    """The error for operands of dtypes that an op does not compute with, or without a value."""
    groups = [e for e in inputs if e.what == "group"]
    reason = "NumPy does not compute it for these dtypes"
    if groups:
        reason = f"{groups[0].name} is run and has no value"
    error = DTypeError(op, [e.label for e in inputs], reason)
    error.add_note(made_lines(inputs))
    return error


def foreign(op: object, a: "Expr", b: "Expr") -> MixedOperandsError:
    """The error for operands of two graphs."""
    where = [f"{e.label} of {e.names.label if e.names else 'a frozen graph'}" for e in (a, b)]
    error = MixedOperandsError(
        op, where, "the operands belong to different graphs",
        hint="build both in one graph: `with graph.as_default():`",
    )  # fmt: skip
    error.add_note(made_lines((a, b)))
    return error


def made_lines(inputs: Sequence["Expr"]) -> str:
    """Where each of the operands was made."""
    lines = dict.fromkeys(f"  {e.label}, made at {describe(e.place)}" for e in inputs)
    return "\n".join(lines)
