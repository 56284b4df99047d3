"""Errors and warnings where a traced value is converted to a plain number or array.

Note [Cut off]. A NumPy array holds numbers without history, and assigning a traced value to its
entries converts the value to a number. So a traced value refuses conversion to an array. It warns
of conversion to a number, but refuses that too if the current instruction of the user's program
assigns the number to entries of an array.
"""

import dis
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pkgutil import resolve_name
from typing import Any

import numpy as np

from .. import fft, linalg, special
from ..core import source_location
from ..core.errors import BY_HAND, DetachWarning, TransformError
from ..core.source_location import Place
from ..core.types import type_of

WRITES = frozenset({"STORE_SUBSCR", "STORE_SLICE", "STORE_ATTR"})
JOIN = "np.stack and np.concatenate put values together, np.where chooses among them"
STACK = (
    f"{JOIN}; what is to be written to is np.zeros_like(x, shape=...) of a traced x; pass"
    " arguments as arrays: a list of numbers is several values"
)
OWNED = (
    "write into an array that takes part, ys = np.zeros_like(x, shape=...) of a traced x; or"
    " collect the values in a list, and np.stack(values)"
)
ARRAY_API = (
    "many functions of SciPy take traced values if the environment has SCIPY_ARRAY_API=1 before"
    " SciPy is imported"
)
COLLECTED = "collect the values in a list, and np.stack(values)"
CUT_OFF = (
    "a plain array holds numbers alone: what is being differentiated would be cut off in it, and"
    " its gradient be zero"
)
FED = "a graph is fed plain arrays; sg.function(f) of staticgrad takes what is differentiated"
SWALLOWING = frozenset({"numpy.array_equal", "numpy.array_equiv"})
"""NumPy's functions that catch an error and return False."""

HINT = "\n  hint: "
CUTS: ContextVar[list[Place | None] | None] = ContextVar("CUTS", default=None)
"""The places where traced values were converted to numbers; None if they are not recorded."""

NUDGE: ContextVar[float] = ContextVar("NUDGE", default=0.0)
"""By how much numbers that traced values are converted to are changed."""


@contextmanager
def recording_detached() -> Iterator[list[Place | None]]:
    """Records the places where traced values are converted to numbers inside the block."""
    found: list[Place | None] = []
    before = CUTS.set(found)
    try:
        yield found
    finally:
        CUTS.reset(before)


@contextmanager
def nudging(amount: float = 1e-6) -> Iterator[None]:
    """Changes the numbers that traced values are converted to, to see what depends on them."""
    before = NUDGE.set(amount)
    try:
        yield
    finally:
        NUDGE.reset(before)


def leaving(x: Any) -> Any:
    """A value that is about to become a plain number, changed inside of `nudging`."""
    amount = NUDGE.get()
    return x * (1 + amount) + amount if amount and type_of(x).dtype.kind in "fc" else x


def is_write(place: Place | None) -> bool:
    """True if a place is an assignment to entries or attributes: `a[i] = value`."""
    if place is None:
        return False
    code, offset = place
    return dis.opname[code.co_code[offset]] in WRITES


def warn_detached(message: str, write: str = "") -> None:
    """Warn that the user's line converts a traced value to a number, and record the place.

    If the number is assigned to entries of an array and a hint `write` is given, it raises instead.
    """
    place = source_location.here()
    if write and is_write(place):
        raise array_conversion_error(CUT_OFF, write)
    if (noted := CUTS.get()) is not None:
        noted.append(place)
    if place is not None and not source_location.is_conversion(place):  # as training loops do
        from .numpy_hints import instead_of

        message = with_hint(message, instead_of(source_location.call_of_user()))
    source_location.warn(message, DetachWarning)


def with_hint(message: str, hint: str) -> str:
    """A message with its hint replaced, if another is given."""
    return f"{message.partition(HINT)[0]}{HINT}{hint}" if hint else message


def array_conversion_error(
    reason: str, write: str = OWNED, join: str = STACK, error: type[Exception] = TransformError,
    speaks_numpy: bool = True,
) -> Exception:  # fmt: skip
    """The error for a traced value that would be converted to a plain array.

    `write` is the hint for an assignment to entries, `join` for a list of values. With
    `speaks_numpy` there may be a closer hint: a function of NumPy's that takes traced values.
    """
    join = FED if source_location.calls_staticgrad() else join
    where, hint = where_and_way_out(write, join, speaks_numpy)
    return error(f"{reason}\n  at {where}\n  hint: {hint}")


def where_and_way_out(write: str, join: str, speaks_numpy: bool = True) -> tuple[str, str]:
    """The user's line with the function it calls, and the hint: `write` for an assignment."""
    place, (called, hint) = source_location.place_of_user(), way_out(speaks_numpy)
    hint = write if is_write(place) else hint or join
    if called in SWALLOWING:
        message = f"{called} takes values that are not known for unequal\n  hint: {hint}"
        source_location.warn(message, DetachWarning)
    return f"{source_location.describe(place)}{called and f', in {called}'}", hint


def way_out(speaks_numpy: bool = True) -> tuple[str, str]:
    """The library function that the user's line calls, and a hint for its replacement.

    Both are empty if it calls none.
    """
    from .numpy_hints import BY_NAME, instead_of

    called = source_location.called_function()
    if not called:
        return "", instead_of(source_location.call_of_user()) if speaks_numpy else ""
    if speaks_numpy and called in BY_NAME:
        return called, BY_NAME[called]
    instead = counterpart(called)
    if instead:
        return called, f"use {instead}, which takes traced values too"
    if called.startswith("scipy."):
        return called, f"{ARRAY_API}; or {BY_HAND}"
    return called, "" if called.startswith("numpy") else f"it takes plain arrays: {BY_HAND}"


def is_there(name: str) -> bool:
    """True for the full name of a function of arrays, whose modules are imported to know.

    Only the text of an error depends on it.
    """
    try:
        found = resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return not getattr(found, "takes_numbers", False)


def counterpart(called: str) -> str:
    """The function that takes traced values in place of one of SciPy's; empty if there is none."""
    space, _, name = called.rpartition(".")
    if space in ("scipy.linalg", "scipy.fft"):
        theirs = np.linalg if space == "scipy.linalg" else np.fft
        if hasattr(theirs, name):
            return f"np.{space.removeprefix('scipy.')}.{name}"
    if space.startswith("scipy.") and is_there(f"gradops.{called}"):
        return f"gradops.{called}"
    if space in ("scipy.linalg", "scipy.fft"):
        ours = linalg if space == "scipy.linalg" else fft
        return f"gradops.{space.removeprefix('scipy.')}.{name}" if name in ours.__all__ else ""
    if space in ("scipy.special", "scipy.integrate") and name in special.__all__:
        return f"gradops.special.{name}"
    return ""
