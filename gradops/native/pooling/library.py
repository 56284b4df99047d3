"""Pooling as functions of Python; code is compiled when its dtype comes first."""

import ctypes
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ...kernels.nn.windows import Slide
from ..convolution.library import address, place
from ..convolution.plan import Plan
from ..ir.text import METADATA, code_of
from ..runtime.machine import Code
from ..runtime.pool import find
from .functions import declarations, symbol_of, texts
from .plan import Pooling, Unsuitable
from .windows import KINDS


@cache
def code(dtype: np.dtype, kind: str) -> Code:
    """The code of a function, from the cache on disk if it is there."""
    return Code.for_key(
        ("pooling", code_of(dtype), kind), lambda: text_of(dtype, (kind,)), find=find
    )


def text_of(dtype: np.dtype, kinds: Iterable[str] = KINDS) -> str:
    """The module of functions of a dtype."""
    functions = [f.text() for f in texts(dtype, kinds)]
    return "\n".join([*declarations(dtype), *functions, METADATA])


@cache
def works(dtype: np.dtype, kind: str) -> bool:
    """True if there is code for a dtype on this machine."""
    try:
        code(dtype, kind)
    except (ImportError, OSError, RuntimeError):
        return False
    return True


@cache
def function(dtype: np.dtype, kind: str) -> Callable[..., int]:
    """A function of addresses, which lets other threads of Python run."""
    made = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
    return made(code(dtype, kind).address(symbol_of(kind, dtype)))


def address_of(name: str) -> int:
    """The address of the function of a name that `symbol_of` gives."""
    _, kind, dtype = name.split("_")
    return code(np.dtype(dtype), kind).address(name)


@lru_cache(maxsize=4096)
def plan_of(x: Any, y: Any, indices: Any, slide: Slide, apart: bool) -> Plan | None:
    """The plan of a pooling; None if the arrays lie so that there is no code."""
    try:
        return Pooling(x, y, indices, slide, apart).plan()
    except Unsuitable:
        return None


def pool(
    kind: str, x: np.ndarray, y: np.ndarray, indices: np.ndarray | None, slide: Slide,
    apart: bool = True,
) -> bool:  # fmt: skip
    """Call a function of an operand, windows, and indices; False if they do not lie suitably."""
    steps = () if indices is None else tuple(indices.strides)
    plan = plan_of(place(x), place(y), steps, slide, apart)
    if plan is None:
        return False
    places = None if indices is None else address(indices)
    function(x.dtype, kind)(plan.address, address(x), address(y), places)
    return True
