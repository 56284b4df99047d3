"""Types for annotations: what ops take and give.

`ArrayLike` and `DTypeLike`, which admits None for the default, are NumPy's: import them from here,
as `numpy.typing` is slow to import. Nothing here runs.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex

import numpy as np

from .core.dims import Dim, Shape, Size

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
    from numpy.typing import DTypeLike as NumPyDType

    DTypeLike = NumPyDType | None
else:
    ArrayLike = DTypeLike = object

Number = bool | int | float | complex | np.generic
"""A number of Python or NumPy."""

Axis = int | Sequence[int] | None
"""One axis, several, or all."""

Sizes = int | Sequence[int]
"""One size or step for all axes, or one for each."""

SizeLike = SupportsIndex | str | Dim
"""A size, or the name of one that is not known."""

ShapeLike = SizeLike | Iterable[SizeLike]
"""A shape, or the size of its only axis."""

Function = Callable[..., Any]
"""A function of the user's, whatever it takes."""

Attrs = dict[str, Any]
"""The attributes of a call of an op, by name."""


class AnyArray(Protocol):
    """The result of an op: a NumPy array, a tensor, an expression, or another tracer.

    Operators and methods give another one of the same kind.
    """

    @property
    def shape(self) -> Shape: ...
    @property
    def dtype(self) -> np.dtype: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> Size: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __abs__(self) -> Any: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __pow__(self, other: Any, /) -> Any: ...
    def __rpow__(self, other: Any, /) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...


Operand = AnyArray | Number
"""An operand of an op: an array of any kind, or a number."""

Arrays = Sequence[AnyArray]
"""Operands of a call, or stacks of them."""

Flags = Sequence[bool]
"""Which operands of a call something holds of, as which ones are stacks of examples."""

Wanted = Sequence[int]
"""The numbers of the operands whose cotangents a joint rule gives."""

OperandLike = Operand | ArrayLike
"""An argument of a function: an operand, or nested sequences of numbers."""

Out = np.ndarray | None
"""The array into which a kernel writes its result; None for a new one."""

Rule = Callable[..., Any]
"""A derivative rule for one operand: `rule(v, y, *operands, **attrs)`, None for a zero."""
