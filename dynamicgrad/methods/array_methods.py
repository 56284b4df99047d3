"""Methods of `Array` that need functions of tensors: writes in place, lists, the array API."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from gradops import Op
from gradops.core.op import as_operand

from ..engine.array import Array, require_owner
from ..ops.assignment import plain, replace
from ..ops.conversion import nested_lists
from ..ops.inplace import write


def set_entries(self: Array, key: Any, value: Any) -> None:
    """Write `value` to the entries at `key`."""
    require_owner(self, "x[index] = value")
    replace(self, plain(key), value, "setitem")


def in_place(op: Op, compute: Callable[..., Any]) -> Callable[[Array, Any], Any]:
    """An operator such as `+=`: it writes to memory, and gives a number another value."""

    def method(self: Array, other: Any) -> Any:
        if not self.shape and type(self.value) is not np.ndarray:
            return compute(self, other)
        require_owner(self, "a write in place, such as x += value,")
        return write(self, op, (as_operand(other),))

    return method


def tolist(self: Array) -> Any:
    """The entries as nested lists of Python's numbers; warns if they are traced."""
    return nested_lists(self)


def array_namespace(self: Array, *, api_version: str | None = None) -> ModuleType:
    """The functions of the Python array API on arrays."""

    from gradops.array_api import require_version

    from .. import array_namespace as namespace

    require_version(api_version)
    return namespace
