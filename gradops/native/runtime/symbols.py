"""Symbols that machine code refers to: CPython's and NumPy's C API, BLAS, and memory."""

import ctypes
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from ..ir.scalars import NotNative
from .blas import OPERANDS, address_of, blas, loaded, pointer_of

PYTHON = {
    "PyErr_CheckSignals": "i32 ()", "PyErr_Clear": "void ()", "PyErr_NoMemory": "ptr ()",
    "PyErr_Occurred": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)", "PyEval_SaveThread": "ptr ()",
    "PyFloat_AsDouble": "double (ptr)", "PyLong_AsSsize_t": "i64 (ptr)",
    "PyList_New": "ptr (i64)", "PyList_SetItem": "i32 (ptr, i64, ptr)",
    "PyObject_CallFunctionObjArgs": "ptr (ptr, ...)",
    "PyObject_Vectorcall": "ptr (ptr, ptr, i64, ptr)",
    "PyTuple_New": "ptr (i64)", "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
    "Py_DecRef": "void (ptr)", "Py_IncRef": "void (ptr)",
}  # fmt: skip
NUMPY = {
    "PyArray_Empty": "ptr (i32, ptr, ptr, i32)",
    "PyArray_New": "ptr (ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)",
    "PyArray_Return": "ptr (ptr)", "PyArray_Scalar": "ptr (ptr, ptr, ptr)",
}  # fmt: skip
PLACES = {  # in NumPy's table
    "PyArray_Empty": 184, "PyArray_New": 93, "PyArray_Return": 76, "PyArray_Scalar": 60,
}  # fmt: skip
MEMORY = {
    "clock_gettime": "i32 (i32, ptr)", "aligned_alloc": "ptr (i64, i64)", "free": "void (ptr)",
    "madvise": "i32 (ptr, i64, i32)",
    "llvm.memcpy.p0.p0.i64": "void (ptr, ptr, i64, i1)",
}  # fmt: skip
STACK = {"stack_left": "i64 ()"}
POOL = {
    "run_parts": "i32 (ptr, ptr, i64, i64)", "blas_enter": "void ()", "blas_leave": "void ()",
}  # fmt: skip
GEMM = {  # our products of matrices, see `matmul`: sizes, operands with their steps, and if it adds
    f"own_gemm_{code}": "void (i64, i64, i64, ptr, i64, i64, ptr, i64, i64, ptr, i64, i1)"
    for code in ("f4", "f8")
}  # fmt: skip
CONVOLUTION = {  # by blocks of one or two vectors: plan, operands, result and memory, see there
    f"own_{name}_{code}_{width}": f"i32 ({', '.join(['ptr'] * count)})"
    for name, count in (("convolve", 6), ("filters", 5))
    for code in ("f4", "f8")
    for width in (1, 2)
}
POOLING = {  # plan, operand, windows, and indices of entries, see there
    f"pool_{name}_{code}": "i32 (ptr, ptr, ptr, ptr)"
    for name in ("greatest", "places", "sum", "pick", "put", "putsum", "spread")
    for code in ("f4", "f8")
}
DTYPES = ("f2", "f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")
OBJECTS = {
    "ndarray": np.ndarray, "none": None, "not_implemented": NotImplemented, "true": True,
} | {
    f"dtype_{code}": np.dtype(code) for code in DTYPES
}  # fmt: skip


def dtype_symbol(dtype: np.dtype) -> str:
    """The name of the address of a dtype."""
    return f"@dtype_{dtype.kind}{dtype.itemsize}"


def declared() -> Iterator[str]:
    """The declarations of all."""
    products = {f"blas_{k}{name}": f"void ({', '.join(['ptr'] * n)})"
                for name, n in OPERANDS.items() for k in "sd"}  # fmt: skip
    for name in OBJECTS:
        yield f"@{name} = external global i8"
    for name, type in (
        PYTHON | NUMPY | MEMORY | STACK | POOL | GEMM | CONVOLUTION | POOLING | products
    ).items():
        result, given = type.split(" ", 1)
        yield f"declare {result} @{name}{given}"


@cache
def find(name: str) -> int:
    """The address of what Python, NumPy, BLAS or C defines; raises NotNative if none does."""
    return found_anew(name)


def found_anew(name: str) -> int:
    """The address that `find` keeps."""
    if name in OBJECTS:
        return id(OBJECTS[name])
    if name in PLACES:
        return numpy_functions()[PLACES[name]] or 0
    if name in PYTHON:
        return address_of(getattr(ctypes.pythonapi, name))
    if name.startswith("blas_") and name.removeprefix("blas_") in blas()[1]:
        return blas()[1][name.removeprefix("blas_")]
    return function_of_c(name)


@cache
def numpy_functions() -> Any:
    """The table of NumPy's C API."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = pointer_of(_multiarray_umath._ARRAY_API)
    return ctypes.cast(pointer, ctypes.POINTER(ctypes.c_void_p))


def function_of_c(name: str) -> int:
    """The address of a function of C's libraries, with which NumPy is linked."""
    for library in (loaded(), ctypes.CDLL(None)):
        if hasattr(library, name):
            return address_of(getattr(library, name))
    raise NotNative(f"no library here has {name}")
