"""Gradients of slices: a sum of arrays that are zero but for a slice is one concatenation.

The gradient of each `x[i]` is a scatter into zeros of the shape of x, and the gradient of x is
their sum: for n slices, n arrays of its size are made and added. Where the slices do not overlap,
their cotangents are joined instead, with zeros in the gaps. So are arrays that are concatenated
with zeros and added.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np

from gradops.core.dims import Shape
from gradops.core.traits import Trait
from gradops.kernels.index.indexing import FULL

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass


class JoinScatters(Pass):
    """Join the terms of a sum that are zero but for different slices along one axis.

    Terms are added in another order, and of a zero the sign may differ.
    """

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        sums = sums_of_scatters(graph)
        if not sums:
            return graph
        new: dict[Expr, Expr] = {}

        def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
            if e in sums:
                pieces, others = sums[e]
                moved = [p._replace(value=new[p.value]) for p in pieces]
                new[e] = joined_sum(e, moved, [new[x] for x in others], intern)
            else:
                new[e] = intern.copy(e, inputs)
            return new[e]

        return graph.remade(make)


class Piece(NamedTuple):
    """A term that is zero but for `start` to `stop` along an axis; for one entry, without it."""

    value: Expr
    axis: int
    start: int
    stop: int
    is_entry: bool


Terms = tuple[list[Piece], list[Expr]]
"""The terms of a sum that are joined, and the others."""


def sums_of_scatters(graph: FrozenGraph) -> dict[Expr, Terms]:
    """The sums that have terms to join, each with its terms."""
    readers = Counter(x for e in graph.order for x in e.inputs)
    readers.update(graph.results)
    inside: set[Expr] = set()  # sums that are terms of another
    result: dict[Expr, Terms] = {}
    for e in reversed(graph.order):
        if is_sum(e) and e not in inside:
            terms = terms_of(e, readers, inside)
            pieces, others = disjoint(terms)
            if len(pieces) > 1:
                result[e] = pieces, others
    return result


def is_sum(e: Expr) -> bool:
    """True for a sum of two operands of its own type."""
    return e.op is not None and e.op.name == "add" and all(x.type == e.type for x in e.inputs)


def terms_of(end: Expr, readers: Mapping[Expr, int], inside: set[Expr]) -> list[Expr]:
    """The terms of a sum of sums; those that nothing else reads are noted as `inside`."""
    stack, terms = [*reversed(end.inputs)], list[Expr]()
    while stack:
        x = stack.pop()
        if is_sum(x) and readers[x] == 1:
            inside.add(x)
            stack += reversed(x.inputs)
        else:
            terms.append(x)
    return terms


def disjoint(terms: Sequence[Expr]) -> Terms:
    """The terms that are pieces along one axis and do not overlap, in order, and the others."""
    pieces: list[Piece] = []
    others: list[Expr] = []
    for x in terms:
        some = pieces_of(x)
        if some and all(fits(p, pieces) for p in some):
            for p in some:
                pieces.insert(place_of(p, pieces), p)
        else:
            others.append(x)
    return pieces, others


def place_of(p: Piece, pieces: Sequence[Piece]) -> int:
    """The number of pieces that start before the end of another."""
    return bisect_left(pieces, p.stop, key=lambda q: q.start)


def fits(p: Piece, pieces: Sequence[Piece]) -> bool:
    """True if a piece is along the same axis as others, and overlaps none of them."""
    if not pieces:
        return True
    at = place_of(p, pieces)
    return p.axis == pieces[0].axis and not (at and pieces[at - 1].stop > p.start)


def pieces_of(e: Expr) -> list[Piece]:
    """The pieces of a term beside which it is zero: of a scatter, or of joined arrays."""
    if e.op is not None and e.op.name == "concatenate":
        return joined_pieces(e)
    piece = piece_of(e)
    return [] if piece is None else [piece]


def joined_pieces(e: Expr) -> list[Piece]:
    """The parts of a concatenation that are not zero; none if all may be other than zero."""
    axis = e.attrs["axis"] % e.type.ndim
    sizes = [x.shape[axis] for x in e.inputs]
    if not any(map(is_zero, e.inputs)) or not all(isinstance(n, int) for n in sizes):
        return []
    stops = accumulate(sizes)
    parts = zip(e.inputs, stops, sizes, strict=True)
    return [Piece(x, axis, stop - n, stop, False) for x, stop, n in parts if n and not is_zero(x)]


def is_zero(x: Expr) -> bool:
    """True for an array of zeros."""
    if x.op is not None and x.op.name == "full_like":
        return bool(x.attrs["value"] == 0)
    source = x.inputs[0] if x.op is not None and Trait.BROADCASTING in x.op.traits else x
    return source.kind is Kind.CONSTANT and not source.value.any()


def piece_of(e: Expr) -> Piece | None:
    """A scatter of one slice or entry along one axis of known size, else None."""
    if e.op is None or e.op.name != "scatter" or len(e.inputs) > 1:
        return None
    index = e.attrs["index"]
    if None in index or "..." in index:
        return None
    axes = [k for k, entry in enumerate(index) if entry != FULL]
    if len(axes) != 1 or not isinstance(size := e.shape[axes[0]], int):
        return None
    (axis,) = axes
    if isinstance(index[axis], int):
        start = index[axis] % size
        return Piece(e.inputs[0], axis, start, start + 1, True)
    _, *bounds = index[axis]
    if not all(b is None or isinstance(b, int) for b in bounds):
        return None
    start, stop, step = slice(*bounds).indices(size)
    if step != 1 or start >= stop:
        return None
    return Piece(e.inputs[0], axis, start, stop, False)


def joined_sum(e: Expr, pieces: Sequence[Piece], others: Sequence[Expr], intern: Interning) -> Expr:
    """The sum `e` with its pieces joined."""
    axis, size = pieces[0].axis, e.shape[pieces[0].axis]
    if len(pieces) == size and all(p.is_entry for p in pieces):
        result = intern.apply("stack", *[p.value for p in pieces], axis=axis, like=e)
    else:
        parts = list(blocks(e, pieces, intern))
        result = intern.apply("concatenate", *parts, axis=axis, like=e)
    for x in others:
        result = intern.apply("add", result, x, like=e)
    return result


def blocks(e: Expr, pieces: Sequence[Piece], intern: Interning) -> Iterator[Expr]:
    """The pieces, and zeros for the gaps between them, in order along the axis."""
    axis, size = pieces[0].axis, e.shape[pieces[0].axis]
    at = 0
    for start, p in [*((p.start, p) for p in pieces), (size, None)]:
        if at < start:
            zero = intern.constant(np.zeros((), e.dtype), like=e)
            yield intern.apply("broadcast_to", zero, shape=with_size(e, axis, start - at), like=e)
        if p is not None:
            shape = with_size(e, axis, p.stop - p.start)
            yield intern.reshape(p.value, shape, like=e) if p.is_entry else p.value
            at = p.stop


def with_size(e: Expr, axis: int, size: int) -> Shape:
    """The shape of an expression with another size along an axis."""
    return (*e.shape[:axis], size, *e.shape[axis + 1 :])
