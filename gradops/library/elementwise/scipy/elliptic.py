"""Elliptic integrals, complete and incomplete, in Legendre's and Carlson's forms.

Note [Elliptic integrals]. The usual formulas for derivatives in the parameter m divide by m the
difference of two integrals that are equal at 0. Near 0 the difference is Gauss's function or one of
Carlson's integrals, in which nothing cancels (DLMF 19.4, 19.5, 19.25). The derivatives of R_D
divide by the differences of its operands: they are NaN where two are equal, and so are second
derivatives of R_F there and of incomplete integrals at the angle 0.
"""

import math

from ....core.samples import beside, between, positive
from ....typing import AnyArray
from ..arithmetic import abs, sqrt
from ..comparison import clip, less, where
from ..rounding import round
from ..trigonometric import cos, sin
from .family import scipy_op
from .hypergeometric import hyp2f1

__all__: list[str] = []

NEAR = 0.5  # the parameter up to which series converge fast


def first_slope(k: AnyArray, m: AnyArray, rest: AnyArray, e: AnyArray) -> AnyArray:
    """The derivative of K, of which 1 - m is the rest."""
    series = hyp2f1(1.5, 1.5, 2.0, clip(m, -NEAR, NEAR)) * (math.pi / 8)
    far = where(less(abs(m), NEAR), 1.0, m)
    return where(less(abs(m), NEAR), series, (e - rest * k) / (2 * far * rest))


def second_slope(e: AnyArray, m: AnyArray) -> AnyArray:
    """The derivative of E."""
    series = hyp2f1(0.5, 1.5, 2.0, clip(m, -NEAR, NEAR)) * (-math.pi / 8)
    far = where(less(abs(m), NEAR), 1.0, m)
    return where(less(abs(m), NEAR), series, (e - ellipk(m)) / (2 * far))


parameters = between(-0.9, 0.9, (3, 4))
ellipk = scipy_op(
    "ellipk", d=[lambda y, m: first_slope(y, m, 1 - m, ellipe(m))], samples=parameters,
    doc="The complete elliptic integral of the first kind with parameter x, by SciPy.",
)
ellipe = scipy_op(
    "ellipe", d=[second_slope], samples=parameters,
    doc="The complete elliptic integral of the second kind with parameter x, by SciPy.",
)
ellipkm1 = scipy_op(
    "ellipkm1", d=[lambda y, p: -first_slope(y, 1 - p, p, ellipe(1 - p))],
    samples=between(0.1, 1.9, (3, 4)), doc="ellipk(1 - x), accurate near x = 0, by SciPy.",
)


def third_part(phi: AnyArray, m: AnyArray) -> AnyArray:
    """The integral of sin(t)**2 / sqrt(1 - m sin(t)**2) from 0 to phi, by Carlson's R_D."""
    turns = round(phi / math.pi)
    rest = phi - turns * math.pi
    s, c = sin(rest), cos(rest)
    part = s * s * s * elliprd(c * c, 1 - m * s * s, 1.0) / 3
    return part + turns * elliprd(0.0, 1 - m, 1.0) * (2 / 3)


def root(phi: AnyArray, m: AnyArray) -> AnyArray:
    """sqrt(1 - m sin(phi)**2)."""
    s = sin(phi)
    return sqrt(1 - m * s * s)


def first_incomplete_slope(y: AnyArray, phi: AnyArray, m: AnyArray) -> AnyArray:
    """The derivative of F in m: of its parts in F and D, those that grow as m do not cancel."""
    d = third_part(phi, m)
    return (y - d - sin(phi) * cos(phi) / root(phi, m)) / (2 * (1 - m))


angles = beside(between(-1.2, 1.2, (3, 4)), between(-0.9, 0.9, (4,)))
ellipkinc = scipy_op(
    "ellipkinc", d=[lambda y, phi, m: 1 / root(phi, m), first_incomplete_slope], samples=angles,
    doc="The elliptic integral of the first kind to the angle x, with parameter y, by SciPy.",
)
ellipeinc = scipy_op(
    "ellipeinc", d=[lambda y, phi, m: root(phi, m), lambda y, phi, m: third_part(phi, m) * -0.5],
    samples=angles,
    doc="The elliptic integral of the second kind to the angle x, with parameter y, by SciPy.",
)
elliprf = scipy_op(
    "elliprf", samples=positive((3, 4), (4,), (3, 1)),
    d=[
        lambda r, x, y, z: elliprd(y, z, x) / -6,
        lambda r, x, y, z: elliprd(z, x, y) / -6,
        lambda r, x, y, z: elliprd(x, y, z) / -6,
    ],
    doc="Carlson's elliptic integral R_F, by SciPy.",
)


def degenerate_slope(r: AnyArray, x: AnyArray, y: AnyArray, z: AnyArray) -> AnyArray:
    """The derivative of R_D in its first argument, by partial fractions."""
    return (elliprd(y, z, x) - r) / (2 * (x - z))


def degenerate_slope_in_z(r: AnyArray, x: AnyArray, y: AnyArray, z: AnyArray) -> AnyArray:
    """The derivative of R_D in its last argument, as it is homogeneous of degree -3/2."""
    rest = x * degenerate_slope(r, x, y, z) + y * degenerate_slope(r, y, x, z)
    return -(1.5 * r + rest) / z


elliprd = scipy_op(
    "elliprd", samples=beside(positive((3, 4), (4,)), between(2.5, 4.0, (3, 1))),
    d=[
        degenerate_slope,
        lambda r, x, y, z: degenerate_slope(r, y, x, z),
        degenerate_slope_in_z,
    ],
    doc="Carlson's elliptic integral R_D, by SciPy.",
)


def first_slope_of_rc(x: AnyArray, y: AnyArray) -> AnyArray:
    """Minus the derivative of R_C in x: Gauss's function, also where both operands are equal."""
    return hyp2f1(1.5, 1.5, 2.5, 1 - x / y) / (6 * y * sqrt(y))


elliprc = scipy_op(
    "elliprc", samples=positive((3, 4), (4,)),
    d=[
        lambda r, x, y: -first_slope_of_rc(x, y),
        lambda r, x, y: (x * first_slope_of_rc(x, y) - 0.5 * r) / y,
    ],
    doc="Carlson's elliptic integral R_C, R_F(x, y, y), by SciPy.",
)
