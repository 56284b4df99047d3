"""Bessel functions, and those of Airy, Kelvin and Struve.

Derivatives are those of DLMF, chapters 9 to 11. There is none in the order.
"""

import math
from typing import Any

from ....core.op import Op
from ....core.samples import beside, drawn, positive, reals
from ....kernels.elementwise.scipy_kernels import of_whole_orders
from ....typing import AnyArray
from ..arithmetic import power, sign
from ..comparison import maximum
from .family import real_op, scipy_op
from .gamma_quotients import rgamma

__all__: list[str] = []

orders = lambda *shapes: drawn(lambda rng, shape: rng.integers(1, 4, shape), shapes)
of_order = beside(orders((3, 1)), positive((3, 4)))


def neighbours(op: Op, v: AnyArray, z: AnyArray, sign: int) -> AnyArray:
    """Half of the sum, or of the difference, of the functions of the orders beside."""
    return (op(v - 1, z) + sign * op(v + 1, z)) * 0.5


jv = scipy_op(
    "jv", orders=1, d=[lambda y, v, z: neighbours(jv, v, z, -1)], samples=of_order,
    doc="The Bessel function of the first kind of order x at y, by SciPy.",
)
yv = scipy_op(
    "yv", orders=1, d=[lambda y, v, z: neighbours(yv, v, z, -1)], samples=of_order,
    doc="The Bessel function of the second kind of order x at y, by SciPy.",
)
iv = scipy_op(
    "iv", orders=1, d=[lambda y, v, z: neighbours(iv, v, z, 1)], samples=of_order,
    doc="The modified Bessel function of the first kind of order x at y, by SciPy.",
)
kv = scipy_op(
    "kv", orders=1, d=[lambda y, v, z: -neighbours(kv, v, z, 1)], samples=of_order,
    doc="The modified Bessel function of the second kind of order x at y, by SciPy.",
)
ive = scipy_op(
    "ive", orders=1, d=[lambda y, v, z: neighbours(ive, v, z, 1) - sign(z) * y], samples=of_order,
    doc="exp(-abs(y)) iv(x, y), by SciPy.",
)
kve = scipy_op(
    "kve", orders=1, d=[lambda y, v, z: y - neighbours(kve, v, z, 1)], samples=of_order,
    doc="exp(y) kv(x, y), by SciPy.",
)
j0 = scipy_op(
    "j0", d=[lambda y, x: -j1(x)], samples=reals((3, 4)),
    doc="The Bessel function of the first kind of order 0, by SciPy.",
)
j1 = scipy_op(
    "j1", d=[lambda y, x: (j0(x) - jv(2, x)) * 0.5], samples=reals((3, 4)),
    doc="The Bessel function of the first kind of order 1, by SciPy.",
)
y0 = scipy_op(
    "y0", d=[lambda y, x: -y1(x)], samples=positive((3, 4)),
    doc="The Bessel function of the second kind of order 0, by SciPy.",
)
y1 = scipy_op(
    "y1", d=[lambda y, x: (y0(x) - yv(2, x)) * 0.5], samples=positive((3, 4)),
    doc="The Bessel function of the second kind of order 1, by SciPy.",
)
k0 = scipy_op(
    "k0", d=[lambda y, x: -k1(x)], samples=positive((3, 4)),
    doc="The modified Bessel function of the second kind of order 0, by SciPy.",
)
k1 = scipy_op(
    "k1", d=[lambda y, x: (k0(x) + kv(2, x)) * -0.5], samples=positive((3, 4)),
    doc="The modified Bessel function of the second kind of order 1, by SciPy.",
)
k0e = scipy_op(
    "k0e", d=[lambda y, x: y - k1e(x)], samples=positive((3, 4)), doc="exp(x) k0(x), by SciPy."
)
k1e = scipy_op(
    "k1e", d=[lambda y, x: y - (k0e(x) + kve(2, x)) * 0.5], samples=positive((3, 4)),
    doc="exp(x) k1(x), by SciPy.",
)


def spherical_slope(op: Op, before: int, after: int, n: Any, z: AnyArray) -> AnyArray:
    """The derivative of a spherical Bessel function, which weighs the orders beside by signs."""
    beside = before * n * op(maximum(n - 1, 0), z) + after * (n + 1) * op(n + 1, z)
    return beside / (2 * n + 1)


