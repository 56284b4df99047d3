"""Which operation of a program has a derivative that differences do not confirm."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.op import Op
from ..core.source_location import Place, describe
from ..core.types import is_float, type_of
from .finite_differences import along, derivative
from .op_properties import Case, cotangent, inner, noise

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


def first_wrong(calls: Iterable[Call], kind: str, unchecked: str = "") -> str:
    """What to say of the operations of a program, of which one has a wrong `kind`: vjp or jvp.

    `unchecked` says what else may be wrong if none of them is.
    """
    calls = list(calls)
    for call in calls:
        if (said := verdict(call, kind)) is not None:
            return said
    return (
        f"each of its {len(calls)} operations has a {kind} that differences confirm: the error is"
        f" in {unchecked or 'how they are put together, or in what runs outside of operations'}"
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
