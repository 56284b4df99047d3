"""Functions as parts of graphs: traced once for a kind of arguments, and called as often as wanted.

All calls share one graph, and its derivatives are made once, however often it is called.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradops import OPS

from ..build.effects import group, is_run_only
from ..build.graph import get_default_graph
from ..build.inputs import parameter
from ..build.tracing import name_of
from ..ir.expr import Expr, clock, common_names
from ..ir.graph import FrozenGraph
from ..ir.names import Names
from .body_tracing import (
    Body,
    as_result,
    bring_about,
    captures_of,
    closed,
    reassigned,
    state_of,
    traced,
)


@dataclass(frozen=True)
class Callee:
    """A function's graph: what it captures, which variables it assigns, and its results' form."""

    graph: FrozenGraph
    captures: list[Expr]
    state: list[Expr]
    form: list[Any]
    rebuild: Callable[[Iterable[Any]], Any]


class Calls:
    """The calls of one function on expressions."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def call(self, leaves: Sequence[Any], rebuild: Callable[[Any], Any], key: Any) -> Any:
        """The results for arguments: `rebuild(leaves)`, some of whose leaves are expressions.

        Calls with one `key` share a graph.
        """
        names = common_names(name_of(self.fn), leaves)
        values = [as_result(names, x) for x in leaves if is_operand(x)]
        graph = names.home
        callee = graph.callees.get((self, key))
        if callee is None:
            callee = graph.callees[self, key] = self.traced(names, leaves, values, rebuild)
        result = OPS["call"](*values, *callee.captures, function=callee.graph)
        n = len(result) - len(callee.state)
        effects = reassigned(callee.state, result[n:])
        results = iter(bring_about(result[:n], effects))
        (given,) = callee.rebuild(
            [group(*effects) if is_run_only(x) else next(results) if is_operand(x) else x
             for x in callee.form]
        )  # fmt: skip
        return given

    def traced(
        self, names: Names, leaves: Sequence[Any], values: list[Expr], rebuild: Any
    ) -> Callee:
        """The graph for arguments of this kind."""
        number = next(clock)
        scope = f"{name_of(self.fn)}/"  # and not within that of the first call, which it outlasts
        with get_default_graph().name_scope(scope):
            parameters = [parameter(names, e.type, "argument") for e in values]

            def form(own: list[Expr]) -> Any:
                given = iter(own)
                return rebuild([next(given) if is_operand(x) else x for x in leaves])

            call = lambda args, kwargs: [self.fn(*args, **kwargs)]
            what = f"function {name_of(self.fn)}"
            return callee_of(names, traced(call, parameters, number, form, what))


def callee_of(names: Names, body: Body) -> Callee:
    """What calls share of a body."""
    body.outputs = [as_result(names, x) for x in body.leaves if is_operand(x)]
    captures, state = captures_of([body]), state_of([body])
    graph = closed(body, [*body.parameters, *captures], state)
    return Callee(graph, captures, state, body.leaves, body.rebuild)


def is_operand(x: Any) -> bool:
    """Whether a leaf of arguments or results is a value, not a part of the program."""
    return isinstance(x, Expr | np.ndarray | np.generic) and not is_run_only(x)
