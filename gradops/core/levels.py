"""Levels of nested transforms: each new one is above all others. See Note [Dispatch]."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .errors import GradError

levels = itertools.count(1)
clock = itertools.count(1)
"""Numbers of what tapes record, in the order of time."""

LEVEL: ContextVar[float] = ContextVar("level", default=0.0)


TRACING: ContextVar[Any] = ContextVar("tracing", default=None)
"""The tracer of the program that runs now, None without one. Traced values are not those of a call.

Its text is what a user calls it, `constant(array, make)` gives the expression for an array, and
`capture` and its like, where it has them, let objects that keep tensors take part in each call.
"""


def observe(look: Callable[[], Any]) -> Any:
    """The value of `look()`; a running trace is valid only while it stays the same."""
    guard = getattr(TRACING.get(), "guard", None)
    if guard is not None:
        guard(look)
    return look()


class Carrier:
    """An operand at the level of a transform, composed of operands of lower levels: its parts."""

    __slots__ = ()

    @property
    def parts(self) -> Sequence[Any]:
        """The operands that this one is composed of."""
        raise NotImplementedError

    def with_parts(self, parts: Sequence[object]) -> "Carrier":
        """An operand of the same level with other parts."""
        raise NotImplementedError

    def mapped(self, change: Callable[[Any], Any]) -> "Carrier":
        """This operand with `change` applied to its parts; itself if no part changes."""
        new = [change(part) for part in self.parts]
        same = all(a is b for a, b in zip(new, self.parts, strict=True))
        return self if same else self.with_parts(new)


MASKS = ("setting an array element with a sequence", "Error setting single item of array")
"""Prefixes of NumPy's errors that replace ours when a value refuses conversion to a number."""


@contextmanager
def at_level(level: float) -> Iterator[None]:
    """Run the code inside at the level `level`."""
    token = LEVEL.set(level)
    try:
        yield
    except ValueError as error:
        raise_own(error)
        raise
    finally:
        LEVEL.reset(token)


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise our error where NumPy replaced it with one of its own."""
    try:
        yield
    except ValueError as error:
        raise_own(error)
        raise


def raise_own(error: ValueError) -> None:
    """Raise our error if NumPy replaced it with `error`.

    NumPy does so where a traced value that is written into an array refuses the conversion.
    """
    if str(error).startswith(MASKS) and isinstance(error.__cause__, GradError):
        raise error.__cause__.with_traceback(error.__traceback__) from None
