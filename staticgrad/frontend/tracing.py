"""Tracing: a function of arrays, run once on placeholders, becomes a graph."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gradops import ArrayType, leaves_of, type_of

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from .freeze import freeze
from .graph import Graph
from .leaves import constant, placeholder


def trace(fn: Callable[..., Any], specs: Sequence[Any]) -> FrozenGraph:
    """The graph of what `fn` computes for arguments of the types `specs`.

    A spec is an array, whose type counts, or an `ArrayType`, whose sizes may be names. `fn` is
    called once, with placeholders named after its parameters; Python's control flow is followed
    there and then. Raises ValueUnknownError where it asks a placeholder for its value.

    >>> graph = sg.trace(lambda x: sg.tanh(x) * 2, [sg.ArrayType(("batch", 3), "float32")])
    >>> graph.outputs[0].type
    float32[batch, 3]
    """
    with Graph("trace").as_default():
        types = [spec if isinstance(spec, ArrayType) else type_of(spec) for spec in specs]
        feeds = [
            placeholder(t.dtype, t.shape, name)
            for t, name in zip(types, parameters(fn, len(types)), strict=True)
        ]
        found = [e if isinstance(e, Expr) else constant(e) for e in leaves_of(fn(*feeds))]
        return freeze(found, feeds)


def parameters(fn: Callable[..., Any], count: int) -> list[str]:
    """The names of the first `count` parameters of `fn`, invented where it has none."""
    try:
        found = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        found = []
    names = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (names + [f"x{i}" for i in range(len(names), count)])[:count]
