"""A graph for operands of known sizes, made from one for operands of any."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradops import ArrayType, Dim, ShapeError
from gradops.core.dims import Size

from ..control.ops import element_of
from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, graphs_in
from ..ir.interning import Interning
from ..ir.sizes import names_in, substitute_sizes


def is_sized(graph: FrozenGraph) -> bool:
    """True if all sizes of a graph's inputs are known."""
    return not names_in(e.shape for e in graph.inputs)


def sized(graph: FrozenGraph, types: Sequence[ArrayType]) -> FrozenGraph:
    """The graph with inputs of these types, and so the graphs in it; sizes of data stay unknown.

    Raises ShapeError if a loop's state changes its size.
    """
    sizes, intern = sizes_by_name(graph.inputs, types), Interning()
    made = {
        e: intern.copy(e._replace(type=t), ()) for e, t in zip(graph.inputs, types, strict=True)
    }
    for e in graph.order:
        if e not in made:
            made[e] = sized_expression(e, [made[x] for x in e.inputs], sizes, intern)
            intern.note(made[e], graph.merged.get(e, ()))
    return graph.with_others(made, intern)


def sized_expression(
    e: Expr, inputs: Sequence[Expr], sizes: Mapping[str, Size], intern: Interning
) -> Expr:
    """An expression on operands of known sizes."""
    if e.op is None:
        return known_size(e, sizes, intern)
    return intern.copy(applied(e, [x.type for x in inputs], sizes), inputs)


def sizes_by_name(inputs: Sequence[Expr], types: Sequence[ArrayType]) -> dict[str, Size]:
    """The sizes that types determine."""
    result: dict[str, Size] = {}
    for e, t in zip(inputs, types, strict=True):
        for want, n in zip(e.shape, t.shape, strict=True):
            if isinstance(want, Dim) and want.linear is not None:
                name, times, plus = want.linear
                result.setdefault(name, (n - plus) // times)
    return result


def known_size(e: Expr, sizes: Mapping[str, Size], intern: Interning) -> Expr:
    """A leaf; one that is a size becomes a constant."""
    value = substitute_sizes(e.value, sizes) if e.kind is Kind.SIZE else None
    if isinstance(value, int):
        return intern.constant(np.array(value, e.dtype), e)
    return intern.copy(e, ())


def applied(e: Expr, types: Sequence[ArrayType], sizes: Mapping[str, Size]) -> Expr:
    """An application of an op to operands of these types."""
    assert e.op is not None
    attrs = {k: substitute_sizes(v, sizes) for k, v in e.attrs.items()}
    if any(graphs_in(e)):
        attrs |= sized_graphs(e, types)
    return e._replace(type=e.op.infer(*types, **attrs), attrs=attrs)


def sized_graphs(e: Expr, types: Sequence[ArrayType]) -> dict[str, Any]:
    """The attributes of a loop, branch or call that are graphs."""
    assert e.op is not None
    match e.op.name, e.attrs:
        case "call", {"function": function}:
            return {"function": sized(function, types)}
        case "case", {"branches": branches}:
            return {"branches": tuple([sized(b, types[1:]) for b in branches])}
        case "loop", {"body": body, "cond": cond, "carries": carries, "lists": lists}:
            state, shared = types[:carries], types[carries + lists :]
            entries = [element_of(t) for t in types[carries : carries + lists]]
            test = None if cond is None else sized(cond, [*state, *shared])
            return {"body": sized(body, [*state, *entries, *shared]), "cond": test}
    raise ShapeError(e.op.name, types, "its sizes are not known")
