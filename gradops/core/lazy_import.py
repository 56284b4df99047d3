"""Modules imported on first use."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazily(
    package: str, where: Mapping[str, str], missing: Callable[[str], AttributeError] | None = None
) -> Callable[[str], Any]:
    """The `__getattr__` of a package that imports names on first use.

    `where` says which module has a name; a module may be the name. `missing` gives the error for
    any other name.
    """

    def get(name: str) -> Any:
        if name not in where:
            absent = f"module {package!r} has no attribute {name!r}"
            raise missing(name) if missing else AttributeError(absent)
        module = importlib.import_module(f".{where[name]}", package)
        return module if where[name] == name else getattr(module, name)

    return get
