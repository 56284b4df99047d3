"""What frozen graphs and expressions have for functions that solvers call.

It is in `function_graphs.py`, which is imported when it is first used.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradops.core.types import ArrayType
from gradops.typing import Attrs

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.names import Names


def trace_functions(names: Names, args: Sequence[Any], attrs: Attrs) -> tuple[Sequence[Any], Attrs]:
    """The operands and attributes of an op with graphs in place of functions."""
    if not any(hasattr(each, "traced") for v in attrs.values() for each in several(v)):
        return args, attrs
    from . import function_graphs

    return function_graphs.trace_functions(names, args, attrs)


def several(value: object) -> Sequence[object]:
    """The members of an attribute that may be a tuple."""
    return value if type(value) is tuple else (value,)


def tangents(graph: FrozenGraph, active: Iterable[int]) -> FrozenGraph:
    """The graph of the tangents of the outputs: it takes tangents after the operands."""
    from . import function_graphs

    return function_graphs.tangents(graph, active)


def pullback(graph: FrozenGraph, wanted: Iterable[int]) -> FrozenGraph:
    """The graph of the cotangents of operands: it takes those of the outputs after the operands."""
    from . import function_graphs

    return function_graphs.pullback(graph, wanted)


def composed(
    graph: FrozenGraph, f: Callable[..., Sequence[Any]],
    types: Sequence[ArrayType] = (), outputs: int = 1,
) -> FrozenGraph:  # fmt: skip
    """The graph of `f(graph, *operands)`: the first operands have `types`, others their own."""
    from . import function_graphs

    return function_graphs.composed(graph, f, types)


def stacked(graph: FrozenGraph, types: Sequence[ArrayType]) -> FrozenGraph:
    """The graph of the results for each of the rows of the first operands: stacks of `types`."""
    from . import function_graphs

    return function_graphs.stacked(graph, types)


def jacobian(graph: FrozenGraph) -> FrozenGraph:
    """The graph of the Jacobian of a vector by the first operand."""
    from . import function_graphs

    return function_graphs.jacobian(graph)


def scan_of(first: Expr, fn: Callable[[Any, Any], Any], start: Any, elems: Any) -> Any:
    """`map_accumulate` of staticgrad, for functions that know no graph."""
    from .loops import map_accumulate

    return map_accumulate(fn, start, elems)


Expr.scan_of = scan_of
Expr.trace_functions = staticmethod(trace_functions)
for method in (tangents, pullback, composed, stacked, jacobian):
    setattr(FrozenGraph, method.__name__, method)
