"""In-place forms of functions: methods that let a tensor have what a function gives for it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .carrying import carry
from .inplace import (
    before,
    being_transformed,
    rebased,
    refuse_recording,
    refuse_unrecorded,
    require_writable,
)
from .keeping import preserve
from .modes import is_recording
from .sharing import memory, storage_of
from .tensor import Tensor, handle


def updated_by(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """The method that lets a tensor have the result that `function` gives for it."""

    def method(self: Tensor, *args: Any, **attrs: Any) -> Tensor:
        preserve(self)
        others = [*args, *attrs.values()]
        if is_recording() and any(getattr(x, "node", None) is not None for x in (self, *others)):
            refuse_recording(self)
            return rebased(self, function(before(self), *args, **attrs))
        refuse_unrecorded(self)
        found = function(handle(self.value), *args, **attrs).value
        if not isinstance(memory(self), np.ndarray) or being_transformed([found]):
            refuse_recording(self)
            carry(self, found)
        else:
            require_writable(self)
            np.copyto(self.value, found)
        storage_of(self).write()
        return self

    method.__name__ = method.__qualname__ = f"{function.__name__}_"
    method.__doc__ = f"Write the result of `{function.__name__}` into this tensor, and return it."
    return method
