"""Writing into tensors: refused where it would falsify gradients, counted where it is allowed."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops import DTypeError, Op, ShapeError, TapeError
from gradops.core.dims import product
from gradops.core.source_location import here
from gradops.core.types import broadcast_shapes, operand_types, shape_of
from gradops.kernels.index.write import write_into
from gradops.library.elementwise.comparison import limits_of

from ..dispatch.casting import as_entry, as_mask, number_in, require_dtype, require_range
from ..dispatch.division import DIVISIONS, require_divisor
from ..dispatch.op_dtypes import multiplied
from ..engine.grad_mode import is_inference_mode_enabled, is_recording
from ..engine.handle import ARRAYS, REAL_NUMBERS, Face, Handle, detached, hold
from ..engine.leaf import requires_grad_
from ..engine.node import Leaf, Storage
from ..engine.storage import memory, storage_of
from ..engine.tensor import Tensor, as_tensor, handle
from ..engine.views import history, put_in_place, refuse_leaf, set_history
from ..hooks.copy_on_write import preserve
from ..tracing.captured_writes import carry
from .indexing import as_tuple, is_mixed, selected, with_integers, with_masks

FLOATS = frozenset(map(np.dtype, ("float32", "float64")))


def in_place(op: Op) -> Callable[..., Handle]:
    """The method that writes the result of `op` into its first operand."""
    ufunc = ufunc_of(op)
    divides = op.name in DIVISIONS

    def method(self: Handle, other: Any, alpha: Any = 1) -> Handle:
        if alpha != 1:
            other = multiplied(op, f"{op.name}_", self, other, alpha)[1]
        if divides:
            require_divisor(op, self, other)
        if isinstance(other, Handle) and ufunc is not None and not is_recording():
            value, x = self.value, other.value
            if alike(value, x):
                return update(self, ufunc, value, x)
        return write(self, op, (other,))

    return documented(method, op)


def ufunc_of(op: Op) -> np.ufunc | None:
    """The kernel of an op, if it is a ufunc that gives floats for floats: what has a derivative."""
    return op.kernel if isinstance(op.kernel, np.ufunc) and op.vjp[0] is not None else None


def update(t: Handle, ufunc: np.ufunc, value: Any, x: Any) -> Handle:
    """The common case of `write`, an update under no_grad, spelled out."""
    storage = t.storage
    if storage is not None and (storage.kept or type(storage) is not Storage):
        refuse_inference(t)
        preserve(t)
    try:
        ufunc(value, x, value)
    except ValueError:
        require_writable(t)
        raise
    (storage or storage_of(t)).write()
    return t


def in_place_alone(op: Op) -> Callable[..., Handle]:
    """The same for an op that has one operand."""
    return documented(lambda self: write(self, op, ()), op)


def documented(method: Callable[..., Handle], op: Op) -> Callable[..., Handle]:
    """The method with a docstring."""
    method.__doc__ = f"Write the result of `{op.name}` into this tensor, and return it."
    return method


def alike(a: Any, b: Any) -> bool:
    """Whether two values are float arrays of one type."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray:
        return False
    return a.dtype is b.dtype and a.dtype in FLOATS and a.shape == b.shape


def write(t: Handle, op: Op, others: tuple[Any, ...]) -> Handle:
    """Apply `op` to `t` and `others`, and let `t` have the result."""
    preserve(t)
    if is_recording() and any(getattr(x, "node", None) is not None for x in (t, *others)):
        refuse_recording(t)
        result = op(before(t), *[overwritten(t, x) for x in others])
        check_fits(op, (t, *others), result)
        return rebased(t, result)
    refuse_unrecorded(t)
    overwrite(t, op, others)
    storage_of(t).write()
    return t


def overwritten(t: Handle, x: Any) -> Any:
    """An operand of a write to `t`; if it lies in the same memory, backward must not read it."""
    if not isinstance(x, Handle) or (
        x is not t and (x.storage is None or x.storage is not t.storage)
    ):
        return x
    found = hold(type(x), x.value, x.node)
    found.storage = storage = Storage()
    storage.changed, storage.place, storage.version = sys.maxsize, here(), x._version + 1
    return found


def before(t: Handle) -> Handle:
    """`t` as it is before a write, which goes to its memory only if others share that."""
    return hold(type(t), t.value.copy() if is_shared(t) else t.value, history(t))


