"""Forms that overflow or cancel, and their stable equivalents.

These change values: an infinity or a zero becomes the number that exact arithmetic gives. They are
applied only if asked for, by `optimize="stabilize"`.
"""

from collections.abc import Callable
from typing import Any

from gradops import (
    broadcast_to,
    cos,
    div,
    exp,
    expm1,
    hypot,
    log,
    log1p,
    log_softmax,
    logaddexp,
    logsumexp,
    mul,
    neg,
    reshape,
    sigmoid,
    sin,
    softmax,
    softplus,
    sqrt,
    sub,
    sum,
    sum_to,
)  # fmt: skip
from gradops import strong_product as carry
from gradops.library.nn.softmax import softmax_slope

from ...ir.expr import Expr
from ..rewrite import Rule


def real(**found: object) -> bool:
    """True if the operands are real floating-point numbers."""
    return all(x.dtype.kind == "f" for x in found.values() if isinstance(x, Expr))


def along_axis(x: Expr, axis: object) -> bool:
    """True for real operands and one axis."""
    return real(x=x) and isinstance(axis, int)


def over_all_axes(g: Expr, x: Expr, axis: object, **others: object) -> bool:
    """True if a sum over the axis is a number."""
    return real(x=x) and (axis is None or x.type.ndim == 1)


def equal_shapes(g: Expr, x: Expr, axis: object, **others: object) -> bool:
    """True for a cotangent that is not broadcast, and one axis."""
    return along_axis(x, axis) and g.shape == x.shape


def stable(
    before: Callable[..., Any], after: Callable[..., Any], when: Callable[..., bool] = real
) -> Rule:
    """A rule whose sides are equal in exact arithmetic."""
    return Rule(before, after, when, exact=False)


VALUES = [
    stable(lambda x: log(exp(x)), lambda x: x),
    stable(lambda x: log(1 + exp(x)), lambda x: softplus(x)),
    stable(lambda x: log(exp(x) + 1), lambda x: softplus(x)),
    stable(lambda x: log1p(exp(x)), lambda x: softplus(x)),
    stable(lambda x, y: log(exp(x) + exp(y)), lambda x, y: logaddexp(x, y)),
    stable(lambda x: log(1 + x), lambda x: log1p(x)),
    stable(lambda x: log(x + 1), lambda x: log1p(x)),
    stable(lambda x: log(1 - x), lambda x: log1p(neg(x))),
    stable(lambda x: sub(exp(x), 1), lambda x: expm1(x)),
    stable(lambda x: 1 - exp(x), lambda x: neg(expm1(x))),
    stable(lambda x: 1 - cos(x), lambda x: 2 * sin(x / 2) * sin(x / 2)),
    stable(lambda x, y: sqrt(x * x + y * y), lambda x, y: hypot(x, y)),
    stable(lambda x: 1 - sigmoid(x), lambda x: sigmoid(neg(x))),
    stable(lambda x: log(sigmoid(x)), lambda x: neg(softplus(neg(x)))),
    stable(lambda x: div(1, 1 + exp(neg(x))), lambda x: sigmoid(x)),
    stable(lambda x: div(1, exp(neg(x)) + 1), lambda x: sigmoid(x)),
    stable(lambda x: div(1, 1 + exp(x)), lambda x: sigmoid(neg(x))),
    stable(lambda x: div(1, exp(x) + 1), lambda x: sigmoid(neg(x))),
    stable(lambda x: div(exp(x), 1 + exp(x)), lambda x: sigmoid(x)),
    stable(lambda x: div(exp(x), exp(x) + 1), lambda x: sigmoid(x)),
    stable(
        lambda x, *, axis: log(softmax(x, axis=axis)),
        lambda x, *, axis: log_softmax(x, axis=axis), along_axis,
    ),
    stable(
        lambda x, *, axis: div(exp(x), sum(exp(x), axis=axis, keepdims=True)),
        lambda x, *, axis: softmax(x, axis=axis), along_axis,
    ),
    stable(
        lambda x, *, axis, keepdims: log(sum(exp(x), axis=axis, keepdims=keepdims)),
        lambda x, *, axis, keepdims: logsumexp(x, axis=axis, keepdims=keepdims),
    ),
]  # fmt: skip

