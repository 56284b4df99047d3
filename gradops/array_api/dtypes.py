"""Data types: which exist, their limits, and promotion."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import OptionError
from ..core.types import PYTHON_SCALARS, native, type_of
from ..typing import DTypeLike, OperandLike
from .making import Making, require_device

KINDS = {
    "bool": ["bool"],
    "signed integer": ["int8", "int16", "int32", "int64"],
    "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
    "real floating": ["float32", "float64"],
    "complex floating": ["complex64", "complex128"],
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]
DTYPES = {name: np.dtype(name) for name in KINDS["bool"] + KINDS["numeric"]}


@dataclass(frozen=True)
class FloatInfo:
    """The limits of a floating-point dtype; of a complex one, those of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype


@dataclass(frozen=True)
class IntegerInfo:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: np.dtype


def dtype_of(x: object) -> np.dtype:
    """A dtype itself, or that of an array."""
    return type_of(x).dtype if hasattr(x, "shape") and hasattr(x, "dtype") else native(x)


def finfo(type: object, /) -> FloatInfo:
    """The limits of a floating-point dtype, or of that of an array."""
    found = np.finfo(dtype_of(type))
    eps, most, least = float(found.eps), float(found.max), float(found.min)
    return FloatInfo(found.bits, eps, most, least, float(found.smallest_normal), found.dtype)


def iinfo(type: object, /) -> IntegerInfo:
    """The limits of an integer dtype, or of that of an array."""
    found = np.iinfo(dtype_of(type))
    return IntegerInfo(found.bits, found.max, found.min, found.dtype)


def isdtype(dtype: DTypeLike, kind: object) -> bool:
    """True if a dtype is of a kind, equals another one, or is any of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if not isinstance(kind, str):
        return native(dtype) == native(kind)
    return native(dtype).name in of_kind(kind)


def of_kind(kind: str | None) -> list[str]:
    """The names of the dtypes of a kind, of all if it is None."""
    if kind is None:
        return list(DTYPES)
    if kind not in KINDS:
        raise OptionError("isdtype", [], f"no kind of dtypes is called {kind!r}",
                          hint=f"the kinds are {', '.join(KINDS)}")  # fmt: skip
    return KINDS[kind]


def can_cast(from_: object, to: object, /) -> bool:
    """True if a dtype, or that of an array, can be promoted to another."""
    return bool(np.can_cast(dtype_of(from_), native(to)))


def result_type(*arrays_and_dtypes: OperandLike) -> np.dtype:
    """The dtype that arrays, dtypes and Python numbers have together."""
    parts = [x if type(x) in PYTHON_SCALARS else dtype_of(x) for x in arrays_and_dtypes]
    if all(type(x) in PYTHON_SCALARS for x in parts):
        raise OptionError("result_type", parts, "it needs an array or a dtype")
    return np.result_type(*parts)


class Info:
    """The inspection API of a namespace: dtypes, devices, capabilities."""

    def __init__(self, making: Making) -> None:
        self.making = making

    def capabilities(self) -> dict[str, object]:
        """The capabilities: data-dependent shapes, and the largest number of axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> object:
        """The device of new arrays."""
        return self.making.device

    def default_dtypes(self, *, device: object = None) -> dict[str, np.dtype]:
        """The dtypes of arrays made from Python numbers."""
        require_device(device)
        return self.making.default_dtypes()

    def dtypes(self, *, device: object = None, kind: object = None) -> dict[str, np.dtype]:
        """The dtypes by name, optionally of one kind or several."""
        require_device(device)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        return {name: DTYPES[name] for k in kinds for name in of_kind(k)}

    def devices(self) -> tuple[object, ...]:
        """The available devices."""
        return (self.making.device,)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (can_cast, finfo, iinfo, isdtype, result_type)
}
