"""Plain NumPy arrays that nodes save, which the program may overwrite before backward.

Note [Plain arrays]. Writes to NumPy arrays cannot be observed: a buffer, mask or index that a loop
refills would give each iteration the gradient of the last. So a node saves a copy of a small array.
A copy of a large one, such as a data set, would double memory and time: a sample of its entries is
read when it is saved and again in backward, which raises TapeError if they have changed.
"""

from typing import Any

import numpy as np

from .array import Array
from .handle import Handle, hold
from .node import Node, Storage

COPIED = 1 << 16  # bytes: copying fewer takes less time than an operation
ENTRIES = 256  # in the sample of a larger array


class Sample(Storage):
    """The storage of a large plain array: a hash of a sample of its entries when it was saved."""

    __slots__ = ("entries",)

    def __init__(self, x: Any) -> None:
        super().__init__()
        self.entries = hash(entries_of(x))

    def differs(self, x: Any) -> bool:
        """True if entries of the sample have changed."""
        return self.entries != hash(entries_of(x))


def entries_of(x: Any) -> bytes:
    """A sample of entries at equal distances along each axis, as bytes."""
    each = max(2, round(ENTRIES ** (1 / x.ndim)))
    return x[tuple(slice(None, None, max(1, n // each)) for n in x.shape)].tobytes()


def keep_plain(node: Node) -> None:
    """Protect the plain arrays that a node saves. See Note [Plain arrays]."""
    pairs = zip(node.operands, node.inputs)
    if any(type(x) is np.ndarray and v is None for x, v in pairs):
        pairs = zip(node.operands, node.inputs)
        node.operands = tuple([protected_copy(x) if v is None else x for x, v in pairs])


def protected_copy(x: Any) -> Any:
    """A saved operand: a plain array as a copy or with a sample, others as they are."""
    if type(x) is not np.ndarray or x.nbytes <= COPIED:
        return copy_if_small(x)
    sampled = hold(Array, x)
    sampled.storage = Sample(x)
    return sampled


def copy_if_small(x: Any) -> Any:
    """A copy of a small plain array; other operands as they are."""
    return x.copy(order="K") if type(x) is np.ndarray and x.nbytes <= COPIED else x


def is_plain(x: Any) -> bool:
    """True if a saved operand is a large plain array with a sample."""
    return isinstance(x, Handle) and type(x.storage) is Sample
