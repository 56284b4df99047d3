"""Names of SciPy's that this tree does not have.

A module of the tree ends with

    __getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
"""

from collections.abc import Callable
from importlib import import_module

from ..core.errors import BY_HAND


def missing_from(module: str) -> Callable[[str], AttributeError]:
    """The error for a name that a module of the tree does not have: it says if SciPy has it."""
    theirs = module.removeprefix("gradops.")

    def error(name: str) -> AttributeError:
        if name.startswith("__") or not has(theirs, name):
            return AttributeError(f"module {module!r} has no attribute {name!r}")
        return AttributeError(
            f"{module} has no {name}: {theirs}.{name} has no derivatives here"
            f"\n  hint: on plain arrays call {theirs}.{name}; else {BY_HAND}"
        )

    return error


def has(module: str, name: str) -> bool:
    """True if a module of SciPy, which is imported to know, has a public name."""
    try:
        return not name.startswith("_") and hasattr(import_module(module), name)
    except ImportError:
        return False
