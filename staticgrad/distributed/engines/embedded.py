"""The engine that is always there: threads of this process, and blocks loaded one by one."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial

from ..blocks import Blocks
from ..programs import Block, Program, rows_of, run_block
from ..tree import Accumulator, Partial
from .protocol import OneProcess, Parameters

HEAD = 8  # rows that a loss is tried with


class Embedded(OneProcess):
    """Threads of this process. A thread holds one block at a time, so data may be out of core."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self.pool = ThreadPoolExecutor(self.workers, "staticgrad-blocks")

    def reduce(
        self, program: Program, parameters: Parameters, blocks: Blocks, places: Sequence[int]
    ) -> Partial:
        """The sum over blocks. See `Engine`."""
        result = Accumulator(len(places))
        work = partial(run_place, program, parameters, blocks)
        for leaf, found in self.in_any_order(work, places):
            result.add([((0, leaf), found)])
        return result.result()

    def in_any_order(self, work: object, places: Sequence[int]) -> Iterator[tuple[int, Partial]]:
        """The results by their leaves, as they come; at most two for each thread are awaited."""
        waiting: dict[Future[Partial], int] = {}
        todo = iter(enumerate(places))
        try:
            while True:
                for leaf, place in todo:
                    waiting[self.pool.submit(work, place)] = leaf  # type: ignore[arg-type]
                    if len(waiting) >= 2 * self.workers:
                        break
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        finally:
            for future in waiting:
                future.cancel()

    def first_block(self, blocks: Blocks) -> Block:
        """Some rows of the first block that has any."""
        return first_rows(map(blocks.load, range(len(blocks))))

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown()


def run_place(program: Program, parameters: Parameters, blocks: Blocks, place: int) -> Partial:
    """The sums over the rows of one block, which is loaded for it."""
    return run_block(program, parameters, *blocks.load(place))


def first_rows(several: Iterator[Block]) -> Block:
    """Some rows of the first block that has any; of the last one if none has."""
    block: Block = ()
    for block in several:
        if rows_of(block):
            break
    return tuple([column[:HEAD].copy() for column in block])
