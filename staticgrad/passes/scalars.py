"""Values without axes as Python floats in generated code."""

from dataclasses import replace as replaced
from typing import ClassVar

from gradops.core.traits import Trait

from ..ir.graph import FrozenGraph
from ..ir.kinds import Lowering
from .inner import with_inner, within
from .interface import Pass


class FloatScalars(Pass):
    """Let generated code compute float64 values without axes on Python's floats.

    These have the same bits and cost half. See Note [Float scalars] in `codegen/scalars.py`.
    """

    whole: ClassVar[bool] = True

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return marked(graph, Lowering.FLOATS)


class MathScalars(Pass):
    """Let generated code compute values without axes by the module `math`, in double precision.

    Functions of NumPy and of `math` differ by a few ULP; float32 values become more accurate, and
    are rounded where they decide. See Note [Excess precision] in `codegen/scalars.py`.
    """

    bound: ClassVar[float] = 8.0
    whole: ClassVar[bool] = True

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return marked(graph, Lowering.MATH)


def marked(graph: FrozenGraph, lowering: Lowering) -> FrozenGraph:
    """The graph, and those inside it, with a lowering; itself if running it has effects.

    A run on floats that fails is repeated on arrays, which effects would show.
    """
    every = [graph, *within(graph)]
    if any(e.op is not None and Trait.EFFECT in e.op.traits for g in every for e in g.order):
        return graph
    made: dict[int, FrozenGraph] = {}
    for each in within(graph):
        made[id(each)] = replaced(
            with_inner(each, lambda g: made[id(g)]), lowering=lowering, derived={}
        )
    return replaced(with_inner(graph, lambda g: made[id(g)]), lowering=lowering, derived={})
