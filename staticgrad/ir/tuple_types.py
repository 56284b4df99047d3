"""Types beside those of arrays: tuples of values, histories of loop values, and residuals."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import ArrayType, Dim
from gradops.core.dims import UNKNOWN, Size

if TYPE_CHECKING:
    from .expr import Expr

NO_ARRAY = np.dtype(object)


class TupleType(ArrayType):
    """The type of an expression with several values; `part` selects one of them."""

    __slots__ = ("parts",)
    parts: tuple[ArrayType, ...]

    def __init__(self, parts: Iterable[ArrayType]) -> None:
        super().__init__((), NO_ARRAY)
        self.parts = tuple(parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TupleType) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self.parts))}{',' if len(self.parts) == 1 else ''})"


def types_of_parts(e: "Expr") -> tuple[ArrayType, ...]:
    """The types of the values of an expression that has several."""
    assert isinstance(e.type, TupleType)
    return e.type.parts


class HistoryType(ArrayType):
    """The type of a history: a list of arrays, one for each step of a loop.

    Its shape is that of the stacked list, the number of steps first.
    """

    __slots__ = ("element",)
    element: ArrayType

    def __init__(self, length: Size, element: ArrayType) -> None:
        super().__init__((length, *element.shape), element.dtype)
        self.element = element

    @property
    def length(self) -> Size:
        """The number of steps."""
        return self.shape[0]

    @property
    def example(self) -> "HistoryType":
        """The type of one example, where each entry is a stack of them."""
        return HistoryType(self.length, self.element.example)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HistoryType) and super().__eq__(other)

    def __hash__(self) -> int:
        return hash(("history", self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"list({self.length}, {self.element})"


class ResidualsType(ArrayType):
    """The type of the residuals of a call or branch: values of any types, packed into one.

    It does not list their types, so it stays short for nested calls. Its shape is that of the
    batches, one within another, which are the leading axes of each value. See Note [Packing].
    """

    __slots__ = ()

    def __init__(self, batches: tuple[Size, ...]) -> None:
        super().__init__(batches, NO_ARRAY)

    @property
    def example(self) -> "ResidualsType":
        """The type of one example, where each value is a stack of them."""
        return ResidualsType(self.shape[1:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResidualsType) and self.shape == other.shape

    def __hash__(self) -> int:
        return hash(("residuals", self.shape))

    def __repr__(self) -> str:
        return f"residuals[{', '.join(map(str, self.shape))}]"


UNIT = TupleType(())
"""The type of an expression that is run only for its effect."""


def with_shape(type: ArrayType, shape: tuple[Size, ...]) -> ArrayType:
    """The type of an array, a history or residuals with another shape."""
    if isinstance(type, HistoryType):
        return HistoryType(shape[0], with_shape(type.element, shape[1:]))
    return ResidualsType(shape) if isinstance(type, ResidualsType) else ArrayType(shape, type.dtype)


def visible_sizes(type: ArrayType) -> tuple[Size, ...]:
    """The sizes that can be read from a value: the shape of an array, the length of a history."""
    if isinstance(type, ResidualsType):
        return ()
    return type.shape[:1] if isinstance(type, HistoryType) else type.shape


def carries_derivatives(type: ArrayType) -> bool:
    """True for types with derivatives: floats, and residuals, which may contain floats."""
    return type.dtype.kind in "fcO"


def type_name(type: ArrayType) -> str:
    """The name of the type's class."""
    return type.__class__.__name__


def compatible(inferred: ArrayType, declared: ArrayType) -> bool:
    """True if types agree, where a data-dependent size may have any name."""
    if type_name(inferred) != type_name(declared):
        return False
    if isinstance(inferred, TupleType) and isinstance(declared, TupleType):
        if len(inferred.parts) != len(declared.parts):
            return False
        return all(map(compatible, inferred.parts, declared.parts))
    return (
        inferred.dtype == declared.dtype
        and inferred.ndim == declared.ndim
        and all(m in (n, UNKNOWN) for m, n in zip(inferred.shape, declared.shape, strict=True))
    )


class Parts:
    """The nonzero cotangents, or tangents, of an expression with several values, by index."""

    __slots__ = ("by_index",)
    shape, dtype = (), NO_ARRAY

    def __init__(self, by_index: Mapping[int, Any]) -> None:
        self.by_index = dict(by_index)

    def __add__(self, other: "Parts") -> "Parts":
        total = dict(self.by_index)
        for i, v in other.by_index.items():
            total[i] = total[i] + v if i in total else v
        return Parts(total)


@dataclass(frozen=True)
class Widening:
    """The expression is a wider form of `narrow`, whose part i is part `places[i]` here.

    A gradient needs values from within a loop or branch that has been built already. A second one,
    the wider form, gives these too. Where both are needed, only the wider form is computed.
    """

    narrow: "Expr"
    places: tuple[int, ...]


def widened_type(type: ArrayType, name: str, widens: Widening) -> TupleType:
    """The type of a wider form: parts of the narrower form keep the names of their sizes."""
    narrow = widens.narrow
    assert isinstance(type, TupleType)
    assert isinstance(narrow.type, TupleType)
    before = narrow.type.parts
    steps = next((t.length for t in before if isinstance(t, HistoryType)), None)
    if not isinstance(steps, Dim):
        first = narrow
        while first.widens is not None:
            first = first.widens.narrow
        steps = Dim(f"{first.name}.steps")
    parts = list(type.parts)
    for i, t in enumerate(parts):
        if isinstance(t, HistoryType) and t.length == UNKNOWN:
            t = with_shape(t, (steps, *t.shape[1:]))
        parts[i] = named_sizes(t, f"{name}.{i}")
    for i, k in enumerate(widens.places):
        parts[k] = before[i]
    return TupleType(parts)


def named_sizes(type: ArrayType, name: str) -> ArrayType:
    """`type` with data-dependent sizes named after the expression that introduces them."""
    if isinstance(type, TupleType):
        return TupleType([named_part(t, f"{name}.{i}", name) for i, t in enumerate(type.parts)])
    for n in type.shape:
        if n.__class__ is not int and isinstance(n, Dim) and "?" in n.names():
            break
    else:
        return type
    count = len(visible_sizes(type))
    shape = [
        Dim(f"{name}.{i}") if i < count and isinstance(n, Dim) and "?" in n.names() else n
        for i, n in enumerate(type.shape)
    ]
    return with_shape(type, tuple(shape))


def named_part(type: ArrayType, name: str, whole: str) -> ArrayType:
    """The type of one of several values; histories of one loop have one length."""
    if isinstance(type, HistoryType) and type.length == UNKNOWN:
        type = with_shape(type, (Dim(f"{whole}.steps"), *type.shape[1:]))
    return named_sizes(type, name)
