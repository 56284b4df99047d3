"""The Python array API 2025.12: its names and signatures, once for every kind of operand.

The functions are thin over the ops, and so compute, record or build by what they are given. Only
making values from nothing differs: a package gives a `Making`. `gradops.array_api.arrays` is the
namespace of arrays, with which duals and stacks of examples come, `dynamicgrad.array_api` that of
tensors, `staticgrad.array_api` that of expressions.
"""

import math
from types import ModuleType
from typing import Any

import gradops as ops

from .. import fft, linalg
from ..core.errors import OptionError
from .dtypes import DTYPES, Info
from .dtypes import FUNCTIONS as OF_DTYPES
from .elementwise import ELEMENTWISE
from .making import NAMES, OF_FFT, Making, require_device
from .matrices import LINALG, PRODUCTS
from .reducing import REDUCING
from .shaping import SHAPING
from .signatures import Functions
from .transforms import FFT

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
CONSTANTS = {"e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "pi": math.pi}


def with_names(functions: Functions, module: ModuleType) -> Functions:
    """Set the names of functions, and docstrings from a module for those without."""
    for name, f in functions.items():
        f.__name__ = f.__qualname__ = name
        if f.__doc__ is None:
            words = getattr(getattr(module, name, None), "__doc__", None) or "See the standard."
            f.__doc__ = words.split(">>>")[0].rstrip()
    return functions


SHARED = with_names({**ELEMENTWISE, **SHAPING, **REDUCING, **PRODUCTS}, ops)
LINEAR = with_names(LINALG, linalg)
TRANSFORMS = with_names(FFT, fft)


def namespace(making: Making, module: str) -> dict[str, object]:
    """All names of the standard, with functions that make values as `making` says."""
    frequencies = {name: getattr(making, name) for name in OF_FFT}
    return {
        **SHARED, **OF_DTYPES, **DTYPES, **CONSTANTS,
        **{name: getattr(making, name) for name in NAMES},
        "__array_api_version__": VERSIONS[-1],
        "__array_namespace_info__": lambda: Info(making),
        "linalg": extension(f"{module}.linalg", LINEAR),
        "fft": extension(f"{module}.fft", TRANSFORMS | frequencies),
    }  # fmt: skip


def extension(module: str, functions: Functions) -> ModuleType:
    """An extension of the standard as a module."""
    found = ModuleType(module)
    vars(found).update(functions)
    return found


def require_version(api_version: str | None) -> None:
    """Raise OptionError for an unsupported version of the standard."""
    if api_version is not None and api_version not in VERSIONS:
        raise OptionError(
            "__array_namespace__", [], f"there is no version {api_version!r} of the array API here",
            hint=f"the versions are {', '.join(VERSIONS)}",
        )  # fmt: skip


__all__ = ["Making", "namespace", "require_device", "require_version"]
