"""The modules of functions that machine code calls by name, for who links them into one object.

They are imported for code that calls them.
"""

import re
from collections.abc import Iterator

import numpy as np

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
        from ..matmul import gemm

        return gemm.product(name).address(name)
    if name in CONVOLUTION:
        from ..convolution import library as convolution

        return convolution.address_of(name)
    if name in POOLING:
        from ..pooling import library as pooling

        return pooling.address_of(name)
    return pool.find(name)


def module_defining(name: str) -> str:
    """The module that defines a function of ours."""
    if name in GEMM:
        from ..matmul import gemm

        return gemm.text_of(next(t for t in gemm.DTYPES if gemm.symbol_of(t) == name))
    if name in POOLING:
        from ..pooling import library as pooling

        return pooling.text_of(np.dtype(name.split("_")[2]))
    from ..convolution import library as convolution
    from ..convolution.blocks import Block

    _, _, dtype, width = name.split("_")
    return convolution.text_of(Block(np.dtype(dtype), int(width)))
