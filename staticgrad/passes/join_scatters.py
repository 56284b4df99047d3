"""Gradients of slices: a sum of arrays that are zero but for a slice is one concatenation.

The gradient of each `x[i]` is a scatter into zeros of the shape of x, and the gradient of x is
their sum: for n slices, n arrays of its size are made and added. Where the slices do not overlap,
their cotangents are joined instead, with zeros in the gaps.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from typing import ClassVar

import numpy as np

from gradops import OPS
from gradops.kernels.index.indexing import FULL

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from .interface import Pass
from .rewrite import constant_like

Make = Callable[..., Expr]


@dataclass(frozen=True)
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
                moved = [replaced(p, value=new[p.value]) for p in pieces]
                new[e] = joined_sum(e, moved, [new[x] for x in others], intern)
            else:
                new[e] = intern.copy(e, inputs)
            return new[e]

        return graph.remade(make)


@dataclass(frozen=True)
class Piece:
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
        p = piece_of(x)
        if p is None or (pieces and p.axis != pieces[0].axis):
            others.append(x)
            continue
        at = bisect_left(pieces, p.stop, key=lambda q: q.start)  # those before start before its end
        if at and pieces[at - 1].stop > p.start:
            others.append(x)
        else:
            pieces.insert(at, p)
    return pieces, others


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

    def apply(name: str, *inputs: Expr, **attrs: object) -> Expr:
        op = OPS[name]
        attrs = op.bind_attrs(attrs)
        type = op.infer(*[x.type for x in inputs], **attrs)
        made = e._replace(kind=Kind.OP, op=op, attrs=attrs, inputs=inputs, type=type)
        return intern.copy(made, inputs)

    axis, size = pieces[0].axis, e.shape[pieces[0].axis]
    if len(pieces) == size and all(p.is_entry for p in pieces):
        result = apply("stack", *[p.value for p in pieces], axis=axis)
    else:
        parts = list(blocks(e, pieces, apply, intern))
        result = apply("concatenate", *parts, axis=axis)
    for x in others:
        result = apply("add", result, x)
    return result


def blocks(e: Expr, pieces: Sequence[Piece], apply: Make, intern: Interning) -> Iterator[Expr]:
    """The pieces, and zeros for the gaps between them, in order along the axis."""
    axis, size = pieces[0].axis, e.shape[pieces[0].axis]
    at = 0
    for start, p in [*((p.start, p) for p in pieces), (size, None)]:
        if at < start:
            shape = (*e.shape[:axis], start - at, *e.shape[axis + 1 :])
            yield apply(
                "broadcast_to", constant_like(np.zeros((), e.dtype), e, intern), shape=shape
            )
        if p is not None:
            shape = (*e.shape[:axis], p.stop - p.start, *e.shape[axis + 1 :])
            yield apply("reshape", p.value, shape=shape) if p.is_entry else p.value
            at = p.stop
