"""Which function of another library the user's line calls, where an error is raised below it."""

import sys
from types import FrameType

from .places import OURS, describe

PACKAGES = frozenset({"gradops", "dynamicgrad", "staticgrad"})


def frames_to_user() -> list[FrameType]:
    """The frames from the innermost one outside the library inwards; none if there is no such."""
    frame: FrameType | None = sys._getframe(1)
    found = []
    while frame is not None:
        found.append(frame)
        if not OURS[frame.f_code.co_filename]:
            return found[::-1]
        frame = frame.f_back
    return []


def function_called() -> str:
    """The name of the function of NumPy, SciPy or Python's library that the user's line calls.

    It is empty where the line calls one of ours, and the name of a package where users know what
    it calls by no name.
    """
    package = ""
    for frame in frames_to_user()[1:]:
        module = str(frame.f_globals.get("__name__", ""))
        if module.split(".")[0] in PACKAGES:
            break
        if name := public_name(module, frame.f_code.co_qualname):
            return name
        package = package or module.partition("._")[0]
    return package


def public_name(module: str, qualified: str) -> str:
    """The name by which users call what is defined in a module, or nothing if they do not."""
    qualified = qualified.partition(".<locals>")[0].removesuffix(".__call__")
    name = qualified.split(".")[0]
    parts = module.split(".")
    for i in range(1, len(parts) + 1):
        owner = ".".join(parts[:i])
        if parts[i - 1].startswith("_"):
            break
        if not name.startswith("_") and callable(getattr(sys.modules.get(owner), name, None)):
            return f"{owner}.{qualified}"
    return ""


def calls_staticgrad() -> bool:
    """Whether the user's line calls staticgrad."""
    return any(
        str(frame.f_globals.get("__name__", "")).startswith("staticgrad.")
        for frame in frames_to_user()[1:2]
    )


def note_of_call() -> str:
    """A note with the user's line, where it calls a function of another library; or nothing."""
    called = function_called()
    if not called:
        return ""
    frame = frames_to_user()[0]
    return f"  at {describe((frame.f_code, frame.f_lasti))}, in {called}"
