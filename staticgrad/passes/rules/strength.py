"""Cheaper operations that round otherwise: products for powers and quotients, no guards."""

from gradops import div, mul, power, square
from gradops.library.elementwise.arithmetic import power_slope, strong_product

from ...ir.expr import Expr, Kind
from ..rewrite import Rule
from .algebra import inexact

LEAST, MOST = 1e-30, 1e30  # of numbers that are inverted
SMALL, LARGE = 1e-6, 1e6  # of numbers by which a value that is not known is multiplied


def is_number(n: Expr) -> bool:
    """True for a constant without axes that has a reciprocal of full precision."""
    known = n.kind is Kind.CONSTANT and not n.shape and n.dtype.char in "fd"
    return known and LEAST < abs(float(n.value)) < MOST


def is_divided_by_number(x: Expr, n: Expr) -> bool:
    """True for an array over a number of its dtype."""
    return bool(x.shape) and x.dtype == n.dtype and is_number(n)


def is_scaled_twice(s: Expr, n: Expr, x: Expr) -> bool:
    """True for an array that is scaled by a number, and by a computed value without axes.

    Their product may overflow where each is finite, so that it gives NaN for a zero.
    """
    alike = not s.shape and s.dtype == x.dtype and is_divided_by_number(x, n)
    return alike and s.kind is not Kind.CONSTANT and SMALL < abs(float(n.value)) < LARGE


def has_no_zero(n: Expr, x: Expr) -> bool:
    """True for a constant without zeros."""
    return n.kind is Kind.CONSTANT and n.dtype == x.dtype and bool(n.value.all())


RULES = [
    Rule(lambda n, x: strong_product(n, x), lambda n, x: mul(n, x), when=has_no_zero),
    Rule(lambda x: power(x, 2), lambda x: square(x), when=inexact, exact=False),
    Rule(lambda x: power(x, 3), lambda x: x * square(x), when=inexact, exact=False),
    Rule(lambda x: power(x, -1), lambda x: div(1, x), when=inexact, exact=False),
    Rule(lambda x: power_slope(x, 2), lambda x: 2 * x, when=inexact, exact=False),
    Rule(lambda x: power_slope(x, 3), lambda x: 3 * square(x), when=inexact, exact=False),
    Rule(lambda x: x + 0, lambda x: x, when=inexact, exact=False),  # 0.0 for -0.0
    Rule(lambda x, n: div(x, n), lambda x, n: x * div(1, n), is_divided_by_number, exact=False),
    *[
        Rule(twice, lambda s, n, x: (s * n) * x, is_scaled_twice, exact=False)
        for twice in (
            lambda s, n, x: s * (n * x), lambda s, n, x: s * (x * n),
            lambda s, n, x: (n * x) * s, lambda s, n, x: (x * n) * s,
        )
    ],
]  # fmt: skip
