"""State that no step changes: the derivative of a loop carries what its steps only read.

The cotangent of a sum, for example, goes back through all steps as it is. As an operand that all
steps share it can be a constant of the body, and what depends on it is computed before the loop.
"""

from collections.abc import Sequence
from typing import TypeVar

from ...ir.graph import FrozenGraph
from ..interface import Pass
from ..subgraphs import subgraph
from .editing import LoopEditor, Values, with_loops

T = TypeVar("T")


class ShareUnchangedState(Pass):
    """Make operands that all steps share of state that is what it was before the loop."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return with_loops(graph, with_less_state)


def with_less_state(loop: LoopEditor) -> Values | None:
    """The values of a loop whose unchanged state is shared; None if all of its state changes."""
    body, cond = loop.body, loop.attrs["cond"]
    fixed = unchanged(loop)
    if not fixed or (cond is not None and len(fixed) == loop.carries):
        return None
    changed = subgraph(
        body, moved_last(body.inputs, fixed), without(body.outputs, fixed), body.measured
    )
    if cond is not None:
        cond = subgraph(cond, moved_last(cond.inputs, fixed), cond.outputs, cond.measured)
    new = loop.rebuilt(
        changed, moved_last(loop.operands, fixed), without(loop.types, fixed),
        carries=loop.carries - len(fixed), cond=cond,
    )  # fmt: skip
    parts = iter(loop.parts(new, range(len(loop.types) - len(fixed))))
    return [loop.operands[k] if k in fixed else next(parts) for k in range(len(loop.types))]


def unchanged(loop: LoopEditor) -> Sequence[int]:
    """The numbers of the state that each step gives as it gets it."""
    body = loop.body
    return [
        k for k in range(loop.carries)
        if body.outputs[k] is body.inputs[k] and loop.operands[k].type == loop.types[k]
    ]  # fmt: skip


def moved_last(values: Sequence[T], fixed: Sequence[int]) -> list[T]:
    """The values, some of them behind all others."""
    return [*without(values, fixed), *[values[k] for k in fixed]]


def without(values: Sequence[T], fixed: Sequence[int]) -> list[T]:
    """The values but for some."""
    return [x for k, x in enumerate(values) if k not in fixed]
