"""The Python array API 2025.12: its names and signatures, once for every kind of operand.

The functions are thin over the ops, and so compute, record or build by what they are given. Only
making values from nothing differs: a package gives a `Making`. This module itself is the namespace
of arrays, with which duals and stacks of examples come; `dynamicgrad.array_api` and
`staticgrad.array_api` are those of tensors and of expressions.

>>> from gradops import array_api as xp
>>> xp.sum(xp.asarray([1, 2, 3], dtype=xp.int8))
np.int64(6)
"""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import gradops as ops

from ..errors import OptionError
from .dtypes import DTYPES, data_types
from .elementwise import ELEMENTWISE
from .fft import FFT, frequencies
from .linalg import LINALG, PRODUCTS
from .making import Making, creation
from .reducing import REDUCING
from .shaping import SHAPING

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
CONSTANTS = {"e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "pi": math.pi}


def namespace(making: Making, module: str) -> dict[str, Any]:
    """All names of the standard, with functions that make values as `making` says."""
    shared = ELEMENTWISE | SHAPING | REDUCING | PRODUCTS
    functions = shared | creation(making) | data_types(making)
    return {
        **{name: named(f, name, module) for name, f in functions.items()},
        **DTYPES,
        **CONSTANTS,
        "__array_api_version__": VERSIONS[-1],
        "linalg": extension(f"{module}.linalg", LINALG),
        "fft": extension(f"{module}.fft", FFT | frequencies(making)),
    }


def named(f: Callable[..., Any], name: str, module: str) -> Callable[..., Any]:
    """A function with its name, and the words of the op it applies if it has none of its own."""
    f.__name__ = f.__qualname__ = name
    f.__module__ = module
    if f.__doc__ is None:
        words = getattr(getattr(ops, name, None), "__doc__", None) or "See the standard."
        f.__doc__ = words.split(">>>")[0].rstrip()
    return f


def extension(module: str, functions: dict[str, Callable[..., Any]]) -> ModuleType:
    """A part of a namespace."""
    found = ModuleType(module)
    vars(found).update({name: named(f, name, module) for name, f in functions.items()})
    return found


def require_version(api_version: str | None) -> None:
    """Refuse a version of the standard that is not followed."""
    if api_version is not None and api_version not in VERSIONS:
        raise OptionError(
            "__array_namespace__", [], f"there is no version {api_version!r} of the array API here",
            hint=f"the versions are {', '.join(VERSIONS)}",
        )  # fmt: skip


globals().update(namespace(Making(), __name__))
