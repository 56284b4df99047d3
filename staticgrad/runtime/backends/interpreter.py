"""The interpreter: a graph run node by node. It is the reference that generated code must equal."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradops import Dim
from gradops.core.traits import Trait

from ...ir.errors import require_all
from ...ir.expr import Expr, Kind, sequence
from ...ir.graph import FrozenGraph, require_frozen
from ...ir.replay import compute_with
from ...ir.sizes import note_sizes, sizes_of_operands
from ..feeds import as_feed, sizes_of_feeds

Sizes = Mapping[str, int]
Watch = Callable[[Expr, Any], Any] | None


def interpret(graph: FrozenGraph, feeds: Sequence[Any], watch: Watch = None) -> tuple[Any, ...]:
    """The results of a graph for `feeds`, one per input, computed one expression after another.

    `watch(expression, value)` is called with each value as it is computed, also inside loops and
    branches.

    >>> graph = sg.trace(lambda x: x * x, [3.0])
    >>> sg.interpret(graph, [4.0])
    (np.float64(16.0),)
    """
    feeds = sequence(feeds)
    require_all(require_frozen("interpret", graph).inputs, len(feeds))
    arrays = [as_feed(e, value) for e, value in zip(graph.inputs, feeds, strict=True)]
    sizes = sizes_of_feeds(graph.inputs, arrays)
    with np.errstate(all="ignore"):
        values = evaluate_all(graph, [a[()] for a in arrays], sizes, watch)
    return tuple(np.array(values[e])[()] for e in graph.results)


def evaluate_all(
    graph: FrozenGraph, inputs: Sequence[Any], sizes: dict[str, Any], watch: Watch
) -> dict[Expr, Any]:
    """The value of every expression of a graph, given those of its inputs and their sizes."""
    values: dict[Expr, Any] = dict(zip(graph.inputs, inputs, strict=True))
    for e in graph.order:
        if e not in values:
            values[e] = evaluate(graph, e, values, sizes, watch)
        note_sizes(e, values[e], sizes)
        if watch is not None:
            instead = watch(e, values[e])
            values[e] = values[e] if instead is None else instead
    return values


def evaluate(
    graph: FrozenGraph, e: Expr, values: Mapping[Expr, Any], sizes: Sizes, watch: Watch = None
) -> Any:
    """The value of one expression."""
    if e.op is None:
        return e.dtype.type(e.value.evaluate(sizes)) if e.kind is Kind.SIZE else e.value[()]
    attrs = {k: concrete(v, sizes, watch) for k, v in e.attrs.items()}
    operands = [values[x] for x in e.inputs]
    try:
        return compute_with(e, operands, attrs)
    except Exception as error:
        if Trait.CONTROL not in e.op.traits:  # there, what is inside has been blamed
            error.add_note(graph.blame(e))
        raise


def concrete(value: Any, sizes: Sizes, watch: Watch = None) -> Any:
    """An attribute as the kernel takes it: sizes for unknown dimensions, functions for graphs."""
    if isinstance(value, Dim):
        return value.evaluate(sizes)
    if isinstance(value, FrozenGraph):
        return partial(inner, value, watch)
    return tuple(concrete(v, sizes, watch) for v in value) if type(value) is tuple else value


def inner(graph: FrozenGraph, watch: Watch, *operands: Any) -> tuple[Any, ...]:
    """The outputs of a graph inside another."""
    values = evaluate_all(graph, operands, sizes_of_operands(graph.inputs, operands), watch)
    return tuple([values[e] for e in graph.outputs])


def in_form(results: Sequence[Any], form: str) -> Any:
    """Results as generated code of a form returns them: one, in a list or in a tuple."""
    if form == "{}":
        return results[0]
    return list(results) if form == "[{}]" else tuple(results)
