"""Dask's tasks as an engine: a task for each block, and some that add up results.

Note [Lost workers]. The scheduler runs the tasks of a worker that died again, on others. What was
sent to workers directly, the parameters, may be lost with them: then the step is taken again from
here. Results have the same bits: see Note [The tree].

Note [Held futures]. A client sends the scheduler what it asks in batches, ten milliseconds apart.
So the futures of a step are held until the next one is on its way: releasing them first would
begin a batch that the next step waits for.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

import numpy as np

from gradops import EngineError

from ..blocks import Blocks, Rows, is_lazy
from ..blocks import load as load_piece
from ..programs import Block, Program, run_block, spread
from ..tree import Partial, total
from .embedded import HEAD, first_rows
from .protocol import OneProcess, Parameters

FAN_IN = 8  # partial results that a task adds; a power of two, so that they are part of the tree
PAUSE = 0.1  # seconds between looks for a worker
SILENT = 3.0  # seconds without a heartbeat, which come twice a second


class DaskTasks(OneProcess):
    """The workers of a cluster of Dask, by its client."""

    def __init__(self, client: Any, timeout: float) -> None:
        self.client, self.timeout = client, timeout
        self.sent: dict[Any, Any] = {}
        self.held: Any = None

    def reduce(
        self, program: Program, parameters: Parameters, blocks: Blocks, places: Sequence[int]
    ) -> Partial:
        """The sum over blocks. See `Engine` and Note [Lost workers]."""
        end = time.monotonic() + self.timeout
        while (sent := self.sent_parameters(parameters, end)) is not None:
            with suppress(CancelledError):
                return self.result(self.summed(program, sent, blocks, places), end)
        raise self.too_late()

    def sent_parameters(self, parameters: Parameters, end: float) -> Any:
        """The parameters on a worker; None when the time is up."""
        while time.monotonic() < end:
            with suppress(OSError, TimeoutError):  # the worker has died, or there is none yet
                limit = max(end - time.monotonic(), PAUSE)
                return self.client.sync(self.scatter, list(parameters), limit)
            time.sleep(PAUSE)
        return None

    async def scatter(self, parameters: list[np.ndarray], limit: float) -> Any:
        """The parameters on a worker."""
        sent = self.client.scatter(parameters, direct=True, hash=False, asynchronous=True)
        return await asyncio.wait_for(sent, limit)

    def summed(self, program: Program, sent: Any, blocks: Blocks, places: Sequence[int]) -> Any:
        """The sum over blocks as Dask computes it."""
        from dask.delayed import delayed

        run, add = delayed(run_pieces, pure=False), delayed(total, pure=False)
        graph = self.once("program", program, program)
        partials = [run(graph, sent, *self.pieces(blocks, place)) for place in places]
        while len(partials) > 1:
            groups = range(0, len(partials), FAN_IN)
            partials = [add(partials[i : i + FAN_IN]) for i in groups]
        return partials[0]

    def pieces(self, blocks: Blocks, place: int) -> list[Any]:
        """The columns of a block as arguments of a task: what Dask computes, a file, an array."""
        return [
            piece if is_lazy(piece) or is_file(piece)
            else self.once("array", (id(blocks), place, i), load_piece(piece))
            for i, piece in enumerate(blocks.pieces[place])
        ]  # fmt: skip

    def once(self, kind: str, key: object, value: Any) -> Any:
        """A value on the cluster, sent once; the scheduler can send it again."""
        if (kind, key) not in self.sent:
            self.sent[kind, key] = self.client.submit(as_it_is, value, pure=False)
        return self.sent[kind, key]

    def result(self, computed: Any, end: float) -> Any:
        """What Dask computed; raises EngineError if there is no result in time."""
        from distributed import KilledWorker

        future = self.client.compute(computed)
        self.held = future, computed  # see Note [Held futures]
        try:
            return future.result(max(end - time.monotonic(), PAUSE))
        except TimeoutError as error:
            future.cancel(force=True)
            raise self.too_late() from error
        except KilledWorker as error:
            raise EngineError(
                f"distributed: {error.task} was begun on several workers that died, the last"
                f" one {error.last_worker.address}\n  hint: look at that worker's log: blocks may"
                " be too large for its memory; distributed.scheduler.allowed-failures allows more"
            ) from error

    def too_late(self) -> EngineError:
        """The error for a result that does not come."""
        return EngineError(
            f"distributed: no result within {self.timeout:g} s{silent_workers(self.client)}"
            "\n  hint: timeout= gives more time; what runs on a stopped worker is run again when"
            " the scheduler has given it up, after distributed.scheduler.worker-ttl"
        )

    def first_block(self, blocks: Blocks) -> Block:
        """Some rows of the first block that has any."""
        from dask.delayed import delayed

        end = time.monotonic() + self.timeout

        def heads() -> Iterator[Block]:
            for pieces in blocks.pieces:
                found = self.result(delayed(head, pure=False)(*map(cut_here, pieces)), end)
                yield tuple(map(np.asarray, found))

        return first_rows(heads())

    def close(self) -> None:
        """Release what was sent."""
        self.sent.clear()


def run_pieces(program: Program, parameters: Parameters, *pieces: Any) -> Partial:
    """The sums over the rows of a block, whose columns may be files."""
    return run_block(program, parameters, *map(load_piece, pieces))


def head(*pieces: Any) -> Block:
    """The first rows of a block."""
    return tuple([column[:HEAD].copy() for column in spread([load_piece(x) for x in pieces])])


def cut_here(piece: Any) -> Any:
    """A piece as an argument of `head`: of an array in this process, the first rows."""
    if is_lazy(piece) or is_file(piece):
        return piece
    return np.array(load_piece(piece)[:HEAD])


def is_file(piece: Any) -> bool:
    """True for rows of a file, which workers open themselves."""
    return isinstance(piece, Rows) and not hasattr(piece.source, "shape")


def as_it_is(x: Any) -> Any:
    """`x` itself, as a task."""
    return x


def silent_workers(client: Any) -> str:
    """The workers that have sent no heartbeat lately, in a text."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    now = time.time()
    silent = [a for a, about in workers.items() if now - about["last_seen"] > SILENT]
    return f"; silent: {', '.join(sorted(silent))}" if silent else ""
