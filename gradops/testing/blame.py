"""Names the operation of a program whose derivative rule disagrees with finite differences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.op import Op
from ..core.source_location import Place, describe
from ..core.types import is_float, type_of
from ..transforms.forward import tangent_like
from .cases import Case, noise
from .derivative_properties import compare_slopes

SURE = 1e-4  # relative to what was added up: above the error of differences, below a wrong rule's


@dataclass(frozen=True)
class Call:
    """A call of an op while a program ran: operands, which are traced, source location, mode."""

    op: Op
    operands: Sequence[np.ndarray]
    traced: Sequence[bool]
    attrs: dict[str, Any]
    place: Place | None
    recorded: bool


def blame(calls: Iterable[Call], kind: str, unchecked: str = "") -> str:
    """Describe the first call whose rule of a `kind`, vjp or jvp, is wrong.

    `unchecked` names what else may be wrong if none of them is.
    """
    calls = list(calls)
    for call in calls:
        if text := mismatch(call, kind):
            return text
    return (
        f"each of its {len(calls)} operations has a {kind} that agrees with differences: the error"
        f" is in {unchecked or 'how they are composed, or in what runs outside of operations'}"
    )


def mismatch(call: Call, kind: str) -> str:
    """Describe the wrong rule of a call; empty if none is wrong."""
    where = f"`{call.op}`, called at {describe(call.place)}"
    operands = [x.astype(np.float64) if is_float(x.dtype) else x for x in call.operands]
    case = Case(call.op, 0, [operands], call.attrs)
    for i, traced in enumerate(call.traced):
        if not traced or not is_float(operands[i].dtype):
            continue
        with np.errstate(all="ignore"):
            got, want, scale = slopes(case, i, kind)
        if not abs(got - want) > SURE * scale:
            continue
        types = ", ".join(str(type_of(x)) for x in call.operands)
        operand = f"{where}: operand {i} of {call.op}({types})"
        if getattr(call.op, kind)[i] is None:
            return f"{operand} has no {kind}, though the output changes with it, by {want:.6g}"
        if not np.isclose(got, want, rtol=SURE):
            return (
                f"the {kind} of {operand} is wrong: along a direction it gives analytical"
                f" {got:.6g}, differences give numerical {want:.6g}"
            )
    if not call.recorded and kind == "vjp" and any(call.traced):
        return f"{where}, ran under no_grad(), which cuts the graph there"
    return ""


def slopes(case: Case, i: int, kind: str) -> tuple[float, float, float]:
    """The derivative along a direction by the op's rule and by differences, and their scale."""
    y = case(*case.operands)
    if not is_float(type_of(y).dtype):
        return 0.0, 0.0, 1.0
    t = noise(case.operands[i], 1)
    rule = getattr(case.op, kind)[i]
    if rule is None:
        tangent = np.zeros_like(y)
    elif kind == "jvp":
        tangent = tangent_like(rule(t, y, *case.operands, **case.attrs), y)
    else:
        tangent = None
    got, want, scale, _ = compare_slopes(case, i, t, y, tangent)
    return float(got), float(want), float(scale)
