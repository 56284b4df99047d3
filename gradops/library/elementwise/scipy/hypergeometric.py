"""Hypergeometric functions. Their derivatives in the argument are functions of raised parameters.

There is no derivative in the parameters.
"""

from typing import Any

from ....core.samples import beside, between, positive, reals
from ....kernels.elementwise.scipy_kernels import of_scipy
from ....typing import AnyArray
from .bessel import orders
from .family import scipy_op

__all__: list[str] = []

hyp0f1 = scipy_op(
    "hyp0f1", orders=1, samples=beside(orders((3, 1)), reals((3, 4))),
    d=[lambda y, v, z: hyp0f1(v + 1, z) / v],
    doc="The confluent hypergeometric limit function with parameter x at y, by SciPy.",
)
hyp1f1 = scipy_op(
    "hyp1f1", of_scipy("hyp1f1", 2, limit=1e8), orders=2,
    samples=beside(orders((3, 1), (4,)), reals((3, 4))),
    d=[lambda y, a, b, z: hyp1f1(a + 1, b + 1, z) * (a / b)],
    doc="Kummer's function with parameters x and y at z, by SciPy.",
)


def gauss_slope(y: AnyArray, a: Any, b: Any, c: Any, z: AnyArray) -> AnyArray:
    return hyp2f1(a + 1, b + 1, c + 1, z) * (a * b / c)


hyp2f1 = scipy_op(
    "hyp2f1", of_scipy("hyp2f1", 3, limit=1e100), orders=3, d=[gauss_slope],
    samples=beside(orders((3, 1), (4,), ()), between(-0.8, 0.6, (3, 4))),
    doc="Gauss's hypergeometric function of three parameters, by SciPy.",
)
hyperu = scipy_op(
    "hyperu", orders=2, samples=beside(orders((3, 1), (4,)), positive((3, 4))),
    d=[lambda y, a, b, x: -a * hyperu(a + 1, b + 1, x)],
    doc="Tricomi's function with parameters x and y at z, by SciPy.",
)
