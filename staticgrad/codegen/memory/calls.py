"""The functions that a run calls, with the sizes in each, for unknown sizes by name."""

from collections.abc import Iterator, Mapping, Sequence

from gradops import ArrayType, Dim

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph, named_graphs
from ...ir.nominal import size_of
from ...ir.sizes import bindings
from ...ir.tuple_types import HistoryType
from ..fusion import rows_of_block
from .lifetimes import is_fused

Sizes = Mapping[str, int]
Key = tuple[FrozenGraph, tuple[tuple[str, int], ...]]
"""A graph, and the sizes in it."""


def functions_by_sizes(graph: FrozenGraph, sizes: Sizes) -> dict[FrozenGraph, dict[Key, None]]:
    """The functions that a run calls, with the sizes in each."""
    result: dict[FrozenGraph, dict[Key, None]] = {}
    stack: list[Key] = [(graph, tuple(sorted(sizes.items())))]
    while stack:
        key = stack.pop()
        known = result.setdefault(key[0], {})
        if key not in known:
            known[key] = None
            for e in key[0].order:
                stack += called_by(e, dict(key[1]))
    return result


def called_by(e: Expr, sizes: Sizes) -> Iterator[Key]:
    """The functions that an expression calls, with the sizes that its operands determine."""
    for name, graph in named_graphs(e):
        types = types_given(e, name)
        inside = sizes_inside(graph, types, sizes) if len(types) == len(graph.inputs) else {}
        yield graph, tuple(sorted(inside.items()))


def types_given(e: Expr, name: str) -> list[ArrayType]:
    """The types of what an expression gives to the graph, or the graphs, of an attribute."""
    types = [x.type for x in e.inputs]
    if is_fused(e):
        rows = rows_of_block(e)
        split = zip(types, e.attrs["split"], strict=True)
        return [ArrayType((rows, *t.shape[1:]), t.dtype) if s else t for t, s in split]
    if name == "branches":
        return types[1:]
    first = e.attrs.get("carries", len(types))
    end = first + e.attrs.get("lists", 0)
    entries = map(entry_type, types[first:end]) if name == "body" else ()
    return [*types[:first], *entries, *types[end:]]


def entry_type(type: ArrayType) -> ArrayType:
    """The type of one entry of a list or array."""
    if isinstance(type, HistoryType):
        return type.element
    return ArrayType(type.shape[1:], type.dtype)


def sizes_inside(graph: FrozenGraph, operands: Sequence[ArrayType], sizes: Sizes) -> dict[str, int]:
    """The sizes by name in a graph, for operands of these types."""
    result: dict[str, int] = {}
    for b in bindings(graph.inputs):
        n = operands[b.number].shape[b.axis]
        if b.name is not None:
            result[b.name] = ((size_of(n, sizes) if isinstance(n, Dim) else n) - b.plus) // b.times
    return result
