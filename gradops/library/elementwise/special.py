"""Bessel functions, relatives of the error function, and logarithms in sums and products."""

import math

import numpy as np

from ...core.op import Op
from ...core.samples import between, binary, cases, exactly, positive, reals
from ...core.traits import Trait
from ...core.types import type_of
from ...kernels.elementwise import bessel
from ...kernels.elementwise import gaussian as kernels
from ...kernels.elementwise.tables import float_dtype
from ...typing import AnyArray
from ..families import elementwise, singular
from ..nn.activation import sigmoid
from .arithmetic import abs, sign
from .comparison import clip, equal, less, less_equal, maximum, where
from .exponential import exp, exp2, log, log1p
from .logic import isinf, isnan, logical_and, logical_not
from .trigonometric import atanh

__all__ = [
    "entr", "erfc", "erfcx", "erfinv", "i0", "i0e", "i1", "i1e", "log_ndtr", "logaddexp",
    "logaddexp2", "logit", "ndtr", "ndtri", "xlog1py", "xlogy",
]

ROOT_PI, ROOT_2, ROOT_2PI = math.sqrt(math.pi), math.sqrt(2), math.sqrt(2 * math.pi)

erfc = elementwise(
    "erfc", kernels.erfc, d=[lambda y, x: -2 / ROOT_PI * exp(-(x * x))],
    traits=[Trait.NONNEGATIVE, Trait.SATURATING], samples=reals((3, 4)),
    doc="1 - erf(x), accurate where erf is near 1.",
)
erfcx = elementwise(
    "erfcx", kernels.erfcx, d=[lambda y, x: 2 * x * y - 2 / ROOT_PI], traits=[Trait.NONNEGATIVE],
    samples=reals((3, 4)), doc="exp(x**2) erfc(x), which does not underflow.",
)
erfinv = elementwise(
    "erfinv", kernels.erfinv, d=[singular(lambda y, x: ROOT_PI / 2 * exp(y * y))],
    samples=between(-0.9, 0.9, (3, 4)), doc="The inverse of erf; infinite at -1 and 1.",
)
ndtr = elementwise(
    "ndtr", kernels.ndtr, d=[lambda y, x: exp(-0.5 * (x * x)) / ROOT_2PI],
    traits=[Trait.NONNEGATIVE, Trait.SATURATING], samples=reals((3, 4)),
    doc="The normal distribution function.", formula=lambda x: erfc(x * (-1 / ROOT_2)) * 0.5,
)


def clip_for_erfcx(z):
    """`z` clipped so that erfcx of it is finite."""
    return maximum(z, -9.0 if type_of(z).dtype == np.float32 else -26.0)


log_ndtr = elementwise(
    "log_ndtr", kernels.log_ndtr,
    d=[lambda y, x: 2 / ROOT_2PI / erfcx(clip_for_erfcx(x * (-1 / ROOT_2)))], samples=reals((3, 4)),
    doc="The logarithm of the normal distribution function, also where that underflows.",
)
ndtri = elementwise(
    "ndtri", kernels.ndtri, d=[singular(lambda y, p: ROOT_2PI * exp(0.5 * (y * y)))],
    samples=between(0.05, 0.95, (3, 4)),
    doc="The inverse of the normal distribution function; infinite at 0 and 1.",
)
def logit_formula(x):
    middle = atanh(clip(2 * x - 1, -0.5, 0.5)) * 2
    return where(less_equal(abs(x - 0.5), 0.25), middle, log(x / (1 - x)))


logit = elementwise(
    "logit", kernels.logit, d=[singular(lambda y, x: 1 / (x * (1 - x)))],
    samples=between(0.05, 0.95, (3, 4)),
    doc="log(x / (1 - x)), the inverse of sigmoid; infinite at 0 and 1.", formula=logit_formula,
)


def xlogy_kernel(x, y):
    return times_log(x, y, np.log)


def xlog1py_kernel(x, y):
    return times_log(x, y, np.log1p)


def times_log(x, y, log):
    dtype = float_dtype(x, y)  # which refuses complex numbers
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(x * log(y, dtype=dtype))
    return np.where(np.equal(x, 0) & ~np.isnan(y), found.dtype.type(0), found)[()]


def unless_zero(x, y, product):
    """0 where `x` is, unless `y` is NaN; else a product."""
    return where(logical_and(equal(x, 0), logical_not(isnan(y))), 0, product)


