"""Saved tensors that survive writes: they are copied when, and only when, they would change.

Note [Copy on write]. Inside `allow_mutation_on_saved_tensors` what nodes save is a `Kept`, which
the record of writes to its memory knows. A write copies the kept values first, which then are safe;
a value that was changed behind the library's back is not, and the version check refuses it.
"""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..engine.handle import Handle
from ..engine.storage import storage_of
from ..engine.tensor import handle
from .saved_tensor_hooks import saved_tensors_hooks


class Kept:
    """A saved value; `safe` once it has memory of its own."""

    __slots__ = ("__weakref__", "safe", "value")

    def __init__(self, t: Handle) -> None:
        self.value, self.safe = t.value, False
        storage = storage_of(t)
        storage.kept = [*(storage.kept or ()), weakref.ref(self)]

    def tensor(self) -> Handle:
        """The value as a tensor again."""
        return handle(self.value)

    def copy(self) -> None:
        """Take the value out of the memory that is about to change."""
        self.value, self.safe = np.array(self.value)[()], True


def preserve(t: Handle) -> None:
    """Copy what was kept of the memory of `t`, to which something is about to be written."""
    storage = t.storage if t.storage is not None else getattr(t.node, "storage", None)
    if storage is None or not storage.kept:
        return
    for ref in storage.kept:
        if (kept := ref()) is not None:
            kept.copy()
    storage.kept = None


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[None]:
    """Let tensors that backward needs be written to inside a `with` block: they are copied first.

    Backward gets the values as they were when they were saved.

    >>> x = dg.tensor([1.0, 2.0], requires_grad=True)
    >>> with dg.autograd.graph.allow_mutation_on_saved_tensors():
    ...     h = x * 1
    ...     y = (h * h).sum()
    ...     _ = h.mul_(100)
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """
    with saved_tensors_hooks(Kept, Kept.tensor):
        yield
