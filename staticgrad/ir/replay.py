"""Replaying: the ops of a graph applied to operands of any kind."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import ArrayType, Dim
from gradops.core.dims import Size
from gradops.core.op import compute
from gradops.core.tracer_protocol import held
from gradops.core.traits import Trait
from gradops.core.types import shape_of
from gradops.typing import Attrs

from .expr import Expr, leaf
from .names import Names
from .sizes import note_sizes, sizes_of_operands, substitute_sizes

if TYPE_CHECKING:
    from .graph import FrozenGraph

Values = dict[Expr, Any]
Make = Callable[[Expr, list[Any], dict[str, Size]], Any]
"""Computes the value of an expression from those of its inputs and the sizes known so far."""


def add_values(graph: "FrozenGraph", values: Values, sizes: dict[str, Size], make: Make) -> None:
    """Add to `values` the result of `make` for each expression without one, inputs first."""
    for e in graph.order:
        if e not in values:
            try:
                values[e] = make(e, [values[x] for x in e.inputs], sizes)
            except Exception as error:
                error.add_note(graph.blame(e))
                raise
        note_sizes(e, values[e], sizes)


def apply_op(names: Names | None, e: Expr, inputs: list[Any], sizes: dict[str, Size]) -> Any:
    """The op of `e` applied to operands, or a leaf."""
    if e.op is None:
        return leaf_value(names, e, substitute_sizes(e.value, sizes))
    attrs = {k: substitute_sizes(v, sizes) for k, v in e.attrs.items()}
    if any(hasattr(x, "gradop_level") for x in inputs):
        return e.op(*inputs, **attrs)
    return compute_with(e, inputs, attrs)


def compute_with(e: Expr, operands: Sequence[Any], attrs: Attrs) -> Any:
    """The value of an expression for arrays; control flow takes lists of them, too."""
    assert e.op is not None
    if Trait.CONTROL in e.op.traits:
        return e.op.kernel(*operands, **attrs)
    return compute(e.op, operands, attrs)


def replay_inner(graph: "FrozenGraph", operands: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs of a graph inside another, whose operands fit its inputs."""
    values: dict[Expr, Any] = dict(zip(graph.inputs, operands, strict=True))
    sizes = sizes_of_operands(graph.inputs, operands)
    add_values(graph, values, sizes, partial(apply_op, names_among(operands)))
    return tuple([values[e] for e in graph.outputs])


def leaf_value(names: Names | None, e: Expr, value: Any) -> Any:
    """An array or a size as the value of `e`; as an expression where expressions are built."""
    if not isinstance(value, np.ndarray | np.generic | Dim | int):
        return value
    if names is None:
        return np.asarray(value, e.dtype)[()]
    return leaf(names, value, ArrayType(shape_of(value), e.dtype))


def names_among(operands: Iterable[object]) -> Names | None:
    """The names of the graph that expressions among or within operands belong to, if any."""
    return next((names for a in operands if (names := names_within(a))), None)


def names_within(a: object) -> Names | None:
    """The names of the graph of the expression within an operand, if there is one."""
    while not isinstance(a, Expr):
        inner = getattr(held(a), "primal", getattr(held(a), "stack", held(a)))
        if inner is a:
            return None
        a = inner
    return a.names
