"""Machine code as builtin functions of Python."""

import ctypes
from collections.abc import Callable
from typing import Any

from .machine import Code

FASTCALL, KEYWORDS = 0x0080, 0x0002


class Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))  # fmt: skip


def builtin(
    code: Code | tuple[Code, ...], name: str, address: int, kept: object,
    otherwise: Callable[..., Any] | None = None, table: object = None,
) -> Callable[..., Any]:  # fmt: skip
    """The function at an address; it owns the code, and what that refers to.

    With `otherwise` it takes names of arguments, and finds that function among what it owns, as it
    finds a table.
    """
    flags = FASTCALL if otherwise is None else FASTCALL | KEYWORDS
    method = Method(name.encode(), address, flags, b"")
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
    )(("PyCFunction_NewEx", ctypes.pythonapi))  # fmt: skip
    result: Callable[..., Any] = make(
        ctypes.addressof(method), (code, kept, method, otherwise, table), None
    )
    return result