def spherical(name: str, doc: str, before: int, after: int) -> Op:
    """A spherical Bessel function."""
    op = scipy_op(
        name, of_whole_orders(name), orders=1, samples=of_order,
        d=[lambda y, n, z: spherical_slope(op, before, after, n, z)],
        doc=f"The {doc} of order x at y, by SciPy.",
    )  # fmt: skip
    return op


SPHERICAL = {
    spherical("spherical_jn", "spherical Bessel function of the first kind", 1, -1): (1, -1),
    spherical("spherical_yn", "spherical Bessel function of the second kind", 1, -1): (1, -1),
    spherical("spherical_in", "modified spherical Bessel function of the first kind", 1, 1): (1, 1),
    spherical(
        "spherical_kn", "modified spherical Bessel function of the second kind", -1, -1
    ): (-1, -1),
}  # fmt: skip


def inhomogeneity(v: AnyArray, x: AnyArray) -> AnyArray:
    """(x / 2)**v / (sqrt(pi) gamma(v + 3/2))."""
    return power(x * 0.5, v) * rgamma(v + 1.5) * (1 / math.sqrt(math.pi))


struve = scipy_op(
    "struve", orders=1, samples=of_order,
    d=[lambda y, v, x: neighbours(struve, v, x, -1) + 0.5 * inhomogeneity(v, x)],
    doc="The Struve function of order x at y, by SciPy.",
)
modstruve = scipy_op(
    "modstruve", orders=1, samples=of_order,
    d=[lambda y, v, x: neighbours(modstruve, v, x, 1) + 0.5 * inhomogeneity(v, x)],
    doc="The modified Struve function of order x at y, by SciPy.",
)
airy_ai = real_op(
    "airy_ai", "airy", 0, d=[lambda y, x: airy_ai_slope(x)], samples=reals((3, 4)),
    doc="The Airy function Ai, by SciPy.",
)
airy_ai_slope = real_op(
    "airy_ai_slope", "airy", 1, d=[lambda y, x: x * airy_ai(x)], samples=reals((3, 4)),
    doc="The derivative of the Airy function Ai, by SciPy.",
)
airy_bi = real_op(
    "airy_bi", "airy", 2, d=[lambda y, x: airy_bi_slope(x)], samples=reals((3, 4)),
    doc="The Airy function Bi, by SciPy.",
)
airy_bi_slope = real_op(
    "airy_bi_slope", "airy", 3, d=[lambda y, x: x * airy_bi(x)], samples=reals((3, 4)),
    doc="The derivative of the Airy function Bi, by SciPy.",
)


def kelvin_slope(y: AnyArray, x: AnyArray, other: Op, sign: int) -> AnyArray:
    """The second derivative of a Kelvin function, by the equation that it solves."""
    return sign * other(x) - y / x


ber = scipy_op(
    "ber", d=[lambda y, x: berp(x)], samples=positive((3, 4)),
    doc="The Kelvin function ber, by SciPy.",
)
bei = scipy_op(
    "bei", d=[lambda y, x: beip(x)], samples=positive((3, 4)),
    doc="The Kelvin function bei, by SciPy.",
)
ker = scipy_op(
    "ker", d=[lambda y, x: kerp(x)], samples=positive((3, 4)),
    doc="The Kelvin function ker, by SciPy.",
)
kei = scipy_op(
    "kei", d=[lambda y, x: keip(x)], samples=positive((3, 4)),
    doc="The Kelvin function kei, by SciPy.",
)
berp = scipy_op(
    "berp", d=[lambda y, x: kelvin_slope(y, x, bei, -1)], samples=positive((3, 4)),
    doc="The derivative of the Kelvin function ber, by SciPy.",
)
beip = scipy_op(
    "beip", d=[lambda y, x: kelvin_slope(y, x, ber, 1)], samples=positive((3, 4)),
    doc="The derivative of the Kelvin function bei, by SciPy.",
)
kerp = scipy_op(
    "kerp", d=[lambda y, x: kelvin_slope(y, x, kei, -1)], samples=positive((3, 4)),
    doc="The derivative of the Kelvin function ker, by SciPy.",
)
keip = scipy_op(
    "keip", d=[lambda y, x: kelvin_slope(y, x, ker, 1)], samples=positive((3, 4)),
    doc="The derivative of the Kelvin function kei, by SciPy.",
)
