"""Levels of nested transforms: each new one is above all that were there. See Note [Dispatch]."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .errors import GradError

levels = itertools.count(1)
LEVEL: ContextVar[float] = ContextVar("level", default=0.0)


TRACING: ContextVar[Any] = ContextVar("tracing", default=None)
"""What traces the program that runs now, if something does: its values are not those of a call.

Its text is what a user calls it, `constant(array, make)` gives the expression for an array, and
`capture` and its like, where it has them, let objects that keep tensors take part in each call.
"""


def watched(look: Callable[[], Any]) -> Any:
    """What `look` gives now; a trace in force, which depends on it, holds as long as it is that."""
    guard = getattr(TRACING.get(), "guard", None)
    if guard is not None:
        guard(look)
    return look()


class Carrier:
    """An operand of a transform's level, made of operands of lower levels: its parts."""

    __slots__ = ()

    @property
    def parts(self) -> Sequence[object]:
        """The operands that this one is made of."""
        raise NotImplementedError

    def with_parts(self, parts: Sequence[object]) -> "Carrier":
        """An operand of the same level, made of others."""
        raise NotImplementedError

    def mapped(self, change: Callable[[Any], Any]) -> "Carrier":
        """This operand with its parts changed; itself where none of them is."""
        new = [change(part) for part in self.parts]
        same = all(a is b for a, b in zip(new, self.parts, strict=True))
        return self if same else self.with_parts(new)


MASKS = ("setting an array element with a sequence", "Error setting single item of array")
"""What NumPy says in the place of any error of a value that is to become a number."""


@contextmanager
def at_level(level: float) -> Iterator[None]:
    """What runs inside may meet operands of this level."""
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
    """Raise our error where NumPy put one of its own in the place of it."""
    try:
        yield
    except ValueError as error:
        raise_own(error)
        raise


def raise_own(error: ValueError) -> None:
    """Raise our error if NumPy put `error` in its place.

    It does so where a value refuses to become a number that is written into an array.
    """
    if str(error).startswith(MASKS) and isinstance(error.__cause__, GradError):
        raise error.__cause__.with_traceback(error.__traceback__) from None
