"""BLAS: the library that NumPy has loaded, or SciPy's.

Two libraries would have two pools of threads; one that waits for work takes cores from the other.
"""

import ctypes
from functools import cache
from typing import Any

OPERANDS = {"gemm": 13, "gemv": 11}  # of products, all of them addresses
NAMES = tuple(f"{kind}{name}" for name in OPERANDS for kind in "sd")
WIDE = ("scipy_{}_64_", "{}_64_")  # names of functions that take integers of 64 bits
CONTROL = ("scipy_openblas_{}64_", "openblas_{}64_", "openblas_{}")  # those of OpenBLAS's threads


@cache
def loaded() -> ctypes.CDLL:
    """NumPy's library, in which what it is linked with is found, too."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    return ctypes.CDLL(_multiarray_umath.__file__)


@cache
def thread_control() -> dict[str, int]:
    """The addresses of functions that say and set on how many threads BLAS runs.

    Of a BLAS that is not known to have them, they say one, and do nothing.
    """
    for pattern in CONTROL:
        names = [f"{do}_num_threads" for do in ("get", "set")]
        if blas()[0] == "i64" and all(hasattr(loaded(), pattern.format(n)) for n in names):
            return {f"blas_{n}": address_of(getattr(loaded(), pattern.format(n))) for n in names}
    return {}


@cache
def is_of_numpy() -> bool:
    """True if NumPy has loaded a BLAS that code can call; else it is SciPy's."""
    return pattern_of_numpy() is not None


def pattern_of_numpy() -> str | None:
    """The pattern of names of BLAS's functions in NumPy's library; None without them."""
    found = (p for p in WIDE if all(hasattr(loaded(), p.format(name)) for name in NAMES))
    return next(found, None)


@cache
def blas() -> tuple[str, dict[str, int]]:
    """The type of BLAS's integers, and the addresses of its functions, which are Fortran's."""
    pattern = pattern_of_numpy()
    if pattern is not None:
        return "i64", {n: address_of(getattr(loaded(), pattern.format(n))) for n in NAMES}
    from scipy.linalg import cython_blas

    return "i32", {name: pointer_of(cython_blas.__pyx_capi__[name]) for name in NAMES}


def address_of(function: Any) -> int:
    """The address of a function of ctypes."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def pointer_of(capsule: Any) -> int:
    """The address in a capsule."""
    api, name = ctypes.pythonapi, ctypes.c_char_p
    name_of = ctypes.PYFUNCTYPE(name, ctypes.py_object)(("PyCapsule_GetName", api))
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, name)(("PyCapsule_GetPointer", api))
    return get(capsule, name_of(capsule))
