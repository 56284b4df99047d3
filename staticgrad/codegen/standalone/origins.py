"""Where Python objects come from: NumPy, Python's library, or source that can be copied."""

import sys
import sysconfig
from functools import cache
from typing import Any

import numpy as np

from gradops.core.errors import OptionError

OURS = frozenset({"gradops", "staticgrad", "dynamicgrad"})
NUMPY = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}


@cache
def is_copied(module: str | None) -> bool:
    """True for a module whose definitions are copied: one of these packages, or of the user.

    Installed packages are not, nor is Python's library.
    """
    first = str(module).partition(".")[0]
    if module is None or first in OURS:
        return module is not None
    if first == "numpy" or first in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    paths = sysconfig.get_paths()
    return not file.startswith((paths["purelib"], paths["platlib"], paths["stdlib"]))


def is_copied_function(f: Any) -> bool:
    """True for a function of a module whose definitions are copied, whatever it calls itself."""
    return is_copied(f.__globals__.get("__name__"))


def require_available(module: str) -> None:
    """Raise OptionError for a module that is neither of NumPy nor of Python's library."""
    first = module.partition(".")[0]
    if first != "numpy" and first not in sys.stdlib_module_names:
        raise OptionError("to_python", [], f"it needs {first}, not NumPy alone")


def numpy_name(value: Any, name: str) -> str | None:
    """The expression for a function of NumPy's public modules, `np.linalg.solve`; None if none."""
    for prefix, module in NUMPY.items():
        if getattr(module, name, None) is value:
            return f"{prefix}.{name}"
    return None


def home(value: Any, name: str) -> str:
    """The name of a module that has a function."""
    for module in (getattr(value, "__module__", None), "numpy.linalg._umath_linalg"):
        if module and getattr(sys.modules.get(module), name, None) is value:
            return str(module)
    raise OptionError("to_python", [], f"{value!r} has no source")
