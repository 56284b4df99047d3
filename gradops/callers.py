"""Which function of another library the user's line calls, where an error is raised below it."""

import sys
from types import FrameType

from .places import OURS, Place, describe

PACKAGES = frozenset({"gradops", "dynamicgrad", "staticgrad"})


def frames_to_user() -> list[FrameType]:
    """The frames from the innermost one outside the library inwards; none if there is no such."""
    frame: FrameType | None = sys._getframe(1)
    found = []
    while frame is not None:
        found.append(frame)
        if not is_of_library(frame):
            return found[::-1]
        frame = frame.f_back
    return []


def is_of_library(frame: FrameType) -> bool:
    """Whether a frame is not the user's; SciPy has functions whose source it makes and runs."""
    if OURS[frame.f_code.co_filename]:
        return True
    return frame.f_code.co_filename == "<string>" and package_of(frame) in ("numpy", "scipy")


def package_of(frame: FrameType) -> str:
    """The outermost package that the code of a frame belongs to."""
    return str(frame.f_globals.get("__name__", "")).split(".")[0]


def place_of_user() -> Place | None:
    """The innermost place outside the library, SciPy's generated source included in it."""
    frames = frames_to_user()
    return (frames[0].f_code, frames[0].f_lasti) if frames else None


def function_called() -> str:
    """The name of the function of NumPy, SciPy or Python's library that the user's line calls.

    It is empty where the line calls one of ours, and the name of a package where users know what
    it calls by no name.
    """
    package = ""
    for frame in frames_to_user()[1:]:
        module = str(frame.f_globals.get("__name__", ""))
        if package_of(frame) in PACKAGES:
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
    return any(package_of(frame) == "staticgrad" for frame in frames_to_user()[1:2])


def note_of_call() -> str:
    """A note with the user's line, where it calls a function of another library; or nothing."""
    called = function_called()
    if not called:
        return ""
    return f"  at {describe(place_of_user())}, in {called}"
