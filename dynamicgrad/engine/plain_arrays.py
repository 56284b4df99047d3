"""Plain arrays that nodes save, which the program may write to before backward.

Note [Plain arrays]. Nothing notices a write to an array of NumPy's: a buffer, a mask or an index
that a loop fills anew in each round would give every round the gradient of the last. So a node
saves a copy of a small one. A large one may be a data set, or a matrix that each of many steps
uses, and copies would double memory and time: some of its entries, spread over all of it, are read
when it is saved and again in backward, which refuses it if they have changed.
"""

from typing import Any

import numpy as np

from .array import Array
from .handle import Handle, hold
from .node import Node, Storage

COPIED = 1 << 16  # bytes up to which an array is copied, which takes less time than an operation
ENTRIES = 256  # of a larger one that are compared


class Sample(Storage):
    """The record of a large plain array: the bytes of some of its entries when it was saved."""

    __slots__ = ("entries",)

    def __init__(self, x: Any) -> None:
        super().__init__()
        self.entries = hash(entries_of(x))

    def differs(self, x: Any) -> bool:
        """Whether entries have changed since."""
        return self.entries != hash(entries_of(x))


def entries_of(x: Any) -> bytes:
    """Entries of an array at even distances along each axis, as bytes."""
    each = max(2, round(ENTRIES ** (1 / x.ndim)))
    return x[tuple(slice(None, None, max(1, n // each)) for n in x.shape)].tobytes()


def keep_plain(node: Node) -> None:
    """Let a node save its plain arrays as they are now. See Note [Plain arrays]."""
    operands = node.operands
    for x in operands:
        if type(x) is np.ndarray:
            node.operands = tuple(map(kept, operands))
            return


def kept(x: Any) -> Any:
    """A saved operand, a plain array as a copy or with a sample; others as they are."""
    own = copied(x)
    if own is not x or type(x) is not np.ndarray:
        return own
    found = hold(Array, x)
    found.storage = Sample(x)
    return found


def copied(x: Any) -> Any:
    """An operand, or a copy if it is a small plain array."""
    return x.copy(order="K") if type(x) is np.ndarray and x.nbytes <= COPIED else x


def is_plain(x: Any) -> bool:
    """Whether a saved operand is a plain array of which a sample was taken."""
    return isinstance(x, Handle) and type(x.storage) is Sample
