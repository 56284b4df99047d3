"""What machine code calls and refers to: CPython's and NumPy's C API, BLAS, and memory."""

import ctypes
from collections.abc import Iterator
from functools import cache

import numpy as np

from .blas import OPERANDS, address_of, blas, pointer_of
from .machine import symbol

PYTHON = {
    "PyErr_CheckSignals": "i32 ()", "PyErr_Clear": "void ()", "PyErr_NoMemory": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)", "PyEval_SaveThread": "ptr ()",
    "PyFloat_AsDouble": "double (ptr)", "PyLong_AsSsize_t": "i64 (ptr)",
    "PyList_New": "ptr (i64)", "PyList_SetItem": "i32 (ptr, i64, ptr)",
    "PyObject_CallFunctionObjArgs": "ptr (ptr, ...)",
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
    "aligned_alloc": "ptr (i64, i64)", "free": "void (ptr)",
    "llvm.memcpy.p0.p0.i64": "void (ptr, ptr, i64, i1)",
}  # fmt: skip
POOL = {
    "run_parts": "i32 (ptr, ptr, i64, i64)", "blas_enter": "void ()", "blas_leave": "void ()",
}  # fmt: skip
DTYPES = ("f2", "f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")
OBJECTS = {"ndarray": np.ndarray, "none": None, "not_implemented": NotImplemented} | {
    f"dtype_{code}": np.dtype(code) for code in DTYPES
}


def dtype_symbol(dtype: np.dtype) -> str:
    """The name of the address of a dtype."""
    return f"@dtype_{dtype.kind}{dtype.itemsize}"


def declared() -> Iterator[str]:
    """The declarations of all."""
    products = {f"blas_{k}{name}": f"void ({', '.join(['ptr'] * n)})"
                for name, n in OPERANDS.items() for k in "sd"}  # fmt: skip
    for name in OBJECTS:
        yield f"@{name} = external global i8"
    for name, type in (PYTHON | NUMPY | MEMORY | POOL | products).items():
        result, given = type.split(" ", 1)
        yield f"declare {result} @{name}{given}"


@cache
def define() -> None:
    """Give all of it the names by which code knows it."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    for name in PYTHON:
        symbol(name, address_of(getattr(ctypes.pythonapi, name)))
    pointer = pointer_of(_multiarray_umath._ARRAY_API)
    table = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_void_p))
    for name, number in PLACES.items():
        symbol(name, table[number] or 0)
    for name, value in OBJECTS.items():
        symbol(name, id(value))
    for name, address in blas()[1].items():
        symbol(f"blas_{name}", address)