def is_shared(t: Handle) -> bool:
    """Whether other tensors or arrays see the memory of `t`."""
    return t.storage is not None and t.storage.viewed and isinstance(t.value, np.ndarray)


def rebased(t: Face, result: Handle) -> Face:
    """Let `t` have the entries and the history of a new result, in its own dtype."""
    if result.dtype != t.dtype:
        result = ops.astype(result, dtype=t.dtype)
    if is_shared(t) and type(result.value) in ARRAYS:
        np.copyto(t.value, result.value)
    else:
        carry(t, result.value)
    storage_of(t).write()
    return set_history(t, result.node)


def refuse_recording(t: Handle) -> None:
    """Refuse in-place operations whose history could not be kept."""
    refuse_leaf(t)
    refuse_inference(t)
    require_writable(t)


def refuse_unrecorded(t: Handle) -> None:
    """Refuse writes that are not recorded, though what shares the memory has a history."""
    refuse_inference(t)
    alias = t.alias
    if alias is not None and alias.refusal and alias.base.node is not None and is_recording():
        raise TapeError(alias.refusal)


def refuse_inference(t: Handle) -> None:
    """Refuse to write to what was made in inference mode, outside of it."""
    if t.is_inference() and not is_inference_mode_enabled():
        raise TapeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "\n  hint: clone() it first"
        )


def overwrite(t: Handle, op: Op, others: tuple[Any, ...]) -> None:
    """Compute into the memory of `t`, which stays the same memory."""
    value, values = t.value, [x.value if isinstance(x, Handle) else x for x in others]
    if type(value) is not np.ndarray or being_transformed(values):
        if type(value) is np.ndarray:
            refuse_recording(t)
        result = op(*map(without_history, (t, *others)))
        check_fits(op, (t, *others), result)
        result = result.value
        carry(t, result if result.dtype == t.dtype else ops.astype(result, dtype=t.dtype))
        return
    require_writable(t)
    if (ufunc := ufunc_of(op)) is not None and fits(value, values):
        write_into(value, ufunc, value, *values)
        return
    result = op(*map(without_history, (t, *others)))
    check_fits(op, (t, *others), result)
    np.copyto(value, result.value, casting="unsafe")


def without_history(x: Any) -> Any:
    """A constant with the value and the face of `x`, which may be plain."""
    return hold(type(x), x.value) if isinstance(x, Handle) else x


def being_transformed(values: Sequence[Any]) -> bool:
    """Whether a value carries a tangent or a batch, which the memory of an array cannot hold."""
    return any(hasattr(x, "gradop_level") for x in values)


def require_writable(t: Handle) -> None:
    """Refuse to write where several entries are one in memory, or memory is not to be changed."""
    if isinstance(t.value, np.ndarray) and not t.value.flags.writeable:
        raise TapeError(
            "unsupported operation: more than one element of the written-to tensor may refer to a"
            " single memory location\n  hint: clone() what expand() gave before you write to it"
        )


def fits(value: Any, others: list[Any]) -> bool:
    """Whether the result of the op surely has the shape and dtype of `value`."""
    for x in others:
        if type(x) in REAL_NUMBERS:
            continue
        if type(x) is not np.ndarray or x.shape != value.shape or x.dtype != value.dtype:
            return False
    return value.dtype.kind == "f"


def check_fits(op: Op | str, operands: tuple[Any, ...], result: Handle) -> None:
    """Refuse a result that has another shape, or a dtype that cannot be stored."""
    t, types = operands[0], operand_types(operands)
    if result.shape != t.shape:
        broadcast_shapes(op, types)
        raise ShapeError(
            op, types, f"output with shape {list(t.shape)} doesn't match the broadcast shape"
            f" {list(result.shape)}", hint="in place, the first operand keeps its shape",
        )  # fmt: skip
    if not t.can_store(result.dtype):
        raise DTypeError(
            op, types, f"result type {result.dtype} can't be cast to the desired output type"
            f" {t.dtype}", hint="in place, the first operand keeps its dtype",
        )  # fmt: skip


