"""Debugging runs: node by node, and stopped at the first value that is not finite."""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import NotFiniteError
from gradops.core.source_location import describe

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.tuple_types import HistoryType
from ..backends.interpreter import interpret

EDGE = 3  # entries at each end of a long axis that are shown


def run_watched(
    graph: FrozenGraph, values: Sequence[Any], debug: Any = None, check_numerics: bool = False
) -> tuple[Any, ...]:
    """The results of a graph, run node by node.

    `debug(expression, value)` is called with each value, or with True each is printed to the
    standard error. With `check_numerics` the first value that is infinite or no number raises
    NotFiniteError, with its operands and lines; inside loops, with the step.
    """
    watches = [debug if callable(debug) else show] if debug else []
    watches += [Finite()] if check_numerics else []

    def watch(e: Expr, value: Any) -> None:
        for each in watches:
            each(e, value)

    return interpret(graph, values, watch)


def show(e: Expr, value: Any) -> None:
    """Print an expression, its value and its line."""
    print(f"{e.label} = {summary(value)}  # {describe(e.place)}", file=sys.stderr)


def summary(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, list | tuple):
        return f"{len(value)} values"
    return " ".join(np.array2string(np.asarray(value), threshold=8, edgeitems=EDGE).split())


class Finite:
    """Raises for values that are not finite; it keeps all values, to show operands."""

    def __init__(self) -> None:
        self.seen: dict[Expr, Any] = {}

    def __call__(self, e: Expr, value: Any) -> None:
        self.seen[e] = value
        if e.dtype.kind not in "fc" or isinstance(e.type, HistoryType):
            return
        if e.kind is Kind.CONSTANT and e.origin is not None:
            return  # of a derivative rule, which compares to it
        bad = ~np.isfinite(value)
        if np.any(bad):
            raise NotFiniteError(self.message(e, np.asarray(value), bad))

    def message(self, e: Expr, value: np.ndarray[Any, Any], bad: Any) -> str:
        """The value that is not finite, its operands, and the line that computes it."""
        first = value[bad].ravel()[0]
        which = f"{np.sum(bad)} of {value.size} entries, first {first}" if value.shape else first
        lines = [f"{e.label} is not finite: {which}"]
        names = ", ".join(x.name for x in e.inputs)
        lines += [f"  {e.what}({names})"] if e.inputs else []
        lines += [f"    {x.label} = {summary(self.seen[x])}" for x in dict.fromkeys(e.inputs)]
        lines.append(f"  made at {describe(e.place)}")
        if e.origin is not None:
            lines.append(f"  it belongs to the gradient of {e.origin.name}")
        return "\n".join(lines)
