"""Python's operators, and NumPy's protocols, for every operand type that is not an array."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from .. import numpy_api
from ..core.dims import Shape
from ..core.op import Op
from ..core.types import ArrayType
from ..library.elementwise import comparison, logic
from ..library.elementwise.arithmetic import abs, add, div, mul, neg, power, sub
from ..library.elementwise.rounding import floor_divide, remainder
from ..library.index.functional_update import At
from ..library.index.indexing import index
from ..library.linalg.contraction import matmul
from ..library.shape.movement import swapaxes, transpose
from ..typing import AnyArray, Attrs, OperandLike


def binary(op: Op) -> Callable[[Any, Any], Any]:
    """The method `x <op> other`."""

    def method(self: AnyArray, other: AnyArray) -> Any:
        return op(self, other) if is_operand(other) else NotImplemented

    return method


def reflected_method(op: Op) -> Callable[[Any, Any], Any]:
    """The method `other <op> x`."""

    def method(self: AnyArray, other: AnyArray) -> Any:
        return op(other, self) if is_operand(other) else NotImplemented

    return method


def is_operand(x: OperandLike) -> bool:
    """False if a binary method should return NotImplemented for `x`."""
    return not isinstance(x, str | bytes | dict | set) and x is not None


class Operators:
    """Operators, `len`, iteration over the first axis, and NumPy's protocols.

    A class that inherits them states `type` and `__gradop__`.
    """

    __slots__ = ()
    type: ClassVar[Any]
    __hash__ = object.__hash__

    __add__, __radd__ = binary(add), reflected_method(add)
    __sub__, __rsub__ = binary(sub), reflected_method(sub)
    __mul__, __rmul__ = binary(mul), reflected_method(mul)
    __truediv__, __rtruediv__ = binary(div), reflected_method(div)
    __floordiv__, __rfloordiv__ = binary(floor_divide), reflected_method(floor_divide)
    __mod__, __rmod__ = binary(remainder), reflected_method(remainder)
    __pow__, __rpow__ = binary(power), reflected_method(power)
    __matmul__, __rmatmul__ = binary(matmul), reflected_method(matmul)
    __and__, __rand__ = binary(logic.bitwise_and), reflected_method(logic.bitwise_and)
    __or__, __ror__ = binary(logic.bitwise_or), reflected_method(logic.bitwise_or)
    __xor__, __rxor__ = binary(logic.bitwise_xor), reflected_method(logic.bitwise_xor)
    __lshift__, __rlshift__ = (
        binary(logic.bitwise_left_shift),
        reflected_method(logic.bitwise_left_shift),
    )
    __rshift__ = binary(logic.bitwise_right_shift)
    __rrshift__ = reflected_method(logic.bitwise_right_shift)
    __lt__, __le__ = binary(comparison.less), binary(comparison.less_equal)
    __gt__, __ge__ = binary(comparison.greater), binary(comparison.greater_equal)
    __eq__ = binary(comparison.equal)
    __ne__ = binary(comparison.not_equal)

    def __divmod__(self, other: OperandLike) -> Any:
        return (self // other, self % other) if is_operand(other) else NotImplemented

    def __rdivmod__(self, other: OperandLike) -> Any:
        return (other // self, other % self) if is_operand(other) else NotImplemented

    def __neg__(self) -> AnyArray:
        return neg(self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> AnyArray:
        return abs(self)

    def __round__(self, ndigits: int | None = None) -> AnyArray:
        return numpy_api.function_for(np.round)(self, ndigits or 0)

    def __floor__(self) -> AnyArray:
        return np.floor(self)

    def __ceil__(self) -> AnyArray:
        return np.ceil(self)

    def __trunc__(self) -> AnyArray:
        return np.trunc(self)

    def __invert__(self) -> AnyArray:
        return logic.invert(self)

    def __getitem__(self, key: object) -> Any:
        return index(self, key)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a value without axes has no len()")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    @property
    def shape(self) -> Shape:
        """The size of each axis."""
        return tuple(self.type.shape)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the entries."""
        return self.type.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> Any:
        """The number of entries."""
        return ArrayType(self.shape, self.dtype).size

    @property
    def T(self) -> AnyArray:
        """The axes in reverse order."""
        return transpose(self)

    @property
    def mT(self) -> AnyArray:
        """The last two axes exchanged."""
        return swapaxes(self, -1, -2)

    @property
    def device(self) -> Any:
        """Where the entries are: in the memory of the CPU."""
        return "cpu"

    def to_device(self, device: object, /, *, stream: object = None) -> Any:
        """The value itself; raises OptionError for another device than the CPU."""
        from ..array_api import require_device

        require_device(device)
        return self

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        from ..array_api import arrays, require_version

        require_version(api_version)
        return arrays

    @property
    def at(self) -> At:
        """`x.at[key].set(v)` and the like: the value with other entries at a key."""
        return At(self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: object, **kwargs: object) -> Any:
        return numpy_api.apply_ufunc(ufunc, method, args, kwargs)

    def __array_function__(
        self, func: object, types: Sequence[type], args: Sequence[object], kwargs: Attrs
    ) -> Any:
        return numpy_api.function_for(func)(*args, **kwargs)
