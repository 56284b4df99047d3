"""Functions that are linear piece by piece, such as `relu`: second derivatives are zeros.

The rules of such a function compute with a mask, through which no gradient passes. When their
result is recorded, it counts as a function, of slope zero, of what the function was applied to, as
in PyTorch: to ask for the second derivative gives zeros, and is no error.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops.core.traits import Trait
from gradops.transforms.reverse import Inspect, ancestors

from .grad_mode import FINISHING
from .handle import Handle, hold
from .node import NOTHING, Node
from .record import node_of, present

KINKED = Trait.KINKED  # the trait of ops whose recorded gradients have the slope zero


class Kinked:
    """An op that ended a function which is linear piece by piece, of what `sources` made."""

    def __init__(self, op: Any, name: str, sources: tuple[Any, ...]) -> None:
        self.op, self.name, self.sources = op, name, sources
        self.pull, self.traits = op.pull, op.traits | {KINKED}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def __str__(self) -> str:
        return self.name


def kinked(y: Any, x: Any, name: str = "", *others: Any) -> Any:
    """The result `y` of a function, of that name, linear piece by piece in `x` and others."""
    sources = [a.node for a in (x, *others) if isinstance(a, Handle) and a.node is not None]
    if sources and type(getattr(y, "node", None)) is Node:
        y.node.op = Kinked(y.node.op, name or y.node.op.name, tuple(sources))
    return y


class Reached:
    """Something that a backward reached with a slope of zero, among what it does at its end."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def __call__(self) -> None:
        """Do nothing."""


def with_zeros(found: dict[Any, Any], finishing: list[Any], active: Any) -> dict[Any, Any]:
    """Cotangents, and zeros for what was reached with a slope of zero and in no other way.

    Zeros are not added to anything, which could change the order of entries in memory.
    """
    sources = [c.source for c in finishing if isinstance(c, Reached)]
    for v in ancestors(sources) if sources else ():
        if (
            v not in found
            and (v.op is None or active is not None)
            and (active is None or v in active)
        ):
            found[v] = np.zeros(v.shape, v.dtype)
    return found


class Constant:
    """Stands where an op does on the node of a gradient that other values have no part in."""

    name, traits = "constant", frozenset[Trait]()

    @staticmethod
    def pull(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Any) -> list[Any]:
        """The cotangent of the gradient itself; the others are zeros, which are not carried on."""
        if (finishing := FINISHING.get()) is not None:
            finishing += [Reached(values[i + 1]) for i in wanted if i]
        return [None if i else g for i in wanted]

    def __str__(self) -> str:
        return self.name


CONSTANT = Constant()


def sloped(look: Inspect | None) -> Inspect:
    """An observer of recorded gradients, which calls `look` and then adds slopes of zero."""

    def see(vertex: Any, wanted: Sequence[int], cts: Sequence[Any]) -> Sequence[Any]:
        if look is not None:
            look(vertex, wanted, cts)
        if KINKED not in vertex.op.traits:
            return cts
        sources = getattr(vertex.op, "sources", vertex.inputs)
        return [with_slopes(ct, sources, vertex) if isinstance(ct, Handle) else ct for ct in cts]

    return see


def with_slopes(g: Handle, sources: tuple[Any, ...], vertex: Any) -> Handle:
    """The gradient `g` as a function, of slope zero, of what `sources` made."""
    inputs = (g.node, *sources)
    node = node_of(CONSTANT, inputs, inputs, NOTHING, None, present(inputs), g.shape, g.dtype)
    node.code, node.offset = vertex.place or (None, 0)
    return hold(type(g), g.value, node)
