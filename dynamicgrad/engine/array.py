"""The array: the handle with NumPy's semantics, for functions of NumPy arrays.

Note [Numbers have no memory]. A single entry, or the sum of all, is a scalar in NumPy: it is
immutable and shares no memory. After `s = y[0]`, `s += 1` rebinds `s` and leaves `y` as it is. An
`Array` without axes behaves the same, unless it holds a 0-d array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import gradops as ops
from gradops import Op, TransformError, numpy_api
from gradops.core.dims import Size
from gradops.core.foreign import NO_ARRAY, is_sparse_product
from gradops.core.op import as_operand, refuse_masked
from gradops.numpy_api.detach_checks import CUT_OFF, OWNED, array_conversion_error, warn_detached
from gradops.numpy_api.methods import ArrayMethods
from gradops.typing import AnyArray, ArrayLike, Attrs, DTypeLike

from .grad_mode import is_recording
from .handle import ARRAYS, Handle, MissingAttribute, hold, number_of
from .node import Leaf
from .storage import alias


class Array(Handle, ArrayMethods):
    """An array that can take part in differentiation, with NumPy's methods and rules.

    Transforms such as `dg.grad` pass their arguments as arrays. `dg.array(data)` creates one.

    >>> x = dg.array([3.0, 1.0])
    >>> x.std(ddof=1), np.sort(x), (x * 2).dtype
    (array(1.41421356), array([1., 3.]), dtype('float64'))
    """

    __slots__ = ()
    rank = 0
    promoted = None
    cut_by_number = (
        "Converting what is being differentiated to a number cuts it off: its gradient would be"
        " zero\n  hint: use functions of NumPy, not of math and random, and arrays of one entry,"
        " not numbers"
    )

    def becomes_number(self) -> None:
        """Raise for a write into a plain array, and warn at other conversions to a number."""
        warn_detached(self.cut_by_number, OWNED)

    def share(self, base: Handle, op: Op, attrs: Attrs) -> None:
        """Share the memory of `base`, except numbers: see Note [Numbers have no memory]."""
        if self.shape or (type(self.value) is np.ndarray and op.name == "reshape"):
            alias(base, self, op, attrs)
        elif type(self.value) is np.ndarray:
            self.value = self.value[()]

    def can_store(self, dtype: np.dtype) -> bool:
        """True if a result of `dtype` may be written to the array in place."""
        return np.can_cast(dtype, self.dtype, "same_kind")

    def sort(self, axis: int = -1, kind: str | None = None, order: str | None = None) -> None:
        """Sort the entries along an axis, in place."""
        self[...] = numpy_api.function_for(np.sort)(ops.copy(self), axis=axis)

    def partition(
        self, kth: Any, axis: int = -1, kind: str | None = None, order: str | None = None
    ) -> None:
        """Move the entries at `kth` to their places in the sorted order, in place."""
        self[...] = numpy_api.function_for(np.partition)(ops.copy(self), kth, axis=axis)

    def fill(self, value: ArrayLike) -> None:
        """Write one value to all entries."""
        self[...] = value

    def put(self, indices: ArrayLike, values: ArrayLike, mode: str = "raise") -> None:
        """Write values to the entries at flat indices; values are repeated if there are too few."""
        places, row = np.asarray(indices).ravel(), ops.reshape(as_operand(values), shape=(-1,))
        count = len(places)
        self.flat[places] = numpy_api.function_for(np.resize)(row, count) if count else row

    @property
    def flat(self) -> Flat:
        """A flat iterator over the entries, which can be read and written by index."""
        return Flat(self)

    @flat.setter
    def flat(self, values: ArrayLike) -> None:
        self.put(np.arange(self.size), values)

    def view(self, dtype: DTypeLike = None) -> Array:
        """Another array on the same memory."""
        if dtype is not None and np.dtype(dtype) != self.dtype:
            raise TransformError(
                f"x.view({np.dtype(dtype)}) would read the memory of {self.type} as other numbers,"
                " which has no derivative\n  hint: x.astype(dtype) converts the numbers"
            )
        return ops.index(self, ...)

    def flatten(self, order: str = "C") -> Array:
        """A flat copy of the entries."""
        return self.ravel(order=order).copy()

    def item(self, *index: Any) -> Any:
        """The single entry, or the one at an index, as a Python number; warns if it is traced."""
        found = number_of(self.entry(*index) if index else self)
        while hasattr(found, "left_behind"):
            found = found.left_behind()
        return found.item() if hasattr(found, "item") else found

    def entry(self, *index: Any) -> Array:
        """The entry at a flat index, or at one index per axis."""
        if len(index) == 1 and np.ndim(index[0]) == 0:
            return self.flat[index[0]]
        return self[index[0] if len(index) == 1 else index]

    @property
    def real(self) -> Array:
        """The real part: a writable view."""
        return ops.real(self) if self.dtype.kind == "c" else ops.index(self, ...)

    @real.setter
    def real(self, values: ArrayLike) -> None:
        self.real[...] = values

    @property
    def imag(self) -> Array:
        """The imaginary part: a writable view; zeros for real entries."""
        return ops.imag(self)

    @imag.setter
    def imag(self, values: ArrayLike) -> None:
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")  # NumPy's words
        self.imag[...] = values

    @property
    def itemsize(self) -> int:
        """The number of bytes of an entry."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Size:
        """The number of bytes of all entries."""
        return self.itemsize * self.size

    @property
    def strides(self) -> tuple[int, ...]:
        """The step in bytes along each axis."""
        return np.asarray(self.value).strides

    @property
    def flags(self) -> np.flatiter | object:
        """NumPy's flags of the memory layout."""
        return np.asarray(self.value).flags

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> np.ndarray:
        if is_sparse_product():
            return NO_ARRAY
        if self.is_traced():
            raise array_conversion_error(CUT_OFF)
        return np.array(self.value, dtype=dtype, copy=copy)

    def is_traced(self) -> bool:
        """True if the value is being differentiated, on the tape or by a tracer inside."""
        if self.node is not None and is_recording():
            return True
        inner = self.value
        return inner.is_traced() if isinstance(inner, Array) else hasattr(inner, "left_behind")

    def __copy__(self) -> Array:
        return ops.copy(self)

    def __deepcopy__(self, memo: dict[int, object]) -> Array:
        found = memo[id(self)] = ops.copy(self)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        if self.node is not None or type(self.value) not in ARRAYS:
            raise TransformError(
                f"a traced {self.type} cannot be pickled: its history would be lost"
                "\n  hint: pickle what the transform returns"
            )
        return array, (np.asarray(self.value),)

    if TYPE_CHECKING:  # set by `installation`: operators, and methods that need ops of tensors

        def __setitem__(self, key: Any, value: ArrayLike) -> None: ...

        def tolist(self) -> Any: ...

        def __getattr__(self, name: str) -> Any: ...


