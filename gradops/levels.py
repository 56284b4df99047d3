"""Levels of nested transforms: each new one is above all that were there. See Note [Dispatch]."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

levels = itertools.count(1)
LEVEL: ContextVar[float] = ContextVar("level", default=0.0)


TRACING: ContextVar[Any] = ContextVar("tracing", default=None)
"""What traces the program that runs now, if something does: its values are not those of a call.

Its text is what a user calls it, `constant(array, make)` gives the expression for an array, and
`capture` and its like, where it has them, let objects that keep tensors take part in each call.
"""


@contextmanager
def at_level(level: float) -> Iterator[None]:
    """What runs inside may meet operands of this level."""
    token = LEVEL.set(level)
    try:
        yield
    finally:
        LEVEL.reset(token)
