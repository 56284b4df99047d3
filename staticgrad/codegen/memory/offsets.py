"""Offsets of blocks in one piece of memory.

Note [Offsets]. To place blocks with given lifetimes in the least memory is NP-hard; the most bytes
that are in use at once are a lower bound. Blocks are first placed one after another, each in the
tightest gap. If that exceeds the bound, the largest is placed first, each at the lowest offset that
is free while it lives (Pisarchyk and Lee, 2020), in a few orders. In each order the block that
reaches highest is then placed before the others, a few times. The best result is kept.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .peaks import most_in_use

ALIGNMENT = 64  # bytes: of a cache line, and of the widest vectors
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


def rounded_up(bytes: int) -> int:
    """A number of bytes, rounded up to the alignment."""
    return -(-bytes // ALIGNMENT) * ALIGNMENT


def place(sizes: Sequence[int], lives: Sequence[Sequence[Interval]]) -> Placement:
    """Offsets for blocks of `sizes` bytes that are in use in some intervals. See Note [Offsets]."""
    sizes = [rounded_up(n) for n in sizes]
    bound = most_in_use((n, *life) for n, each in zip(sizes, lives, strict=True) for life in each)
    offsets: Sequence[int] = ()
    if all(len(intervals) == 1 for intervals in lives):
        offsets = one_after_another(sizes, [intervals[0] for intervals in lives])
        if len(sizes) > FEW or total(sizes, offsets) <= bound:
            return Placement(offsets, total(sizes, offsets), bound)
    masks = conflicts(lives)
    others = [in_orders(sizes, masks, order, bound) for order in orders(sizes, lives)]
    best = min([offsets, *others] if offsets else others, key=lambda each: total(sizes, each))
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
        best = min(best, offsets, key=lambda each: total(sizes, each))
    return best


def total(sizes: Sequence[int], offsets: Sequence[int]) -> int:
    """The bytes of an arena."""
    return max([n + at for n, at in zip(sizes, offsets, strict=True)], default=0)


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
