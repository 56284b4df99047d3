"""Fusion groups in blocks: several arrays computed some rows at a time, on all cores."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .threads import cores, in_threads

BLOCK = 1 << 19  # bytes of a block of the widest array: a few fit into the cache of a core
THREADED = 6  # blocks from which threads are worth being started

Compute = Callable[..., tuple[Any, ...]]


def block_rows(rows: int, row_bytes: int) -> int:
    """The number of rows of a block, such that all have nearly the same."""
    count = -(-rows * row_bytes // BLOCK)
    return -(-rows // max(1, count))


def threads_for(rows: int, step: int) -> int:
    """The number of threads that compute blocks of `step` rows."""
    count = -(-rows // max(1, step))
    return min(cores(), count) if count >= THREADED else 1


def in_blocks(
    compute: Compute, step: int, operands: Sequence[Any], split: Sequence[bool],
    results: Sequence[np.ndarray], threads: int | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Write `results`, `step` rows at a time; returns them, and the sums of what is returned.

    `compute` gets the rows of operands that are `split`, the others whole, and the rows of the
    results, which it writes. What it returns is added over blocks, in the order of the rows. By
    default as many threads work as the rows are worth.
    """
    rows = next(len(x) for x, is_split in zip(operands, split, strict=True) if is_split)
    starts = range(0, rows, step)
    sums: list[tuple[Any, ...]] = [()] * len(starts)

    def work(numbers: Iterator[int]) -> None:
        for k in numbers:
            part = slice(starts[k], starts[k] + step)
            some = [x[part] if s else x for x, s in zip(operands, split, strict=True)]
            sums[k] = compute(*some, *[y[part] for y in results])

    if (threads or threads_for(rows, step)) == 1:
        work(iter(range(len(starts))))
    else:
        in_threads(work, range(len(starts)))
    return (*results, *[add_up(each) for each in zip(*sums, strict=True)])


def add_up(parts: Sequence[Any]) -> Any:
    """The sum of what blocks give."""
    return np.add.reduce(np.stack(parts), axis=0)
