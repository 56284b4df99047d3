"""Cheaper operations that round otherwise: products for powers and quotients, no guards.

A sum of products is one scalar product of BLAS, without the products in between.
"""

from gradops import ArrayType, copy, div, full_like, matmul, mul, power, reshape, square, sum
from gradops.library.elementwise.arithmetic import power_slope, strong_product

from ...ir.expr import Expr, Kind
from ..rewrite import Rule
from .algebra import inexact, is_real_float

LEAST, MOST = 1e-30, 1e30  # of numbers that are inverted
SMALL, LARGE = 1e-6, 1e6  # of numbers by which a value that is not known is multiplied
FEW = 4096  # entries of which a scalar product by BLAS is as accurate as NumPy's sum


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


def same_type(x: Expr, y: Expr) -> bool:
    """True for arrays of one type."""
    return x.type == y.type


def has_no_zero(n: Expr, x: Expr) -> bool:
    """True for a constant without zeros."""
    return n.kind is Kind.CONSTANT and n.dtype == x.dtype and bool(n.value.all())


def is_scalar_product(x: Expr, y: Expr) -> bool:
    """True for arrays of one type that are so small that BLAS adds few terms one after another."""
    if type(x.type) is not ArrayType or x.type != y.type or x.dtype.char not in "fd":
        return False
    return isinstance(x.type.size, int) and 1 < x.type.size <= FEW


def is_of_vectors(x: Expr, y: Expr) -> bool:
    """True for a scalar product of vectors."""
    return x.type.ndim == 1 and is_scalar_product(x, y)


RULES = [
    Rule(lambda n, x: strong_product(n, x), lambda n, x: mul(n, x), when=has_no_zero),
    Rule(lambda x: power(x, 2), lambda x: square(x), when=inexact, exact=False),
    Rule(lambda x: power(x, 3), lambda x: x * square(x), when=inexact, exact=False),
    Rule(lambda x: power(x, -1), lambda x: div(1, x), when=is_real_float, exact=False),
    Rule(lambda x: power_slope(x, 2), lambda x: 2 * x, when=inexact, exact=False),
    Rule(lambda x: power_slope(x, 3), lambda x: 3 * square(x), when=inexact, exact=False),
    Rule(lambda x, y: full_like(x, 0, None) + y, lambda x, y: y, same_type, exact=False),
    Rule(lambda x, y: y + full_like(x, 0, None), lambda x, y: y, same_type, exact=False),
    Rule(lambda x: x + x, lambda x: 2 * x, when=is_real_float),
    Rule(lambda x: copy(x), lambda x: x, exact=False),  # whose layout may be another
    Rule(lambda x: x + 0, lambda x: x, when=inexact, exact=False),  # 0.0 for -0.0
    Rule(lambda x, y: sum(x * y), lambda x, y: matmul(x, y), is_of_vectors, exact=False),
    Rule(
        lambda x, y: sum(x * y),
        lambda x, y: matmul(reshape(x, shape=(-1,)), reshape(y, shape=(-1,))),
        is_scalar_product, exact=False,
    ),
    Rule(lambda x, n: div(x, n), lambda x, n: x * div(1, n), is_divided_by_number, exact=False),
    *[
        Rule(twice, lambda s, n, x: (s * n) * x, is_scaled_twice, exact=False)
        for twice in (
            lambda s, n, x: s * (n * x), lambda s, n, x: s * (x * n),
            lambda s, n, x: (n * x) * s, lambda s, n, x: (x * n) * s,
        )
    ],
]  # fmt: skip
