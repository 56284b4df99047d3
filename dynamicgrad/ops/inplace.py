"""In-place operations: refused where they would falsify gradients, counted where allowed."""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import gradops as ops
from gradops import DTypeError, Op, ShapeError, TapeError
from gradops.core.source_location import here
from gradops.core.types import broadcast_shapes, operand_types
from gradops.kernels.index.write import write_into
from gradops.library.elementwise.comparison import limits_of

from ..dispatch.casting import require_range
from ..dispatch.division import DIVISIONS, require_divisor
from ..dispatch.fast_path import binary
from ..dispatch.op_dtypes import promote_with_factor
from ..engine.grad_mode import is_inference_mode_enabled, is_recording
from ..engine.handle import ARRAYS, REAL_NUMBERS, Face, Handle, hold
from ..engine.node import Leaf, Storage
from ..engine.storage import storage_of
from ..engine.views import history, refuse_leaf, replace_node, set_history
from ..hooks.saved_tensor_hooks import preserve
from ..tracing.captured_writes import carry

compute = cache(binary)  # the functions of ops that compute what is written
FLOATS = frozenset(map(np.dtype, ("float32", "float64")))


def in_place(op: Op) -> Callable[..., Handle]:
    """The method that writes the result of `op` into its first operand."""
    ufunc = ufunc_of(op)
    divides = op.name in DIVISIONS

    def method(self: Handle, other: Any, alpha: Any = 1) -> Handle:
        if alpha != 1:
            other = promote_with_factor(op, f"{op.name}_", self, other, alpha)[1]
        if divides:
            require_divisor(op, self, other)
        if ufunc is not None and isinstance(other, Handle) and alike(self.value, other.value):
            if not is_recording():
                return update(self, ufunc, self.value, other.value)
            if is_unshared(self) and is_apart(self, other):
                return replaced(self, compute(op), other)
        elif type(other) is float and ufunc is not None and takes_number(self):
            return replaced(self, compute(op), other)
        return write(self, op, (other,))

    return with_doc(method, op)


def ufunc_of(op: Op) -> np.ufunc | None:
    """The kernel of a differentiable op if it is a ufunc, which gives floats for floats."""
    return op.kernel if isinstance(op.kernel, np.ufunc) and op.vjp[0] is not None else None


def update(t: Handle, ufunc: np.ufunc, value: Any, x: Any) -> Handle:
    """The common case of `write`, an update under no_grad, inlined."""
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


def is_unshared(t: Handle) -> bool:
    """True if nothing else sees the memory of `t`, so that a recorded write may replace it."""
    storage = t.storage
    if t.alias is not None or type(t.node) is Leaf or type(t.value) is not np.ndarray:
        return False
    own = storage is None or (
        type(storage) is Storage and not (storage.viewed or storage.kept or storage.views)
    )
    return own and t.value.flags.writeable


def takes_number(t: Handle) -> bool:
    """True if a number can be written to `t` by replacing its value, and this is recorded."""
    if t.node is None or not is_recording():
        return False
    return is_unshared(t) and alike(t.value, t.value)


def is_apart(t: Handle, other: Handle) -> bool:
    """True if one of two tensors has a history, and they do not share memory."""
    if t.node is None and other.node is None:
        return False
    return other is not t and (other.storage is None or other.storage is not t.storage)


def replaced(t: Handle, call: Callable[[Any, Any], Any], other: Any) -> Handle:
    """The common case of `write` while recording, inlined."""
    before = hold(type(t), t.value, t.node)
    before.storage = Storage()  # of its own: the write does not change what is saved of it
    result = call(before, other)
    t.value = result.value
    (t.storage or storage_of(t)).write()
    replace_node(t, result.node)
    return t


def in_place_unary(op: Op) -> Callable[..., Handle]:
    """The method that writes the result of `op`, which has one operand, into it."""
    return with_doc(lambda self: write(self, op, ()), op)


def with_doc(method: Callable[..., Handle], op: Op) -> Callable[..., Handle]:
    """The method with a docstring."""
    method.__doc__ = f"Write the result of `{op.name}` into this tensor, and return it."
    return method


