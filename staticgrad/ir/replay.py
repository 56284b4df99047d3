"""Replaying: the ops of a graph applied to operands of any kind."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradops import ArrayType, Dim, type_of
from gradops.holding import held
from gradops.types import Size, shape_of

from .expr import Expr, Names, leaf
from .given import operand_for, require_all, sizes_given
from .graph import FrozenGraph

Make = Callable[[Expr, list[Any], dict[str, Size]], Any]
"""What stands for an expression: of it, what stands for its inputs, and the sizes known so far."""


def replay(graph: FrozenGraph, operands: Sequence[Any]) -> tuple[Any, ...]:
    """What the ops of a graph give for `operands`, one per input.

    Arrays are computed with, tensors recorded, expressions built on, `Dual`s differentiated. Sizes
    in attributes are those of the operands. Raises FeedError for an operand that is not of its
    input's type, and for operands that do not agree on sizes.

    >>> graph = sg.trace(lambda x: sg.tanh(x) * 2, [sg.ArrayType(("n",), "float64")])
    >>> sg.replay(graph, [sg.placeholder("float64", ["rows"])])
    (<mul mul: float64[rows]>,)
    >>> y, t = gradops.jvp(lambda x: sg.replay(graph, [x])[0], [np.zeros(2)], [np.ones(2)])
    >>> t
    array([2., 2.])
    """
    require_all(graph.inputs, len(operands))
    found = {e: operand_for(e, a) for e, a in zip(graph.inputs, operands, strict=True)}
    sizes = sizes_given(graph.inputs, [type_of(a).shape for a in found.values()])
    names = next((names for a in operands if (names := names_of(a))), None)
    values = {e: placed(names, e, a) for e, a in found.items()}
    carry(graph, values, sizes, partial(applied, names))
    return tuple(values[e] for e in graph.results)


def carry(graph: FrozenGraph, values: dict[Expr, Any], sizes: dict[str, Size], make: Make) -> None:
    """Add to `values` what `make` gives for each expression that is not there, inputs first."""
    for e in graph.order:
        if e not in values:
            try:
                values[e] = make(e, [values[x] for x in e.inputs], sizes)
            except Exception as error:
                error.add_note(graph.blame(e))
                raise
        note_sizes(e, values[e], sizes)


def applied(names: Names | None, e: Expr, inputs: list[Any], sizes: dict[str, Size]) -> Any:
    """The op of `e` applied to operands, or a leaf."""
    if e.op is not None:
        return e.op(*inputs, **{k: substituted(v, sizes) for k, v in e.attrs.items()})
    return placed(names, e, substituted(e.value, sizes))


def placed(names: Names | None, e: Expr, value: Any) -> Any:
    """An array or a size in the place of `e`, as an expression where expressions are built."""
    if not isinstance(value, np.ndarray | np.generic | Dim | int):
        return value
    if names is None:
        return np.asarray(value, e.dtype)[()]
    return leaf(names, value, ArrayType(shape_of(value), e.dtype))


def names_of(a: Any) -> Names | None:
    """The names of the graph that is built on, if there is an expression within an operand."""
    while not isinstance(a, Expr):
        inner = getattr(held(a), "primal", getattr(held(a), "stack", held(a)))
        if inner is a:
            return None
        a = inner
    return a.names


def substituted(value: Any, sizes: dict[str, Size]) -> Any:
    """An attribute with sizes in the place of their names."""
    if isinstance(value, Dim):
        return value.substitute(sizes)
    return tuple(substituted(v, sizes) for v in value) if isinstance(value, tuple) else value


def note_sizes(e: Expr, value: Any, sizes: dict[str, Any]) -> None:
    """Take down sizes that only the data tell."""
    for want, n in zip(e.shape, shape_of(value), strict=True):
        if isinstance(want, Dim):
            for name in want.names():
                if want == Dim(name):
                    sizes.setdefault(name, n)
