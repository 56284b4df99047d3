"""Tensors as holders: what lets a tracer run a program of tensors on the values it chooses.

See `gradops.holding`.
"""

from typing import Any

import numpy as np

from .inplace import require_writable
from .sharing import storage_of
from .tape import Leaf
from .tensor import Tensor, handle, make_leaf


def held(t: Tensor) -> Any:
    """The value a tensor holds."""
    return t.value


def hold(t: Tensor, value: Any) -> Tensor:
    """A leaf that holds `value`, and requires gradients if `t` is one that does."""
    found = handle(value)
    return make_leaf(found) if type(t.node) is Leaf else found


def write(t: Tensor, value: Any) -> None:
    """Let a tensor hold `value` from now on, as an update under no_grad does.

    It goes into the memory of the tensor if others see that, else it takes its place.
    """
    storage = storage_of(t)
    if storage.viewed and isinstance(t.value, np.ndarray):
        require_writable(t)
        np.copyto(t.value, value)
    else:
        t.value = value
    storage.write()


METHODS = {"__gradop_held__": held, "__gradop_hold__": hold, "__gradop_write__": write}
