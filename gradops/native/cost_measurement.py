"""Measuring the cost table: small loops of machine code, BLAS, and NumPy's own functions.

Each figure is the least of several short turns, which other programs on the machine disturb least.
"""

import ctypes
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from .costs import CostTable, Speeds, rounded
from .machine import Code
from .measured_functions import CALLS, DOUBLE, ENTRIES, ROWS, SINGLE, compiled

TURNS, SECONDS = 7, 0.0003  # of one figure: how often, and how long a turn takes at least
WIDE = 64  # rows of matrices that BLAS multiplies on one thread
ASLEEP = 0.001  # seconds after which a thread of the pool no longer waits awake
LARGE = 1 << 24  # bytes, of which few are in the cache
Function = Callable[..., object]


def measured() -> CostTable:
    """The cost table of this machine. Needs llvmlite."""
    functions = compiled()
    x, y, z = small_arrays()
    call = least(gemm_calls(SINGLE, functions, 4)) / CALLS
    return CostTable(
        f4=speeds(SINGLE, functions, call),
        f8=speeds(DOUBLE, functions, call),
        blas_call=rounded(call),
        kernel_call=rounded(least(kernel_call)),
        numpy_call=rounded(least(partial(np.add, x, y, out=z))),
        byte=rounded(byte()),
        dispatch=rounded(dispatch(functions)),
        is_measured=True,
    )


def least(run: Function) -> float:
    """The nanoseconds of a call, in the fastest of several turns."""
    run()
    count = 1
    while (took := turn(run, count)) < SECONDS:
        count = max(2 * count, int(1.2 * count * SECONDS / max(took, 1e-7)))
    return min(turn(run, count) for _ in range(TURNS)) / count * 1e9


def turn(run: Function, count: int) -> float:
    """The seconds of some calls."""
    start = time.perf_counter()
    for _ in range(count):
        run()
    return time.perf_counter() - start


def speeds(dtype: np.dtype, functions: Code, call: float) -> Speeds:
    """The times for a dtype, given that of a call of BLAS."""
    x, y, z = (np.full(ENTRIES, 0.5, dtype) for _ in range(3))
    operation, exp, product = (
        least(native(functions, f"{name}_{dtype.itemsize}", x, y))
        for name in ("add", "exp", "product")
    )
    large = least(gemm_calls(dtype, functions, WIDE)) / CALLS
    return Speeds(
        operation=rounded(operation / ENTRIES),
        exp=rounded(exp / ENTRIES),
        product=rounded(product / ROWS**3),
        blas=rounded(max(large - call, 0.1 * large) / WIDE**3),
        numpy_operation=rounded(least(partial(np.add, x, y, out=z)) / ENTRIES),
        numpy_exp=rounded(least(partial(np.exp, x, out=z)) / ENTRIES),
    )


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


def gemm_calls(dtype: np.dtype, functions: Code, n: int) -> Function:
    """Calls of BLAS's gemm for square matrices, from machine code."""
    x = np.full((n, n), 0.5, dtype)
    sizes = np.array([n, n], np.int64)
    return native(functions, f"gemm_{dtype.itemsize}", sizes, x, x, np.empty_like(x))


def small_arrays() -> list[np.ndarray]:
    """Arrays of a few entries."""
    return [np.ones(4, np.float32) for _ in range(3)]


SMALL = small_arrays()


def kernel_call() -> object:
    """What a call of NumPy's kernel from machine code does in Python."""
    x, y, z = SMALL
    with np.errstate(all="ignore"):
        np.copyto(z, np.add(x[()], y[()]))
    return x.view(), y.view(), z.view()  # headers of arrays


def byte() -> float:
    """The time of a byte that is read, and one that is written."""
    source, to = np.zeros(LARGE, np.uint8), np.empty(LARGE, np.uint8)
    np.copyto(to, source)
    return min(turn(partial(np.copyto, to, source), 1) for _ in range(3)) / LARGE / 2 * 1e9


def dispatch(functions: Code) -> float:
    """The time to share a loop of two passes between threads, of which one sleeps."""
    run, found = native(functions, "share"), []
    for _ in range(TURNS):
        time.sleep(ASLEEP)
        found.append(turn(run, 1))
    return min(found) * 1e9
