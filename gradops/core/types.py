"""The type of an array: its shape, which may have named unknown dimensions, and its dtype."""

import operator
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import numpy as np

from ..typing import DTypeLike
from .dims import Dim, Shape, Size, common_size, product
from .environment import switch
from .errors import AxisError, DTypeError, OptionError, ShapeError

VARIABLE = "STATICGRAD_NATIVE_KERNELS"
ASKED = switch(VARIABLE, default=True)
NATIVE_KERNELS: ContextVar[bool] = ContextVar("native_kernels", default=ASKED)
"""True where kernels run in machine code, if there is some: see `kernels/native_kernels.py`."""
PYTHON_SCALARS = (bool, int, float, complex)  # and `Dim`, which stands for an int


def as_size(size: Any) -> Size:
    """A size from an int, a name, a `Dim`, or an expression of sizes.

    Raises DTypeError for anything else.
    """
    if type(size) is int or isinstance(size, Dim):
        return size
    if isinstance(size, str) and size:
        return Dim(size)
    if hasattr(size, "known_sizes"):
        return as_size(size.known_sizes())
    try:
        return int(operator.index(size))
    except TypeError as error:
        raise DTypeError(
            "shape", [repr(size)], "a size is an integer, or the name of one that is not known"
        ) from error


def as_shape(shape: Any) -> Shape:
    """A shape from sizes, a single one, or an expression of them."""
    if hasattr(shape, "known_sizes"):
        shape = shape.known_sizes()
    several = isinstance(shape, Iterable) and not isinstance(shape, str)
    several = several and getattr(shape, "ndim", 1) != 0
    return tuple(map(as_size, shape)) if several else (as_size(shape),)


class ArrayType:
    """Shape and dtype of an array, known without the array; prints as `float32[batch, 4]`."""

    __slots__ = ("dtype", "shape")
    shape: Shape
    dtype: np.dtype

    def __init__(self, shape: Shape, dtype: DTypeLike) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> Size:
        """The number of elements."""
        return product(self.shape)

    @property
    def type(self) -> "ArrayType":
        """The type itself, so that it can replace an array whose values are unknown."""
        return self

    @property
    def example(self) -> "ArrayType":
        """The type of one example of a stack of this type."""
        return ArrayType(self.shape[1:], self.dtype)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ArrayType) and self.shape == other.shape and self.dtype == other.dtype
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


def type_of(x: object) -> ArrayType:
    """The type of an array, a scalar, a tensor, an expression, or of a type itself."""
    if isinstance(x, np.ndarray | np.generic):
        return ArrayType(x.shape, x.dtype)
    found = getattr(x, "type", None)
    if isinstance(found, ArrayType):
        return found
    x = np.asarray(x)
    return ArrayType(x.shape, x.dtype)


def shape_of(x: Any) -> Shape:
    """The shape of anything an op takes."""
    found: Any = getattr(x, "shape", None)
    return np.shape(x) if found is None else found


def dtype_of(x: Any) -> np.dtype:
    """The dtype of anything an op takes: without a type for each transform that `x` is in."""
    found: Any = getattr(x, "dtype", None)
    return type_of(x).dtype if found is None else found


def operand_types(args: Iterable[object]) -> list[ArrayType]:
    """The types of operands, Python scalars taking the dtype the others give them (NEP 50)."""
    args = [1 if isinstance(a, Dim) else a for a in args]
    strong = [type_of(a) for a in args if type(a) not in PYTHON_SCALARS]
    dtypes = tuple([t.dtype for t in strong])
    found = iter(strong)
    return [weak_type(a, dtypes) if type(a) in PYTHON_SCALARS else next(found) for a in args]


def weak_type(number: Any, dtypes: tuple[np.dtype, ...]) -> ArrayType:
    """The type of a Python scalar beside operands of these dtypes, if there are any."""
    if not dtypes:
        return ArrayType((), np.result_type(number))
    return weak_type_of(type(number), dtypes)  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def weak_type_of(kind: Callable[[int], Any], dtypes: tuple[np.dtype, ...]) -> ArrayType:
    """The type of a Python scalar by its class: beside other dtypes its value does not matter."""
    return ArrayType((), np.result_type(*dtypes, kind(1)))


