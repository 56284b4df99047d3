"""Algebraic identities. The exact ones hold for -0.0, infinities and NaN as well."""

from collections.abc import Sequence

from gradops import (
    abs,
    div,
    exp,
    expand_dims,
    log,
    maximum,
    minimum,
    mul,
    neg,
    reshape,
    sub,
    transpose,
    where,
)
from gradops.core.traits import Trait

from ...ir.expr import Expr
from ..rewrite import Rule


def nonnegative(x: Expr) -> bool:
    """True if `x` is real, and computed by an op whose results are nonnegative."""
    if x.dtype.kind == "i":  # a square may wrap
        return False
    return x.op is not None and Trait.NONNEGATIVE in x.op.traits and x.dtype.kind != "c"


def same_shape(c: Expr, x: Expr) -> bool:
    """True if the condition of a `where` does not broadcast its operands."""
    return c.shape in ((), x.shape)


def inexact(x: Expr) -> bool:
    """True of floating-point and complex numbers, which division keeps in their dtype."""
    return x.dtype.kind in "fc"


def not_complex(x: Expr) -> bool:
    """False of complex numbers: 1 times an infinite one has NaN for a part."""
    return x.dtype.kind != "c"


def is_real_float(x: Expr) -> bool:
    """True of floating-point numbers, not of complex ones."""
    return x.dtype.kind == "f"


def signed(x: Expr) -> bool:
    """True of numbers of which the negative is one, but for the least integer."""
    return x.dtype.kind != "u"


def negated_as_wide(x: Expr, y: Expr) -> bool:
    """True if `-y` is in the dtype of `y` what it is in the result's: it does not wrap before."""
    return x.dtype == y.dtype or (inexact(y) and (x.dtype.kind, y.dtype.kind) != ("c", "f"))


def are_inverse(x: Expr, a: Sequence[int] | None, b: Sequence[int] | None) -> bool:
    """True if a transposition by `a` and one by `b` leave the axes of `x` where they are."""
    rank = len(x.shape)
    first, second = (range(rank)[::-1] if axes is None else axes for axes in (a, b))
    return [first[i] % rank for i in second] == list(range(rank))


def reverses(x: Expr, a: Sequence[int] | None) -> bool:
    """True if a transposition names all axes in reverse, which is what it does without axes."""
    rank = len(x.shape)
    return a is not None and [i % rank for i in a] == [*range(rank)][::-1]


def is_in_c_order(x: Expr, **attrs: object) -> bool:
    """True for an array of which every reshape is a view."""
    return x.in_c_order


RULES = [
    Rule(lambda x: neg(neg(x)), lambda x: x),
    Rule(lambda x: mul(x, 1), lambda x: x, when=not_complex),
    Rule(lambda x: mul(1, x), lambda x: x, when=not_complex),
    Rule(lambda x: div(x, 1), lambda x: x, when=is_real_float),
    Rule(lambda x: sub(x, 0), lambda x: x),
    Rule(lambda x: mul(x, -1), lambda x: neg(x), when=not_complex),
    Rule(lambda x: mul(-1, x), lambda x: neg(x), when=not_complex),
    Rule(lambda x, y: sub(x, neg(y)), lambda x, y: x + y, when=negated_as_wide),
    Rule(lambda x, y: x + neg(y), lambda x, y: sub(x, y), when=negated_as_wide),
    Rule(lambda x, *, a: transpose(x, axes=a), lambda x, *, a: transpose(x), when=reverses),
    Rule(
        lambda x, *, a, b: transpose(transpose(x, axes=a), axes=b), lambda x, *, a, b: x,
        when=are_inverse,
    ),
    Rule(
        lambda x, *, first, last: reshape(reshape(x, shape=first), shape=last),
        lambda x, *, first, last: reshape(x, shape=last), when=is_in_c_order,
    ),
    Rule(
        lambda x, *, axis, shape: reshape(expand_dims(x, axis=axis), shape=shape),
        lambda x, *, axis, shape: reshape(x, shape=shape), when=is_in_c_order,
    ),
    Rule(lambda c, x: where(c, x, x), lambda c, x: x, when=same_shape),
    Rule(lambda x: maximum(x, x), lambda x: x),
    Rule(lambda x: minimum(x, x), lambda x: x),
    Rule(lambda x: abs(abs(x)), lambda x: abs(x)),
    Rule(lambda x: abs(neg(x)), lambda x: abs(x), when=signed),
    Rule(lambda x: abs(x), lambda x: x, when=nonnegative),
    Rule(lambda x: log(exp(x)), lambda x: x, when=is_real_float, exact=False),
    Rule(lambda x, a, b: x * a + x * b, lambda x, a, b: x * (a + b), exact=False),
]  # fmt: skip