OF_TORCH = (
    "backward clone cpu detach dim double expand float grad masked_fill numpy permute requires_grad"
    " requires_grad_ retain_grad to unsqueeze"
)
DIFFERENTIATING = frozenset(["backward", "grad", "requires_grad", "requires_grad_", "retain_grad"])
for _name in OF_TORCH.split():
    _hint = f"an Array speaks NumPy; {_name} is dg.Tensor's"
    if _name in DIFFERENTIATING:
        _hint += "; dg.grad(f)(x) differentiates a function of arrays"
    setattr(Array, _name, MissingAttribute(_name, _hint))


class Flat:
    """The flat iterator `x.flat` of an array."""

    __slots__ = ("of",)

    def __init__(self, of: Array) -> None:
        self.of = of

    def __len__(self) -> int:
        return int(self.of.size)

    def __iter__(self) -> Iterator[Array]:
        return iter(ops.reshape(self.of, shape=(-1,)))

    def __getitem__(self, key: Any) -> Array:
        return ops.copy(ops.reshape(self.of, shape=(-1,))[key])

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        places = np.arange(len(self))[key]
        self.of[np.unravel_index(places, self.of.shape)] = value

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> np.ndarray:
        return self.of.ravel().__array__(dtype, copy)


def require_owner(x: Array, call: str) -> None:
    """Raise TransformError for a write to an argument of a transformed function."""
    if is_recording() and type(x.node) is Leaf:
        raise TransformError(
            f"{call} would change an argument of the function that is being differentiated, which"
            " the caller holds\n  hint: work on a copy: x = x.copy()"
        )


def array(data: ArrayLike | Handle, dtype: DTypeLike = None) -> Array:
    """An `Array` on a copy of `data`, for programs written with NumPy.

    Dtypes are NumPy's: Python floats give float64. A tensor or an array keeps its history.

    >>> dg.array([1.0, 2.0]) / 2
    array([0.5, 1. ])
    """
    if isinstance(data, Handle):
        found = ops.copy(hold(Array, data.value, data.node))
        return found if dtype is None else ops.astype(found, dtype=dtype)
    return hold(Array, np.array(refuse_masked(data, "array"), dtype))


def power(a: Any, b: Any) -> AnyArray:
    """`a ** b` with the rounding of NumPy's arrays, also for its float scalars.

    NumPy rounds powers of scalars differently; a graph, which has no scalars, would disagree.
    """
    return np.power(a, b) if isinstance(a, np.inexact) or isinstance(b, np.inexact) else a**b
