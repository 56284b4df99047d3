"""Finds the operation or custom function of a program whose derivative is wrong."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradops import Op
from gradops.core.levels import levels
from gradops.core.source_location import Place, describe, here
from gradops.core.types import is_float
from gradops.testing import blame as gradops_blame
from gradops.testing.blame import Call

from ..custom_function.function import APPLIED, Function
from ..engine.grad_mode import enable_grad, is_recording
from ..engine.handle import Handle, hold, make_leaf
from ..func.levels import Wrapper
from .comparisons import Check, Tolerance
from .comparisons import Function as Program


def blame(func: Program, inputs: Sequence[object], kind: str, tolerance: Tolerance) -> str:
    """Describe the first custom function or operation of `func` with a wrong `kind`: vjp or jvp."""
    custom = blame_custom_function(func, inputs, tolerance) if kind == "vjp" else ""
    return custom or blame_operation(func, inputs, kind)


class Application(NamedTuple):
    """A call of a custom function: its class, arguments and source location."""

    cls: type[Function]
    args: tuple[object, ...]
    place: Place | None


def blame_custom_function(func: Program, inputs: Sequence[object], tolerance: Tolerance) -> str:
    """Describe the first custom function in `func` whose own backward is wrong; empty if none."""
    for application in applications(func, inputs):
        check = Check(application.cls.apply, application.args, tolerance)
        if check.checked and any(True for _ in check.mismatches("vjp")):
            return (
                f"the backward of the custom function `{application.cls.__name__}`, applied at"
                f" {describe(application.place)}, is wrong"
            )
    return ""


def applications(func: Program, inputs: Sequence[object]) -> list[Application]:
    """The calls of custom functions in `func`, with new leaves as their arguments."""
    calls: list[Application] = []
    token = APPLIED.set(
        lambda cls, args: calls.append(Application(cls, tuple(map(as_leaf, args)), here()))
    )
    try:
        with enable_grad():
            func(*inputs)
    finally:
        APPLIED.reset(token)
    return calls


def as_leaf(x: object) -> object:
    """A new leaf in float64 for a float tensor that requires gradients; another `x` as it is."""
    if not isinstance(x, Handle) or x.node is None or not is_float(x.dtype):
        return x
    return make_leaf(hold(type(x), np.array(x.value, np.float64)))


class Logged(Wrapper):
    """A value whose operations are logged in `calls`."""

    __slots__ = ("calls", "gradop_level", "inner")

    def __init__(self, inner: Any, level: float, calls: list[Call]) -> None:
        self.inner, self.gradop_level, self.calls = inner, level, calls

    @staticmethod
    def __gradop__(op: Op, args: Sequence[object], attrs: dict[str, Any]) -> "Logged":
        traced = [isinstance(a, Logged) for a in args]
        values = [a.inner if isinstance(a, Logged) else a for a in args]
        first = next(a for a in args if isinstance(a, Logged))
        arrays = [np.array(v) for v in values]
        first.calls.append(Call(op, arrays, traced, attrs, here(), bool(is_recording())))
        return Logged(op(*values, **attrs), first.gradop_level, first.calls)


def blame_operation(func: Program, inputs: Sequence[object], kind: str) -> str:
    """Describe the first operation of `func` whose rule of a `kind` is wrong."""
    level = next(levels)
    calls: list[Call] = []
    logged = [
        hold(type(x), Logged(x.value, level, calls), x.node) if isinstance(x, Handle) else x
        for x in inputs
    ]
    try:
        func(*logged)
    except Exception as error:  # code that looks into arrays; the mismatch is reported without this
        return f"its operations could not be traced: {type(error).__name__}: {error}"
    return gradops_blame.blame(calls, kind)
