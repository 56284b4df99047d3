"""Arenas: blocks of memory that calls of generated code take, use and give back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradops import ArrayType

from ...ir.nominal import bytes_of
from ..loops.row_lists import Span, row_lists
from .offsets import ALIGNMENT, Interval, Placement, place

SIZES_KEPT = 16  # sizes of the named dimensions for which arenas are kept
BYTES_KEPT = 64 << 20  # bytes of arenas for other sizes than those of a call


@dataclass(frozen=True)
class Slot:
    """A view of the arena: its type, and when what lies in it is in use."""

    type: ArrayType
    lives: tuple[Interval, ...]
    axes: tuple[int, ...] = ()
    """The axes from the largest stride to the smallest; those left out are before them."""
    shift: int | None = None
    """For rows that the steps of a loop write, as are `spans`: see `row_lists`."""
    spans: tuple[Span, ...] = ()

    def view(self, block: np.ndarray[Any, Any], at: int, sizes: Mapping[str, int]) -> Any:
        """An array at an offset of a block, or its rows, given the unknown sizes by name."""
        array: np.ndarray[Any, Any]
        shape = [n if isinstance(n, int) else n.evaluate(sizes) for n in self.type.shape]
        if self.shift is not None:
            array = np.ndarray(tuple(shape), self.type.dtype, block, at)
            return row_lists(array, self.shift, self.spans)
        order = [*(i for i in range(len(shape)) if i not in self.axes), *self.axes]
        array = np.ndarray(tuple([shape[i] for i in order]), self.type.dtype, block, at)
        return array if order == sorted(order) else array.transpose(np.argsort(order).tolist())


@dataclass(eq=False)
class Arena:
    """The reused memory of one generated function: its slots, and blocks that no call is using.

    `names` are the unknown sizes on which offsets depend. The generated code calls the functions
    `pools` and `allocate` of its scope.
    """

    pools: str
    allocate: str
    slots: Sequence[Slot]
    names: tuple[str, ...]
    placements: dict[tuple[int, ...], Placement] = field(default_factory=dict)

    def placement(self, sizes: tuple[int, ...]) -> Placement:
        """The offsets for these values of the unknown sizes, cached."""
        result = self.placements.get(sizes)
        if result is None:
            known = dict(zip(self.names, sizes, strict=True))
            bytes = [bytes_of(slot.type, known) for slot in self.slots]
            result = place(bytes, [slot.lives for slot in self.slots])
            if len(self.placements) >= SIZES_KEPT:
                self.placements.pop(next(iter(tuple(self.placements))), None)
            self.placements[sizes] = result
        return result

    def views(self, sizes: tuple[int, ...]) -> tuple[np.ndarray[Any, Any], ...]:
        """An array in a new block of memory for each slot."""
        placement = self.placement(sizes)
        block = aligned_bytes(placement.bytes)
        known = dict(zip(self.names, sizes, strict=True))
        return tuple(
            slot.view(block, at, known)
            for slot, at in zip(self.slots, placement.offsets, strict=True)
        )


def aligned_bytes(count: int) -> np.ndarray[Any, Any]:
    """New memory whose address is a multiple of the alignment."""
    block = np.empty(count + ALIGNMENT, np.uint8)
    start = -block.ctypes.data % ALIGNMENT
    return block[start : start + count]


def pools_of(arena: Arena) -> tuple["Pools", Callable[..., Any]]:
    """The blocks that no call is using, and a function that makes a new one."""
    pools = Pools(arena)

    def allocate(*sizes: int) -> tuple[np.ndarray[Any, Any], ...]:
        pools.drop_others(sizes)
        return arena.views(sizes)

    return pools, allocate


class Pools(dict[tuple[int, ...], list[Any]]):
    """Views of the blocks that no call is using, by the values of the unknown sizes."""

    def __init__(self, arena: Arena) -> None:
        super().__init__()
        self.arena = arena

    def __missing__(self, sizes: tuple[int, ...]) -> list[Any]:
        return self.setdefault(sizes, [])

    def bytes(self, sizes: tuple[int, ...]) -> int:
        """The bytes of the blocks for these sizes."""
        return len(self.get(sizes, ())) * (self.arena.placement(sizes).bytes + ALIGNMENT)

    def drop_others(self, sizes: tuple[int, ...]) -> None:
        """Let go of the blocks for other sizes, the oldest first, if they are many or big."""
        others = [k for k in tuple(self) if k != sizes]
        bytes = sum(map(self.bytes, others))
        for k in others:
            if bytes > BYTES_KEPT or len(self) > SIZES_KEPT:
                bytes -= self.bytes(k)
                self.pop(k, None)
