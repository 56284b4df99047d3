"""Measuring the costs of this machine: arithmetic, a cluster of two processes, two ranks of MPI."""

import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gradops.core.errors import MissingExtraError

from ..evaluation import value_and_grad
from .costs import REFERENCE, Costs, Link

SMALL, LARGE = 10, 1_000_000  # entries of messages
TURNS, MANY = 30, 500
SIDE = 512  # of matrices
SECONDS = 120  # for a program of MPI


def measured() -> Costs:
    """The costs of this machine; those of MPI are the reference's if there is no mpiexec.

    Raises MissingExtraError without the extra `dask`.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingExtraError("plan --measure", "dask", "dask") from error
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        round_trip, task = task_times(client)
        beside = contention(client)
        dask, resident = dask_link(client, round_trip), resident_link(client)
    mpi = mpi_link() or REFERENCE.mpi
    return Costs(flops(), add_byte(), round_trip, task, beside, dask, resident, mpi, "this machine")


def median_time(call: Callable[[], Any], turns: int = TURNS) -> float:
    """The median seconds of a call, after a first one."""
    call()
    times = []
    for _ in range(turns):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def flops() -> float:
    """The operations per second of one thread in a product of matrices."""
    a, before = np.ones((SIDE, SIDE)), time.process_time()  # of all threads together
    for _ in range(TURNS):
        np.matmul(a, a)
    return TURNS * 2 * SIDE**3 / (time.process_time() - before)


def add_byte() -> float:
    """The seconds for each byte of two gradients that are added."""
    a, b = np.ones(LARGE), np.ones(LARGE)
    return median_time(lambda: np.add(a, b)) / a.nbytes


def task_times(client: Any) -> tuple[float, float]:
    """The seconds of a round trip of one task, and of the scheduler for each of many tasks."""
    trip = median_time(lambda: client.submit(abs, 1, pure=False).result())
    several = lambda: client.gather(client.map(abs, range(MANY), pure=False))
    return trip, median_time(several, 5) / MANY


def block_time() -> float:
    """The median seconds of a block's arithmetic, on one core."""
    x = np.linspace(-1, 1, 8 * SIDE)
    return median_time(lambda: np.tanh(np.multiply.outer(x[:SIDE], x)).sum(), TURNS // 2)


def contention(client: Any) -> float:
    """How many times as long a block takes in workers that compute at once, as here alone."""
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
    ratios = []
    for _ in range(3):
        alone = block_time()
        each = [client.submit(block_time, workers=[w], pure=False) for w in workers]
        ratios.append(max(client.gather(each)) / alone)
    return max(statistics.median(ratios), 1.0)


def dask_link(client: Any, round_trip: float) -> Link:
    """Messages between two workers, from tasks that read what is on the other one."""
    first, second = sorted(client.scheduler_info(n_workers=-1)["workers"])

    def seconds(size: int) -> float:
        times = []
        for turn in range(TURNS // 2):
            made = client.submit(np.ones, size + turn, workers=[first], pure=False)
            client.submit(len, made, pure=False).result()
            start = time.perf_counter()
            client.submit(len, made, workers=[second], pure=False).result()
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    small, large = seconds(SMALL), seconds(4 * LARGE)
    return Link(max(small - round_trip, 0.0), max(large - small, 0.0) / (8 * 4 * LARGE))


def resident_link(client: Any) -> Link:
    """Messages to resident workers, from steps with few and with many parameters."""
    blocks = [np.ones((4, SMALL)), np.ones((4, SMALL))]

    def seconds(size: int) -> float:
        loss = lambda w, x: np.sum(x * w[:SMALL])
        options = {"resident": True, "engine": client}
        f = value_and_grad(loss, np.zeros(size), blocks, **options)
        here = value_and_grad(loss, np.zeros(size), blocks, engine=2)
        w = np.zeros(size)
        return max(median_time(lambda: f(w)) - median_time(lambda: here(w)), 0.0)

    small, large = seconds(SMALL), seconds(LARGE)
    per_byte = max(large - small, 0.0) / (2 * len(blocks) * 8 * LARGE)  # to each and back
    return Link(small / 2, per_byte)


PING = """
import json, time
import numpy as np
from mpi4py import MPI
comm, found = MPI.COMM_WORLD, []
for size in (8, 8_000_000):
    buffer, times = np.zeros(size, np.uint8), []
    for _ in range(50):
        start = time.perf_counter()
        if comm.rank == 0:
            comm.Send(buffer, 1)
            comm.Recv(buffer, 1)
        else:
            comm.Recv(buffer, 0)
            comm.Send(buffer, 0)
        times.append(time.perf_counter() - start)
    found.append(sorted(times)[25] / 2)
if comm.rank == 0:
    print(json.dumps(found))
"""


def mpi_link() -> Link | None:
    """Messages between two ranks of MPI; None where they cannot be started."""
    if shutil.which("mpiexec") is None:
        return None
    command = [*mpiexec(2), sys.executable, "-c", PING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        return None
    small, large = json.loads(done.stdout)
    return Link(small, max(large - small, 0.0) / (8 * LARGE))


def mpiexec(count: int) -> list[str]:
    """The command that starts so many ranks here, also as root and on fewer cores."""
    version = subprocess.run(["mpiexec", "--version"], capture_output=True, text=True).stdout
    is_open = "open" in version.lower()
    extra = ["--allow-run-as-root", "--oversubscribe"] if is_open else []
    return ["mpiexec", *extra, "-n", str(count)]
