"""Writing into tensors: refused where it would falsify gradients, counted where it is allowed."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gradops import DTypeError, Op, ShapeError, TapeError
from gradops.types import broadcast_shapes, operand_types

from .fast import NUMBERS
from .modes import is_recording
from .tape import Leaf
from .tensor import Tensor, as_tensor, handle, storage_of

FLOATS = frozenset(map(np.dtype, ("float32", "float64")))
LEAF = (
    "a leaf Variable that requires grad is being used in an in-place operation.\n"
    "  hint: an update of a parameter goes inside `with no_grad():`; else write `w = w + 1`, which"
    " makes a new tensor"
)
SHARED = (
    "an in-place operation on a tensor that requires grad and shares memory with another (a view,"
    " detach() or numpy()) cannot be recorded\n  hint: write `x = x + 1`, or change x.clone()"
)


def in_place(op: Op) -> Callable[..., Tensor]:
    """The method that writes the result of `op` into its first operand."""
    ufunc = op.kernel if isinstance(op.kernel, np.ufunc) else None

    def method(self: Tensor, other: Any, alpha: Any = 1) -> Tensor:
        if alpha != 1:
            other = other * alpha
        if type(other) is Tensor and ufunc is not None and not is_recording():
            value, x = self.value, other.value  # an update under no_grad, spelled out
            if alike(value, x):
                ufunc(value, x, out=value)
                storage_of(self).write()
                return self
        return write(self, op, (other,))

    method.__doc__ = f"Write the result of `{op.name}` into this tensor, and return it."
    return method


def alike(a: Any, b: Any) -> bool:
    """Whether two values are float arrays of one type."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray:
        return False
    return a.dtype is b.dtype and a.dtype in FLOATS and a.shape == b.shape


def write(t: Tensor, op: Op, others: tuple[Any, ...]) -> Tensor:
    """Apply `op` to `t` and `others`, and let `t` have the result."""
    if is_recording() and any(getattr(x, "node", None) is not None for x in (t, *others)):
        refuse_recording(t)
        before = handle(t.value, t.node)
        result = op(before, *others)
        check_fits(op, (t, *others), result)
        t.value = result.value if result.dtype == t.dtype else result.value.astype(t.dtype)
        t.node = result.node
    else:
        overwrite(t, op, [x.value if type(x) is Tensor else x for x in others])
    storage_of(t).write()
    return t


def refuse_recording(t: Tensor) -> None:
    """Refuse in-place operations whose history could not be kept."""
    if type(t.node) is Leaf:
        raise TapeError(LEAF)
    if t.storage is not None and t.storage.viewed:
        raise TapeError(SHARED)


def overwrite(t: Tensor, op: Op, others: list[Any]) -> None:
    """Compute into the memory of `t`, which stays the same memory."""
    value = t.value
    if type(value) is not np.ndarray:
        result = op(value, *others)
        check_fits(op, (t, *others), as_tensor(result))
        t.value = result
        return
    if isinstance(op.kernel, np.ufunc) and fits(value, others):
        op.kernel(value, *others, out=value)
        return
    result = op(value, *others)
    check_fits(op, (t, *others), as_tensor(result))
    np.copyto(value, result, casting="same_kind")


def fits(value: Any, others: list[Any]) -> bool:
    """Whether the result of the op surely has the shape and dtype of `value`."""
    for x in others:
        if type(x) not in NUMBERS and (x.shape != value.shape or x.dtype != value.dtype):
            return False
    return value.dtype.kind == "f"


def check_fits(op: Op, operands: tuple[Any, ...], result: Tensor) -> None:
    """Refuse a result that has another shape, or a dtype that cannot be stored."""
    t, types = operands[0], operand_types(operands)
    if result.shape != t.shape:
        broadcast_shapes(op, types)
        raise ShapeError(
            op, types, f"output with shape {t.shape} doesn't match the broadcast shape"
            f" {result.shape}", hint="in place, the first operand keeps its shape",
        )  # fmt: skip
    if not np.can_cast(result.dtype, t.dtype, "same_kind"):
        raise DTypeError(
            op, types, f"result type {result.dtype} can't be cast to the desired output type"
            f" {t.dtype}", hint="in place, the first operand keeps its dtype",
        )  # fmt: skip


def replace(t: Tensor, value: Any) -> Tensor:
    """Fill `t` with `value`, which is broadcast to it."""
    source = as_tensor(value)
    if is_recording() and (t.node is not None or source.node is not None):
        refuse_recording(t)
        t.node = None
    if isinstance(t.value, np.ndarray):
        np.copyto(t.value, source.value, casting="unsafe")
    else:
        t.value = np.asarray(np.broadcast_to(source.value, t.shape)).astype(t.dtype)
    storage_of(t).write()
    return t


def zero_(t: Tensor) -> Tensor:
    """Fill the tensor with zeros, and return it."""
    return replace(t, 0)


def fill_(t: Tensor, value: float) -> Tensor:
    """Fill the tensor with a number, and return it."""
    return replace(t, value)


def copy_(t: Tensor, source: Any) -> Tensor:
    """Copy the entries of `source`, broadcast, into the tensor, and return it."""
    if is_recording() and getattr(source, "node", None) is not None:
        return write_copy(t, as_tensor(source))
    return replace(t, source)


def write_copy(t: Tensor, source: Tensor) -> Tensor:
    """Let `t` have the entries, and the history, of `source`."""
    refuse_recording(t)
    result = source.to(t.dtype).expand(*t.shape).clone()
    t.value, t.node = result.value, result.node
    storage_of(t).write()
    return t


def set_item(t: Tensor, key: Any, value: Any) -> None:
    """`t[key] = value`, where neither takes part in differentiation."""
    if is_recording() and (t.node is not None or getattr(value, "node", None) is not None):
        refuse_recording(t)
        raise TapeError(
            "assignment to a part of a tensor is not recorded\n"
            "  hint: build the result with where(), stack() or cat(), or assign under no_grad()"
        )
    if not isinstance(t.value, np.ndarray):
        t.value = np.array(t.value)
    t.value[plain(key)] = value.value if isinstance(value, Tensor) else value
    storage_of(t).write()


def plain(key: Any) -> Any:
    """An index with arrays in place of tensors."""
    if isinstance(key, tuple):
        return tuple(plain(k) for k in key)
    return key.value if isinstance(key, Tensor) else key
