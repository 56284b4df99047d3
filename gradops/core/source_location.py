"""Where in the user's program something was created, and which function the user called there.

A place is a code object and an instruction offset: cheap to take, turned into text only when an
error is shown.
"""

import ast
import inspect
import linecache
import os
import sys
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache, wraps
from itertools import islice
from types import CodeType, FrameType, ModuleType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from .notebook_cells import cell_of

P = ParamSpec("P")
R = TypeVar("R")
Place = tuple[CodeType, int]
PACKAGES = frozenset({"gradops", "dynamicgrad", "staticgrad"})
CONVERSIONS = frozenset({"float", "int", "complex"})

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
    """Files of the library, of NumPy, SciPy or Python, as True; filled on demand."""

    def __missing__(self, filename: str) -> bool:
        ours = filename.startswith((*_ROOTS, *_GENERATED)) or is_standard(filename)
        self[filename] = ours
        return ours


def is_standard(filename: str) -> bool:
    """True if a file belongs to Python's own library."""
    is_below = filename.startswith(_STANDARD)
    return is_below and not any(folder in filename for folder in _INSTALLED)


OURS = _Ours()


LINE: ContextVar[list[Any] | None] = ContextVar("LINE", default=None)
"""The place of the innermost call of what `with_one_line` gives; empty until it is found."""


def with_one_line(f: Callable[P, R]) -> Callable[P, R]:
    """`f`, all of whose operations that no user's code calls are of one line, which is found once.

    Rules of transforms create many operations, and find their line some thirty calls up.
    """

    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        before = LINE.set([])
        try:
            return f(*args, **kwargs)
        finally:
            LINE.reset(before)

    return wraps(f)(called)


ONE_LINE = with_one_line(len).__code__
"""The code of all such calls."""


def here() -> Place | None:
    """The innermost place outside the library."""
    frame = sys._getframe(1)
    while OURS[frame.f_code.co_filename]:
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def depth_of_user() -> int:
    """The stack level of the innermost code outside the library; 1 is the caller."""
    frame, depth = sys._getframe(1), 1
    while OURS[frame.f_code.co_filename] and frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def line_number(place: Place) -> int:
    """The line number of `place`."""
    code, offset = place
    found = code.co_firstlineno
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            found = line
    return found


def describe(place: Place | None) -> str:
    """`model.py:12, layer: y = x @ w`; "an unknown place" for None."""
    if place is None:
        return "an unknown place"
    code, line = place[0], line_number(place)
    text = source_line(code.co_filename, line)
    name = "" if code.co_name == "<module>" else f", {code.co_name}"
    return f"{short(place)}{name}" + (f": {text}" if text else "")


def source_line(filename: str, line: int) -> str:
    """A line of a file without surrounding blanks; empty if it cannot be read."""
    return raw_line(filename, line).strip()


def raw_line(filename: str, line: int) -> str:
    """A line of a file; empty if it cannot be read, because a message must not fail for it."""
    try:
        return linecache.getline(filename, line)
    except Exception:  # tools that replace linecache's functions raise what they like
        return ""


def short(place: Place | None) -> str:
    """`model.py:12`, or `In[3]:2` for a cell of a notebook."""
    if place is None:
        return "?"
    filename = place[0].co_filename
    if (cell := cell_of(filename)) is not None:
        return f"{cell}:{line_number(place)}"  # not kept: a cell that runs again has a new number
    return file_and_line(filename, place)


@lru_cache(maxsize=4096)
def file_and_line(filename: str, place: Place) -> str:
    """File name and line. Equal code of two files compares equal, so the name is an argument."""
    return f"{os.path.basename(filename)}:{line_number(place)}"


def warn(message: str, category: type[Warning]) -> None:
    """Warn of the user's line."""
    warnings.warn(message, category, stacklevel=depth_of_user())


def frames_to_user() -> list[FrameType]:
    """The frames from the innermost one outside the library inwards; empty if all are inside."""
    frame: FrameType | None = sys._getframe(1)
    found = []
    while frame is not None:
        found.append(frame)
        if not is_of_library(frame):
            return found[::-1]
        frame = frame.f_back
    return []


def is_of_library(frame: FrameType) -> bool:
    """True if a frame is not the user's; SciPy generates the source of some functions."""
    if OURS[frame.f_code.co_filename]:
        return True
    return frame.f_code.co_filename == "<string>" and package_of(frame) in ("numpy", "scipy")


def package_of(frame: FrameType) -> str:
    """The outermost package that the code of a frame belongs to."""
    return str(frame.f_globals.get("__name__", "")).split(".")[0]


def place_of_user() -> Place | None:
    """The innermost place outside the library, which includes source that SciPy generates."""
    frames = frames_to_user()
    return (frames[0].f_code, frames[0].f_lasti) if frames else None


def called_function() -> str:
    """The name of the function of NumPy, SciPy or Python's library that the user's line calls.

    Empty if the line calls one of our functions; the name of the package if the function called is
    private.
    """
    package = ""
    for frame in frames_to_user()[1:]:
        module = str(frame.f_globals.get("__name__", ""))
        if package_of(frame) in PACKAGES:
            break
        owner = frame.f_locals.get("self")
        name = name_by_class(owner, frame.f_code.co_name)
        if name := name or public_name(module, frame.f_code.co_qualname):
            return of_instance(owner, name)
        package = package or module.partition("._")[0]
    return named_in_source() if package == "scipy" else package


