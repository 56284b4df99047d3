"""How values are made: what a kind of operand adds to the functions that all kinds share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradops as ops

from ..errors import DTypeError, OptionError
from ..types import Dim, as_shape, native, type_of


@dataclass(frozen=True)
class Making:
    """How operands of a kind are made, for the namespace that they come with."""

    kind: type = np.ndarray
    new: Callable[[Any], Any] = np.asarray  # an operand that has an array for itself
    shared: Callable[[Any], Any] = np.asarray  # one on the memory of an array, if it can be
    full: Callable[[Any, Any, Any], Any] = np.full  # from shape, value and dtype
    full_like: Callable[[Any, Any, Any], Any] = lambda x, value, dtype: ops.full_like(
        x, value=value, dtype=dtype
    )
    arange: Callable[[Any, Any, Any, Any], Any] = lambda *a: np.arange(
        *a
    )  # from start, stop, step and dtype
    default_dtype: Callable[[], Any] = lambda: np.float64  # of what is made from Python floats
    device: Any = "cpu"

    def default_dtypes(self) -> dict[str, np.dtype[Any]]:
        """The dtypes of what is made of Python numbers, and of indices."""
        real = native(self.default_dtype())
        return {
            "real floating": real,
            "complex floating": np.result_type(real, np.complex64),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.intp),
        }

    def dtype_for(self, number: Any, dtype: Any = None) -> np.dtype[Any]:
        """`dtype`, or that of an array of Python numbers like this one."""
        if dtype is not None:
            return native(dtype)
        kind = np.asarray(number).dtype.kind
        defaults = self.default_dtypes()
        called = {"f": "real floating", "c": "complex floating", "i": "integral"}
        return defaults[called[kind]] if kind in called else np.dtype(bool)


def require_device(device: Any) -> None:
    """Refuse a device that there is not."""
    if device is not None and str(device) != "cpu":
        raise OptionError(
            "device", [], f"there is no device {device!r}: values are in the CPU's memory",
            hint="leave device out, or give that of an array",
        )  # fmt: skip


def retyped(x: Any, dtype: Any, copy: bool | None) -> Any:
    """`x` in a dtype, if one is given; a copy if asked for."""
    if dtype is None or native(dtype) == type_of(x).dtype:
        return ops.copy(x) if copy else x
    if copy is False:
        raise ValueError(f"to make {native(dtype)} of {type_of(x)} takes a copy; leave copy out")
    return cast(x, dtype)


def cast(x: Any, dtype: Any) -> Any:
    """`x` in a dtype; DTypeError for real numbers from complex ones."""
    found = type_of(x)
    if found.dtype.kind == "c" and native(dtype).kind in "iuf":
        raise DTypeError("astype", [found], f"a complex number is no {native(dtype)}",
                         hint="take its real(x), imag(x) or abs(x)")  # fmt: skip
    return ops.astype(x, dtype=native(dtype))


def array_of(obj: Any, dtype: Any, copy: bool | None, making: Making) -> Any:
    """An array from numbers, nested sequences, and what gives its memory away."""
    found = np.array(obj, None if dtype is None else native(dtype), copy=copy)
    if found.dtype.kind not in "biufc":
        raise DTypeError("asarray", [found.dtype], "an array is made of numbers")
    if dtype is None and isinstance(obj, bool | int | float | complex | list | tuple):
        leaf = np.ravel(found)[:1]
        found = found.astype(making.dtype_for(leaf if leaf.size else 0.0), copy=False)
    return found


def creation(making: Making) -> dict[str, Callable[..., Any]]:
    """The functions that make arrays from no other."""
    new, full = making.new, making.full

    def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        require_device(device)
        if isinstance(obj, making.kind):
            return retyped(obj, dtype, copy)
        if hasattr(obj, "gradop_level"):
            return retyped(making.shared(obj), dtype, copy)
        return making.shared(array_of(obj, dtype, copy, making))

    def arange(
        start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
    ) -> Any:
        require_device(device)
        start, stop = (0, start) if stop is None else (start, stop)
        known = [n for n in (start, stop, step) if type(n) in (int, float)]
        return making.arange(start, stop, step, making.dtype_for(known or 0, dtype))

    def eye(
        n_rows: Any, n_cols: Any = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
    ) -> Any:
        require_device(device)
        n_cols = n_rows if n_cols is None else n_cols
        if not isinstance(n_rows, Dim) and not isinstance(n_cols, Dim):
            return new(np.eye(n_rows, n_cols, k, making.dtype_for(0.0, dtype)))
        rows, columns = (making.arange(0, n, 1, np.int64) for n in (n_rows, n_cols))
        ones = ops.equal(ops.expand_dims(rows + k, axis=1), columns)
        return ops.astype(ones, dtype=making.dtype_for(0.0, dtype))

    def linspace(
        start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None,
        endpoint: bool = True,
    ) -> Any:  # fmt: skip
        require_device(device)
        dtype = making.dtype_for(start * 1.0 + stop, dtype)
        return new(np.linspace(start, stop, num, endpoint, dtype=dtype))

    def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
        require_device(device)
        return making.shared(np.from_dlpack(x) if copy is None else np.from_dlpack(x, copy=copy))

    def filled(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
        require_device(device)
        return full(as_shape(shape), fill_value, making.dtype_for(fill_value, dtype))

    def like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
        require_device(device)
        return making.full_like(x, fill_value, dtype if dtype is None else native(dtype))

    return {
        "arange": arange, "asarray": asarray, "eye": eye, "linspace": linspace,
        "from_dlpack": from_dlpack, "full": filled, "full_like": like,
        "zeros": lambda shape, *, dtype=None, device=None: filled(
            shape, 0.0 if dtype is None else 0, dtype=dtype, device=device
        ),
        "ones": lambda shape, *, dtype=None, device=None: filled(
            shape, 1.0 if dtype is None else 1, dtype=dtype, device=device
        ),
        "empty": lambda shape, *, dtype=None, device=None: filled(
            shape, 0.0 if dtype is None else 0, dtype=dtype, device=device
        ),
        "zeros_like": lambda x, /, *, dtype=None, device=None: like(
            x, 0, dtype=dtype, device=device
        ),
        "ones_like": lambda x, /, *, dtype=None, device=None: like(
            x, 1, dtype=dtype, device=device
        ),
        "empty_like": lambda x, /, *, dtype=None, device=None: like(
            x, 0, dtype=dtype, device=device
        ),
    }  # fmt: skip
