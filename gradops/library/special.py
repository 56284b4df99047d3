"""The error function's relatives, the normal distribution, and products with logarithms."""

import math

import numpy as np

from ..families import elementwise, singular
from ..kernels import gaussian as kernels
from ..kernels.tables import float_dtype
from ..samples import between, cases, exactly, positive, reals
from .comparison import equal, greater, less, less_equal, where
from .elementwise import exp, log, log1p

__all__ = [
    "entr", "erfc", "erfcx", "erfinv", "log_ndtr", "logit", "ndtr", "ndtri",
    "xlog1py", "xlogy",
]

ROOT_PI, ROOT_2, ROOT_2PI = math.sqrt(math.pi), math.sqrt(2), math.sqrt(2 * math.pi)

erfc = elementwise(
    "erfc", kernels.erfc, d=[lambda y, x: -2 / ROOT_PI * exp(-(x * x))],
    traits=["nonnegative"], samples=reals((3, 4)),
    doc="1 - erf(x), accurate where erf is near 1.",
)
erfcx = elementwise(
    "erfcx", kernels.erfcx, d=[lambda y, x: erfcx_slope(x)],
    traits=["nonnegative"], samples=reals((3, 4)),
    doc="exp(x**2) erfc(x), which does not underflow.",
)


def erfcx_bend(y, x):
    """The second derivative of erfcx: 2 erfcx + 2 x erfcx', and where these cancel a series."""
    far = greater(x, kernels.FAR_OUT)
    u = 1 / where(far, x, kernels.FAR_OUT)
    square, terms = u * u, kernels.SLOPE_FAR_OUT
    total = 2 * len(terms) * terms[-1]
    for k in range(len(terms) - 1, 0, -1):
        total = total * square + 2 * k * terms[k - 1]
    return where(far, -u * square * total, 2 * erfcx(x) + 2 * where(far, 0, x) * y)


erfcx_slope = elementwise(
    "erfcx_slope", kernels.erfcx_slope, d=[erfcx_bend],
    samples=cases(reals((3, 4)), between(9.0, 20.0, (3,))),
    doc="The derivative of erfcx, 2 x erfcx(x) - 2 / sqrt(pi), exact also where that cancels.",
)
erfinv = elementwise(
    "erfinv", kernels.erfinv, d=[singular(lambda y, x: ROOT_PI / 2 * exp(y * y))],
    samples=between(-0.9, 0.9, (3, 4)),
    doc="The inverse of erf; infinite at -1 and 1.",
)
ndtr = elementwise(
    "ndtr", kernels.ndtr, d=[lambda y, x: exp(-0.5 * (x * x)) / ROOT_2PI],
    traits=["nonnegative"], samples=reals((3, 4)),
    doc="The normal distribution function.",
)
FAR_DOWN = -50.0  # from where on down as many terms of a series are exact to rounding
EXCESS = [1, -2, 10, -74, 706, -8162, 110410, -1708394]


def excess(y, x):
    """x + y of the slope y of log_ndtr, and where these cancel its series in t = -1 / x."""
    far = less(x, FAR_DOWN)
    t = -1 / where(far, x, FAR_DOWN)
    square, total = t * t, EXCESS[-1]
    for coefficient in EXCESS[-2::-1]:
        total = total * square + coefficient
    return where(far, t * total, x + y)


log_ndtr_slope = elementwise(
    "log_ndtr_slope", kernels.log_ndtr_slope, d=[lambda y, x: -y * excess(y, x)],
    traits=["nonnegative"], samples=reals((3, 4)),
    doc="The density of the normal distribution divided by its distribution function.",
)
log_ndtr = elementwise(
    "log_ndtr", kernels.log_ndtr, d=[lambda y, x: log_ndtr_slope(x)],
    samples=reals((3, 4)),
    doc="The logarithm of the normal distribution function, also where that underflows.",
)
ndtri = elementwise(
    "ndtri", kernels.ndtri, d=[singular(lambda y, p: ROOT_2PI * exp(0.5 * (y * y)))],
    samples=between(0.05, 0.95, (3, 4)),
    doc="The inverse of the normal distribution function; infinite at 0 and 1.",
)
logit = elementwise(
    "logit", kernels.logit, d=[singular(lambda y, x: 1 / (x * (1 - x)))],
    samples=between(0.05, 0.95, (3, 4)),
    doc="log(x / (1 - x)), the inverse of sigmoid; infinite at 0 and 1.",
)


def xlogy_kernel(x, y):
    return times_log(x, y, np.log)


def xlog1py_kernel(x, y):
    return times_log(x, y, np.log1p)


def times_log(x, y, log):
    float_dtype(x, y)  # which refuses complex numbers
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(x * log(y))
    return np.where(np.equal(x, 0) & ~np.isnan(y), found.dtype.type(0), found)[()]


weights = cases(positive((3, 4), (4,)), exactly([0.0, 1.0, 2.0], [0.7, 0.3, 2.0]))
xlogy = elementwise(
    "xlogy", xlogy_kernel, source="xlogy({0}, {1})",
    d=[
        singular(lambda z, x, y: where(equal(x, 0) & less_equal(y, 0), 0, log(y))),
        singular(lambda z, x, y: where(equal(x, 0) & less_equal(y, 0), 0, x / y)),
    ],
    samples=weights,
    doc="x log(y), and 0 where x is 0.",
)
xlog1py = elementwise(
    "xlog1py", xlog1py_kernel, source="xlog1py({0}, {1})",
    d=[
        singular(lambda z, x, y: where(equal(x, 0) & less_equal(y, -1), 0, log1p(y))),
        singular(lambda z, x, y: where(equal(x, 0) & less_equal(y, -1), 0, x / (1 + y))),
    ],
    samples=weights,
    doc="x log(1 + y), and 0 where x is 0.",
)


def entr_kernel(x):
    y = np.asarray(-xlogy_kernel(x, x))
    return np.where(np.less(x, 0), y.dtype.type(-np.inf), y)[()]


entr = elementwise(
    "entr", entr_kernel, source="entr({0})", d=[singular(lambda y, x: -1 - log(x))],
    samples=positive((3, 4)),
    doc="-x log(x), the share of a probability in an entropy; 0 at 0, and -inf below.",
)
