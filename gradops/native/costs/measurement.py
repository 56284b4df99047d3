"""Measuring the cost table: small loops of machine code, BLAS, and NumPy's own functions.

Each figure is the least of several short turns, which other programs on the machine disturb least.
All are measured one after another, and then again: a disturbance lasts longer than one figure.
"""

import ctypes
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, reduce

import numpy as np

from gradops.kernels.threads import LIMIT, machine_cores

from ..runtime.machine import Code
from .figures import DEFAULT, CostTable, Speeds, rounded
from .measured_functions import DOUBLE, ENTRIES, ROWS, SINGLE, compiled

ROUNDS = 2  # of all figures
TURNS, SECONDS = 3, 0.0002  # of one figure: how often, and how long a turn takes at least
OURS, BLAS = "own", "gemm"  # functions that multiply matrices
CALLS = 16  # of one of these
TINY, MIDDLING, LARGE = 4, 64, 448  # rows of matrices
ASLEEP = 0.001  # seconds after which a thread of the pool no longer waits awake
BYTES = 1 << 24  # of which few are in the cache
Function = Callable[..., object]


def measured() -> CostTable:
    """The cost table of this machine. Needs llvmlite."""
    functions = compiled()
    return reduce(CostTable.least, [measured_once(functions) for _ in range(ROUNDS)])


def measured_once(functions: Code) -> CostTable:
    """The cost table after one round."""
    x, y, z = small_arrays()
    calls = {name: call_time(functions, name, SINGLE, TINY) for name in (OURS, BLAS)}
    return CostTable(
        f4=speeds(SINGLE, functions, calls),
        f8=speeds(DOUBLE, functions, calls),
        product_call=rounded(calls[OURS]),
        blas_call=rounded(calls[BLAS]),
        kernel_call=rounded(least(kernel_call)),
        numpy_call=rounded(least(partial(np.add, x, y, out=z))),
        byte=rounded(byte()),
        dispatch=rounded(dispatch(functions)),
        is_measured=True,
    )


def least(run: Function, turns: int = TURNS) -> float:
    """The nanoseconds of a call, in the fastest of several turns after some that are shorter."""
    count = 1
    while (took := turn(run, count)) < SECONDS:
        count = max(2 * count, int(1.2 * count * SECONDS / max(took, 1e-7)))
    return min(turn(run, count) for _ in range(turns)) / count * 1e9


def turn(run: Function, count: int) -> float:
    """The seconds of this thread in some calls: others may take the core meanwhile."""
    start = time.thread_time()
    for _ in range(count):
        run()
    return time.thread_time() - start


def speeds(dtype: np.dtype, functions: Code, calls: Mapping[str, float]) -> Speeds:
    """The times for a dtype, given those of calls for next to nothing."""
    x, y, z = (np.full(ENTRIES, 0.5, dtype) for _ in range(3))
    operation, exp, product = (
        least(native(functions, f"{name}_{dtype.itemsize}", x, y))
        for name in ("add", "exp", "product")
    )

    def rate(name: str, n: int) -> float:
        return rounded(max(call_time(functions, name, dtype, n) - calls[name], 1.0) / n**3)

    return Speeds(
        operation=rounded(operation / ENTRIES),
        exp=rounded(exp / ENTRIES),
        product=rounded(product / ROWS**3),
        own_product=rate(OURS, MIDDLING),
        own_product_large=rate(OURS, LARGE),
        blas=rate(BLAS, MIDDLING),
        blas_large=rate(BLAS, LARGE),
        numpy_operation=rounded(least(partial(np.add, x, y, out=z)) / ENTRIES),
        numpy_exp=rounded(least(partial(np.exp, x, out=z)) / ENTRIES),
    )


def call_time(functions: Code, name: str, dtype: np.dtype, n: int) -> float:
    """The nanoseconds of a product of square matrices by a function."""
    x, count = np.full((n, n), 0.5, dtype), 1 if n == LARGE else CALLS
    sizes = np.array([n, count], np.int64)
    run = native(functions, f"{name}_{dtype.itemsize}", sizes, x, x, np.empty_like(x))
    return least(run, 1 if n == LARGE else TURNS) / count


def native(functions: Code, name: str, *arrays: np.ndarray) -> Function:
    """A call of a function of addresses."""
    types = [ctypes.c_void_p] * len(arrays)
    run = ctypes.CFUNCTYPE(None, *types)(functions.address(name))
    given = [a.ctypes.data for a in arrays]
    keep = arrays

    def call() -> object:
        run(*given)
        return keep

    return call


def small_arrays() -> list[np.ndarray]:
    """Arrays of a few entries."""
    return [np.ones(4, np.float32) for _ in range(3)]


SMALL = small_arrays()


def kernel_call() -> object:
    """Do what a call of NumPy's kernel from machine code does in Python."""
    x, y, z = SMALL
    with np.errstate(all="ignore"):
        np.copyto(z, np.add(x[()], y[()]))
    return x.view(), y.view(), z.view()  # headers of arrays


def byte() -> float:
    """The time of a byte that is read, and one that is written."""
    source, to = np.zeros(BYTES, np.uint8), np.empty(BYTES, np.uint8)
    np.copyto(to, source)
    return turn(partial(np.copyto, to, source), 1) / BYTES / 2 * 1e9


def dispatch(functions: Code) -> float:
    """The time to share a loop of two passes between threads, of which one sleeps.

    The table is for all processes, so a limit of this one does not count; on one core, where
    nobody is woken, the default holds.
    """
    if machine_cores() == 1:
        return DEFAULT.dispatch
    run, found = native(functions, "share"), list[float]()
    with on_all_cores():
        for _ in range(TURNS):
            time.sleep(ASLEEP)
            start = time.perf_counter()
            run()
            found.append(time.perf_counter() - start)
    return min(found) * 1e9


@contextmanager
def on_all_cores() -> Iterator[None]:
    """Share loops between as many threads as the machine has cores."""
    before = int(LIMIT[0])
    LIMIT[0] = machine_cores()
    try:
        yield
    finally:
        LIMIT[0] = before
