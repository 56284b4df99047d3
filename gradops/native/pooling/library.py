"""Pooling as functions of Python; code is compiled when its dtype comes first."""

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ...kernels.nn.windows import Slide
from ..convolution.library import address, place
from ..convolution.plan import Plan
from ..machine import Code
from ..text import METADATA, code_of
from .functions import declarations, symbol_of, texts
from .plan import Pooling, Unsuitable


@cache
def code(dtype: np.dtype) -> Code:
    """The code of all functions of a dtype, from the cache on disk if it is there."""
    return Code.for_key(("pooling", code_of(dtype)), lambda: text_of(dtype))


def text_of(dtype: np.dtype) -> str:
    """The module of all functions of a dtype."""
    return "\n".join([*declarations(dtype), *[f.text() for f in texts(dtype)], METADATA])


@cache
def works(dtype: np.dtype) -> bool:
    """True if there is code for a dtype on this machine."""
    try:
        code(dtype)
    except (ImportError, OSError, RuntimeError):
        return False
    return True


@cache
def function(dtype: np.dtype, name: str) -> Callable[..., int]:
    """A function of addresses, which lets other threads of Python run."""
    made = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
    return made(code(dtype).address(symbol_of(name, dtype)))


def address_of(name: str) -> int:
    """The address of the function of a name that `symbol_of` gives."""
    _, kind, dtype = name.split("_")
    return code(np.dtype(dtype)).address(symbol_of(kind, np.dtype(dtype)))


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
