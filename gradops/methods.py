"""The methods of NumPy's arrays, for operand types that stand where a program expects arrays."""

from collections.abc import Callable
from typing import Any

from .library.comparison import clip
from .library.complexes import conj, imag, real
from .library.contraction import matmul
from .library.indexing import take
from .library.movement import astype, copy, reshape, squeeze, transpose
from .library.reduction import all, any, argmax, argmin, max, mean, min, prod, sum
from .library.rounding import round
from .operators import Operators


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an array, as a method."""
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


class ArrayMethods(Operators):
    """Operators, and the methods that NumPy's arrays have, with their arguments."""

    __slots__ = ()

    sum, mean, prod = method(sum), method(mean), method(prod)
    max, min = method(max), method(min)
    any, all = method(any), method(all)
    argmax, argmin = method(argmax), method(argmin)
    clip, round, take = method(clip), method(round), method(take)
    conj, conjugate = method(conj), method(conj)
    squeeze, copy, dot = method(squeeze), method(copy), method(matmul)

    def reshape(self, *shape: Any) -> Any:
        """The entries in another shape, given as one tuple or size by size."""
        return reshape(self, shape=shape[0] if len(shape) == 1 else shape)

    def ravel(self) -> Any:
        """All entries along one axis."""
        return reshape(self, shape=(-1,))

    flatten = ravel

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order, reversed if none is given."""
        if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], int)):
            axes = tuple(axes[0] or ())
        return transpose(self, axes=axes or None)

    def astype(self, dtype: Any) -> Any:
        """The entries as another dtype."""
        return astype(self, dtype=dtype)

    @property
    def real(self) -> Any:
        """The real part."""
        return real(self)

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return imag(self)