def replace(t: Face, key: Any, value: Any, call: str) -> Face:
    """Write `value`, broadcast, over the entries of `t` at `key`."""
    source = as_tensor(value)
    if source.node is not None and t.dtype.kind not in "fc":
        source = detached(source)  # no gradient passes through integers
    preserve(t)
    if is_recording() and (t.node is not None or source.node is not None):
        refuse_recording(t)
        if is_basic(key):
            return replace_part(t, key, source, call)
        return rebased(t, replaced(before(t), key, source, call))
    refuse_unrecorded(t)
    put(t, key, source, call)
    storage_of(t).write()
    return t


def is_basic(key: Any) -> bool:
    """Whether a key has only integers, slices, None and ..., and so names a view."""
    entries = key if isinstance(key, tuple) else (key,)
    return all(
        e is None or e is ... or isinstance(e, slice)
        or (isinstance(e, int | np.integer) and not isinstance(e, bool))
        for e in entries
    )  # fmt: skip


def replace_part(t: Face, key: Any, source: Handle, call: str) -> Face:
    """Write `source` over the part of `t` that a basic key names, as a recorded operation."""
    part = ops.index(handle(t.value), key)
    source = fitted(t, source, part.shape, call)
    if source.dtype != t.dtype:
        source = ops.astype(source, dtype=t.dtype)
    node = put_in_place(hold(type(t), t.value, history(t)), source, source.node, part.alias)
    put(t, key, source, call)
    storage_of(t).write()
    return set_history(t, node)


def put(t: Handle, key: Any, source: Handle, call: str) -> None:
    """Write the entries of `source` into the memory of `t`."""
    if not isinstance(memory(t), np.ndarray) or being_transformed([source.value]):
        if isinstance(t.value, np.ndarray):
            refuse_recording(t)
        carry(t, replaced(hold(type(t), t.value), key, source, call).value)
        return
    require_writable(t)
    value = source.value
    if type(value) is np.ndarray and not value.size:
        return put_fitted(t, key, source, call)  # NumPy may not look at its shape
    try:
        if fits_surely(value, t.value.dtype):
            t.value[key] = value
        else:
            with np.errstate(over="ignore"):  # what is too large for the dtype is infinite
                t.value[key] = value
    except OverflowError as error:
        raise DTypeError(call, [t.type], f"{source.value} is no {t.dtype}") from error
    except (TypeError, ValueError):
        put_fitted(t, key, source, call)


def fits_surely(value: Any, dtype: Any) -> bool:
    """Whether a value is not too large for a dtype, as can be told at a glance."""
    if type(value) is float:
        return abs(value) < 1e4
    return getattr(value, "dtype", None) == dtype


def put_fitted(t: Handle, key: Any, source: Handle, call: str) -> None:
    """Write entries that NumPy does not broadcast to their places, but PyTorch may."""
    shape = np.shape(t.value[key])
    source = fitted(hold(type(t), t.value), source, shape, call)
    try:
        t.value[key] = source.value
    except TypeError as error:
        raise DTypeError(call, [t.type], f"{source.value} is no {t.dtype}") from error


def replaced(before: Handle, key: Any, source: Handle, call: str) -> Any:
    """`before` with `source` in the places of `key`; an entry named twice has the later value."""
    shape = places_shape(before, key)
    return ops.at(before)[key].set(fitted(before, source, shape, call))


def places_shape(t: Handle, key: Any) -> Any:
    """The shape of the entries of `t` at a key, in which a trace may have put expressions."""
    if being_transformed(key if isinstance(key, tuple) else (key,)):
        return ops.index(hold(type(t), t.value), key).shape
    return np.broadcast_to(np.zeros(()), t.shape)[key].shape


def updated_by(function: Callable[..., Any]) -> Callable[..., Handle]:
    """The method that lets a tensor have the result that `function` gives for it."""

    def method(self: Handle, *args: Any, **attrs: Any) -> Handle:
        preserve(self)
        others = [*args, *attrs.values()]
        if is_recording() and any(getattr(x, "node", None) is not None for x in (self, *others)):
            refuse_recording(self)
            result = function(before(self), *args, **attrs)
            check_fits(name, (self,), result)
            if result.node is None:
                return replace(self, ..., result, name)
            return rebased(self, result)
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


def fitted(t: Handle, source: Handle, shape: tuple[int, ...], call: str) -> Any:
    """`source` broadcast to a shape, of which it may have more axes of size 1 in front."""
    if being_transformed([source.value]) or (source.node is not None and source.dtype != t.dtype):
        source = ops.astype(source, dtype=t.dtype)
    elif source.node is None:
        source = handle(np.asarray(source.value, t.dtype))
    extra = max(0, len(source.shape) - len(shape))
    if source.shape[:extra] != (1,) * extra:
        raise misfit(call, t, source, shape)
    try:
        return ops.broadcast_to(ops.reshape(source, shape=source.shape[extra:]), shape=shape)
    except ShapeError as error:
        raise misfit(call, t, source, shape) from error


