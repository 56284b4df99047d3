"""Properties of the derivative rules of ops."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.errors import LinAlgError
from ..core.types import is_float, is_inexact, type_of
from ..transforms.forward import jvp, tangent_like
from .cases import SAME_SUM, Case, agree, cotangent, direction, inner, noise, with_derivative
from .finite_differences import along, derivative
from .op_errors import demand

SINGULAR = (0.0, 1.0, -1.0)  # where a logarithm, a root or a quotient of an op has its singularity


def vjp_is_the_derivative(case: Case) -> None:
    """Each VJP rule agrees with a derivative found by arithmetic."""
    y = case(*case.operands)
    for i in with_derivative(case):
        got, want, scale, tolerance = compare_slopes(case, i, direction(case, i, 1), y)
        agree(f"along a direction of operand {i}", got, want, tolerance, scale)


def compare_slopes(
    case: Case, i: int, t: np.ndarray, y: np.ndarray, tangent: np.ndarray | None = None
) -> tuple[np.floating, np.floating, np.floating, float]:
    """A cotangent times the derivative of `y` along `t` in operand i, by rule and by differences.

    The rule's result is `tangent`, or by default that of the VJP. Then the magnitude of what was
    added up, and the relative accuracy of the differences.
    """
    g = noise(y)
    slope, tolerance = derivative(along(case, case.operands, {i: t}))
    want, scale = inner(g, slope)
    if tangent is None:
        got, other = inner(cotangent(case, i, g, y, case.operands), t)
    else:
        got, other = inner(g, tangent)
    return got, want, scale + other, tolerance


def jvp_is_the_transpose_of_vjp(case: Case) -> None:
    """Forward and reverse mode are the same linear map."""
    y = case(*case.operands)
    g = noise(y)
    demand(with_derivative(case) == with_derivative(case, "jvp"), "one has a rule the other lacks")
    for i in with_derivative(case):
        t = noise(case.operands[i], 1)
        tangent = case.op.jvp[i](t, y, *case.operands, **case.attrs)  # type: ignore[misc]
        want, scale = inner(cotangent(case, i, g, y, case.operands), t)
        got, other = inner(g, tangent_like(tangent, y))
        agree(f"operand {i}", got, want, SAME_SUM, scale + other)


def second_derivative_is_the_derivative_of_the_vjp(case: Case) -> None:
    """The derivative of each VJP rule is correct."""
    floats = [i for i, x in enumerate(case.operands) if is_inexact(x.dtype)]
    directions = {i: direction(case, i, i) for i in floats}
    for i in with_derivative(case):
        gradient = gradient_in(case, i)
        line = along(gradient, case.operands, directions)
        got = jvp(line, [np.zeros(())], [np.ones(())])[1]
        want, tolerance = derivative(line)
        agree(f"the gradient in operand {i}", got, want, tolerance)


def gradient_in(case: Case, i: int) -> Callable[..., Any]:
    """The gradient in operand i, as a function of the operands."""
    g = noise(case(*case.operands))
    return lambda *operands: cotangent(case, i, g, case(*operands), operands)


def float32_stays_float32(case: Case) -> None:
    """Gradients and tangents have the dtype and shape of what they belong to, with no cast."""
    operands = [x.astype(np.float32) if is_float(x.dtype) else x for x in case.operands]
    y = case(*operands)
    for i in with_derivative(case):
        got = type_of(cotangent(case, i, noise(y), y, operands))
        demand(got == type_of(operands[i]), f"the gradient in operand {i} is {got}")
        rule: Any = case.op.jvp[i]
        tangent = tangent_like(rule(noise(operands[i]), y, *operands, **case.attrs), y)
        dtype = type_of(rule(noise(operands[i]), y, *operands, **case.attrs)).dtype
        demand(type_of(tangent) == type_of(y) and dtype == y.dtype, f"the tangent is {dtype}")


def a_zero_cotangent_stays_zero(case: Case) -> None:
    """A zero cotangent gives zeros, not NaN, even where the derivative is infinite."""
    for point in SINGULAR:
        xs = [np.full_like(x, point) if is_float(x.dtype) else x for x in case.operands]
        try:
            y = case(*xs)
        except LinAlgError:
            continue  # there is no result to mask out
        for i in with_derivative(case):
            ct = cotangent(case, i, np.zeros_like(y), y, xs)
            demand(np.all(np.asarray(ct) == 0), f"at {point}, operand {i} receives {ct}")


def rules_are_linear_at_zero(case: Case) -> None:
    """The derivative of a rule by its cotangent, or tangent, is the rule, also where that is zero.

    A rule that masks where these are zero loses second derivatives there, as at a perfect fit.
    """
    y = case(*case.operands)
    for i in with_derivative(case):
        rule: Any = case.op.jvp[i]
        pull: Any = partial(pulled, case, i, y)
        push: Any = lambda t, rule=rule: tangent_like(rule(t, y, *case.operands, **case.attrs), y)
        for name, linear, like in (("cotangent", pull, y), ("tangent", push, case.operands[i])):
            t = noise(like)
            got = jvp(linear, [np.zeros_like(like)], [t])[1]
            agree(f"operand {i}, a {name} of zero", got, linear(t), SAME_SUM)


def pulled(case: Case, i: int, y: Any, g: Any) -> Any:
    """The cotangent of operand i for that of the result."""
    return cotangent(case, i, g, y, case.operands)


RULES: Sequence[Callable[[Case], None]] = [
    vjp_is_the_derivative,
    jvp_is_the_transpose_of_vjp,
    second_derivative_is_the_derivative_of_the_vjp,
    rules_are_linear_at_zero,
    float32_stays_float32,
    a_zero_cotangent_stays_zero,
]
"""The properties of rules that are checked on each sample of an op."""
