"""The table of writers: how an expression becomes nodes, by its op.

There are three ways. An op that is an operator of ONNX says so (`onnx=`). A *writer* adds nodes by
hand, of ops whose attributes ONNX spells otherwise. A *formula* says what an op is in terms of ops
that can be written; so does the formula that an op itself may have.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from ...ir.expr import Expr
from .model_writer import ModelWriter

Writer = Callable[..., Any]
"""Of a model, an expression and the names of its operands; returns a name, or several."""
WRITERS: dict[str, Writer] = {}
FORMULAS: dict[str, Callable[..., Any]] = {}
MODULES = ("control", "formulas", "indices", "nodes", "windows")


def writer(*ops: str) -> Callable[[Writer], Writer]:
    """Enter a function into the table as the writer of ops."""

    def enter(write: Writer) -> Writer:
        WRITERS.update(dict.fromkeys(ops, write))
        return write

    return enter


def formula(*ops: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function of operands and attributes into the table as the formula of ops."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        FORMULAS.update(dict.fromkeys(ops, function))
        return function

    return enter


@cache
def load_writers() -> None:
    """Fill the table."""
    for module in MODULES:
        import_module(f".{module}", __package__)


def find_writer(e: Expr) -> Writer | None:
    """The writer of the op of an expression, if there is one."""
    load_writers()
    return WRITERS.get(e.op.name) if e.op is not None else None


def find_formula(e: Expr) -> Callable[..., Any] | None:
    """The formula of the op of an expression, if there is one."""
    return None if e.op is None else FORMULAS.get(e.op.name, e.op.formula)


__all__ = ["ModelWriter", "find_formula", "find_writer", "formula", "load_writers", "writer"]
