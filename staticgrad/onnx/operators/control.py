"""Branches and loops: graphs within nodes become bodies of ours."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS, ShapeError
from gradops.core.errors import StructureError

from ...control.branches import cond
from ...control.loops import map_accumulate, while_loop
from ...ir.expr import Expr
from ..errors import NeedsValue, Unsupported
from ..reading.attributes import Body
from ..reading.registry import operator
from ..reading.values import Value, as_expr, filled, known
from .elementwise import cast

MOST_TRIPS = 2**31  # a trip count from here on is no limit


@operator("If")
def if_(condition: Value, *, then_branch: Body, else_branch: Body) -> Any:
    """The outputs of one of two graphs."""
    if isinstance(condition, np.ndarray):
        return tuple((then_branch if condition.reshape(()) else else_branch)())
    pred = OPS["reshape"](condition, shape=())
    return tuple(cond(pred, partial(expressions, then_branch), partial(expressions, else_branch)))


def expressions(body: Body) -> tuple[Expr, ...]:
    """The outputs of a branch."""
    return tuple(map(as_expr, body()))


@operator("Loop")
def loop(trips: Value | None, condition: Value | None, *state: Value, body: Body) -> Any:
    """A body repeated for some trips, as long as a condition holds; its results are stacked."""
    if isinstance(condition, np.ndarray) and not condition.reshape(()):
        trips, condition = np.int64(0).reshape(1), None
    n = number_of_trips(trips, condition, body)
    if n is not None:
        return counted_loop(n, state, body)
    for given in (condition, trips):
        if isinstance(given, Expr) and not has_stated_rows(body, len(state)):
            raise NeedsValue(given)
    return open_loop(trips, condition, state, body)


def number_of_trips(trips: Value | None, condition: Value | None, body: Body) -> Any:
    """How often a body runs; None where only a run can tell."""
    if trips is None or isinstance(condition, Expr) or not keeps_on(body):
        return None
    try:
        n = known(trips).reshape(-1)[0]
    except NeedsValue:
        return None
    return None if isinstance(n, int | np.integer) and n >= MOST_TRIPS else n


def keeps_on(body: Body) -> bool:
    """Whether the body's condition is what it is given, or a constant that holds."""
    graph = body.graph
    name, passed = graph.output[0].name, graph.input[1].name
    makers = {output: node for node in graph.node for output in node.output}
    while name in makers and makers[name].op_type == "Identity":
        name = makers[name].input[0]
    if name in makers and makers[name].op_type == "Constant":
        values = [a.t for a in makers[name].attribute if a.name == "value"]
        return bool(values) and bool(np.all(body.array(values[0])))
    held = [t for t in graph.initializer if t.name == name]
    return name == passed or (bool(held) and bool(np.all(body.array(held[0]))))


def counted_loop(n: Any, state: Sequence[Value], body: Body) -> Any:
    """A loop of a known number of trips, which is a scan."""
    places = as_expr(cast(OPS["positions"](filled([n], np.bool_(False)), axis=0), np.int64))

    def step(values: Any, i: Any) -> tuple[Any, Any]:
        _, *results = body(i, np.array(True), *values)
        results = list(map(as_expr, results))
        return results[: len(state)], results[len(state) :]

    last, stacked = map_accumulate(step, list(map(as_expr, state)), places)
    return (*last, *stacked)


def open_loop(
    trips: Value | None, condition: Value | None, state: Sequence[Value], body: Body
) -> Any:
    """A loop that a condition ends: the results of its trips are appended one by one."""
    limit = None if trips is None else OPS["reshape"](as_expr(trips), shape=())
    start = np.array(True) if condition is None else condition
    rows = [empty_rows(body, k) for k in range(len(state) + 1, body.count)]
    first = [
        as_expr(np.int64(0)),
        OPS["reshape"](as_expr(start), shape=()),
        *map(as_expr, state),
        *rows,
    ]

    def goes_on(i: Any, c: Any, *rest: Any) -> Any:
        return c if limit is None else OPS["logical_and"](c, OPS["less"](i, limit))

    def step(i: Any, c: Any, *values: Any) -> list[Any]:
        held, grown = values[: len(state)], values[len(state) :]
        c, *results = body(i, c, *held)
        new = map(as_expr, results[len(state) :])
        more = [OPS["concatenate"](rows, OPS["expand_dims"](row, axis=0), axis=0)
                for rows, row in zip(grown, new, strict=True)]  # fmt: skip
        kept = map(as_expr, results[: len(state)])
        return [i + 1, OPS["reshape"](as_expr(c), shape=()), *kept, *more]

    _, _, *last = grown_loop(goes_on, step, first, len(state))
    return tuple(last)


