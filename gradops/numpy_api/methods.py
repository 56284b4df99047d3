"""The methods of NumPy's arrays, for operand types that stand where a program expects arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import numpy_api
from ..core.errors import DTypeError
from ..library.elementwise.complexes import conj, imag, real
from ..library.shape.movement import astype, reshape, swapaxes, transpose
from ..typing import AnyArray, Axis, DTypeLike, OperandLike, ShapeLike
from . import in_place
from .operators import Operators


def method(function: Any) -> Callable[..., Any]:
    """A function of NumPy, as a method: it takes the same arguments."""

    def call(self: object, *args: object, **kwargs: object) -> AnyArray:
        return numpy_api.function_for(function)(self, *args, **kwargs)

    call.__name__ = function.__name__
    call.__doc__ = f"As `numpy.{function.__name__}`."
    return call


class ArrayMethods(Operators):
    """Operators, and the methods that NumPy's arrays have, with their arguments."""

    __slots__ = ()

    sum, mean, prod, std, var = map(method, (np.sum, np.mean, np.prod, np.std, np.var))
    max, min, any, all = map(method, (np.max, np.min, np.any, np.all))
    argmax, argmin, argsort = map(method, (np.argmax, np.argmin, np.argsort))
    argpartition = method(np.argpartition)
    cumsum, cumprod, trace = map(method, (np.cumsum, np.cumprod, np.trace))
    clip, round, take, repeat = map(method, (np.clip, np.round, np.take, np.repeat))
    squeeze, ravel, flatten, copy = map(method, (np.squeeze, np.ravel, np.ravel, np.copy))
    swapaxes, diagonal, dot = map(method, (np.swapaxes, np.diagonal, np.dot))
    choose, nonzero = map(method, (np.choose, np.nonzero))
    searchsorted = method(np.searchsorted)
    sort, partition = in_place("sort", "np.sort(x)"), in_place("partition", "np.partition(x, kth)")
    fill, put = in_place("fill", "np.full_like(x, value)"), in_place("put", "np.where")
    resize = in_place("resize", "np.resize(x, shape)")

    __setitem__ = in_place(
        "__setitem__", "x.at[index].set(value), or np.stack(values),", "x[index] = value"
    )

    def compress(self, condition: OperandLike, axis: Axis = None) -> AnyArray:
        """The entries along an axis where a condition holds."""
        return numpy_api.function_for(np.compress)(condition, self, axis=axis)

    def conj(self) -> Any:
        """The complex conjugate; of real entries the operand itself."""
        return conj(self) if self.dtype.kind == "c" else self

    conjugate = conj

    def reshape(self, *shape: ShapeLike, order: str = "C") -> AnyArray:
        """The entries in another shape, given as one tuple or size by size."""
        size = shape[0] if len(shape) == 1 else shape
        return numpy_api.function_for(np.reshape)(self, size, order=order)

    def transpose(self, *axes: Axis) -> AnyArray:
        """The axes in another order, reversed if none is given."""
        if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], int)):
            axes = tuple(axes[0] or ())
        return transpose(self, axes=axes or None)

    def astype(
        self, dtype: DTypeLike, order: str = "K", casting: str = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> AnyArray:  # fmt: skip
        """The entries as another dtype; raises DTypeError where `casting` forbids it."""
        if not np.can_cast(self.dtype, dtype, casting):  # type: ignore[arg-type]
            raise DTypeError(
                "astype", [self.type], f"casting={casting!r} forbids {np.dtype(dtype)}"
            )
        return astype(self, dtype=dtype)

    @property
    def real(self) -> AnyArray:
        """The real part."""
        return real(self)

    @property
    def imag(self) -> AnyArray:
        """The imaginary part."""
        return imag(self)

    @property
    def mT(self) -> AnyArray:
        """The last two axes exchanged."""
        return swapaxes(self, -1, -2)

    @property
    def flat(self) -> Any:
        """The entries along one axis, to go through."""
        return iter(reshape(self, shape=(-1,)))