def alike(a: Any, b: Any) -> bool:
    """True if two values are float arrays of equal shape and dtype."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray:
        return False
    return a.dtype is b.dtype and a.dtype in FLOATS and a.shape == b.shape


def write(t: Handle, op: Op, others: tuple[Any, ...]) -> Handle:
    """Write the result of `op` on `t` and `others` into `t`."""
    preserve(t)
    if is_recording() and any(getattr(x, "node", None) is not None for x in (t, *others)):
        refuse_recording(t)
        result = op(before_write(t), *[mark_changed(t, x) for x in others])
        check_fits(op, (t, *others), result)
        return rebase(t, result)
    refuse_unrecorded(t)
    overwrite(t, op, others)
    storage_of(t).write()
    return t


def mark_changed(t: Handle, x: Any) -> Any:
    """An operand of a write to `t`; one in the same memory is marked as changed, for backward."""
    if not isinstance(x, Handle) or (
        x is not t and (x.storage is None or x.storage is not t.storage)
    ):
        return x
    copy = hold(type(x), x.value, x.node)
    copy.storage = storage = Storage()
    storage.changed, storage.place, storage.version = sys.maxsize, here(), x._version + 1
    return copy


def before_write(t: Handle) -> Handle:
    """`t` before a write: a copy of the entries if others share the memory that is written."""
    before = hold(type(t), t.value.copy() if is_shared(t) else t.value, history(t))
    before.storage = Storage()  # of its own: the write does not change what is saved of it
    return before


def is_shared(t: Handle) -> bool:
    """True if other tensors or arrays see the memory of `t`."""
    return t.storage is not None and t.storage.viewed and isinstance(t.value, np.ndarray)


def rebase(t: Face, result: Handle) -> Face:
    """Give `t` the entries and the history of a new result, in its own dtype."""
    if result.dtype != t.dtype:
        result = ops.astype(result, dtype=t.dtype)
    if is_shared(t) and type(result.value) in ARRAYS:
        np.copyto(t.value, result.value)
    else:
        carry(t, result.value)
    storage_of(t).write()
    return set_history(t, result.node)


def refuse_recording(t: Handle) -> None:
    """Refuse a recorded write whose history could not be kept."""
    refuse_leaf(t)
    refuse_inference(t)
    require_writable(t)


def refuse_unrecorded(t: Handle) -> None:
    """Refuse an unrecorded write to a part from `unbind` or `split` of a tensor with a history."""
    refuse_inference(t)
    alias = t.alias
    if alias is not None and alias.refusal and alias.base.node is not None and is_recording():
        raise TapeError(alias.refusal)


def refuse_inference(t: Handle) -> None:
    """Refuse to write to inference tensors outside of inference mode."""
    if t.is_inference() and not is_inference_mode_enabled():
        raise TapeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "\n  hint: clone() it first"
        )


def overwrite(t: Handle, op: Op, others: tuple[Any, ...]) -> None:
    """Compute the result of `op` into the memory of `t`, without recording."""
    value, values = t.value, [x.value if isinstance(x, Handle) else x for x in others]
    if type(value) is not np.ndarray or has_tracer(values):
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
    """A handle with the value of `x` and no history; plain values are returned unchanged."""
    return hold(type(x), x.value) if isinstance(x, Handle) else x


def has_tracer(values: Sequence[Any]) -> bool:
    """True if a value is a tracer (tangent, batch, expression), which an array cannot hold."""
    return any(hasattr(x, "gradop_level") for x in values)


def require_writable(t: Handle) -> None:
    """Refuse to write to read-only memory, as that of an expanded tensor is."""
    if isinstance(t.value, np.ndarray) and not t.value.flags.writeable:
        raise TapeError(
            "unsupported operation: more than one element of the written-to tensor may refer to a"
            " single memory location\n  hint: clone() the result of expand() before you write to it"
        )


def fits(value: Any, others: list[Any]) -> bool:
    """True if the result of an op on `value` and `others` surely has the type of `value`."""
    for x in others:
        if type(x) in REAL_NUMBERS:
            continue
        if type(x) is not np.ndarray or x.shape != value.shape or x.dtype != value.dtype:
            return False
    return value.dtype.kind == "f"


def check_fits(op: Op | str, operands: tuple[Any, ...], result: Handle) -> None:
    """Refuse a result that does not fit into its first operand: in shape, or by its dtype."""
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


def clamp_(t: Handle, min: Any = None, max: Any = None) -> Handle:
    """Clamp the entries to bounds in place, and return the tensor."""
    require_range("clamp_", t.dtype, min, max)
    low, high = limits_of(t.dtype)
    bounds = low if min is None else min, high if max is None else max
    return write(t, ops.clamp, bounds)
