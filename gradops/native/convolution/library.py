"""Convolutions as functions of Python; code is compiled when its dtype and width come first."""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ..ir.text import METADATA, code_of
from ..runtime.machine import Code
from ..runtime.pool import find
from .blocks import ONE_BY_ONE_TEXT, Block, lanes
from .functions import CONVOLVE, DECLARED, FILTERS, symbol_of, texts
from .geometry import ALIGNMENT, Convolution, Placed
from .plan import Plan, plan

GIVEN = {"convolve": CONVOLVE, "filters": FILTERS}
DTYPES = (np.dtype("f4"), np.dtype("f8"))


@cache
def code(v: Block) -> Code:
    """The code of all functions for some vectors, from the cache on disk if it is there."""
    return Code.for_key(("convolution", code_of(v.dtype), v.width), lambda: text_of(v), find=find)


def text_of(v: Block) -> str:
    """The module of all functions for some vectors."""
    functions = [f.text() for f in texts(v)]
    return "\n".join([DECLARED, *v.lanes.declarations(), *functions, METADATA, ONE_BY_ONE_TEXT])


@cache
def function(v: Block, name: str) -> Callable[..., int]:
    """A function of addresses, which lets other threads of Python run."""
    made = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * (len(GIVEN[name]) + 1))
    return made(code(v).address(symbol_of(v, name)))


@cache
def works(dtype: np.dtype, filters: int) -> bool:
    """True if there is code for so many filters of a group, on this machine."""
    try:
        code(block_for(dtype, filters))
    except (ImportError, OSError, RuntimeError):
        return False
    return True


def address_of(name: str) -> int:
    """The address of the function of a name that `symbol_of` gives."""
    _, kind, dtype, width = name.split("_")
    block = Block(np.dtype(dtype), int(width))
    return code(block).address(symbol_of(block, kind))


def block_for(dtype: np.dtype, filters: int) -> Block:
    """The block in which so many filters of a group are computed."""
    return Block(dtype, 1 if filters <= lanes(dtype).count else 2)


@lru_cache(maxsize=4096)
def plan_of(
    v: Block, for_filters: bool, x: Placed, w: Placed, y: Placed, options: Any, groups: int,
    group_step: int | None = None,
) -> Plan:  # fmt: skip
    """The plan of a convolution, or of its gradient in the filters."""
    size = v.dtype.itemsize
    return plan(Convolution(x, w, y, options, groups, v.size, size, group_step), for_filters)


def workspace(
    dtype: np.dtype, for_filters: bool, placed: Sequence[Any], options: Any, groups: int
) -> int:
    """The bytes of memory of a call, for the places of operand, filters and result."""
    v = block_for(dtype, placed[1][0][0] // groups)
    return plan_of(v, for_filters, *[Placed(*p) for p in placed], options, groups).bytes


def place(x: np.ndarray) -> Placed:
    """Where the entries of an array lie."""
    return Placed(x.shape, tuple([s // x.itemsize for s in x.strides]))


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
    v = block_for(y.dtype, len(w) // groups)
    numbers = plan_of(v, False, place(x), place(w), place(y), options, groups)
    kept, work = memory(numbers)
    biases = None if bias is None else address(bias)
    function(v, "convolve")(numbers.address, address(x), address(w), biases, address(y), work)
    del kept


def filters(x: np.ndarray, g: np.ndarray, options: Any, groups: int, to: np.ndarray) -> None:
    """Write the gradient of filters, from an operand and cotangents, to `to`."""
    v = block_for(to.dtype, len(to) // groups)
    numbers = plan_of(v, True, place(x), place(to), place(g), options, groups)
    kept, work = memory(numbers)
    function(v, "filters")(numbers.address, address(x), address(g), address(to), work)
    del kept
