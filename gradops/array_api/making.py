"""Creation functions: the part of the standard in which kinds of operands differ."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradops as ops

from ..core.dims import Dim
from ..core.errors import DTypeError, OptionError
from ..core.types import as_shape, native, type_of
from ..typing import AnyArray, DTypeLike, Operand, OperandLike

NAMES = (
    "arange", "asarray", "astype", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
    "linspace", "ones", "ones_like", "zeros", "zeros_like",
)  # fmt: skip
OF_FFT = ("fftfreq", "rfftfreq")


def itself(x: OperandLike) -> Any:
    """An array, or an object that represents one."""
    return x


@dataclass(frozen=True)
class Making:
    """The creation functions of one kind of operand.

    The fields say how operands are made; `NAMES` and `OF_FFT` list the methods that the standard
    has for functions.
    """

    kind: type = np.ndarray
    new: Callable[[Any], Any] = itself  # an operand that has an array for itself
    shared: Callable[[Any], Any] = itself  # one on the memory of an array, if it can be
    filled: Callable[[Any, Any, Any], Any] = np.full  # from shape, value and dtype
    filled_like: Callable[[Any, Any, Any], Any] = lambda x, value, dtype: ops.full_like(
        x, value=value, dtype=dtype
    )
    counted: Callable[..., Any] = lambda *args: np.arange(*args)  # start, stop, step, dtype
    default_dtype: Callable[[], Any] = lambda: np.float64  # of what is made from Python floats
    device: object = "cpu"

    def default_dtypes(self) -> dict[str, np.dtype]:
        """The dtypes of arrays made from Python numbers, and of indices."""
        real = native(self.default_dtype())
        return {
            "real floating": real,
            "complex floating": np.result_type(real, np.complex64),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.intp),
        }

    def dtype_for(self, number: object, dtype: DTypeLike = None) -> np.dtype:
        """`dtype`, or that of an array of Python numbers like this one."""
        if dtype is not None:
            return native(dtype)
        called = {"f": "real floating", "c": "complex floating", "i": "integral"}
        kind = np.asarray(number).dtype.kind
        return self.default_dtypes()[called[kind]] if kind in called else np.dtype(bool)

    def asarray(
        self, obj: OperandLike, /, *, dtype: DTypeLike = None, device: object = None,
        copy: bool | None = None,
    ) -> AnyArray:  # fmt: skip
        """An array of numbers, of nested sequences of them, or on the memory of another array."""
        require_device(device)
        if isinstance(obj, self.kind) or hasattr(obj, "gradop_level"):
            return convert(obj if isinstance(obj, self.kind) else self.shared(obj), dtype, copy)
        found = np.array(obj, None if dtype is None else native(dtype), copy=copy)
        if found.dtype.kind not in "biufc":
            raise DTypeError("asarray", [found.dtype], "an array is made of numbers")
        if dtype is None and isinstance(obj, bool | int | float | complex | list | tuple):
            found = found.astype(self.dtype_for(found if found.size else 0.0), copy=False)
        return self.shared(found)

    def astype(
        self, x: OperandLike, dtype: DTypeLike, /, *, copy: bool = True, device: object = None
    ) -> AnyArray:
        """An array in another dtype; DTypeError for real numbers from complex ones."""
        require_device(device)
        return convert(x, dtype, True if copy else None)

    def from_dlpack(self, x: Any, /, *, device: object = None, copy: bool | None = None) -> Any:
        """An array on the memory of another library's."""
        require_device(device)
        return self.shared(np.from_dlpack(x) if copy is None else np.from_dlpack(x, copy=copy))

    def arange(
        self, start: object, /, stop: object = None, step: object = 1, *, dtype: DTypeLike = None,
        device: object = None,
    ) -> AnyArray:  # fmt: skip
        """Numbers at equal distances from `start`, or 0 if it stands alone, to before `stop`."""
        require_device(device)
        start, stop = (0, start) if stop is None else (start, stop)
        are_floats = any(isinstance(n, float | np.floating) for n in (start, stop, step))
        return self.counted(start, stop, step, self.dtype_for(0.0 if are_floats else 0, dtype))

    def linspace(
        self, start: Any, stop: Any, /, num: int, *, dtype: DTypeLike = None, device: object = None,
        endpoint: bool = True,
    ) -> Any:  # fmt: skip
        """`num` evenly spaced numbers between two."""
        require_device(device)
        dtype = self.dtype_for(start * 1.0 + stop, dtype)
        return self.new(np.linspace(start, stop, num, endpoint, dtype=dtype))

    def eye(
        self, n_rows: Any, n_cols: Any = None, /, *, k: int = 0, dtype: DTypeLike = None,
        device: object = None,
    ) -> Any:  # fmt: skip
        """Ones on a diagonal of a matrix, zeros elsewhere."""
        require_device(device)
        n_cols = n_rows if n_cols is None else n_cols
        dtype = self.dtype_for(0.0, dtype)
        if not isinstance(n_rows, Dim) and not isinstance(n_cols, Dim):
            return self.new(np.eye(n_rows, n_cols, k, dtype))
        rows, columns = (self.counted(0, n, 1, np.dtype(np.int64)) for n in (n_rows, n_cols))
        return ops.astype(ops.equal(ops.expand_dims(rows + k, axis=1), columns), dtype=dtype)

    def full(
        self, shape: object, fill_value: object, *, dtype: DTypeLike = None, device: object = None
    ) -> Any:
        """A number in a shape."""
        require_device(device)
        return self.filled(as_shape(shape), fill_value, self.dtype_for(fill_value, dtype))

    def zeros(self, shape: object, *, dtype: DTypeLike = None, device: object = None) -> AnyArray:
        """Zeros in a shape."""
        return self.full(shape, 0, dtype=self.dtype_for(0.0, dtype), device=device)

    def ones(self, shape: object, *, dtype: DTypeLike = None, device: object = None) -> AnyArray:
        """Ones in a shape."""
        return self.full(shape, 1, dtype=self.dtype_for(0.0, dtype), device=device)

    def empty(self, shape: object, *, dtype: DTypeLike = None, device: object = None) -> AnyArray:
        """An uninitialized array of a shape; here zeros."""
        return self.zeros(shape, dtype=dtype, device=device)

    def full_like(
        self, x: Operand, /, fill_value: Operand, *, dtype: DTypeLike = None, device: object = None
    ) -> AnyArray:
        """A number in the shape and, by default, the dtype of an array."""
        require_device(device)
        return self.filled_like(x, fill_value, dtype if dtype is None else native(dtype))

    def zeros_like(
        self, x: Operand, /, *, dtype: DTypeLike = None, device: object = None
    ) -> AnyArray:
        """Zeros in the shape and, by default, the dtype of an array."""
        return self.full_like(x, 0, dtype=dtype, device=device)

    def ones_like(
        self, x: Operand, /, *, dtype: DTypeLike = None, device: object = None
    ) -> AnyArray:
        """Ones in the shape and, by default, the dtype of an array."""
        return self.full_like(x, 1, dtype=dtype, device=device)

    def empty_like(
        self, x: Operand, /, *, dtype: DTypeLike = None, device: object = None
    ) -> AnyArray:
        """An uninitialized array like another; here zeros."""
        return self.zeros_like(x, dtype=dtype, device=device)

    def fftfreq(
        self, n: int, /, *, d: float = 1.0, dtype: DTypeLike = None, device: object = None
    ) -> AnyArray:
        """The frequencies of a discrete Fourier transform."""
        require_device(device)
        return self.new(np.fft.fftfreq(n, d).astype(self.dtype_for(0.0, dtype)))

    def rfftfreq(
        self, n: int, /, *, d: float = 1.0, dtype: DTypeLike = None, device: object = None
    ) -> AnyArray:
        """The frequencies of the transform of real numbers."""
        require_device(device)
        return self.new(np.fft.rfftfreq(n, d).astype(self.dtype_for(0.0, dtype)))


def require_device(device: object) -> None:
    """Raise OptionError for a device other than the CPU."""
    if device is not None and str(device) != "cpu":
        raise OptionError(
            "device", [], f"there is no device {device!r}: values are in the CPU's memory",
            hint="leave device out, or give that of an array",
        )  # fmt: skip


def convert(x: object, dtype: DTypeLike, copy: bool | None) -> Any:
    """`x` in a dtype, if one is given; copied if `copy`."""
    found = type_of(x)
    if dtype is None or native(dtype) == found.dtype:
        return ops.copy(x) if copy else x
    if copy is False:
        raise ValueError(f"to make {native(dtype)} of {found} takes a copy; leave copy out")
    if found.dtype.kind == "c" and native(dtype).kind in "iuf":
        raise DTypeError(
            "astype", [found], f"a complex number cannot be cast to {native(dtype)}",
            hint="take its real(x), imag(x) or abs(x)",
        )  # fmt: skip
    return ops.astype(x, dtype=native(dtype))
