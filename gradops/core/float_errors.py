"""Computation without NumPy's warnings about floats, at a fraction of the cost of `np.errstate`.

NumPy keeps the handling of float errors in a context variable. `np.errstate` spends most of a
microsecond on new values for it, which is a good part of the backward of a small graph. So the
value in which all errors are ignored is looked up once, and set.
"""

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar, TypeVarTuple

import numpy as np

Args = TypeVarTuple("Args")
T = TypeVar("T")


def handling() -> tuple[ContextVar[Any], object] | None:
    """NumPy's variable and its value in which errors are ignored; None if NumPy has no such one."""
    before = dict(copy_context().items())
    with np.errstate(all="ignore"):
        changed = [(v, x) for v, x in copy_context().items() if before.get(v) is not x]
    return changed[0] if len(changed) == 1 else None


HANDLING = handling()


def without_float_errors(f: Callable[[*Args], T], *args: *Args) -> T:
    """The result of `f`; NumPy neither warns nor raises about floats meanwhile."""
    if HANDLING is None:
        with np.errstate(all="ignore"):
            return f(*args)
    variable, ignored = HANDLING
    token = variable.set(ignored)
    try:
        return f(*args)
    finally:
        variable.reset(token)
