"""The types of what is no array: several values, lists of a loop's values, and residuals."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradops import ArrayType, Dim
from gradops.core.dims import UNKNOWN, Size

NO_ARRAY = np.dtype(object)


class TupleType(ArrayType):
    """The type of an expression that gives several values; `part` takes one of them."""

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


class HistoryType(ArrayType):
    """The type of a list of arrays, one for each step of a loop.

    Its shape is the one that the list would have as an array, the number of steps first.
    """

    __slots__ = ("element",)
    element: ArrayType

    def __init__(self, length: Size, element: ArrayType) -> None:
        super().__init__((length, *element.shape), element.dtype)
        self.element = element

    @property
    def length(self) -> Size:
        """How many steps there are."""
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
    """The type of what a call or branch keeps for its backward: values of any types, as one.

    It does not say what is in it, so it is as short within many calls as within one. Its shape is
    that of the batches, one within another, that each value has in front. See Note [Packing].
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
"""The type of what is run for its effect alone."""


def relaxed(type: ArrayType, shape: tuple[Size, ...]) -> ArrayType:
    """A type like `type`, of an array, a list or residuals, with another shape."""
    if isinstance(type, HistoryType):
        return HistoryType(shape[0], relaxed(type.element, shape[1:]))
    return ResidualsType(shape) if isinstance(type, ResidualsType) else ArrayType(shape, type.dtype)


def sizes_shown(type: ArrayType) -> tuple[Size, ...]:
    """The sizes that a value shows: an array all of its shape, a list only how long it is."""
    if isinstance(type, ResidualsType):
        return ()
    return type.shape[:1] if isinstance(type, HistoryType) else type.shape


def carries_derivatives(type: ArrayType) -> bool:
    """Whether a value has a derivative: floats, and whatever residuals there may be."""
    return type.dtype.kind in "fcO"


def type_name(type: ArrayType) -> str:
    """What kind of type it is."""
    return type.__class__.__name__


def compatible(found: ArrayType, declared: ArrayType) -> bool:
    """Whether types agree, a size that only data tells having any name."""
    if type_name(found) != type_name(declared):
        return False
    if isinstance(found, TupleType) and isinstance(declared, TupleType):
        pairs = zip(found.parts, declared.parts, strict=False)
        return len(found.parts) == len(declared.parts) and all(compatible(a, b) for a, b in pairs)
    return (
        found.dtype == declared.dtype
        and found.ndim == declared.ndim
        and all(m in (n, UNKNOWN) for m, n in zip(found.shape, declared.shape, strict=True))
    )


class Parts:
    """The cotangents, or tangents, of some of several values: those that are not zero."""

    __slots__ = ("found",)
    shape, dtype = (), NO_ARRAY

    def __init__(self, found: Mapping[int, Any]) -> None:
        self.found = dict(found)

    def __add__(self, other: "Parts") -> "Parts":
        total = dict(self.found)
        for i, v in other.found.items():
            total[i] = total[i] + v if i in total else v
        return Parts(total)


@dataclass(frozen=True)
class Widening:
    """Says that an expression gives all that `narrow` gives, part i of it as part `places[i]`.

    A gradient needs values from within a loop or branch that has been built already; they come from
    a second one that also gives those. Where both are needed, only the wider one is computed.
    """

    narrow: Any
    places: tuple[int, ...]


def widened_type(type: ArrayType, name: str, widens: Widening) -> TupleType:
    """The type of a wider form: what the narrower one gives, it gives with the same sizes."""
    assert isinstance(type, TupleType)
    narrow = widens.narrow
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
            t = relaxed(t, (steps, *t.shape[1:]))
        parts[i] = named_sizes(t, f"{name}.{i}")
    for i, k in enumerate(widens.places):
        parts[k] = before[i]
    return TupleType(parts)


def named_sizes(type: ArrayType, name: str) -> ArrayType:
    """`type` with sizes that only the data tell named after the expression that has them."""
    if isinstance(type, TupleType):
        return TupleType([named_part(t, f"{name}.{i}", name) for i, t in enumerate(type.parts)])
    for n in type.shape:
        if isinstance(n, Dim) and "?" in n.names():
            return renamed_sizes(type, name)
    return type


def renamed_sizes(type: ArrayType, name: str) -> ArrayType:
    """The same for a type that has such sizes."""
    told = len(sizes_shown(type))
    shape = [
        Dim(f"{name}.{i}") if i < told and isinstance(n, Dim) and "?" in n.names() else n
        for i, n in enumerate(type.shape)
    ]
    return relaxed(type, tuple(shape))


def named_part(type: ArrayType, name: str, whole: str) -> ArrayType:
    """The type of one of several values; lists of one loop have one length."""
    if isinstance(type, HistoryType) and type.length == UNKNOWN:
        type = relaxed(type, (Dim(f"{whole}.steps"), *type.shape[1:]))
    return named_sizes(type, name)
