"""Relatives of the error function, and functions of the normal distribution."""

import math

from ....core.samples import beside, between, cases, complexes, positive, reals
from ....kernels.elementwise.scipy_kernels import faddeeva_part as faddeeva_part_kernel
from ....typing import AnyArray
from ...families import elementwise
from ..exponential import erf, exp
from ..trigonometric import cos, sin
from .family import complex_op, float_infer, real_op, scipy_op

__all__: list[str] = []

SLOPE = 2 / math.sqrt(math.pi)  # of erf at 0
ROOT_2 = math.sqrt(2)
LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)

erfcinv = scipy_op(
    "erfcinv", d=[lambda y, x: exp(y * y) / -SLOPE], samples=between(0.1, 1.9, (3, 4)),
    doc="The inverse of erfc, by SciPy; infinite at 0 and 2.",
)
erfi = scipy_op(
    "erfi", d=[lambda y, x: SLOPE * exp(x * x)], samples=reals((3, 4)),
    doc="The imaginary error function, -i erf(i x), by SciPy.",
)
dawsn = scipy_op(
    "dawsn", d=[lambda y, x: 1 - 2 * x * y], samples=reals((3, 4)),
    doc="Dawson's integral, exp(-x**2) times the integral of exp(t**2) to x, by SciPy.",
)
fresnel_s = real_op(
    "fresnel_s", "fresnel", 0, d=[lambda y, x: sin(x * x * (math.pi / 2))], samples=reals((3, 4)),
    doc="The Fresnel integral of sin(pi t**2 / 2), by SciPy.",
)
fresnel_c = real_op(
    "fresnel_c", "fresnel", 1, d=[lambda y, x: cos(x * x * (math.pi / 2))], samples=reals((3, 4)),
    doc="The Fresnel integral of cos(pi t**2 / 2), by SciPy.",
)
ndtri_exp = scipy_op(
    "ndtri_exp", d=[lambda y, x: exp(x + 0.5 * (y * y) + LOG_ROOT_2PI)],
    samples=between(-3, -0.1, (3, 4)),
    doc="The inverse of the logarithm of the normal distribution function, by SciPy.",
)
owens_t = scipy_op(
    "owens_t",
    d=[
        lambda y, h, a: exp(-0.5 * (h * h)) * erf(a * h / ROOT_2) * (-SLOPE / (4 * ROOT_2)),
        lambda y, h, a: exp(-0.5 * (h * h) * (1 + a * a)) / (1 + a * a) / (2 * math.pi),
    ],
    samples=reals((3, 4), (4,)),
    doc="Owen's T function, of which x is the distance and y the slope, by SciPy.",
)
wofz = complex_op(
    "wofz", d=[lambda y, z: 1j * SLOPE - 2 * (z * y)], samples=complexes((3, 4)),
    doc="The Faddeeva function, exp(-x**2) erfc(-i x), by SciPy.",
)
complex_erf = complex_op(
    "complex_erf", d=[lambda y, z: SLOPE * exp(-(z * z))], samples=complexes((3, 4)),
    doc="The error function of complex numbers, by SciPy.",
)
complex_erfc = complex_op(
    "complex_erfc", d=[lambda y, z: -SLOPE * exp(-(z * z))], samples=complexes((3, 4)),
    doc="1 - erf(x) of complex numbers, by SciPy.",
)
complex_erfcx = complex_op(
    "complex_erfcx", d=[lambda y, z: 2 * (z * y) - SLOPE], samples=complexes((3, 4)),
    doc="exp(x**2) erfc(x) of complex numbers, by SciPy.",
)
complex_erfi = complex_op(
    "complex_erfi", d=[lambda y, z: SLOPE * exp(z * z)], samples=complexes((3, 4)),
    doc="The imaginary error function of complex numbers, by SciPy.",
)
complex_dawsn = complex_op(
    "complex_dawsn", d=[lambda y, z: 1 - 2 * (z * y)], samples=complexes((3, 4)),
    doc="Dawson's integral of complex numbers, by SciPy.",
)


def faddeeva_slope(w: AnyArray, x: AnyArray, y: AnyArray, part: int) -> AnyArray:
    """The derivative in x of a part of the Faddeeva function at x + iy; in y it is the other's."""
    other = faddeeva_part(x, y, part=1 - part)
    return 2 * (y * other - x * w) if part == 0 else SLOPE - 2 * (x * w + y * other)


def faddeeva_rise(w: AnyArray, x: AnyArray, y: AnyArray, part: int) -> AnyArray:
    """The derivative in y, by the equations of Cauchy and Riemann."""
    slope = faddeeva_slope(faddeeva_part(x, y, part=1 - part), x, y, 1 - part)
    return -slope if part == 0 else slope


faddeeva_part = elementwise(
    "faddeeva_part", faddeeva_part_kernel, infer=float_infer("faddeeva_part"),
    d=[faddeeva_slope, faddeeva_rise],
    samples=cases(positive((3, 4), (4,), part=0), positive((3,), (3,), part=1)),
    doc="A part of the Faddeeva function at x + iy, real or imaginary, by SciPy.",
)


def profile_slope(x: AnyArray, sigma: AnyArray, gamma: AnyArray) -> tuple[AnyArray, ...]:
    """x and gamma over sigma sqrt(2), and both parts of the derivative of wofz there."""
    a, b = x / (sigma * ROOT_2), gamma / (sigma * ROOT_2)
    u, v = faddeeva_part(a, b, part=0), faddeeva_part(a, b, part=1)
    return a, b, 2 * (b * v - a * u), SLOPE - 2 * (a * v + b * u)


def profile_in_x(y: AnyArray, x: AnyArray, sigma: AnyArray, gamma: AnyArray) -> AnyArray:
    _, _, slope, _ = profile_slope(x, sigma, gamma)
    return slope / (sigma * sigma * (2 * math.sqrt(math.pi)))


def profile_in_sigma(y: AnyArray, x: AnyArray, sigma: AnyArray, gamma: AnyArray) -> AnyArray:
    a, b, slope, rise = profile_slope(x, sigma, gamma)
    return -(y + (a * slope - b * rise) / (sigma * math.sqrt(2 * math.pi))) / sigma


def profile_in_gamma(y: AnyArray, x: AnyArray, sigma: AnyArray, gamma: AnyArray) -> AnyArray:
    _, _, _, rise = profile_slope(x, sigma, gamma)
    return -rise / (sigma * sigma * (2 * math.sqrt(math.pi)))


voigt_profile = scipy_op(
    "voigt_profile", d=[profile_in_x, profile_in_sigma, profile_in_gamma],
    samples=beside(reals((3, 4)), positive((3, 1), (4,))),
    doc="The Voigt profile at x, with the deviation y and the half width z, by SciPy.",
)
