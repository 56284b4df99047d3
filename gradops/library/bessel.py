"""The modified Bessel functions of the first kind, by SciPy."""

from ..samples import reals
from .arithmetic import sign
from .comparison import equal, where
from .gamma import borrowed

__all__ = ["i0", "i0e", "i1", "i1e"]


def i1_slope(y, x, zeroth):
    """i0(x) - i1(x) / x, or of the scaled ones; 1/2 at 0."""
    at_zero = equal(x, 0)
    return where(at_zero, 0.5, zeroth(x) - y / where(at_zero, 1, x))


i0 = borrowed(
    "i0", d=[lambda y, x: i1(x)], traits=["nonnegative"], samples=reals((3, 4)),
    doc="The modified Bessel function of order 0, by SciPy.",
)
i1 = borrowed(
    "i1", d=[lambda y, x: i1_slope(y, x, i0)], samples=reals((3, 4)),
    doc="The modified Bessel function of order 1, by SciPy.",
)
i0e = borrowed(
    "i0e", d=[lambda y, x: i1e(x) - sign(x) * y], traits=["nonnegative"], samples=reals((3, 4)),
    doc="exp(-abs(x)) i0(x), by SciPy.",
)
i1e = borrowed(
    "i1e", d=[lambda y, x: i1_slope(y, x, i0e) - sign(x) * y], samples=reals((3, 4)),
    doc="exp(-abs(x)) i1(x), by SciPy.",
)
