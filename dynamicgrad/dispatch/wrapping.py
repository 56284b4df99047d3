"""Functions that wrap others: their parameters, names and documentation."""

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]
Functions = dict[str, Function]


def by_name(*functions: Function) -> Functions:
    """Functions by their names."""
    return {f.__name__: f for f in functions}


def parameters_of(function: Callable[..., object]) -> tuple[str, ...]:
    """The names of the parameters of a function, or of the function that it wraps."""
    while (inner := getattr(function, "__wrapped__", None)) is not None:
        function = inner
    code = getattr(function, "__code__", None)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()


def wrap(call: Function, function: Function) -> Function:
    """`call` with the name, documentation and signature of `function`, which it calls.

    `functools.wraps` does more, in four times the time.
    """
    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__, call.__module__ = function.__doc__, function.__module__
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call


def set_name(call: Function, name: str, doc: str | None) -> Function:
    """`call` with a name, and a docstring from the part of `doc` before its examples."""
    call.__name__ = call.__qualname__ = name
    call.__doc__ = (doc or "").split(">>>")[0].rstrip()
    return call
