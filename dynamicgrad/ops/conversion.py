"""Conversion of tensors: to other dtypes, copies, arrays, numbers, lists, and DLPack."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.foreign import NO_ARRAY, is_sparse_product
from gradops.core.source_location import describe, here
from gradops.numpy_api.detach_checks import array_conversion_error, leaving, warn_detached
from gradops.typing import DTypeLike

from ..devices import require, without_device
from ..engine.grad_mode import is_recording
from ..engine.handle import Handle, value_or_error
from ..engine.storage import memory, storage_of
from ..engine.tensor import Tensor
from .creation import from_numpy


def to(
    x: Tensor, *wanted: Any, dtype: DTypeLike = None, device: object = None,
    copy: bool = False, non_blocking: bool = False, memory_format: object = None,
) -> Tensor:  # fmt: skip
    """The tensor in another dtype, or in that of another tensor; itself if it has that dtype.

    A device may be given as well. With `copy`, always a new tensor.

    >>> dg.tensor([1, 2]).to("cpu", "float64")
    tensor([1., 2.], dtype=float64)
    """
    for target in without_device((*wanted, dtype, device)):
        if target is None or isinstance(target, bool):  # the latter is non_blocking
            continue
        dtype = target.dtype if isinstance(target, Handle) else np.dtype(target)
        if x.dtype != dtype:
            return ops.astype(x, dtype=dtype)
    return ops.copy(x) if copy else x


def cast(dtype: DTypeLike) -> Callable[[Any], Any]:
    """The method that converts a tensor to a dtype."""

    def method(self: Any) -> Tensor:
        return to(self, dtype)

    method.__doc__ = f"The tensor as {np.dtype(dtype)}; itself if it is that already."
    return method


CASTS = {
    "half": cast(np.float16), "float": cast(np.float32), "double": cast(np.float64),
    "char": cast(np.int8), "short": cast(np.int16), "int": cast(np.int32), "long": cast(np.int64),
    "byte": cast(np.uint8), "bool": cast(np.bool_),
}  # fmt: skip


def clone(x: Tensor, *, memory_format: object = None) -> Tensor:
    """A copy, through which gradients flow.

    >>> dg.ones(2, requires_grad=True).clone()
    tensor([1., 1.], grad_fn=<CloneBackward0>)
    """
    return ops.copy(x)


def numpy(t: Handle, *, force: bool = False) -> np.ndarray:
    """The entries as an array that shares the memory; refused for tensors that require gradients.

    With `force` the tensor is detached first.

    >>> dg.ones(2).numpy()
    array([1., 1.], dtype=float32)
    """
    if t.node is not None and is_recording() and not force:
        raise ops.TapeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    entries = np.asarray(memory(t))
    storage_of(t).lend()
    return entries


def array(t: Handle, dtype: DTypeLike = None, copy: bool | None = None) -> np.ndarray:
    """The entries for `np.asarray`; refused for tensors that require gradients."""
    if is_sparse_product():
        return NO_ARRAY
    if t.node is not None and is_recording():
        raise array_conversion_error(
            "Can't call numpy() on Tensor that requires grad: the array would be cut off from"
            " the graph. To look at values alone, take x.detach().numpy(), or"
            " [t.item() for t in losses].",
            write="write into a tensor, dg.zeros(...), or collect the values and dg.stack(values)",
            join="dg.stack and dg.cat put tensors together, dg.where chooses among them",
            error=ops.TapeError,
            speaks_numpy=False,
        )
    return np.array(t.value, dtype=dtype, copy=copy)


def nested_lists(t: Handle) -> Any:
    """The entries as nested lists, with a warning if gradients are lost."""
    if (t.node is not None and is_recording()) or hasattr(t.value, "left_behind"):
        warn_detached(LISTED)
        return leaving(value_or_error(t)).tolist()
    return tolist(t)


LISTED = "x.tolist() of what is being differentiated cuts it off\n  hint: iterate over x"


def array_namespace(t: Tensor, *, api_version: str | None = None) -> ModuleType:
    """The functions of the Python array API on tensors."""
    from gradops.array_api import require_version

    from .. import array_api

    require_version(api_version)
    return array_api


def item(t: Handle) -> bool | int | float | complex:
    """The only entry, as a Python number.

    >>> dg.tensor([2.0]).item()
    2.0
    """
    if t.value.size != 1:
        raise ops.TapeError(f"a Tensor with {t.value.size} elements cannot be converted to Scalar")
    return value_or_error(t).item()


def tolist(t: Handle) -> Any:
    """The entries as nested lists of Python numbers."""
    return value_or_error(t).tolist()


def data_ptr(t: Handle) -> int:
    """The address of the first entry in memory."""
    return int(memory(t).ctypes.data)


def dlpack(
    t: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: object = None,
    copy: bool | None = None,
) -> object:  # fmt: skip
    """A DLPack capsule that shares the memory; refused for tensors that require gradients.

    Raises BufferError for another device than the CPU, and for read-only memory unless
    `max_version` is 1.0 or later.
    """
    if t.node is not None:
        raise ops.TapeError(
            "Can't export tensors that require gradient, use tensor.detach()"
            f"\n  at {describe(here())}\n  hint: the other library would not know of the graph"
        )
    shared = np.asarray(memory(t))
    storage_of(t).lend()
    asked = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
    given = {name: value for name, value in asked.items() if value is not None}
    return shared.__dlpack__(stream=stream, **given)


def dlpack_device(t: Tensor) -> tuple[int, int]:
    """The device of the entries: the CPU."""
    return 1, 0


def from_dlpack(source: Any, /, *, device: object = None, copy: bool | None = None) -> Tensor:
    """A tensor that shares the memory of another library's array, or with `copy` has its own.

    Read-only memory gives a tensor that cannot be written to. Raises OptionError for another device
    than the CPU.

    >>> a = np.zeros(2)
    >>> t = dg.from_dlpack(a)
    >>> a[0] = 5
    >>> t
    tensor([5., 0.], dtype=float64)
    """
    if device is not None:
        require(device)
    options: dict[str, Any] = {} if copy is None else {"copy": copy}
    return from_numpy(np.from_dlpack(source, **options))
