"""Exponential, sine and cosine integrals, and elementary functions near a zero."""

import math
from typing import Any

from ....core.samples import beside, between, cases, complexes, positive, reals
from ....kernels.elementwise.scipy_kernels import lambertw as lambertw_kernel
from ....kernels.elementwise.scipy_kernels import of_whole_orders
from ....typing import AnyArray
from ...families import singular
from ..arithmetic import power
from ..comparison import equal, maximum, where
from ..exponential import exp, log
from ..exprel import exprel, log1prel
from ..trigonometric import cos, cosh, sin, sinc
from .bessel import orders
from .family import complex_op, real_op, scipy_op

__all__: list[str] = []

exp1 = scipy_op(
    "exp1", d=[lambda y, x: -exp(-x) / x], samples=positive((3, 4)),
    doc="The exponential integral of exp(-t) / t from x on, by SciPy.",
)
expi = scipy_op(
    "expi", d=[lambda y, x: exp(x) / x], samples=reals((3, 4)),
    doc="The exponential integral of exp(t) / t up to x, by SciPy.",
)


def expn_slope(y: AnyArray, n: Any, x: AnyArray) -> AnyArray:
    """Minus the integral of the order before; that before 0 is exp(-x) (1 + x) / x**2."""
    return where(equal(n, 0), -exp(-x) * (1 + x) / (x * x), -expn(maximum(n - 1, 0), x))


expn = scipy_op(
    "expn", of_whole_orders("expn"), orders=1, d=[expn_slope],
    samples=beside(orders((3, 1)), positive((3, 4))),
    doc="The exponential integral of exp(-y t) / t**x from 1 on, by SciPy; NaN unless x is whole.",
)
sine_integral = real_op(
    "sine_integral", "sici", 0, samples=reals((3, 4)),
    d=[lambda y, x: sinc(x / math.pi)],
    doc="The integral of sin(t) / t from 0 to x, by SciPy.",
)
cosine_integral = real_op(
    "cosine_integral", "sici", 1, d=[lambda y, x: cos(x) / x], samples=positive((3, 4)),
    doc="The cosine integral, by SciPy.",
)
hyperbolic_sine_integral = real_op(
    "hyperbolic_sine_integral", "shichi", 0, samples=reals((3, 4)),
    d=[lambda y, x: 0.5 * (exprel(x) + exprel(-x))],
    doc="The integral of sinh(t) / t from 0 to x, by SciPy.",
)
hyperbolic_cosine_integral = real_op(
    "hyperbolic_cosine_integral", "shichi", 1, d=[lambda y, x: cosh(x) / x],
    samples=positive((3, 4)), doc="The hyperbolic cosine integral, by SciPy.",
)
spence = scipy_op(
    "spence", d=[lambda y, z: -log1prel(z - 1)],
    samples=between(0.2, 3, (3, 4)), doc="Spence's dilogarithm, by SciPy.",
)
wrightomega = scipy_op(
    "wrightomega", d=[lambda y, z: y / (1 + y)], samples=reals((3, 4)),
    doc="Wright's omega function: y + log(y) = x, by SciPy.",
)
cosm1 = scipy_op(
    "cosm1", d=[lambda y, x: -sin(x)], samples=reals((3, 4)),
    doc="cos(x) - 1, also near 0, by SciPy.",
)
sindg = scipy_op(
    "sindg", d=[lambda y, x: cosdg(x) * (math.pi / 180)], samples=reals((3, 4)),
    doc="The sine of degrees, by SciPy.",
)
cosdg = scipy_op(
    "cosdg", d=[lambda y, x: sindg(x) * (-math.pi / 180)], samples=reals((3, 4)),
    doc="The cosine of degrees, by SciPy.",
)
tandg = scipy_op(
    "tandg", d=[lambda y, x: (1 + y * y) * (math.pi / 180)], samples=reals((3, 4)),
    doc="The tangent of degrees, by SciPy.",
)
cotdg = scipy_op(
    "cotdg", d=[lambda y, x: (1 + y * y) * (-math.pi / 180)], samples=reals((3, 4)),
    doc="The cotangent of degrees, by SciPy.",
)
powm1 = scipy_op(
    "powm1", d=[lambda z, x, y: y * power(x, y - 1), lambda z, x, y: power(x, y) * log(x)],
    samples=positive((3, 4), (4,)), doc="x**y - 1, also near 0, by SciPy.",
)
lambertw = complex_op(
    "lambertw", lambertw_kernel, d=[singular(lambda y, z, k: exp(-y) / (1 + y))],
    samples=cases(complexes((3, 4)), complexes((3,), k=-1)),
    doc="Branch k of Lambert's function, of which x is y exp(y), by SciPy.",
)