def misfit(call: str, t: Handle, source: Handle, shape: tuple[int, ...]) -> ShapeError:
    """The error for a value that has another shape than its places."""
    types = operand_types([t, source.value])
    return ShapeError(
        call, types, f"the value does not broadcast to the places, of shape {shape}",
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
            f" the broadcast shape {list(shape)}", hint="squeeze() takes dimensions of size 1 away",
        )  # fmt: skip
    return replace(t, ..., source if isinstance(source, Handle) else np.asarray(source), "copy_")


def clamp_(t: Handle, min: Any = None, max: Any = None) -> Handle:
    """Keep the entries between bounds, in place, and return the tensor."""
    require_range("clamp_", t.dtype, min, max)
    low, high = limits_of(t.dtype)
    bounds = low if min is None else min, high if max is None else max
    return write(t, ops.clamp, bounds)


def masked_fill_(t: Handle, mask: Any, value: Any) -> Handle:
    """Write a number where the mask holds, and return the tensor."""
    mask, value = as_mask("masked_fill_", mask), as_entry("masked_fill_", t, value)
    if being_transformed([mask.value]):
        chosen = ops.where(mask, value, hold(type(t), t.value, t.node))
        return replace(t, ..., chosen, "masked_fill_")
    try:
        places = np.broadcast_to(mask.value, t.shape)
    except ValueError as error:
        raise misfit("masked_fill_", t, mask, t.shape) from error
    return replace(t, places, value, "masked_fill_")


def detach_(t: Tensor) -> Tensor:
    """Cut the tensor off from its history, and return it; a leaf keeps its gradient."""
    if type(t.node) is Leaf:
        return requires_grad_(t, False)
    if t.alias is not None:
        raise TapeError(
            "Can't detach views in-place. Use detach() instead.\n  hint: its base would keep its"
            " history, and the two share memory"
        )
    t.node = None
    return t


def set_item(t: Tensor, key: Any, value: Any) -> None:
    """`t[key] = value`; gradients flow to `value` and to the entries of `t` that are kept."""
    if isinstance(value, complex) or (type(value) in (float, int) and t.dtype.kind in "iu"):
        value = as_entry("setitem", t, value)
    key = with_masks(as_tuple(key))
    if isinstance(key, tuple) and is_mixed(key):
        t, key = selected(t, key)
    key = plain(with_integers(key))
    if is_recording() and is_of_leaf(t):
        t[key]  # an index that is none is told first
    if isinstance(value, Handle) and value.dtype != t.dtype:
        value = castable(t, key, value)
    replace(t, key, value, "setitem")


def is_of_leaf(t: Handle) -> bool:
    """Whether a tensor is a leaf that requires gradients, or a view of one."""
    return type(t.node if t.alias is None else t.alias.base.node) is Leaf


def castable(t: Handle, key: Any, value: Handle) -> Any:
    """`value`, of another dtype, if `t` takes it at a key: for a view, or one number for a mask.

    The number has to be one of the dtype. Entries for indices are not cast, as in PyTorch.
    """
    if is_basic(key) or isinstance(key, bool):
        return value
    entries = key if isinstance(key, tuple) else (key,)
    arrays = [np.asarray(e) for e in entries if isinstance(e, list | np.ndarray)]
    masked = len(arrays) == 1 and arrays[0].dtype == np.bool_
    if not masked or product(value.shape) != 1:
        t[key]  # an index that is none is told first
        require_dtype("setitem", t, value)
    known = type(value.value) in ARRAYS
    number = number_in("setitem", t.dtype, value.value) if known else None
    return value if number is None or value.node is not None else number


def plain(key: Any) -> Any:
    """An index with arrays in place of tensors."""
    if isinstance(key, tuple):
        return tuple(plain(k) for k in key)
    if type(key) is list and any(isinstance(k, Handle) for k in key):
        found = [plain(k) for k in key]
        return ops.stack(found) if being_transformed(found) else found
    return key.value if isinstance(key, Handle) else key
