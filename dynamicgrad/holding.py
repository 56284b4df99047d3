"""Handles as holders: what lets a tracer run a program of tensors on the values it chooses.

See `gradops.holding`.
"""

from typing import Any

import numpy as np

from .handle import Handle, make_leaf, on_face
from .handle import hold as new_handle
from .inplace import require_writable
from .sharing import storage_of
from .tape import Leaf


def held(t: Handle) -> Any:
    """The value a handle holds."""
    return t.value


def hold(t: Handle, value: Any) -> Handle:
    """A leaf that holds `value`, and requires gradients if `t` is one that does."""
    found = new_handle(type(t), value)
    return make_leaf(found) if type(t.node) is Leaf else found


def write(t: Handle, value: Any) -> None:
    """Let a handle hold `value` from now on, as an update under no_grad does.

    It goes into the memory of the handle if others see that, else it takes its place.
    """
    storage = storage_of(t)
    if storage.viewed and isinstance(t.value, np.ndarray):
        require_writable(t)
        np.copyto(t.value, value)
    else:
        t.value = value
    storage.write()


def like(t: Handle, x: Any) -> Any:
    """A handle with the face of `t` on what `x` holds; what is plain stays so."""
    return on_face(type(t), x) if isinstance(x, Handle) else x


METHODS = {
    "__gradop_held__": held, "__gradop_hold__": hold, "__gradop_write__": write,
    "__gradop_like__": like,
}  # fmt: skip