def native(dtype: Any) -> np.dtype:
    """A numeric dtype in native byte order, as NumPy's canonical object.

    Generated code compares dtypes by identity, which `newbyteorder` does not keep. Raises
    DTypeError for what names no dtype.
    """
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise DTypeError("dtype", [repr(dtype)[:60]], "NumPy has no such dtype") from error
    return _native(found)


@lru_cache(maxsize=256)
def _native(dtype: np.dtype) -> np.dtype:
    return np.dtype(dtype.type) if dtype.kind in "biufc" else dtype


def is_float(dtype: DTypeLike) -> bool:
    """True if values of this dtype are real floats."""
    return bool(np.dtype(dtype).kind == "f")


def is_complex(dtype: DTypeLike) -> bool:
    """True if values of this dtype are complex."""
    return bool(np.dtype(dtype).kind == "c")


def is_inexact(dtype: DTypeLike) -> bool:
    """True if values of this dtype can be differentiated."""
    return np.dtype(dtype).kind in "fc"


def broadcast_shapes(op: object, types: Iterable[ArrayType]) -> Shape:
    """The common shape of operands, or a ShapeError that shows them."""
    types = list(types)
    if len({t.shape for t in types}) == 1:
        return types[0].shape
    ndim = max((t.ndim for t in types), default=0)
    padded = [(1,) * (ndim - t.ndim) + t.shape for t in types]
    return tuple(_broadcast_sizes(op, types, sizes) for sizes in zip(*padded, strict=True))


def _broadcast_sizes(op: object, types: list[ArrayType], sizes: tuple[Size, ...]) -> Size:
    distinct = [s for s in dict.fromkeys(sizes) if s != 1]
    known = [s for s in distinct if isinstance(s, int)]
    if len(known) > 1:
        raise ShapeError(
            op, types, f"the shapes do not broadcast: {known[0]} against {known[1]}",
            hint="axes are matched from the last; each pair must be equal, or one of them 1",
        )  # fmt: skip
    return common_size(distinct)


def conflict(a: Iterable[Size], b: Iterable[Size]) -> bool:
    """True if two shapes of one rank are known to differ; an unknown size may equal any."""
    return any(m != n and isinstance(m, int) and isinstance(n, int) for m, n in zip(a, b))


def normalize_axis(op: object, x: ArrayType, axis: int, added: int = 0) -> int:
    """`axis` counted from the front, or an AxisError; with the axes that the op adds to `x`."""
    if type(axis) is not int and not is_integer(axis):
        raise OptionError(op, [x], f"an axis is an integer, not {repr(axis)[:40]}")
    rank = len(x.shape) + added
    if not -rank <= axis < rank:
        raise AxisError(op, [x], f"axis {axis} is out of range for {rank} dimensions")
    return axis % rank


def is_integer(x: object) -> bool:
    """True if `x` is an integer of Python or NumPy, and not a bool."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def normalize_axes(
    op: object, x: ArrayType, axis: int | Iterable[int] | None, added: int = 0
) -> tuple[int, ...]:
    """The axes that `axis` names, counted from the front; None names all."""
    if axis is None:
        return tuple(range(x.ndim))
    several = isinstance(axis, Iterable) and not isinstance(axis, str)
    axes: tuple[Any, ...] = tuple(axis) if several else (axis,)  # type: ignore[arg-type]
    found = tuple(normalize_axis(op, x, a, added) for a in axes)
    if len(set(found)) < len(found):
        raise ShapeError(op, [x], f"an axis is named twice in {axes}")
    return found


@lru_cache(maxsize=4096)
def result_dtype(kernel: Callable[..., Any], dtypes: tuple[np.dtype, ...]) -> np.dtype:
    """The dtype `kernel` gives for operands of these dtypes, found by asking it.

    NumPy's kernels are asked: machine code, which has their dtypes, would have to be compiled.
    """
    token = NATIVE_KERNELS.set(False)
    try:
        with np.errstate(all="ignore"):
            return np.asarray(kernel(*(np.ones(1, d) for d in dtypes))).dtype
    finally:
        NATIVE_KERNELS.reset(token)
