"""Writing values into tensors: at keys, at masks, over all entries."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops import DTypeError, ShapeError, TapeError
from gradops.core.dims import product
from gradops.core.op import refuse_masked
from gradops.core.types import operand_types, shape_of

from ..dispatch.casting import as_entry, as_mask, number_in, require_dtype
from ..engine.grad_mode import is_recording
from ..engine.handle import ARRAYS, Face, Handle, detach, hold
from ..engine.leaf import requires_grad_
from ..engine.node import Leaf
from ..engine.storage import memory, storage_of
from ..engine.tensor import Tensor, as_tensor, handle
from ..engine.views import history, put_in_place, set_history
from ..hooks.saved_tensor_hooks import preserve
from ..tracing.captured_writes import carry
from .indexing import as_tuple, is_mixed, select_integers, with_integers, with_masks
from .inplace import (
    before_write,
    check_fits,
    has_tracer,
    rebase,
    refuse_recording,
    refuse_unrecorded,
    require_writable,
)


def replace(t: Face, key: Any, value: Any, call: str) -> Face:
    """Write `value`, broadcast, to the entries of `t` at `key`, and return `t`."""
    source = as_tensor(value)
    if source.node is not None and t.dtype.kind not in "fc":
        source = detach(source)  # no gradient passes through integers
    preserve(t)
    if is_recording() and (t.node is not None or source.node is not None):
        refuse_recording(t)
        if is_basic(key):
            return replace_part(t, key, source, call)
        return rebase(t, with_values(before_write(t), key, source, call))
    refuse_unrecorded(t)
    put(t, key, source, call)
    storage_of(t).write()
    return t


def is_basic(key: Any) -> bool:
    """True if a key has only integers, slices, None and `...`, and so selects a view."""
    entries = key if isinstance(key, tuple) else (key,)
    return all(
        e is None or e is ... or isinstance(e, slice)
        or (isinstance(e, int | np.integer) and not isinstance(e, bool))
        for e in entries
    )  # fmt: skip


def replace_part(t: Face, key: Any, source: Handle, call: str) -> Face:
    """Write `source` to the view of `t` at a basic key, as a recorded operation."""
    part = ops.index(handle(t.value), key)
    source = broadcast_value(t, source, part.shape, call)
    if source.dtype != t.dtype:
        source = ops.astype(source, dtype=t.dtype)
    node = put_in_place(hold(type(t), t.value, history(t)), source, source.node, part.alias)
    put(t, key, source, call)
    storage_of(t).write()
    return set_history(t, node)


def put(t: Handle, key: Any, source: Handle, call: str) -> None:
    """Write the entries of `source` into the memory of `t`."""
    if not isinstance(memory(t), np.ndarray) or has_tracer([source.value]):
        if isinstance(t.value, np.ndarray):
            refuse_recording(t)
        carry(t, with_values(hold(type(t), t.value), key, source, call).value)
        return
    require_writable(t)
    value = source.value
    if type(value) is np.ndarray and not value.size:
        return put_fitted(t, key, source, call)  # NumPy may not check its shape
    try:
        if fits_surely(value, t.value.dtype):
            t.value[key] = value
        else:
            with np.errstate(over="ignore"):  # values too large for the dtype are infinite
                t.value[key] = value
    except OverflowError as error:
        raise DTypeError(call, [t.type], f"{source.value} is not a {t.dtype}") from error
    except (TypeError, ValueError):
        put_fitted(t, key, source, call)


def fits_surely(value: Any, dtype: Any) -> bool:
    """True if a value is surely in the range of a dtype; a quick check."""
    if type(value) is float:
        return abs(value) < 1e4
    return getattr(value, "dtype", None) == dtype


def put_fitted(t: Handle, key: Any, source: Handle, call: str) -> None:
    """Write entries to places to which PyTorch broadcasts them, and NumPy does not."""
    shape = np.shape(t.value[key])
    source = broadcast_value(hold(type(t), t.value), source, shape, call)
    try:
        t.value[key] = source.value
    except TypeError as error:
        raise DTypeError(call, [t.type], f"{source.value} is not a {t.dtype}") from error


def with_values(t: Handle, key: Any, source: Handle, call: str) -> Any:
    """`t` with `source` at `key`; an entry that is indexed twice gets the later value."""
    shape = places_shape(t, key)
    return ops.at(t)[key].set(broadcast_value(t, source, shape, call))


def places_shape(t: Handle, key: Any) -> Any:
    """The shape of `t[key]`, where a trace may have put expressions into the key."""
    if has_tracer(key if isinstance(key, tuple) else (key,)):
        return ops.index(hold(type(t), t.value), key).shape
    return np.broadcast_to(np.zeros(()), t.shape)[key].shape


def broadcast_value(t: Handle, source: Handle, shape: tuple[int, ...], call: str) -> Any:
    """`source` broadcast to a shape; it may have leading axes of size 1 besides."""
    if has_tracer([source.value]) or (source.node is not None and source.dtype != t.dtype):
        source = ops.astype(source, dtype=t.dtype)
    elif source.node is None:
        source = handle(np.asarray(source.value, t.dtype))
    extra = max(0, len(source.shape) - len(shape))
    if source.shape[:extra] != (1,) * extra:
        raise broadcast_error(call, t, source, shape)
    try:
        return ops.broadcast_to(ops.reshape(source, shape=source.shape[extra:]), shape=shape)
    except ShapeError as error:
        raise broadcast_error(call, t, source, shape) from error


def broadcast_error(call: str, t: Handle, source: Handle, shape: tuple[int, ...]) -> ShapeError:
    """The error for a value that does not broadcast to the shape it is written to."""
    types = operand_types([t, source.value])
    return ShapeError(
        call, types, f"the value does not broadcast to the shape {shape} that it is written to",
        known_as=f"shape mismatch: value tensor of shape {list(source.shape)} cannot be broadcast"
        f" to indexing result of shape {list(shape)}",
    )  # fmt: skip


def zero_(t: Handle) -> Handle:
    """Fill the tensor with zeros, and return it."""
    return replace(t, ..., 0, "zero_")


def fill_(t: Handle, value: Any) -> Handle:
    """Fill the tensor with a number, and return it."""
    return replace(t, ..., as_entry("fill_", t, value), "fill_")


def copy_(t: Handle, source: Any, non_blocking: bool = False) -> Handle:
    """Copy the entries of `source`, broadcast, into the tensor, and return it."""
    if len(shape := shape_of(source)) > len(t.shape):
        raise ShapeError(
            "copy_", operand_types([t, source]), f"output with shape {list(t.shape)} doesn't match"
            f" the broadcast shape {list(shape)}", hint="squeeze() removes dimensions of size 1",
        )  # fmt: skip
    source = source if isinstance(source, Handle) else np.asarray(refuse_masked(source, "copy_"))
    return replace(t, ..., source, "copy_")


def masked_fill_(t: Handle, mask: Any, value: Any) -> Handle:
    """Write a number where the mask holds, and return the tensor."""
    mask, value = as_mask("masked_fill_", mask), as_entry("masked_fill_", t, value)
    if has_tracer([mask.value]):
        chosen = ops.where(mask, value, hold(type(t), t.value, t.node))
        return replace(t, ..., chosen, "masked_fill_")
    try:
        places = np.broadcast_to(mask.value, t.shape)
    except ValueError as error:
        raise broadcast_error("masked_fill_", t, mask, t.shape) from error
    return replace(t, places, value, "masked_fill_")


def detach_(t: Tensor) -> Tensor:
    """Drop the history of the tensor, and return it; a leaf keeps its gradient."""
    if type(t.node) is Leaf:
        return requires_grad_(t, False)
    if t.alias is not None:
        raise TapeError(
            "Can't detach views in-place. Use detach() instead.\n  hint: its base would keep its"
            " history, and the two share memory"
        )
    storage_of(t)  # which the node gets too: what was saved of the value may not change
    t.node = None
    return t


def set_item(t: Tensor, key: Any, value: Any) -> None:
    """`t[key] = value`; gradients flow to `value` and to the entries of `t` that are kept."""
    if isinstance(value, complex) or (type(value) in (float, int) and t.dtype.kind in "iu"):
        value = as_entry("setitem", t, value)
    key = with_masks(as_tuple(key))
    if isinstance(key, tuple) and is_mixed(key):
        t, key = select_integers(t, key)
    key = plain(with_integers(key))
    if is_recording() and is_of_leaf(t):
        t[key]  # an invalid index is reported first
    if isinstance(value, Handle) and value.dtype != t.dtype:
        value = castable(t, key, value)
    replace(t, key, value, "setitem")


def is_of_leaf(t: Handle) -> bool:
    """True if a tensor is a leaf that requires gradients, or a view of one."""
    return type(t.node if t.alias is None else t.alias.base.node) is Leaf


def castable(t: Handle, key: Any, value: Handle) -> Any:
    """`value`, of another dtype, if `t` accepts it at a key: for a view, or one number for a mask.

    The number must be in the range of the dtype. Values for index arrays are not cast.
    """
    if is_basic(key) or isinstance(key, bool):
        return value
    entries = key if isinstance(key, tuple) else (key,)
    arrays = [np.asarray(e) for e in entries if isinstance(e, list | np.ndarray)]
    masked = len(arrays) == 1 and arrays[0].dtype == np.bool_
    if not masked or product(value.shape) != 1:
        t[key]  # an invalid index is reported first
        require_dtype("setitem", t, value)
    known = type(value.value) in ARRAYS
    number = number_in("setitem", t.dtype, value.value) if known else None
    return value if number is None or value.node is not None else number


def plain(key: Any) -> Any:
    """An index with the tensors in it replaced by arrays."""
    if isinstance(key, tuple):
        return tuple(plain(k) for k in key)
    if type(key) is list and any(isinstance(k, Handle) for k in key):
        entries = [plain(k) for k in key]
        return ops.stack(entries) if has_tracer(entries) else entries
    return key.value if isinstance(key, Handle) else key


def writing_method(function: Callable[..., Any]) -> Callable[..., Handle]:
    """The method that writes the result of `function` into its first operand."""

    def method(self: Handle, *args: Any, **attrs: Any) -> Handle:
        preserve(self)
        others = [*args, *attrs.values()]
        if is_recording() and any(getattr(x, "node", None) is not None for x in (self, *others)):
            refuse_recording(self)
            result = function(before_write(self), *args, **attrs)
            check_fits(name, (self,), result)
            if result.node is None:
                return replace(self, ..., result, name)
            return rebase(self, result)
        refuse_unrecorded(self)
        result = function(hold(type(self), self.value), *args, **attrs)
        check_fits(name, (self,), result)
        put(self, ..., result, name)
        storage_of(self).write()
        return self

    name = method.__name__ = method.__qualname__ = f"{function.__name__}_"
    method.__wrapped__ = function  # type: ignore[attr-defined]  # whose arguments it takes
    method.__doc__ = f"Write the result of `{function.__name__}` into this tensor, and return it."
    return method
