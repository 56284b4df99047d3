"""Attributes of ops: which an op has, and the one hashable form of their values."""

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from .dims import Dim
from .types import as_shape, native

SETTLED = frozenset({bool, float, int, str, type(None)})  # types of values in normal form already
CONVERTED = frozenset({"shape", "dtype"})  # names of attributes whose values are not
REQUIRED = inspect.Parameter.empty


class AttributeHole:
    """The value of an attribute in a pattern, whatever it is."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def attributes(kernel: Callable[..., Any], arity: int | None) -> dict[str, Any]:
    """The attributes of an op and their defaults: its kernel's parameters after the operands."""
    if isinstance(kernel, np.ufunc):
        return {}
    plain = inspect.unwrap(kernel) if hasattr(kernel, "__wrapped__") else kernel
    if isinstance(plain, FunctionType):
        return attributes_of(plain, arity or 0)
    try:
        found = [p for p in inspect.signature(kernel).parameters.values() if p.name != "out"]
    except ValueError:  # a function in C that does not tell, and so has operands alone
        return {}
    found = [p for p in found if p.kind != p.VAR_POSITIONAL][arity or 0 :]
    return {p.name: p.default for p in found}


def attributes_of(kernel: FunctionType, arity: int) -> dict[str, Any]:
    """The attributes of a plain function, ten times faster than from its signature."""
    code, defaults = kernel.__code__, kernel.__defaults__ or ()
    count = code.co_argcount
    values = dict(zip(code.co_varnames[count - len(defaults) : count], defaults))
    values |= kernel.__kwdefaults__ or {}
    names = [n for n in code.co_varnames[: count + code.co_kwonlyargcount] if n != "out"]
    return {name: values.get(name, REQUIRED) for name in names[arity:]}


def takes_out(kernel: Callable[..., Any]) -> bool:
    """True if a kernel can write its result into an array given as `out`."""
    try:
        return "out" in inspect.signature(kernel, follow_wrapped=False).parameters
    except ValueError:  # a function in C without a signature
        return False


def canonical(name: str, value: object) -> Any:
    """An attribute's value in its one hashable form."""
    if type(value) is AttributeHole:
        return value
    match name:
        case "shape":
            return as_shape(value)
        case "dtype":
            return None if value is None else native(value)
        case _ if isinstance(value, list):
            return tuple(canonical(name, v) for v in value)
        case _ if isinstance(value, np.generic):
            return value.item()
        case _ if isinstance(value, Dim):
            return value
        case _ if isinstance(value, np.ndarray) or hasattr(value, "gradop_level"):
            return canonical(name, plain(name, value))
    return value


def plain(name: str, value: object) -> Any:
    """The Python numbers in an array or tensor: an attribute has no history and no graph."""
    if hasattr(value, "known_sizes"):
        return value.known_sizes()
    if not hasattr(value, "tolist"):
        raise TypeError(f"{name} is a plain value, not a {type(value).__name__}")
    return value.tolist()
