"""Convolutions as functions of Python: the code of each dtype and width, compiled when first used."""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ..machine import Code
from ..pool import pool
from ..text import METADATA
from .functions import CONVOLVE, DECLARED, FILTERS, texts
from .plan import ALIGNMENT, Convolution, Plan, entries_between
from .vectors import ONE_BY_ONE_TEXT, Vectors

GIVEN = {"convolve": CONVOLVE, "filters": FILTERS}
DTYPES = (np.dtype("f4"), np.dtype("f8"))


@cache
def code(v: Vectors) -> Code:
    """The code of all functions for some vectors."""
    pool()
    functions = [f.text() for f in texts(v)]
    return Code("\n".join([DECLARED, *v.declared(), *functions, METADATA, ONE_BY_ONE_TEXT]))


@cache
def function(v: Vectors, name: str) -> Callable[..., int]:
    """A function of addresses, which lets other threads of Python run."""
    made = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * (len(GIVEN[name]) + 1))
    return made(code(v).address(name))


def vectors_for(dtype: np.dtype, filters: int) -> Vectors:
    """The vectors with which so many filters of a group are computed."""
    lanes = Vectors(dtype, 1).lanes
    return Vectors(dtype, 1 if filters <= lanes else 2)


@lru_cache(maxsize=4096)
def plan_of(v: Vectors, for_filters: bool, *given: Any) -> Plan:
    """The plan of a convolution, or of its gradient in the filters."""
    return Convolution(*given, v.block, v.dtype.itemsize).plan(for_filters)


def place(x: np.ndarray) -> tuple[Sequence[int], Sequence[int]]:
    """The shape of an array, and its strides in entries."""
    return x.shape, entries_between(x)


def memory(plan: Plan) -> tuple[np.ndarray, int]:
    """Memory for a call, and the address of its first aligned byte."""
    found = np.empty(plan.bytes + ALIGNMENT, np.uint8)
    return found, -(-address(found) // ALIGNMENT) * ALIGNMENT


def address(x: np.ndarray) -> int:
    """Where an array's first entry lies."""
    found: int = x.__array_interface__["data"][0]
    return found


def convolve(
    x: np.ndarray, w: np.ndarray, options: Any, groups: int, bias: np.ndarray | None, y: np.ndarray
) -> None:
    """Write the convolution of `x` with the filters `w`, channels second, to `y`."""
    v = vectors_for(y.dtype, len(w) // groups)
    plan = plan_of(v, False, place(x), place(w), place(y), options, groups)
    kept, work = memory(plan)
    biases = None if bias is None else address(bias)
    function(v, "convolve")(plan.address, address(x), address(w), biases, address(y), work)
    del kept


def filters(x: np.ndarray, g: np.ndarray, options: Any, groups: int, to: np.ndarray) -> None:
    """Write the gradient of filters, from an operand and cotangents, to `to`."""
    v = vectors_for(to.dtype, len(to) // groups)
    plan = plan_of(v, True, place(x), place(to), place(g), options, groups)
    kept, work = memory(plan)
    function(v, "filters")(plan.address, address(x), address(g), address(to), work)
    del kept
