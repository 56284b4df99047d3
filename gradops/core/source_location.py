"""Where in the user's program something was made.

A place is a code object and an instruction offset: cheap to take, turned into text only when an
error is shown.
"""

import linecache
import os
import sys
import warnings
from functools import lru_cache
from types import CodeType

import numpy as np

Place = tuple[CodeType, int]

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_ROOTS = (
    *(os.path.join(_ROOT, package, "") for package in ("gradops", "dynamicgrad", "staticgrad")),
    os.path.join(os.path.dirname(np.__file__), ""),  # whose functions call ours, as SciPy's do
    os.path.join(os.path.dirname(os.path.dirname(np.__file__)), "scipy", ""),
)
_GENERATED = ("<gradops", "<staticgrad", "<__array_function__", "<frozen ")
_STANDARD = os.path.join(os.path.dirname(os.__file__), "")
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


class _Ours(dict[str, bool]):
    """Whether a file is one of the library, of NumPy, SciPy or Python; filled on demand."""

    def __missing__(self, filename: str) -> bool:
        ours = filename.startswith((*_ROOTS, *_GENERATED)) or is_standard(filename)
        self[filename] = ours
        return ours


def is_standard(filename: str) -> bool:
    """Whether a file belongs to Python's own library."""
    is_below = filename.startswith(_STANDARD)
    return is_below and not any(folder in filename for folder in _INSTALLED)


OURS = _Ours()


def here() -> Place | None:
    """The innermost place outside the library."""
    frame = sys._getframe(1)
    while OURS[frame.f_code.co_filename]:
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def depth_of_user() -> int:
    """How many calls up from its caller the innermost code outside the library is, 1 for itself."""
    frame, depth = sys._getframe(1), 1
    while OURS[frame.f_code.co_filename] and frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def line_number(place: Place) -> int:
    """The line that `place` stands for."""
    code, offset = place
    found = code.co_firstlineno
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            found = line
    return found


def describe(place: Place | None) -> str:
    """`model.py:12, layer: y = x @ w`, or a word for a place that is not known."""
    if place is None:
        return "an unknown place"
    code, line = place[0], line_number(place)
    text = source_line(code.co_filename, line)
    name = "" if code.co_name == "<module>" else f", {code.co_name}"
    return f"{short(place)}{name}" + (f": {text}" if text else "")


def source_line(filename: str, line: int) -> str:
    """A line of a file without the blanks around it, or nothing."""
    return raw_line(filename, line).strip()


def raw_line(filename: str, line: int) -> str:
    """A line of a file, or nothing: a message must not fail for want of it."""
    try:
        return linecache.getline(filename, line)
    except Exception:  # tools that replace linecache's functions raise what they like
        return ""


def short(place: Place | None) -> str:
    """`model.py:12`."""
    return "?" if place is None else shortened(place[0].co_filename, place)


@lru_cache(maxsize=4096)
def shortened(filename: str, place: Place) -> str:
    """The same of a place in a file: equal pieces of code of two files are not told apart."""
    return f"{os.path.basename(filename)}:{line_number(place)}"


def warn(message: str, category: type[Warning]) -> None:
    """Warn of the user's line."""
    warnings.warn(message, category, stacklevel=depth_of_user())
