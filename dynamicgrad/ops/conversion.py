"""What a tensor is turned into: another dtype, a copy, an array, a number, a list."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.source_location import describe, here
from gradops.numpy_api.detach_checks import array_refused, number_made

from ..devices import require, without_device
from ..engine.grad_mode import is_recording
from ..engine.handle import Handle, value_or_error
from ..engine.storage import memory, storage_of
from ..engine.tensor import Tensor
from .creation import from_numpy


def to(
    x: Any, *wanted: Any, dtype: Any = None, device: Any = None, copy: bool = False,
    non_blocking: bool = False, memory_format: Any = None,
) -> Any:  # fmt: skip
    """The tensor in another dtype, or in that of another tensor; itself if it has that one.

    A device may be named as well. With `copy` it is a new tensor in any case.

    >>> dg.tensor([1, 2]).to("cpu", "float64")
    tensor([1., 2.], dtype=float64)
    """
    for found in without_device((*wanted, dtype, device)):
        if found is None or isinstance(found, bool):  # the latter is non_blocking
            continue
        dtype = found.dtype if isinstance(found, Handle) else np.dtype(found)
        if x.dtype != dtype:
            return ops.astype(x, dtype=dtype)
    return ops.copy(x) if copy else x


def cast(dtype: Any) -> Callable[[Any], Any]:
    """The method that gives a tensor a dtype."""

    def method(self: Any) -> Any:
        return to(self, dtype)

    method.__doc__ = f"The tensor as {np.dtype(dtype)}; itself if it is that already."
    return method


CASTS = {
    "half": cast(np.float16), "float": cast(np.float32), "double": cast(np.float64),
    "char": cast(np.int8), "short": cast(np.int16), "int": cast(np.int32), "long": cast(np.int64),
    "byte": cast(np.uint8), "bool": cast(np.bool_),
}  # fmt: skip


def clone(x: Any, *, memory_format: Any = None) -> Any:
    """A copy, through which gradients flow.

    >>> dg.ones(2, requires_grad=True).clone()
    tensor([1., 1.], grad_fn=<CloneBackward0>)
    """
    return ops.copy(x)


def numpy(t: Handle, *, force: bool = False) -> np.ndarray[Any, Any]:
    """The entries as an array on the same memory; refused while gradients are required.

    With `force` they are taken out of the graph first, as by `detach()`.

    >>> dg.ones(2).numpy()
    array([1., 1.], dtype=float32)
    """
    if t.node is not None and is_recording() and not force:
        raise ops.TapeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    found = np.asarray(memory(t))
    storage_of(t).lend()
    return found


def array(t: Handle, dtype: Any = None, copy: bool | None = None) -> Any:
    """The entries as `np.asarray` wants them; refused while gradients are required."""
    if t.node is not None and is_recording():
        raise array_refused(
            "Can't call numpy() on Tensor that requires grad: the array would be cut off from"
            " the graph. To look at values alone, take x.detach().numpy(), or"
            " [t.item() for t in losses].",
            write="write into a tensor, dg.zeros(...), or collect the values and dg.stack(values)",
            join="dg.stack and dg.cat put tensors together, dg.where chooses among them",
            error=ops.TapeError,
            speaks_numpy=False,
        )
    return np.array(t.value, dtype=dtype, copy=copy)


def listed(t: Handle) -> Any:
    """The entries as nested lists, with a warning where a gradient would not follow them."""
    if (t.node is not None and is_recording()) or hasattr(t.value, "left_behind"):
        number_made(LISTED)
    return tolist(t)


LISTED = "x.tolist() of what is being differentiated cuts it off\n  hint: iterate over x"


def array_namespace(t: Tensor, *, api_version: str | None = None) -> Any:
    """The functions of the Python array API on tensors."""
    from gradops.array_api import require_version

    from .. import array_api

    require_version(api_version)
    return array_api


def item(t: Handle) -> Any:
    """The one entry, as a Python number.

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
    """The address of the first entry, which tells whether memory is shared."""
    return int(memory(t).ctypes.data)


def dlpack(
    t: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
    copy: bool | None = None,
) -> Any:  # fmt: skip
    """The entries for another library, on the same memory; refused while gradients are required.

    Raises BufferError for another device than the CPU, and for memory that must not be written to
    unless `max_version` allows to say so.
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
    """Where the entries are: in the memory of the CPU."""
    return 1, 0


def from_dlpack(source: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array, or with `copy` on memory of its own.

    Memory that must not be written to gives a tensor that cannot be. Raises OptionError for another
    device than the CPU.

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
