"""Where a traced value would become a plain number or array and be cut off: errors and warnings.

Note [Cut off]. An array of NumPy's holds numbers and no history, and NumPy asks nobody before
it makes numbers of what is written into it. So whoever is asked for an array refuses, and whoever
is asked for a number warns, unless the number is about to be written into an array: that is told
by the instruction at which the user's program stands.
"""

import dis
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from .. import fft, linalg, special
from ..core.errors import BY_HAND, DetachWarning, TransformError
from ..core.source_location import (
    Place,
    call_of_user,
    calls_staticgrad,
    describe,
    function_called,
    here,
    is_conversion,
    place_of_user,
    warn,
)
from .numpy_hints import BY_NAME, instead_of

WRITES = frozenset({"STORE_SUBSCR", "STORE_SLICE", "STORE_ATTR"})
JOIN = "np.stack and np.concatenate put values together, np.where chooses among them"
STACK = f"{JOIN}; what is to be written to is np.zeros_like(x, shape=...) of a traced x"
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
"""Functions of NumPy's that answer False where they are met with an error."""

HINT = "\n  hint: "
CUTS: ContextVar[list[Place | None] | None] = ContextVar("CUTS", default=None)
"""The places where numbers were made of traced values, if somebody wants to know."""


@contextmanager
def cuts_noted() -> Iterator[list[Place | None]]:
    """The places at which numbers are made of traced values meanwhile."""
    found: list[Place | None] = []
    before = CUTS.set(found)
    try:
        yield found
    finally:
        CUTS.reset(before)


def is_write(place: Place | None) -> bool:
    """Whether a place is an assignment to entries or attributes: `a[i] = value`."""
    if place is None:
        return False
    code, offset = place
    return dis.opname[code.co_code[offset]] in WRITES


def number_made(message: str, write: str = "") -> None:
    """Warn of the user's line that a traced value becomes a number, and note it.

    Where the number is written into an array, and there is a way out, it is refused.
    """
    place = here()
    if write and is_write(place):
        raise array_refused(CUT_OFF, write)
    if (noted := CUTS.get()) is not None:
        noted.append(place)
    if place is not None and not is_conversion(place):  # which training loops do in each step
        message = with_hint(message, instead_of(call_of_user()))
    warn(message, DetachWarning)


def with_hint(message: str, hint: str) -> str:
    """A message with a closer hint, if there is one."""
    return f"{message.partition(HINT)[0]}{HINT}{hint}" if hint else message


def array_refused(
    reason: str,
    write: str = OWNED,
    join: str = STACK,
    error: type[Exception] = TransformError,
    speaks_numpy: bool = True,
) -> Exception:
    """The error for a traced value of which a plain array would be made.

    `write` is the way out where it is to be written into one, `join` where it is in a list. What
    does not speak NumPy has these ways out alone.
    """
    join = FED if calls_staticgrad() else join
    where, hint = where_and_way_out(write, join, speaks_numpy)
    return error(f"{reason}\n  at {where}\n  hint: {hint}")


def where_and_way_out(write: str, join: str, speaks_numpy: bool = True) -> tuple[str, str]:
    """The user's line with what it calls, and the hint: `write` if it is an assignment."""
    place, (called, hint) = place_of_user(), way_out(speaks_numpy)
    hint = write if is_write(place) else hint or join
    if called in SWALLOWING:
        warn(f"{called} takes values that are not known for unequal\n  hint: {hint}", DetachWarning)
    return f"{describe(place)}{called and f', in {called}'}", hint


def way_out(speaks_numpy: bool = True) -> tuple[str, str]:
    """The function of a library that the user's line calls, and what to call instead.

    Both are empty where it calls none, and the latter where the function is not the reason.
    """
    called = function_called()
    if not called:
        return "", instead_of(call_of_user()) if speaks_numpy else ""
    if speaks_numpy and called in BY_NAME:
        return called, BY_NAME[called]
    instead = counterpart(called)
    if instead:
        return called, f"use {instead}, which takes traced values too"
    if called.startswith("scipy."):
        return called, f"{ARRAY_API}; or {BY_HAND}"
    return called, "" if called.startswith("numpy") else f"it takes plain arrays: {BY_HAND}"


def counterpart(called: str) -> str:
    """The function that takes traced values, for one of SciPy's that does not; or nothing."""
    space, _, name = called.rpartition(".")
    if space in ("scipy.linalg", "scipy.fft"):
        theirs = np.linalg if space == "scipy.linalg" else np.fft
        ours = linalg if space == "scipy.linalg" else fft
        if hasattr(theirs, name):
            return f"np.{space.removeprefix('scipy.')}.{name}"
        return f"gradops.{space.removeprefix('scipy.')}.{name}" if name in ours.__all__ else ""
    if space in ("scipy.special", "scipy.integrate") and name in special.__all__:
        return f"gradops.special.{name}"
    return ""
