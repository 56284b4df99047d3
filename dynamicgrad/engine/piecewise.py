"""Piecewise linear functions, such as `relu`: their second derivatives are zeros.

The rules of such a function multiply by a mask, through which no gradient passes. A recorded
gradient still depends on the operands, with derivative zero, as in PyTorch: a second derivative
gives zeros and is not an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import Op
from gradops.core.traits import Trait
from gradops.transforms.reverse import Inspect, ancestors
from gradops.typing import Attrs

from .grad_mode import FINISHING, Callbacks
from .handle import Handle, hold
from .node import NOTHING, Active, Node, TapeOp, Vertex
from .record import node_of, present

KINKED = Trait.KINKED


class Kinked:
    """The last op of a piecewise linear function of the outputs of `sources`."""

    def __init__(self, op: Op, name: str, sources: tuple[Vertex, ...]) -> None:
        self.op, self.name, self.sources = op, name, sources
        self.pull, self.traits = op.pull, op.traits | {KINKED}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def __str__(self) -> str:
        return self.name


def mark_kinked(y: Any, x: Any, name: str = "", *others: Any) -> Any:
    """The result `y` of the piecewise linear function `name` of `x` and others."""
    sources = [a.node for a in (x, *others) if isinstance(a, Handle) and a.node is not None]
    if sources and type(getattr(y, "node", None)) is Node:
        y.node.op = Kinked(y.node.op, name or y.node.op.name, tuple(sources))
    return y


class Reached:
    """A callback at the end of backward: `source` was reached with derivative zero."""

    def __init__(self, source: Vertex) -> None:
        self.source = source

    def __call__(self) -> None:
        """Do nothing."""


def add_zeros(found: dict[Vertex, Any], finishing: Callbacks, active: Active) -> dict[Vertex, Any]:
    """Cotangents, and zeros for vertices that were reached with derivative zero only.

    Zeros are not added to cotangents, which could change their memory layout.
    """
    sources = [c.source for c in finishing if isinstance(c, Reached)]
    for v in ancestors(sources) if sources else ():
        if v not in found and (v.op is None if active is None else v in active):
            found[v] = np.zeros(v.shape, v.dtype)
    return found


def pull_constant(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The cotangent of the gradient; those of the sources are zeros, which stop here."""
    if (finishing := FINISHING.get()) is not None:
        finishing += [Reached(values[i + 1]) for i in wanted if i]
    return [None if i else g for i in wanted]


CONSTANT = TapeOp("constant", pull_constant)
"""The op of a recorded gradient that depends on its sources with derivative zero."""


def inspect_with_kinks(look: Inspect | None) -> Inspect:
    """An `inspect` for recorded gradients: calls `look`, and makes gradients depend on sources."""

    def see(vertex: Node, wanted: Sequence[int], cts: Sequence[Any]) -> Sequence[Any]:
        if look is not None:
            look(vertex, wanted, cts)
        if KINKED not in vertex.op.traits:
            return cts
        sources = getattr(vertex.op, "sources", vertex.inputs)
        return [with_slopes(ct, sources, vertex) if isinstance(ct, Handle) else ct for ct in cts]

    return see


def with_slopes(g: Handle, sources: tuple[Vertex | None, ...], vertex: Node) -> Handle:
    """The gradient `g`, which depends on the outputs of `sources` with derivative zero."""
    inputs = (g.node, *sources)
    node = node_of(CONSTANT, inputs, inputs, NOTHING, None, present(inputs), g.shape, g.dtype)
    node.code, node.offset = vertex.place
    return hold(type(g), g.value, node)
