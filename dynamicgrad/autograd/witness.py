"""Which operation of a program has a derivative that differences do not confirm."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradops import Op, Operators, type_of
from gradops.levels import levels
from gradops.places import Place, describe, here
from gradops.testing import Case, along, cotangent, derivative, inner, noise
from gradops.types import is_float

from ..modes import is_recording
from ..tensor import Tensor, handle

SURE = 1e-4  # relative to what was added up: above the error of differences, below a wrong rule's


@dataclass(frozen=True)
class Call:
    """An operation that ran: on which operands, which of them were traced, where, and recorded."""

    op: Op
    operands: Sequence[Any]
    traced: Sequence[bool]
    attrs: dict[str, Any]
    place: Place | None
    recorded: bool


class Witness(Operators):
    """A value whose operations are noted."""

    __slots__ = ("calls", "gradop_level", "value")

    def __init__(self, value: Any, level: float, calls: list[Call]) -> None:
        self.value, self.gradop_level, self.calls = value, level, calls

    @property
    def type(self) -> Any:
        """The type of the value."""
        return type_of(self.value)

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        traced = [isinstance(a, Witness) for a in args]
        values = [a.value if isinstance(a, Witness) else a for a in args]
        one = args[traced.index(True)]
        arrays = [np.array(v) for v in values]
        one.calls.append(Call(op, arrays, traced, attrs, here(), bool(is_recording())))
        return Witness(op(*values, **attrs), one.gradop_level, one.calls)

    def item(self) -> Any:
        """The one entry, as a Python number."""
        return self.value.item()

    def tolist(self) -> Any:
        """The entries as nested lists."""
        return self.value.tolist()

    def __bool__(self) -> bool:
        return bool(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __repr__(self) -> str:
        return f"Witness({self.value!r})"


def culprit(func: Callable[..., Any], inputs: Sequence[Any], kind: str) -> str:
    """What to say of the operations of `func`, of which one has a wrong `kind`: a vjp or a jvp."""
    level = next(levels)
    calls: list[Call] = []
    stand_ins = [
        handle(Witness(x.value, level, calls), x.node) if isinstance(x, Tensor) else x
        for x in inputs
    ]
    try:
        func(*stand_ins)
    except Exception as error:  # code that looks into arrays; the mismatch stands without this
        return f"its operations could not be traced: {type(error).__name__}: {error}"
    for call in calls:
        if (said := verdict(call, kind)) is not None:
            return said
    return (
        f"each of its {len(calls)} operations has a {kind} that differences confirm: the error is"
        " in how they are put together, or in what runs outside of operations"
    )


def verdict(call: Call, kind: str) -> str | None:
    """What is wrong with one operation, if something is."""
    where = f"`{call.op}`, called at {describe(call.place)}"
    case = Case(call.op, 0, [[as_double(x) for x in call.operands]], call.attrs)
    for i, traced in enumerate(call.traced):
        if not traced or not is_float(case.operands[i].dtype):
            continue
        with np.errstate(all="ignore"):
            got, want, scale = slopes(case, i, kind)
        if not abs(got - want) > SURE * scale:
            continue
        types = ", ".join(str(type_of(x)) for x in call.operands)
        said = f"{where}: operand {i} of {call.op}({types})"
        if getattr(call.op, kind)[i] is None:
            return f"{said} has no {kind}, though the output changes with it, by {want:.6g}"
        if not np.isclose(got, want, rtol=SURE):
            return (
                f"the {kind} of {said} is wrong: along a direction it gives analytical {got:.6g},"
                f" differences give numerical {want:.6g}"
            )
    if not call.recorded and kind == "vjp" and any(call.traced):
        return f"{where}, ran under no_grad(), which cuts the graph there"
    return None


def as_double(x: Any) -> Any:
    """Floats as float64, in which differences are taken."""
    return x.astype(np.float64) if is_float(x.dtype) else x


def slopes(case: Case, i: int, kind: str) -> tuple[float, float, float]:
    """The derivative along a direction by the op's rule and by differences, and their scale."""
    y = case(*case.operands)
    if not is_float(type_of(y).dtype):
        return 0.0, 0.0, 1.0
    g, t = noise(y), noise(case.operands[i], 1)
    slope, _ = derivative(along(case, case.operands, {i: t}))
    want, scale = inner(g, slope)
    rule: Any = getattr(case.op, kind)[i]
    if rule is None:
        return 0.0, float(want), float(scale)
    if kind == "vjp":
        got, other = inner(cotangent(case, i, g, y, case.operands), t)
    else:
        got, other = inner(g, rule(t, y, *case.operands, **case.attrs))
    return float(got), float(want), float(scale + other)