def grown_loop(goes_on: Any, step: Any, first: list[Expr], count: int) -> Any:
    """A while loop whose rows grow; states keep their shapes, unless the body changes them."""
    grows = [(None, *x.shape[1:]) for x in first[2 + count :]]
    for shapes in ([x.shape for x in first[2 : 2 + count]],
                   [(None,) * len(x.shape) for x in first[2 : 2 + count]]):  # fmt: skip
        try:
            return while_loop(goes_on, step, first, shape_invariants=[(), (), *shapes, *grows])
        except (ShapeError, StructureError) as error:
            last = error
    raise last


def has_stated_rows(body: Body, states: int) -> bool:
    """Whether the model states the shapes of all results that a body appends."""
    return all(
        shape is not None and None not in shape for _, shape in body.output_types[states + 1 :]
    )


def empty_rows(body: Body, k: int) -> Expr:
    """No rows yet of output `k` of a body, by the type that the model states."""
    dtype, shape = body.output_types[k]
    if dtype is None or shape is None or None in shape:
        raise Unsupported("results of an open loop whose shape the model does not state")
    return as_expr(filled((0, *shape), np.zeros((), dtype)))


@operator("Scan", 9)
def scan(
    *inputs: Value, body: Body, num_scan_inputs: int, scan_input_axes: Sequence[int] = (),
    scan_input_directions: Sequence[int] = (), scan_output_axes: Sequence[int] = (),
    scan_output_directions: Sequence[int] = (),
) -> Any:  # fmt: skip
    """States carried through a body over the slices of inputs; outputs are stacked."""
    count = len(inputs) - num_scan_inputs
    rows = [in_front(x, axis_of(scan_input_axes, i), axis_of(scan_input_directions, i))
            for i, x in enumerate(inputs[count:])]  # fmt: skip

    def step(state: Any, row: Any) -> tuple[Any, Any]:
        results = list(map(as_expr, body(*state, *row)))
        return results[:count], results[count:]

    last, stacked = map_accumulate(step, list(map(as_expr, inputs[:count])), rows)
    outputs = []
    for i, y in enumerate(stacked):
        y = ops.flip(y, 0) if axis_of(scan_output_directions, i) else y
        outputs.append(ops.moveaxis(y, 0, axis_of(scan_output_axes, i)))
    return (*last, *outputs)


def axis_of(given: Sequence[int], i: int) -> int:
    """The number for input or output `i`, 0 if none are given."""
    return given[i] if given else 0


def in_front(x: Value, axis: int, is_reverse: int) -> Expr:
    """The array with an axis first, in reverse order where asked."""
    x = ops.moveaxis(as_expr(x), axis, 0)
    return as_expr(ops.flip(x, 0) if is_reverse else x)


@operator("Scan", 8)
def scan_of_batches(
    lengths: Value | None, *inputs: Value, body: Body, num_scan_inputs: int,
    directions: Sequence[int] = (),
) -> Any:  # fmt: skip
    """Scan as it was first: each example by itself, along the second axis."""
    if lengths is not None:
        raise Unsupported("sequence lengths of Scan")
    results = [
        scan(*[x[i] for x in inputs], body=body, num_scan_inputs=num_scan_inputs,
             scan_input_directions=directions)
        for i in range(int(inputs[0].shape[0]))
    ]  # fmt: skip
    return tuple(OPS["stack"](*parts, axis=0) for parts in zip(*results, strict=True))
