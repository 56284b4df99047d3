"""What a step over blocks costs besides its arithmetic, and its efficiency on two workers.

OPENBLAS_NUM_THREADS=1 python -m benchmarks.distributed

The overhead is the time of a step with 100,000 parameters and next to no arithmetic, less that of
a worker's share in this process. For the efficiency, a worker's share takes 20 times the overhead
that is allowed: the time of a share in this process over that of a step on two workers.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import staticgrad as sg
from staticgrad.distributed.planning.measuring import measured, mpiexec

WIDTH = 316
PARAMETERS = WIDTH * WIDTH
ALLOWED = {"Dask, tasks": 25.0, "Dask, resident": 5.0, "MPI": 0.5}  # milliseconds
SHARE = 20  # times the overhead
BLOCKS = 2  # of a worker
SETTINGS = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 25,
    "distributed.worker.profile.enabled": False,
}
"""Dask has workers give freed memory back at once, and every page is a fault at its next use; and
it looks at the stacks of each a hundred times a second, which takes a twentieth of a core."""

TURNS = 30


def loss(w: Any, x: Any) -> Any:
    """A layer of so many parameters, so that rows cost about six operations for each."""
    return np.mean(np.tanh(x @ np.reshape(w, (WIDTH, WIDTH))) ** 2)


def little(w: Any, x: Any) -> Any:
    """A loss of as many parameters with next to no arithmetic."""
    return np.mean((x @ w[:WIDTH]) ** 2)


def rows(count: int, shift: int = 0) -> np.ndarray:
    """Some rows of data."""
    return np.random.default_rng(shift).normal(size=(count, WIDTH)) / 10


def times(call: Callable[[Any], Any], turns: int = TURNS) -> list[float]:
    """The milliseconds of calls, after two."""
    found = []
    for turn in range(turns + 2):
        w = np.full(PARAMETERS, 1e-3 * turn)
        start = time.perf_counter()
        call(w)
        found.append(1e3 * (time.perf_counter() - start))
    return found[2:]


def rows_for(milliseconds: float) -> int:
    """The rows whose gradient takes so long in one process."""
    count = 1000
    for _ in range(3):  # larger blocks take longer for a row
        taken = min(times(here(loss, rows(count)), 3))
        count = max(BLOCKS, round(count * milliseconds / taken))
    return count


def here(f: Any, x: np.ndarray) -> Any:
    """A worker's share, in this process."""
    blocks = np.array_split(x, BLOCKS)
    return sg.distributed.value_and_grad(f, np.zeros(PARAMETERS), blocks, engine=1)


def row(name: str, step: Any, share: Any, long_step: Any, long_share: Any) -> dict[str, Any]:
    """Steps and shares, taken in turns, as an overhead and an efficiency."""
    small = statistics.median(times(step)) - statistics.median(times(share))
    ratios = []
    for _ in range(3):
        a, b = times(long_share, 3), times(long_step, 3)
        ratios.append(statistics.median(a) / statistics.median(b))
    return {"engine": name, "overhead": small, "efficiency": statistics.median(ratios)}


def of_dask(client: Any, resident: bool) -> dict[str, Any]:
    """The figures of a cluster of two processes."""
    import dask.array as da
    from distributed import wait

    name = "Dask, resident" if resident else "Dask, tasks"
    count = rows_for(SHARE * ALLOWED[name])

    def on_cluster(f: Any, n: int) -> Any:
        chunks = tuple(len(block) for block in np.array_split(range(n), BLOCKS))
        data = da.random.default_rng(0).normal(size=(2 * n, WIDTH), chunks=(2 * chunks, WIDTH))
        data = (data / 10).persist()
        wait(data)
        options = {"engine": client, "resident": resident}
        return sg.distributed.value_and_grad(f, np.zeros(PARAMETERS), data, **options)

    return row(
        name, on_cluster(little, 4), here(little, rows(4)), on_cluster(loss, count),
        here(loss, rows(count)),
    )  # fmt: skip


def of_mpi() -> dict[str, Any]:
    """The figures of this rank, of two."""
    engine = sg.distributed.mpi()
    count = rows_for(SHARE * ALLOWED["MPI"])
    count = int(engine.from_leader(str(count).encode()))

    def on_ranks(f: Any, n: int) -> Any:
        blocks = np.array_split(np.concatenate([rows(n), rows(n)]), 2 * BLOCKS)
        call = sg.distributed.value_and_grad(f, np.zeros(PARAMETERS), blocks, engine=engine)

        def together(w: Any) -> Any:
            engine.comm.Barrier()
            return call(w)

        return together

    return row(
        "MPI", on_ranks(little, 4), here(little, rows(4)), on_ranks(loss, count),
        here(loss, rows(count)),
    )  # fmt: skip


def show(found: dict[str, Any]) -> None:
    """Print the figures of an engine."""
    name, allowed = found["engine"], ALLOWED[found["engine"]]
    print(
        f"{name:16}{found['overhead']:9.2f} ms a step (at most {allowed} allowed)"
        f"{100 * found['efficiency']:8.1f} % on two workers"
    )


def main() -> None:
    """Print the figures of all engines, and the costs that plans are made from."""
    import dask
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set(SETTINGS),
        LocalCluster(**options) as cluster,
        Client(cluster) as client,
    ):
        for resident in (False, True):
            show(of_dask(client, resident))
    command = [*mpiexec(2), sys.executable, "-m", "benchmarks.distributed", "rank"]
    done = subprocess.run(command, capture_output=True, text=True)
    show(json.loads(done.stdout)) if not done.returncode else print(done.stderr)
    print(measured())


if __name__ == "__main__":
    if sys.argv[1:] == ["rank"]:
        result = of_mpi()
        from mpi4py import MPI

        if MPI.COMM_WORLD.rank == 0:
            print(json.dumps(result))
    else:
        main()
