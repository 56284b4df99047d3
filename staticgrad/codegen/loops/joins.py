"""Joins in rows: what a row is concatenated of is computed where it belongs in the row.

Note [Joins in rows]. The gradient of the gates of a cell is a concatenation of products, one for
each gate. To concatenate small arrays costs as much as three operations on them. If a value of each
step is computed into a row, its parts are computed into views of the row instead. The layout of a
part changes, so this is done where that changes no bits: what computes a part and what reads it
round exactly. Any other operand of the concatenation is copied into its part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.layouts.contiguity import is_same_in_any_layout
from ...ir.pairs import pairs_in
from ..memory.lifetimes import takes_out
from .row_lists import Span

Readers = Mapping[Expr, Sequence[Expr | None]]
"""The expressions that read each; None for what is read outside."""


@dataclass(frozen=True)
class Join:
    """A concatenation in a row: the spans of its operands, and those computed in their places."""

    value: Expr
    spans: tuple[Span, ...]
    placed: frozenset[Expr]


def join_in_row(body: FrozenGraph, y: Expr) -> Join | None:
    """The concatenation that an output of a body is, or that it is computed in place of.

    None if no operand of it can be computed in its place.
    """
    if not any(map(is_join, (y, *y.inputs))):
        return None
    readers = readers_in(body)
    e = y if is_join(y) else joined_operand(y, readers)
    if e is None:
        return None
    pairs = pairs_in(body) if body.paired else {}
    paired = {*pairs, *pairs.values()}
    placed = frozenset(x for x in e.inputs if x not in paired and is_placed(x, e, y, readers))
    return Join(e, tuple(spans_of(e)), placed) if placed else None


def is_join(e: Expr) -> bool:
    """True for a concatenation of operands of known sizes."""
    if e.op is None or e.op.name != "concatenate":
        return False
    axis = e.attrs["axis"] % len(e.shape)
    return all(isinstance(x.shape[axis], int) for x in e.inputs)


def joined_operand(y: Expr, readers: Readers) -> Expr | None:
    """The concatenation that `y` alone reads, and that it may be computed in place of."""
    if not is_same_in_any_layout(y):
        return None
    joins = (x for x in y.inputs if is_join(x) and x.type == y.type)
    return next((x for x in joins if len(readers[x]) == 1), None)


def is_placed(x: Expr, e: Expr, y: Expr, readers: Readers) -> bool:
    """True if an operand of a concatenation can be computed into its part of a row.

    What is computed in place of the concatenation overwrites it, so then nothing else may read it.
    """
    if not is_same_in_any_layout(x) or not takes_out(x) or x.dtype != e.dtype:
        return False
    if sum([z is x for z in e.inputs]) > 1:
        return False
    users = [z for z in readers[x] if z is not None]
    if len(users) < len(readers[x]) or next((z for z in users if is_join(z)), None) is not e:
        return False
    return all(z is e or (e is y and (is_same_in_any_layout(z) or is_join(z))) for z in users)


def spans_of(e: Expr) -> Iterator[Span]:
    """The spans of the operands of a concatenation in an array of its rows."""
    axis, start = e.attrs["axis"] % len(e.shape), 0
    for x in e.inputs:
        stop = start + x.shape[axis]
        yield axis + 1, start, stop
        start = stop


def readers_in(body: FrozenGraph) -> Readers:
    """The readers of each expression of a body."""
    result: dict[Expr, list[Expr | None]] = {e: [] for e in body.order}
    for e in body.order:
        for x in e.inputs:
            result[x].append(e)
    for y in (*body.results, *body.measured):
        result[y].append(None)
    return result