weights = cases(positive((3, 4), (4,)), exactly([0.0, 1.0, 2.0], [0.7, 0.3, 2.0]))
xlogy = elementwise(
    "xlogy", xlogy_kernel,
    d=[
        singular(lambda z, x, y: where(equal(x, 0) & less_equal(y, 0), 0, log(y))),
        singular(lambda z, x, y: where(equal(x, 0) & less_equal(y, 0), 0, x / y)),
    ],
    samples=weights, doc="x log(y), and 0 where x is 0.",
    formula=lambda x, y: unless_zero(x, y, x * log(y)),
)
xlog1py = elementwise(
    "xlog1py", xlog1py_kernel,
    d=[
        singular(lambda z, x, y: where(equal(x, 0) & less_equal(y, -1), 0, log1p(y))),
        singular(lambda z, x, y: where(equal(x, 0) & less_equal(y, -1), 0, x / (1 + y))),
    ],
    samples=weights, doc="x log(1 + y), and 0 where x is 0.",
    formula=lambda x, y: unless_zero(x, y, x * log1p(y)),
)


def entr_kernel(x):
    y = np.asarray(-xlogy_kernel(x, x))
    return np.where(np.less(x, 0), y.dtype.type(-np.inf), y)[()]


entr = elementwise(
    "entr", entr_kernel, d=[singular(lambda y, x: -1 - log(x))], samples=positive((3, 4)),
    doc="-x log(x), the share of a probability in an entropy; 0 at 0, and -inf below.",
    formula=lambda x: where(less(x, 0), -math.inf, -xlogy(x, x)),
)


def difference(a: AnyArray, b: AnyArray) -> AnyArray:
    """a - b, but 0 for equal infinities; equal finite numbers keep their derivatives."""
    return where(isinf(a) & equal(a, b), 0, a - b)


def of_larger(a: AnyArray, b: AnyArray, more: AnyArray, doubled: float) -> AnyArray:
    """The larger of two entries, and more; of equal ones, which may be infinite, twice as much."""
    return where(equal(a, b), a + doubled, maximum(a, b) + more)


logaddexp = elementwise(
    "logaddexp", np.logaddexp,
    d=[lambda y, a, b: sigmoid(difference(a, b)), lambda y, a, b: sigmoid(difference(b, a))],
    traits=[Trait.SATURATING], samples=binary, doc="log(exp(x) + exp(y)), without overflow.",
    formula=lambda a, b: of_larger(a, b, log1p(exp(-abs(a - b))), math.log(2)),
)
logaddexp2 = elementwise(
    "logaddexp2", np.logaddexp2,
    d=[
        lambda y, a, b: sigmoid(difference(a, b) * math.log(2)),
        lambda y, a, b: sigmoid(difference(b, a) * math.log(2)),
    ],
    traits=[Trait.SATURATING], samples=binary, doc="log2(2**x + 2**y), without overflow.",
    formula=lambda a, b: of_larger(a, b, log1p(exp2(-abs(a - b))) * (1 / math.log(2)), 1),
)


def i1_slope(y: AnyArray, x: AnyArray, zeroth: Op) -> AnyArray:
    """i0(x) - i1(x) / x, for plain or scaled functions; 1/2 at 0."""
    at_zero = equal(x, 0)
    return where(at_zero, 0.5, zeroth(x) - y / where(at_zero, 1, x))


i0 = elementwise(
    "i0", bessel.i0, d=[lambda y, x: i1(x)], traits=[Trait.NONNEGATIVE], samples=reals((3, 4)),
    doc="The modified Bessel function of order 0.",
)
i0_of_numpy = elementwise(
    "i0_of_numpy", np.i0, d=[lambda y, x: i1(x)], traits=[Trait.NONNEGATIVE], samples=reals((3, 4)),
    doc="The modified Bessel function of order 0, with the roundings of `numpy.i0`.",
)
i1 = elementwise(
    "i1", bessel.i1, d=[lambda y, x: i1_slope(y, x, i0)], samples=reals((3, 4)),
    doc="The modified Bessel function of order 1.",
)
i0e = elementwise(
    "i0e", bessel.i0e, d=[lambda y, x: i1e(x) - sign(x) * y], traits=[Trait.NONNEGATIVE],
    samples=reals((3, 4)), doc="exp(-abs(x)) i0(x).",
)
i1e = elementwise(
    "i1e", bessel.i1e, d=[lambda y, x: i1_slope(y, x, i0e) - sign(x) * y], samples=reals((3, 4)),
    doc="exp(-abs(x)) i1(x).",
)
