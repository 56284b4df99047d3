"""Loops and branches. A list of a loop is an array of one axis more."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops.core.dims import Dim

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.tuple_types import HistoryType
from ..errors import Unsupported
from .graphs import shape_in_model, write_graph
from .model_writer import ModelWriter, Names, type_of_value
from .nodes import END
from .table import writer


@writer("call")
def call(w: ModelWriter, e: Expr, *operands: str) -> Names:
    """A function of the graph, written where it is called."""
    function: FrozenGraph = e.attrs["function"]
    return write_here(w, function, operands)


def write_here(w: ModelWriter, graph: FrozenGraph, operands: Sequence[str]) -> Names:
    """The nodes of a graph among those around it; the names of its sizes end with it."""
    with w.inner_names():
        return write_graph(w, graph, bound(graph, operands), graph.outputs)


def bound(graph: FrozenGraph, operands: Sequence[str]) -> dict[Expr, str]:
    """The names of the inputs of a graph."""
    return dict(zip(graph.inputs, operands, strict=True))


@writer("case")
def case(w: ModelWriter, e: Expr, index: str, *operands: str) -> Names:
    """Branches; of more than two, one within the other."""
    branches: Sequence[FrozenGraph] = e.attrs["branches"]
    if e.inputs[0].dtype.kind == "b":
        return choice(w, index, branches[1], branches[0], operands)
    raise Unsupported("a branch that a number chooses")


def choice(
    w: ModelWriter, condition: str, then: FrozenGraph, other: FrozenGraph, operands: Sequence[str]
) -> Names:
    """One of two branches."""
    graphs = [branch(w, graph, operands, name) for graph, name in ((then, "then"), (other, "else"))]
    names = [x.name for x in then.outputs]
    return w.add_several(
        "If", [condition], names, {"then_branch": graphs[0], "else_branch": graphs[1]}
    )


def branch(w: ModelWriter, graph: FrozenGraph, operands: Sequence[str], name: str) -> Any:
    """The graph of a branch, which reads its operands from outside."""
    with w.inner_graph() as block:
        names = write_graph(w, graph, bound(graph, operands), graph.outputs)
        results = [
            w.add("Identity", n, name=x.name) for n, x in zip(names, graph.outputs, strict=True)
        ]
        outputs = [typed(n, x) for n, x in zip(results, graph.outputs, strict=True)]
        return w.graph(block, name, [], outputs)


def typed(name: str, e: Expr) -> Any:
    """A value of an inner graph with its type; sizes that are not known are left open."""
    if isinstance(e.type, HistoryType) and any(isinstance(n, Dim) for n in e.type.element.shape):
        raise Unsupported("a list whose entries differ in shape")
    shape: list[Any] = [None if isinstance(n, Dim) else n for n in shape_in_model(e)]
    return type_of_value(name, e.dtype, shape)


@writer("loop")
def loop(w: ModelWriter, e: Expr, *operands: str) -> Names:
    """A scan over lists and arrays, or a loop that a condition ends."""
    if e.attrs["cond"] is None:
        return scan(w, e, operands)
    return while_loop(w, e, operands)


def scan(w: ModelWriter, e: Expr, operands: Sequence[str]) -> Names:
    """A loop over the entries of its lists."""
    attrs, body = e.attrs, e.attrs["body"]
    states, rows = attrs["carries"], attrs["lists"]
    inner = states + rows
    if not rows:
        raise Unsupported("a loop without lists")
    with w.inner_graph() as block:
        names = [w.unique(x.name) for x in body.inputs[:inner]]
        inputs = [typed(n, x) for n, x in zip(names, body.inputs[:inner], strict=True)]
        found = dict(zip(body.inputs, (*names, *operands[inner:]), strict=True))
        results = own_names(w, write_graph(w, body, found, body.outputs), body)
        outputs = [typed(n, x) for n, x in zip(results, body.outputs, strict=True)]
        graph = w.graph(block, "body", inputs, outputs)
    given = list(operands[:inner])
    made = [f"{e.name}/{x.name}" for x in body.outputs]
    if attrs["reverse"]:  # by slices, as ONNX's reference has no scans that run back
        given[states:] = [turned(w, name) for name in given[states:]]
    results = w.add_several("Scan", given, made, {"body": graph, "num_scan_inputs": rows})
    if attrs["reverse"]:
        results[states:] = [turned(w, name) for name in results[states:]]
    return results


def turned(w: ModelWriter, rows: str) -> str:
    """An array in reverse order along its first axis."""
    return w.add("Slice", rows, *[w.integers(n) for n in (-1, -END, 0, -1)])


def own_names(w: ModelWriter, names: Sequence[str], body: FrozenGraph) -> Names:
    """Outputs of an inner graph, each the result of a node of its own."""
    return [
        w.add("Identity", n, name=f"{x.name}/next")
        for n, x in zip(names, body.outputs, strict=True)
    ]


def while_loop(w: ModelWriter, e: Expr, operands: Sequence[str]) -> Names:
    """A loop that a condition ends."""
    attrs, body, cond = e.attrs, e.attrs["body"], e.attrs["cond"]
    states, rows = attrs["carries"], attrs["lists"]
    if rows or attrs["reverse"]:
        raise Unsupported("a loop over lists that a condition ends")
    outside = list(operands[states:])
    (first,) = write_here(w, cond, operands)
    with w.inner_graph() as block:
        step, before = w.unique("step"), w.unique("goes_on")
        names = [w.unique(x.name) for x in body.inputs[:states]]
        inputs = [type_of_value(step, np.int64, ()), type_of_value(before, np.bool_, ())]
        inputs += [typed(n, x) for n, x in zip(names, body.inputs[:states], strict=True)]
        found = dict(zip(body.inputs, (*names, *outside), strict=True))
        results = own_names(w, write_graph(w, body, found, body.outputs), body)
        (goes_on,) = write_here(w, cond, (*results[:states], *outside))
        goes_on = w.add("Identity", goes_on, name="goes_on")
        outputs = [type_of_value(goes_on, np.bool_, ())]
        outputs += [typed(n, x) for n, x in zip(results, body.outputs, strict=True)]
        graph = w.graph(block, "body", inputs, outputs)
    return w.add_several(
        "Loop", ["", first, *operands[:states]], [f"{e.name}/{x.name}" for x in body.outputs],
        {"body": graph},
    )  # fmt: skip
