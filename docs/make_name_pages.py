"""Writes docs/reference/names/*.rst: every public name with its signature, for Sphinx's autodoc."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from rest_pages import heading, write

from gradops import Op
from gradops.table import op_of
from tests.meta.public_names import NAMESPACES, is_ours, namespace

FOLDER = Path(__file__).parent / "reference" / "names"
INDEX = """\
Every name
==========

Every public name with its signature and an example. Functions that apply one op point to :doc:`its
page </reference/ops/index>`, which has derivative, dtypes and names elsewhere.

"""
TITLES = {"class": "Classes", "function": "Functions", "value": "Values"}


def kind_of(value: Any) -> str:
    """What an object is; empty for what has a page of its own."""
    if isinstance(value, ModuleType | Op):
        return ""
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) else "value"


def entries(path: str) -> dict[str, list[tuple[str, Any]]]:
    """The names of a namespace by kind."""
    module = namespace(path)
    found: dict[str, list[tuple[str, Any]]] = {kind: [] for kind in TITLES}
    for name in sorted(module.__all__):
        if kind := kind_of(value := getattr(module, name)):
            found[kind].append((name, value))
    return found


def public_classes() -> dict[str, str]:
    """The first public name of each class, by where the class is defined."""
    found: dict[str, str] = {}
    for path in NAMESPACES:
        for name, value in entries(path)["class"]:
            found.setdefault(f"{value.__module__}.{value.__qualname__}", f"{path}.{name}")
    return found


def page(path: str, seen: dict[Any, str]) -> str:
    """The page of a namespace; a class is described where it has its first name."""
    parts = [heading(path, "="), f".. automodule:: {path}"]
    for kind, members in entries(path).items():
        if members:
            parts.append(heading(TITLES[kind], "-"))
            parts += [ENTRIES[kind](f"{path}.{name}", value, seen) for name, value in members]
    return "\n\n".join(parts) + "\n"


def class_entry(name: str, value: Any, seen: dict[Any, str]) -> str:
    """A class with its members, or where it is described."""
    if value in seen:
        return f"* `{name}`: see :class:`{seen[value]}`."
    seen[value] = name
    return f".. autoclass:: {name}" + "\n   :members:" * is_ours(value)


def function_entry(name: str, value: Any, seen: dict[Any, str]) -> str:
    """A function, and the op that it applies."""
    op = op_of(value) if hasattr(value, "spells") else None
    note = f"\n\n   The op :ref:`{op.name} <op-{op.name}>`." if op else ""
    return f".. autofunction:: {name}{note}"


def value_entry(name: str, value: Any, seen: dict[Any, str]) -> str:
    """A dtype or another constant."""
    return f"* `{name}`: `{value!r}`" if len(repr(value)) < 100 else f"* `{name}`"


ENTRIES = {"class": class_entry, "function": function_entry, "value": value_entry}


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    seen: dict[Any, str] = {}
    yield "index", INDEX + ".. toctree::\n\n" + "".join(f"   {name}\n" for name in NAMESPACES)
    for path in NAMESPACES:
        yield path, page(path, seen)


if __name__ == "__main__":
    write(FOLDER, pages())
