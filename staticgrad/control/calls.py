"""Functions as parts of graphs: traced once per kind of arguments, and called many times.

All calls share one graph and its derivatives.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
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
from . import body_tracing
from .body_tracing import Body, as_result, captures_of, close_body, trace_body

Rebuild = Callable[[Iterable[object]], Any]  # from leaves to the structure that they had


@dataclass(frozen=True)
class Callee:
    """The graph of a function, its captures, assigned variables, and the form of its results."""

    graph: FrozenGraph
    captures: list[Expr]
    state: list[Expr]
    form: list[object]
    rebuild: Rebuild


class Calls:
    """The calls of one function on expressions."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def call(self, leaves: Sequence[object], rebuild: Rebuild, key: Hashable) -> Any:
        """The results for the arguments `rebuild(leaves)`, some of whose leaves are expressions.

        Calls with equal keys share a graph.
        """
        names = common_names(name_of(self.fn), leaves)
        values = [as_result(names, x) for x in leaves if is_operand(x)]
        graph = names.home
        callee = graph.callees.get((self, key))
        if callee is None:
            callee = graph.callees[self, key] = self.trace(names, leaves, values, rebuild)
        result = OPS["call"](*values, *callee.captures, function=callee.graph)
        n = len(result) - len(callee.state)
        effects = body_tracing.assign_final_values(callee.state, result[n:])
        results = iter(body_tracing.depend_on(result[:n], effects))
        (value,) = callee.rebuild(
            [group(*effects) if is_run_only(x) else next(results) if is_operand(x) else x
             for x in callee.form]
        )  # fmt: skip
        return value

    def trace(
        self, names: Names, leaves: Sequence[object], values: list[Expr], rebuild: Rebuild
    ) -> Callee:
        """Trace the function for arguments of these types."""
        number = next(clock)
        scope = f"{name_of(self.fn)}/"  # and not within that of the first call, which it outlasts
        with get_default_graph().name_scope(scope):
            parameters = [parameter(names, e.type, "argument") for e in values]

            def form(own: list[Expr]) -> Iterable[object]:
                arguments = iter(own)
                return rebuild([next(arguments) if is_operand(x) else x for x in leaves])

            call = lambda args, kwargs: [self.fn(*args, **kwargs)]
            what = f"function {name_of(self.fn)}"
            return callee_of(names, trace_body(call, parameters, number, form, what))


def callee_of(names: Names, body: Body) -> Callee:
    """The graph of a traced body, for all calls that share it."""
    body.outputs = [as_result(names, x) for x in body.leaves if is_operand(x)]
    captures, state = captures_of([body]), body_tracing.state_of([body])
    graph = close_body(body, [*body.parameters, *captures], state)
    return Callee(graph, captures, state, body.leaves, body.rebuild)


def is_operand(x: object) -> bool:
    """Whether a leaf of arguments or results is an array value; others are Python objects."""
    return isinstance(x, Expr | np.ndarray | np.generic) and not is_run_only(x)
