"""Graphs of the functions that solvers call: traced when the op is built, with derivatives.

A function among the attributes of an op is a `gradops.transforms.bodies.Body` until an expression
meets it. Then it is traced once, as the body of a loop is: see Note [Bodies] in `body_tracing.py`.
Its graph takes the place of the body, and what it captures is added to the operands of the op.
Frozen graphs have the derivatives that bodies have, as methods.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradops import GraphError
from gradops.core.tracer_protocol import is_holder
from gradops.core.types import ArrayType
from gradops.transforms.bodies import Body, Stacked, jacobian_of
from gradops.transforms.closing import Called
from gradops.typing import Attrs

from ..build.inputs import parameter
from ..freezing.freezer import freeze_body
from ..ir.expr import Expr, clock
from ..ir.graph import FrozenGraph
from ..ir.names import Names
from .body_tracing import as_result, captures_of, close_body, trace_body
from .forward import TangentGraph
from .partial_eval import Scratch, pull_back_all
from .stacks import zeros_like

Traced = tuple[list[FrozenGraph], list[Expr]]  # a graph for each function, and their captures


def trace_functions(names: Names, args: Sequence[Any], attrs: Attrs) -> tuple[Sequence[Any], Attrs]:
    """The operands and attributes of an op with graphs in place of functions."""
    captures: list[Expr] = []

    def trace(called: Called) -> FrozenGraph:
        graphs, captures[:] = graphs_of(names, called)
        return graphs[called.index]

    def graph_of(v: Any) -> Any:
        return v.traced(trace) if isinstance(v, Body) else v

    new = {k: tuple(map(graph_of, v)) if type(v) is tuple else graph_of(v)
           for k, v in attrs.items()}  # fmt: skip
    return (*args, *captures), new


def graphs_of(names: Names, called: Called) -> Traced:
    """The graphs of a function and of those that share its arguments, and what they capture."""
    functions = called.functions
    if functions.graphs is None or functions.graphs[0] is not names:
        functions.graphs = names, trace_together(names, called)
    result: Traced = functions.graphs[1]
    return result


def trace_together(names: Names, called: Called) -> Traced:
    """Trace functions of the same arguments, in one call of each."""
    functions, number = called.functions, next(clock)
    count = range(len(functions.functions))
    parameters = [parameter(names, t, "argument") for t in functions.types]
    run = lambda *xs: [Called(functions, k, called.layers, 1)(*xs) for k in count]
    body = trace_body(run, parameters, number, list, "function of a solver")
    if body.effects:
        raise GraphError(
            "a function that a solver calls assigns or prints, and how often depends on the solver"
            "\n  hint: let it return values"
        )
    for y in body.leaves:
        refuse_history(y)
    body.outputs = [as_result(names, y) for y in body.leaves]
    captures = captures_of([body])
    whole = close_body(body, [*parameters, *captures], ())
    places = iter(whole.outputs)
    rows = [[next(places) for _ in row] for row in body.rebuild(body.leaves)]
    graphs = [FrozenGraph(whole.inputs, tuple(row), measured=whole.measured, merged=whole.merged)
              for row in rows]  # fmt: skip
    return graphs, captures


def refuse_history(y: Any) -> None:
    """Raise GraphError for a result that depends on a tensor in a way that the graph would lose."""
    if is_holder(y):
        raise GraphError(
            "a function that a solver calls gives a tensor whose history would be lost"
            "\n  hint: give the tensor to the function as an argument"
        )


def tangents(graph: FrozenGraph, active: Iterable[int]) -> FrozenGraph:
    """The graph of the tangents of the outputs: it takes tangents after the operands."""
    key = "tangents of outputs", tuple(active)
    result: FrozenGraph | None = graph.derived.get(key)
    if result is None:
        m = TangentGraph(graph, key[1], range(len(graph.outputs)))
        result = graph.derived[key] = freeze_body(m.results, [*m.inputs, *m.tangents])
    return result


def pullback(graph: FrozenGraph, wanted: Iterable[int]) -> FrozenGraph:
    """The graph of the cotangents of operands: it takes those of the outputs after the operands."""
    key = "cotangents of inputs", tuple(wanted)
    result: FrozenGraph | None = graph.derived.get(key)
    if result is None:
        s = Scratch()
        inputs = s.parameters(graph.inputs)
        outputs = s.thaw(graph, inputs)
        seeds = s.parameters(outputs, "d/")
        ends = [inputs[i] for i in key[1]]
        found = pull_back_all(outputs, seeds, ends)
        cotangents = [s.expression(found[x]) if x in found else zeros_like(x) for x in ends]
        result = graph.derived[key] = freeze_body(cotangents, [*inputs, *seeds])
    return result


def composed(
    graph: FrozenGraph, f: Callable[..., Sequence[Any]], types: Sequence[ArrayType] = ()
) -> FrozenGraph:
    """The graph of `f(graph, *operands)`: the first operands have `types`, others their own."""
    key = "composed", f, tuple(types)
    result: FrozenGraph | None = graph.derived.get(key)
    if result is None:
        s = Scratch()
        inputs = [s.parameter(t, f"operand{i}") for i, t in enumerate(types)]
        inputs += s.parameters(graph.inputs[len(types) :])
        with s.graph.as_default():
            outputs = [s.expression(y) for y in f(graph, *inputs)]
        result = graph.derived[key] = freeze_body(outputs, inputs)
    return result


def stacked(graph: FrozenGraph, types: Sequence[ArrayType]) -> FrozenGraph:
    """The graph of the results for each of the rows of the first operands: stacks of `types`."""
    return composed(graph, Stacked(len(types)), types)


def jacobian(graph: FrozenGraph) -> FrozenGraph:
    """The graph of the Jacobian of a vector by the first operand."""
    return composed(graph, jacobian_of)
