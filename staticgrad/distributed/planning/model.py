"""Predicted times of a step by each engine, for any number of workers."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .costs import Costs

FAN_IN = 8  # partial results that a task of Dask adds


@dataclass(frozen=True)
class Work:
    """A step: all rows, the blocks they are in, the seconds of one row, the bytes of a gradient."""

    rows: float
    block_rows: float
    row_seconds: float
    gradient_bytes: float

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return max(1, math.ceil(self.rows / self.block_rows))


@dataclass(frozen=True)
class Prediction:
    """The seconds of a step: of computing, of scheduling meanwhile, and of what comes besides.

    `ideal` is the time of equal shares, each in a process alone.
    """

    computing: float
    scheduling: float
    broadcast: float
    reduction: float
    ideal: float

    @property
    def seconds(self) -> float:
        """The time of a step: tasks are scheduled while others compute."""
        return max(self.computing, self.scheduling) + self.broadcast + self.reduction

    @property
    def efficiency(self) -> float:
        """The part of a step in which workers compute."""
        return self.ideal / self.seconds

    @property
    def bound(self) -> str:
        """What takes most of a step."""
        parts = {
            "computing": self.computing, "scheduling": self.scheduling,
            "broadcast": self.broadcast, "reduction": self.reduction,
        }  # fmt: skip
        return max(parts, key=lambda name: parts[name])


Engine = Callable[[Costs, Work, int], Prediction]


def computing(work: Work, workers: int) -> tuple[float, float]:
    """The seconds that the busiest worker computes, and those that all would with equal shares."""
    each = work.block_rows if work.blocks > 1 else work.rows
    busiest = math.ceil(work.blocks / workers) * each * work.row_seconds
    return busiest, work.rows * work.row_seconds / workers


def tasks(costs: Costs, work: Work, workers: int) -> Prediction:
    """Dask's tasks: parameters spread from worker to worker, tasks add eight results each."""
    busiest, ideal = computing(work, workers)
    levels = math.ceil(math.log(work.blocks, FAN_IN)) if work.blocks > 1 else 0
    fetch = costs.dask.seconds(work.gradient_bytes)
    adding = FAN_IN * (fetch + work.gradient_bytes * costs.add_byte)
    return Prediction(
        busiest * costs.contention, work.blocks * (1 + 1 / (FAN_IN - 1)) * costs.task,
        costs.round_trip + rounds(workers) * fetch, costs.round_trip + levels * adding, ideal,
    )  # fmt: skip


def resident(costs: Costs, work: Work, workers: int) -> Prediction:
    """Resident workers: a message to each, and one back, through one process."""
    busiest, ideal = computing(work, workers)
    sending = costs.resident.latency + workers * work.gradient_bytes * costs.resident.per_byte
    nodes = min(work.blocks, workers * 2)
    adding = nodes * work.gradient_bytes * costs.add_byte
    return Prediction(busiest * costs.contention, 0.0, sending, sending + adding, ideal)


def message_passing(costs: Costs, work: Work, workers: int) -> Prediction:
    """MPI: trees of messages, with a level for each doubling of the workers."""
    busiest, ideal = computing(work, workers)
    message = costs.mpi.seconds(work.gradient_bytes)
    adding = work.gradient_bytes * costs.add_byte
    levels = rounds(workers)
    return Prediction(busiest, 0.0, levels * message, levels * (message + adding), ideal)


def rounds(workers: int) -> int:
    """The number of rounds in which a message reaches all workers, if each sends it on."""
    return math.ceil(math.log2(workers)) if workers > 1 else 0


ENGINES: dict[str, Engine] = {
    "Dask, tasks": tasks, "Dask, resident": resident, "MPI": message_passing,
}  # fmt: skip


def breaking_point(engine: Engine, costs: Costs, work: Work, least: float = 0.5) -> int | None:
    """The first power of two of workers that compute less than `least` of a step; None if many.

    It goes up to one worker for each block.
    """
    for workers in powers_of_two(work.blocks):
        if engine(costs, work, workers).efficiency < least:
            return workers
    return None


def powers_of_two(limit: int) -> Iterator[int]:
    """1, 2, 4 and so on up to a limit."""
    workers = 1
    while workers <= limit:
        yield workers
        workers *= 2
