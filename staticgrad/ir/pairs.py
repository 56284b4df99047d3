"""Pairs: two expressions of the same operands that one kernel computes, as gelu and its slope.

Note [Pairs]. A gradient often needs what its forward op had on the way: the exponentials of a cross
entropy, the places of maxima in a pooling. An op that declares `pairs` has kernels that compute it
and another op at once, with the bits of each. In a graph that is `paired` generated code computes
the second with the first, and what they share once.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .expr import Expr

if TYPE_CHECKING:
    from .graph import FrozenGraph


def pairs_in(graph: "FrozenGraph") -> Mapping[Expr, Expr]:
    """The second expression of each pair, by the first. See Note [Pairs]."""
    if "pairs" not in graph.derived:
        graph.derived["pairs"] = find_pairs(graph)
    result: Mapping[Expr, Expr] = graph.derived["pairs"]
    return result


def find_pairs(graph: "FrozenGraph") -> dict[Expr, Expr]:
    """The pairs among a graph's expressions; each expression is in one at most."""
    firsts = [e for e in graph.order if e.op is not None and e.op.pairs]
    names = {name for e in firsts if e.op is not None for name in e.op.pairs}
    seconds: dict[tuple[object, ...], list[Expr]] = {}
    for e in graph.order:
        if e.op is not None and e.op.name in names:
            seconds.setdefault((e.op.name, *(x.number for x in e.inputs)), []).append(e)
    result: dict[Expr, Expr] = {}
    taken: set[Expr] = set()
    for e in firsts:
        assert e.op is not None
        for name in e.op.pairs:
            for other in seconds.get((name, *(x.number for x in e.inputs)), ()):
                if other not in taken and e not in result and has_attributes(e, other):
                    result[e] = other
                    taken.add(other)
    return result


def has_attributes(e: Expr, other: Expr) -> bool:
    """True if `e` has the attributes of the other expression, with equal values."""
    return all(e.attrs.get(name, other) == value for name, value in other.attrs.items())
