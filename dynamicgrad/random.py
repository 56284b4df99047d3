"""Random tensors as functions of a key, by the names of JAX's `random`.

The functions are those of `gradops.random`, and give the same numbers in graphs.

>>> key = dg.random.key(0)
>>> dg.equal(dg.random.normal(key, (3,)), dg.random.normal(key, (3,)))
True
"""

from typing import Any

import gradops as ops
from gradops import random as shared
from gradops.random import *  # noqa: F403  # what it lists, and no more

from .engine.tensor import Tensor, as_tensor

__all__ = shared.__all__


def key(seed: int, *words: int) -> Tensor:  # type: ignore[no-redef]  # in place of the shared one
    """The key of a seed, as a tensor; numbers drawn with it are tensors.

    >>> dg.random.key(0).dtype
    dtype('uint64')
    """
    found: Any = as_tensor(ops.random_key(seed, *words))
    return found
