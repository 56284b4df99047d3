"""What frozen graphs and expressions have for functions that solvers call.

It is in `function_graphs.py`, which is imported when it is first used.
"""

from collections.abc import Sequence
from typing import Any

from gradops.typing import Attrs

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.names import Names

DERIVATIVES = ("tangents", "pullback", "composed", "jacobian")


def trace_functions(names: Names, args: Sequence[Any], attrs: Attrs) -> tuple[Sequence[Any], Attrs]:
    """The operands and attributes of an op with graphs in place of functions."""
    if not any(hasattr(each, "traced") for v in attrs.values() for each in several(v)):
        return args, attrs
    from . import function_graphs

    return function_graphs.trace_functions(names, args, attrs)


def several(value: object) -> Sequence[object]:
    """The members of an attribute that may be a tuple."""
    return value if type(value) is tuple else (value,)


def method(name: str) -> Any:
    """A method of frozen graphs: a function of `function_graphs.py`."""

    def call(self: FrozenGraph, *args: Any) -> FrozenGraph:
        from . import function_graphs

        result: FrozenGraph = getattr(function_graphs, name)(self, *args)
        return result

    call.__name__, call.__qualname__ = name, f"FrozenGraph.{name}"
    call.__doc__ = f"See `staticgrad.control.function_graphs.{name}`."
    return call


Expr.trace_functions = staticmethod(trace_functions)
for _name in DERIVATIVES:
    setattr(FrozenGraph, _name, method(_name))
