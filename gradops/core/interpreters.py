"""Which of the interpreters of a process runs."""

import ctypes
from functools import cache


@cache
def is_main_interpreter() -> bool:
    """True in the interpreter that the process began with.

    Machine code runs in no other: threads, and libraries with state of their own, outlive it.
    """
    api = ctypes.pythonapi
    states = [getattr(api, f"PyInterpreterState_{name}") for name in ("Get", "Main")]
    for state in states:
        state.restype = ctypes.c_void_p
    get, main = states
    return bool(get() == main())