def named_in_source() -> str:
    """The function of SciPy that the user's line names; decorators of SciPy's call it later."""
    call = call_of_user()
    module, _, name = call.name.rpartition(".") if call else ("", "", "")
    return public_name(module, name) or "scipy"


def public_name(module: str, qualified: str) -> str:
    """The public name of a function defined in a module; empty if it has none."""
    qualified = qualified.partition(".<locals>")[0]
    qualified = qualified.removesuffix(".__call__").removesuffix(".__init__")
    name = qualified.split(".")[0]
    parts = module.split(".")
    for i in range(1, len(parts) + 1):
        owner = ".".join(parts[:i])
        if parts[i - 1].startswith("_"):
            break
        if not name.startswith("_") and callable(getattr(sys.modules.get(owner), name, None)):
            return f"{owner}.{qualified}"
    return ""


def name_by_class(owner: object, method: str) -> str:
    """The public name of a method by its object's class, not the one that defines it, or none."""
    kind = type(owner)
    return "" if owner is None else public_name(kind.__module__, f"{kind.__qualname__}.{method}")


def of_instance(owner: object, name: str) -> str:
    """The name of a method with that of its owner if this is public, `scipy.stats.norm.logpdf`."""
    space, _, method = name.rpartition(".")
    module = space.rpartition(".")[0]
    known = getattr(owner, "name", None)
    alike = getattr(sys.modules.get(module), known, None) if isinstance(known, str) else None
    return (
        f"{module}.{known}.{method}" if alike is not None and type(alike) is type(owner) else name
    )


def calls_staticgrad() -> bool:
    """True if the user's line calls staticgrad."""
    return any(package_of(frame) == "staticgrad" for frame in frames_to_user()[1:2])


def called_package() -> ModuleType | None:
    """dynamicgrad or staticgrad, whichever the user's line calls, maybe through gradops."""
    packages = [package_of(frame) for frame in frames_to_user()[1:]]  # no frame stays: a cycle
    return sys.modules.get(next((p for p in packages if p in PACKAGES - {"gradops"}), ""))


def note_of_call() -> str:
    """A note with the user's line if it calls a function of another library; else empty."""
    called = called_function()
    if not called:
        return ""
    return f"  at {describe(place_of_user())}, in {called}"


class Call:
    """A call in the user's source: the name of the function, and its first argument.

    Names are looked up in the frame of the call; no user code runs.
    """

    def __init__(self, node: ast.Call, frame: FrameType) -> None:
        self.node, self.frame = node, frame
        self.name = self.title(node.func)

    def value(self, node: ast.expr) -> object:
        """The value of a name, or of an attribute that is not a property; else None."""
        if isinstance(node, ast.Name):
            frame = self.frame
            spaces = (frame.f_locals, frame.f_globals, frame.f_builtins)
            return next((space[node.id] for space in spaces if node.id in space), None)
        if not isinstance(node, ast.Attribute) or (owner := self.value(node.value)) is None:
            return None
        return inspect.getattr_static(owner, node.attr, None)

    def title(self, node: ast.expr) -> str:
        """The name of a function with its module, or of a method with its class."""
        if not isinstance(node, ast.Attribute):
            found = self.value(node)
            return f"{getattr(found, '__module__', '')}.{getattr(found, '__qualname__', '')}"
        owner = self.value(node.value)
        if owner is None:  # an array, if it is a call that asks for arrays
            return f"ndarray.{node.attr}"
        named = owner if isinstance(owner, type | ModuleType) else type(owner)
        return f"{named.__name__}.{node.attr}"

    def depth_of_first(self) -> int | None:
        """The nesting depth of lists in the first argument, at most 2; None if unknown."""
        return depth_of(self.node.args[0], self) if self.node.args else None


def depth_of(node: ast.expr, call: Call) -> int | None:
    """The nesting depth of lists in an expression's value, at most 2; None if unknown."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return 1 + bool(depth_of(node.elt, call))
    if isinstance(node, ast.List | ast.Tuple):
        return 1 + any(bool(depth_of(part, call)) for part in node.elts)
    found = call.value(node)
    if isinstance(found, list | tuple):
        return 1 + any(isinstance(part, list | tuple) for part in found)
    return None if found is None else 0


def call_of_user() -> Call | None:
    """The call that the user's program executes now; None without its source."""
    frames = frames_to_user()
    node = node_at(frames[0].f_code, frames[0].f_lasti) if frames else None
    return Call(node, frames[0]) if isinstance(node, ast.Call) else None


def is_conversion(place: Place) -> bool:
    """True if the instruction is a call of float, int or complex."""
    node = node_at(*place)
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in CONVERSIONS


@lru_cache(maxsize=256)
def node_at(code: CodeType, offset: int) -> ast.expr | None:
    """The expression at an instruction of a program; None without the source."""
    found = next(islice(code.co_positions(), offset // 2, None), None)
    if found is None or None in found:
        return None
    first, last, start, end = map(int, found)  # type: ignore[arg-type]
    lines = [raw_line(code.co_filename, i).encode() for i in range(first, last + 1)]
    lines[-1] = lines[-1][:end]  # before the start is cut, in case they are one line
    lines[0] = lines[0][start:]
    try:
        return ast.parse(b"".join(lines).decode(), mode="eval").body
    except (SyntaxError, ValueError):  # the file is another by now
        return None
