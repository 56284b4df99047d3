"""Replaying: the ops of a graph applied to operands of any kind."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradops import ArrayType, Dim, type_of
from gradops.core.dims import UNKNOWN, Size
from gradops.core.op import compute
from gradops.core.tracer_protocol import held
from gradops.core.traits import Trait
from gradops.core.types import shape_of

from .expr import Expr, leaf, sequence
from .feeds import operand_for, require_all, sizes_given
from .graph import FrozenGraph, require_frozen
from .names import Names
from .tuple_types import TupleType, relaxed, sizes_shown

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
    operands = sequence(operands)
    require_all(require_frozen("replay", graph).inputs, len(operands))
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
    if e.op is None:
        return placed(names, e, substituted(e.value, sizes))
    attrs = {k: substituted(v, sizes) for k, v in e.attrs.items()}
    if any(hasattr(x, "gradop_level") for x in inputs):
        return e.op(*inputs, **attrs)
    return compute_with(e, inputs, attrs)


def compute_with(e: Expr, operands: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """The value of an expression for arrays; control flow takes lists of them, too."""
    assert e.op is not None
    if Trait.CONTROL in e.op.traits:
        return e.op.kernel(*operands, **attrs)
    return compute(e.op, operands, attrs)


def inside(graph: FrozenGraph, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs of a graph that stands inside another, whose operands are what it takes."""
    values: dict[Expr, Any] = dict(zip(graph.inputs, operands, strict=True))
    names = next((names for a in operands if (names := names_of(a))), None)
    carry(graph, values, sizes_of(graph.inputs, operands), partial(applied, names))
    return tuple([values[e] for e in graph.outputs])


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


def substituted(value: Any, sizes: Mapping[str, Size]) -> Any:
    """An attribute's value with sizes in the place of their names."""
    if isinstance(value, Dim):
        return value.substitute(sizes)
    if isinstance(value, ArrayType):
        return bound(value, sizes, UNKNOWN)
    return tuple([substituted(v, sizes) for v in value]) if type(value) is tuple else value


def sizes_of(inputs: Sequence[Expr], operands: Sequence[Any]) -> dict[str, Size]:
    """What the names in the types of inputs stand for in the shapes of operands."""
    found: dict[str, Size] = {}
    for e, x in zip(inputs, operands, strict=True):
        note_sizes(e, x, found)
    return found


def note_sizes(e: Expr, value: Any, sizes: dict[str, Size]) -> None:
    """Take down the sizes that a value tells, if it is the first to tell them."""
    shown = sizes_shown(e.type)
    if not any(isinstance(n, Dim) for n in shown):
        return
    shape: Sequence[Size] = (len(value),) if type(value) is list else shape_of(value)
    for want, n in zip(shown, shape, strict=False):
        if isinstance(want, Dim) and want.linear is not None:
            name, times, plus = want.linear
            if name not in sizes:
                sizes[name] = (n - plus) // times


def bound(type: ArrayType, sizes: Mapping[str, Size], unknown: Size | None = None) -> ArrayType:
    """`type` with sizes in the place of names; `unknown` for those that nothing tells."""
    if isinstance(type, TupleType):
        return TupleType([bound(t, sizes, unknown) for t in type.parts])
    return relaxed(type, tuple(size_in(n, sizes, unknown) for n in type.shape))


def size_in(size: Size, sizes: Mapping[str, Size], unknown: Size | None) -> Size:
    """One size of a type."""
    if not isinstance(size, Dim):
        return size
    if unknown is not None and not size.names() <= sizes.keys():
        return unknown
    return size.substitute(sizes)
