"""Vertices with several outputs: each output is a vertex of its own, which passes its cotangent on.

The vertex itself gets the cotangents of all outputs at once, as `Parts`. One of an output has
nothing to compute, so a reverse pass puts its cotangent among the parts where it arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.traits import Trait
from ..typing import Attrs

SEVERAL = "of several outputs"  # the shape and dtype of vertices that have several outputs


class Parts:
    """Cotangents of several outputs of a vertex, by their numbers."""

    __slots__ = ("by_index",)
    shape = dtype = SEVERAL

    def __init__(self, by_index: dict[int, Any]) -> None:
        self.by_index = by_index

    def add(self, i: int, g: Any) -> None:
        """Add the cotangent of an output."""
        parts = self.by_index  # not shared with anyone: sums of many parts take linear time
        parts[i] = parts[i] + g if i in parts else g

    def __add__(self, other: Parts) -> Parts:
        for i, g in other.by_index.items():
            self.add(i, g)
        return self


class Gather:
    """The op of an output, which has its number as its operand and the vertex as its input."""

    name, traits = "gather", frozenset[Trait]()

    def pull(
        self, wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs
    ) -> list[Parts]:
        """The cotangent of the output, labelled with its number."""
        return [Parts({values[1]: g})]

    def __str__(self) -> str:
        return self.name


GATHER = Gather()
