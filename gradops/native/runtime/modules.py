"""The modules of functions that machine code calls by name, for who links them into one object."""

import re
from collections.abc import Iterator

import numpy as np

from ..convolution import library as convolution
from ..convolution.blocks import Block
from ..matmul import gemm
from ..pooling import library as pooling
from . import pool
from .symbols import CONVOLUTION, GEMM, POOLING

NAME = re.compile(r"@([\w.]+)")


def names_in(text: str) -> set[str]:
    """The names of functions and variables in a module."""
    return set(NAME.findall(text))


def modules_called(text: str) -> Iterator[str]:
    """The modules of the functions of ours that a module calls, and of those that these call."""
    texts, done = [text], set()
    while texts:
        for name in sorted(names_in(texts.pop()) & (GEMM | CONVOLUTION | POOLING).keys()):
            found = module_defining(name)
            if found not in done:
                done.add(found)
                texts.append(found)
                yield found


def find(name: str) -> int:
    """The address of what the code of a graph calls by a name."""
    if name in GEMM:
        return gemm.product(name).address(name)
    if name in CONVOLUTION:
        return convolution.address_of(name)
    return pooling.address_of(name) if name in POOLING else pool.find(name)


def module_defining(name: str) -> str:
    """The module that defines a function of ours."""
    if name in GEMM:
        return gemm.text_of(next(t for t in gemm.DTYPES if gemm.symbol_of(t) == name))
    if name in POOLING:
        return pooling.text_of(np.dtype(name.split("_")[2]))
    _, _, dtype, width = name.split("_")
    return convolution.text_of(Block(np.dtype(dtype), int(width)))
