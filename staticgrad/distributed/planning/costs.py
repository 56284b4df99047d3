"""The costs from which steps are predicted: an alpha-beta model of tasks, messages and sums.

Note [Alpha and beta]. A message of n bytes takes `latency + n * per_byte` seconds, the alpha and
the beta of the literature. Adding takes time by bytes, a task of Dask the time of its scheduler,
which is one thread for all workers.
"""

from dataclasses import dataclass
from typing import NamedTuple


class Link(NamedTuple):
    """Messages between two processes: seconds for one, and for each of its bytes."""

    latency: float
    per_byte: float

    def seconds(self, size: float) -> float:
        """The time of a message of `size` bytes."""
        return self.latency + size * self.per_byte


@dataclass(frozen=True)
class Costs:
    """Measured seconds, and operations per second of one worker. See Note [Alpha and beta].

    `round_trip` is that of a task of Dask with nothing to do, `task` what its scheduler takes for
    each of many. `contention` is how many times as long as in a process alone a block takes in a
    worker of Dask, which shares cores, caches and memory with others, the scheduler and the
    program. `dask`, `resident` and `mpi` are the links of the engines.
    """

    flops: float
    add_byte: float
    round_trip: float
    task: float
    contention: float
    dask: Link
    resident: Link
    mpi: Link
    source: str


REFERENCE = Costs(
    flops=4.5e10, add_byte=1e-10, round_trip=0.0106, task=0.0018, contention=1.12,
    dask=Link(0.005, 8e-10), resident=Link(0.0014, 4.5e-10), mpi=Link(1e-6, 1e-10),
    source="a machine of two cores",
)  # fmt: skip
"""What was measured where the project is developed, by `make bench-distributed`."""