# Gradients of the forms above: a partial derivative that overflows, times one that underflows.


def overflowing(x: Any, axis: Any, keepdims: Any = True) -> Any:
    """The derivative of log(sum(exp(x))) by the sum."""
    return div(1, sum(exp(x), axis=axis, keepdims=keepdims))


def shares(x: Any, axis: Any) -> Any:
    """The softmax of `x` along any axes."""
    return exp(x - logsumexp(x, axis=axis, keepdims=True))


def underflowing(x: Any, axis: Any) -> Any:
    """The derivative of exp(x) / sum(exp(x)) by the sum."""
    return div(neg(softmax(x, axis=axis)), sum(exp(x), axis=axis, keepdims=True))


GRADIENTS = [
    stable(lambda g, x: mul(carry(g, sigmoid(neg(x))), exp(x)), lambda g, x: g * sigmoid(x)),
    stable(
        lambda g, x: mul(neg(carry(g, div(1, sigmoid(neg(x))))), sigmoid(x) * sigmoid(neg(x))),
        lambda g, x: neg(g * sigmoid(x)),
    ),
    stable(
        lambda g, x: mul(carry(g, div(1, sigmoid(x))), sigmoid(x) * (1 - sigmoid(x))),
        lambda g, x: g * sigmoid(neg(x)),
    ),
    stable(
        lambda g, x: mul(carry(g, div(1, sigmoid(x))), sigmoid(x) * sigmoid(neg(x))),
        lambda g, x: g * sigmoid(neg(x)),
    ),
    stable(
        lambda g, x: mul(carry(g, div(neg(sigmoid(x)), 1 + exp(neg(x)))), exp(neg(x))),
        lambda g, x: neg(g * sigmoid(x) * sigmoid(neg(x))),
    ),
    stable(
        lambda g, x, *, axis: softmax_slope(
            carry(g, div(1, softmax(x, axis=axis))), softmax(x, axis=axis), axis=axis
        ),
        lambda g, x, *, axis: g - softmax(x, axis=axis) * sum(g, axis=axis, keepdims=True),
        equal_shapes,
    ),
]  # fmt: skip


def gradients_of_shares(spread: Callable[[Any, Any], Any]) -> list[Rule]:
    """Rules for gradients through exp(x) and its sum, which is repeated over x by `spread`."""
    return [
        stable(
            lambda g, x, *, axis, wide: mul(spread(carry(g, overflowing(x, axis)), wide), exp(x)),
            lambda g, x, *, axis, wide: g * shares(x, axis),
        ),
        stable(
            lambda g, x, *, axis, wide: mul(
                spread(carry(g, overflowing(x, axis, False)), wide), exp(x)
            ),
            lambda g, x, *, axis, wide: g * shares(x, axis), over_all_axes,
        ),
        stable(
            lambda g, x, *, axis, shape, wide: mul(
                spread(reshape(carry(g, overflowing(x, axis, False)), shape=shape), wide), exp(x)
            ),
            lambda g, x, *, axis, shape, wide: reshape(g, shape=shape) * shares(x, axis),
        ),
        stable(
            lambda g, x, *, axis, shape, wide: mul(
                spread(sum_to(carry(g, underflowing(x, axis)), shape=shape), wide), exp(x)
            ),
            lambda g, x, *, axis, shape, wide: neg(
                sum_to(g * softmax(x, axis=axis), shape=shape) * softmax(x, axis=axis)
            ), equal_shapes,
        ),
    ]  # fmt: skip


RULES = [
    *GRADIENTS,
    *gradients_of_shares(lambda y, wide: y),
    *gradients_of_shares(lambda y, wide: broadcast_to(y, shape=wide)),
    *VALUES,
]
