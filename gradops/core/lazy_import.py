"""Names of a package that are imported on first use (PEP 562)."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazily(
    package: str, names: Mapping[str, str], missing: Callable[[str], AttributeError] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package that imports names on first use.

    `names` lists the names that each module has; a module's own name is the module. `missing` gives
    the error for any other name but `__version__`.
    """
    module_of = {name: module for module, listed in names.items() for name in listed.split()}

    def absent(name: str) -> AttributeError:
        said = f"module {package!r} has no attribute {name!r}"
        error = missing(name) if missing else AttributeError(said)
        error.name, error.obj = name, sys.modules[package]  # Python suggests a similar name
        return error

    def get(name: str) -> Any:
        if name == "__version__":
            from .version import installed_version

            value: Any = installed_version()
        elif name in module_of:
            module = importlib.import_module(f".{module_of[name]}", package)
            value = module if module_of[name] == name else getattr(module, name)
        else:
            raise absent(name)  # in a variable it would hold this frame, and so all callers
        setattr(sys.modules[package], name, value)  # the next access finds it at once
        return value

    return get, lambda: sorted(sys.modules[package].__all__)
