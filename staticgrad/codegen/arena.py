"""Arenas: offsets of buffers in one block of memory, and the blocks that calls take and give back.

Note [Offsets]. To place blocks with given lifetimes in the least memory is NP-hard; the most bytes
that are in use at once are a lower bound. Blocks are first placed one after another, each in the
tightest gap. If that exceeds the bound, the largest is placed first, each at the lowest offset that
is free while it lives (Pisarchyk and Lee, 2020), in a few orders. In each order the block that
reaches highest is then placed before the others, a few times. The best result is kept.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradops import ArrayType

from ..ir.nominal import bytes_of
from .loops.row_lists import Span, row_lists

ALIGNMENT = 64  # bytes: of a cache line, and of the widest vectors
SIZES_KEPT = 16  # sizes of the named dimensions for which arenas are kept
BYTES_KEPT = 64 << 20  # bytes of arenas for other sizes than those of a call
FEW = 400  # blocks that are placed in several orders, which takes their number squared
TRIED, MOVES = 64, 12  # blocks of which some are moved to the front of an order, and how many are

Interval = tuple[int, int]
"""The first and the last position at which a block is in use."""


@dataclass(frozen=True)
class Placement:
    """The offset of each block in an arena, and its bytes; `bound` are those in use at once."""

    offsets: Sequence[int]
    bytes: int
    bound: int


def aligned(bytes: int) -> int:
    """A number of bytes, rounded up to the alignment."""
    return -(-bytes // ALIGNMENT) * ALIGNMENT


def placed(sizes: Sequence[int], lives: Sequence[Sequence[Interval]]) -> Placement:
    """Offsets for blocks of `sizes` bytes that are in use in some intervals. See Note [Offsets]."""
    sizes = [aligned(n) for n in sizes]
    bound = most_in_use(sizes, lives)
    offsets: Sequence[int] = ()
    if all(len(intervals) == 1 for intervals in lives):
        offsets = one_after_another(sizes, [intervals[0] for intervals in lives])
        if len(sizes) > FEW or total(sizes, offsets) <= bound:
            return Placement(offsets, total(sizes, offsets), bound)
    masks = conflicts(lives)
    others = [in_orders(sizes, masks, order, bound) for order in orders(sizes, lives)]
    best = min([offsets, *others] if offsets else others, key=lambda found: total(sizes, found))
    return Placement(best, total(sizes, best), bound)


def in_orders(
    sizes: Sequence[int], masks: Sequence[int], order: Sequence[int], bound: int
) -> Sequence[int]:
    """The best offsets of an order, and of those in which blocks that reach highest come first."""
    best = offsets = by_order(sizes, masks, order)
    for _ in range(MOVES if len(sizes) <= TRIED else 0):
        if total(sizes, best) <= bound:
            break
        highest = max(order, key=lambda i: offsets[i] + sizes[i])
        order = [highest, *(i for i in order if i != highest)]
        offsets = by_order(sizes, masks, order)
        best = min(best, offsets, key=lambda found: total(sizes, found))
    return best


def total(sizes: Sequence[int], offsets: Sequence[int]) -> int:
    """The bytes of an arena."""
    return max([n + at for n, at in zip(sizes, offsets, strict=True)], default=0)


def most_in_use(sizes: Sequence[int], lives: Sequence[Sequence[Interval]]) -> int:
    """The most bytes that are in use at one position."""
    changes: dict[int, int] = {}
    for n, intervals in zip(sizes, lives, strict=True):
        for first, last in intervals:
            changes[first] = changes.get(first, 0) + n
            changes[last + 1] = changes.get(last + 1, 0) - n
    live = most = 0
    for position in sorted(changes):
        live += changes[position]
        most = max(most, live)
    return most


def orders(sizes: Sequence[int], lives: Sequence[Sequence[Interval]]) -> Iterator[list[int]]:
    """Orders in which blocks are placed: by size, by size times lifetime, by lifetime."""
    lasting = [sum(last - first + 1 for first, last in intervals) for intervals in lives]
    begins = [intervals[0][0] for intervals in lives]
    numbers = range(len(sizes))
    yield sorted(numbers, key=lambda i: (-sizes[i], -lasting[i], begins[i]))
    yield sorted(numbers, key=lambda i: (-sizes[i] * lasting[i], begins[i]))
    yield sorted(numbers, key=lambda i: (-lasting[i], -sizes[i], begins[i]))
    yield sorted(numbers, key=lambda i: (-sizes[i], begins[i]))


def conflicts(lives: Sequence[Sequence[Interval]]) -> list[int]:
    """For each block, a bit mask of those that are in use while it is."""
    starts = sorted((a, i) for i, intervals in enumerate(lives) for a, _ in intervals)
    ends = sorted((b, i) for i, intervals in enumerate(lives) for _, b in intervals)
    result, live, k = [0] * len(lives), 0, 0
    for position, i in starts:
        while ends[k][0] < position:
            live &= ~(1 << ends[k][1])
            k += 1
        result[i] |= live
        live |= 1 << i
    for i, mask in enumerate(result):
        while mask:
            lowest = mask & -mask
            result[lowest.bit_length() - 1] |= 1 << i
            mask ^= lowest
    return result


def by_order(sizes: Sequence[int], masks: Sequence[int], order: Iterable[int]) -> list[int]:
    """Place blocks in an order, each at the lowest offset that no block in use with it has."""
    offsets = [0] * len(sizes)
    so_far: list[tuple[int, int, int]] = []
    for i in order:
        mask, at = masks[i], 0
        for offset, end, j in so_far:
            if mask >> j & 1:
                if offset - at >= sizes[i]:
                    break
                at = max(at, end)
        offsets[i] = at
        if sizes[i]:
            insort(so_far, (at, at + sizes[i], i))
    return offsets


def one_after_another(sizes: Sequence[int], lives: Sequence[Interval]) -> list[int]:
    """Place blocks by the begin of their lives, each in the tightest gap."""
    offsets, gaps, ends = [0] * len(sizes), Gaps(), list[tuple[int, int]]()
    for i in sorted(range(len(sizes)), key=lambda i: (lives[i][0], -sizes[i])):
        while ends and -ends[-1][0] < lives[i][0]:
            j = ends.pop()[1]
            gaps.give(offsets[j], sizes[j])
        offsets[i] = gaps.take(sizes[i])
        insort(ends, (-lives[i][1], i))
    return offsets


class Gaps:
    """The free gaps of a block of memory whose end is open."""

    def __init__(self) -> None:
        self.end = 0
        self.by_size: list[tuple[int, int]] = []
        self.starts: dict[int, int] = {}  # offsets of gaps, with their sizes
        self.ends: dict[int, int] = {}

    def take(self, size: int) -> int:
        """The offset of the smallest gap that is large enough, or the end."""
        if not size:
            return 0
        k = bisect_left(self.by_size, (size, 0))
        if k < len(self.by_size):
            found, at = self.by_size[k]
            self.remove(at, found)
            if found > size:
                self.add(at + size, found - size)
            return at
        if self.end in self.ends:  # the last gap reaches the end, which moves
            found = self.ends[self.end]
            at = self.end - found
            self.remove(at, found)
        else:
            at = self.end
        self.end = at + size
        return at

    def give(self, at: int, size: int) -> None:
        """Free a block, and join it with the gaps beside it."""
        if not size:
            return
        if at in self.ends:
            before = self.ends[at]
            self.remove(at - before, before)
            at, size = at - before, size + before
        if at + size in self.starts:
            behind = self.starts[at + size]
            self.remove(at + size, behind)
            size += behind
        self.add(at, size)

    def add(self, at: int, size: int) -> None:
        """Note a gap."""
        self.starts[at] = self.ends[at + size] = size
        insort(self.by_size, (size, at))

    def remove(self, at: int, size: int) -> None:
        """Forget a gap."""
        del self.starts[at], self.ends[at + size]
        del self.by_size[bisect_left(self.by_size, (size, at))]


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
            result = placed(bytes, [slot.lives for slot in self.slots])
            if len(self.placements) >= SIZES_KEPT:
                self.placements.pop(next(iter(tuple(self.placements))), None)
            self.placements[sizes] = result
        return result

    def views(self, sizes: tuple[int, ...]) -> tuple[np.ndarray[Any, Any], ...]:
        """An array in a new block of memory for each slot."""
        found = self.placement(sizes)
        block = aligned_bytes(found.bytes)
        known = dict(zip(self.names, sizes, strict=True))
        return tuple(
            slot.view(block, at, known) for slot, at in zip(self.slots, found.offsets, strict=True)
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
