"""The interpreter: a graph run node by node. It is the reference that generated code must equal."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import Dim
from gradops.op import compute

from ..ir.expr import Expr, Kind
from ..ir.given import require_all
from ..ir.graph import FrozenGraph
from ..ir.replay import note_sizes
from .feeds import admitted, bind_sizes


def interpret(
    graph: FrozenGraph,
    feeds: Sequence[Any],
    watch: Callable[[Expr, Any], None] | None = None,
) -> tuple[Any, ...]:
    """The results of a graph for `feeds`, one per input, computed one expression after another.

    `watch(expression, value)` is called with each value as it is computed.

    >>> graph = sg.trace(lambda x: x * x, [3.0])
    >>> sg.interpret(graph, [4.0])
    (np.float64(16.0),)
    """
    require_all(graph.inputs, len(feeds))
    arrays = [admitted(e, value) for e, value in zip(graph.inputs, feeds, strict=True)]
    values = {e: a[()] for e, a in zip(graph.inputs, arrays, strict=True)}
    sizes = bind_sizes(graph.inputs, arrays)
    with np.errstate(all="ignore"):
        for e in graph.order:
            if e not in values:
                values[e] = evaluate(graph, e, values, sizes)
            note_sizes(e, values[e], sizes)
            if watch is not None:
                watch(e, values[e])
    return tuple(np.array(values[e])[()] for e in graph.results)


def evaluate(graph: FrozenGraph, e: Expr, values: dict[Expr, Any], sizes: dict[str, int]) -> Any:
    """The value of one expression."""
    if e.op is None:
        return e.dtype.type(e.value.evaluate(sizes)) if e.kind is Kind.SIZE else e.value[()]
    attrs = {k: concrete(v, sizes) for k, v in e.attrs.items()}
    try:
        return compute(e.op, [values[x] for x in e.inputs], attrs)
    except Exception as error:
        error.add_note(graph.blame(e))
        raise


def concrete(value: Any, sizes: dict[str, int]) -> Any:
    """An attribute with unknown dimensions replaced by their sizes."""
    if isinstance(value, Dim):
        return value.evaluate(sizes)
    return tuple(concrete(v, sizes) for v in value) if isinstance(value, tuple) else value
