"""The tracer protocol for handles: a tracer runs a program of tensors on values of its own.

See `gradops.core.tracer_protocol`.
"""

from typing import Any

import numpy as np

from gradops.typing import AnyArray

from ..engine.handle import Handle, make_leaf, on_face
from ..engine.handle import hold as new_handle
from ..engine.node import Leaf
from ..engine.storage import storage_of
from ..ops.inplace import require_writable
from . import captured_vertices, tensor_tracing


def held_value(t: Handle) -> AnyArray:
    """The value of a handle."""
    return t.value


def hold(t: Handle, value: AnyArray) -> Handle:
    """A handle that holds `value`; a leaf that requires gradients if `t` is one."""
    found = new_handle(type(t), value)
    return make_leaf(found) if type(t.node) is Leaf else found


def write(t: Handle, value: Any) -> None:
    """Write `value` to a handle, as an update under no_grad does.

    It is copied into the memory of the handle if that is shared, else it replaces the value.
    """
    storage = storage_of(t)
    if storage.viewed and isinstance(t.value, np.ndarray):
        require_writable(t)
        np.copyto(t.value, value)
    else:
        t.value = value
    storage.write()


def like(t: Handle, x: object) -> object:
    """A handle with the face of `t` on the value of `x`; `x` itself if it is not a handle."""
    return on_face(type(t), x) if isinstance(x, Handle) else x


METHODS: dict[str, Any] = {
    "__gradop_held__": held_value, "__gradop_hold__": hold, "__gradop_write__": write,
    "__gradop_like__": like, "__gradop_kind__": tensor_tracing,
    "__gradop_tape__": captured_vertices,
}  # fmt: skip
