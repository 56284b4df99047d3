"""Activations that are put together from others; at kinks they have PyTorch's derivatives."""

from typing import Any

from ...core.errors import OptionError, ShapeError
from ...core.types import normalize_axis, shape_of, type_of
from ..elementwise.arithmetic import abs, div, mul, neg
from ..elementwise.comparison import greater, greater_equal, less_equal, where
from ..elementwise.elementwise import expm1
from ..elementwise.trigonometric import tanh
from ..index.indexing import index
from ..shape.movement import reshape
from .activation import relu, sigmoid, softplus

__all__ = [
    "celu", "elu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "log_sigmoid", "mish", "prelu", "relu6", "selu", "softshrink", "softsign", "tanhshrink",
    "threshold",
]

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
"""What makes activations tend to mean 0 and variance 1."""


def below(x: Any) -> Any:
    """Each entry, or 0 where it is positive, so that exp cannot overflow."""
    return where(greater(x, 0), 0, x)


def leaky_relu(x: Any, slope: float = 0.01) -> Any:
    """x where it is positive, else `slope` times x.

    >>> leaky_relu(np.array([-1.0, 2.0]), 0.5)
    array([-0.5,  2. ])
    """
    return where(greater(x, 0), x, mul(x, slope))


def prelu(x: Any, slope: Any) -> Any:
    """x where it is positive, else x times a slope: one, or one for each channel, the second axis.

    >>> prelu(np.array([[-1.0, -1.0]]), np.array([0.5, 0.25]))
    array([[-0.5 , -0.25]])
    """
    shape, given = shape_of(x), shape_of(slope)
    if len(given) == 1 and given != (1,):
        if len(shape) < 2 or given[0] != shape[1]:
            raise ShapeError(
                "prelu", [type_of(x), type_of(slope)],
                "there is one slope, or one for each channel",
                hint="channels are the second axis",
            )
        slope = reshape(slope, shape=(-1, *(1,) * (len(shape) - 2)))
    return where(greater(x, 0), x, mul(slope, x))


def relu6(x: Any) -> Any:
    """Each entry, but at least 0 and at most 6; its derivative at both is 0.

    >>> relu6(np.array([-1.0, 2.0, 8.0]))
    array([0., 2., 6.])
    """
    return where(greater_equal(x, 6), 6, relu(x))


def hardtanh(x: Any, low: float = -1.0, high: float = 1.0) -> Any:
    """Each entry, but within bounds; its derivative there is 0.

    >>> hardtanh(np.array([-2.0, 0.5, 2.0]))
    array([-1. ,  0.5,  1. ])
    """
    if not low < high:
        raise OptionError("hardtanh", [type_of(x)], f"{low} is not less than {high}")
    return where(less_equal(x, low), low, where(greater_equal(x, high), high, x))


def hardsigmoid(x: Any) -> Any:
    """x / 6 + 1/2, but at least 0 and at most 1.

    >>> hardsigmoid(np.array([-4.0, 0.0, 4.0]))
    array([0. , 0.5, 1. ])
    """
    return div(relu6(x + 3), 6)


def hardswish(x: Any) -> Any:
    """x times its `hardsigmoid`.

    >>> hardswish(np.array([-4.0, 1.5, 4.0]))
    array([0.   , 1.125, 4.   ])
    """
    near = hardtanh(x, -3, 3)  # the parabola of what is far would be infinite, and masked then
    middle = div(mul(near, near + 3), 6)
    return where(less_equal(x, -3), 0, where(greater_equal(x, 3), x, middle))


def threshold(x: Any, at: float, value: float) -> Any:
    """Each entry that is greater than `at`, else `value`.

    >>> threshold(np.array([1.0, 2.0]), 1.0, 0.5)
    array([0.5, 2. ])
    """
    return where(less_equal(x, at), value, x)


def hardshrink(x: Any, bound: float = 0.5) -> Any:
    """Each entry, or 0 if its magnitude is at most `bound`.

    >>> hardshrink(np.array([-1.0, 0.25]))
    array([-1.,  0.])
    """
    return where(less_equal(abs(x), bound), 0, x)


def softshrink(x: Any, bound: float = 0.5) -> Any:
    """Each entry nearer to 0 by `bound`, and 0 if it would be beyond.

    >>> softshrink(np.array([-1.0, 0.25]))
    array([-0.5,  0. ])
    """
    if bound < 0:
        raise OptionError("softshrink", [type_of(x)], f"the bound is at least 0, not {bound}")
    return where(greater(x, bound), x - bound, where(greater_equal(x, -bound), 0, x + bound))


def elu(x: Any, alpha: float = 1.0) -> Any:
    """x where it is positive, else alpha (exp(x) - 1).

    >>> elu(np.array([-1.0, 2.0]))
    array([-0.63212056,  2.        ])
    """
    return where(greater(x, 0), x, mul(expm1(below(x)), alpha))


def selu(x: Any) -> Any:
    """elu, scaled so that activations tend to mean 0 and variance 1.

    >>> selu(np.array([1.0]))
    array([1.05070099])
    """
    return mul(elu(x, SELU_ALPHA), SELU_SCALE)


def celu(x: Any, alpha: float = 1.0) -> Any:
    """x where it is positive, else alpha (exp(x / alpha) - 1): with slope 1 at 0.

    >>> celu(np.array([-2.0, 2.0]), 2.0)
    array([-1.26424112,  2.        ])
    """
    if not alpha:
        raise OptionError("celu", [type_of(x)], "alpha must not be 0")
    return where(greater(x, 0), x, mul(expm1(div(below(x), alpha)), alpha))


def mish(x: Any) -> Any:
    """x times the hyperbolic tangent of its softplus.

    >>> mish(np.array([0.0]))
    array([0.])
    """
    return mul(x, tanh(softplus(x)))


def softsign(x: Any) -> Any:
    """x / (1 + abs(x)).

    >>> softsign(np.array([1.0]))
    array([0.5])
    """
    return div(x, abs(x) + 1)


def tanhshrink(x: Any) -> Any:
    """x less its hyperbolic tangent.

    >>> tanhshrink(np.array([0.0]))
    array([0.])
    """
    return x - tanh(x)


def log_sigmoid(x: Any) -> Any:
    """The logarithm of the logistic function, exact where that underflows.

    >>> log_sigmoid(np.array([-1000.0]))
    array([-1000.])
    """
    return neg(softplus(neg(x)))


def glu(x: Any, axis: int = -1) -> Any:
    """The first half of `x` along an axis times the logistic function of the second half.

    >>> glu(np.array([2.0, 0.0]))
    array([1.])
    """
    axis = normalize_axis("glu", type_of(x), axis)
    n = shape_of(x)[axis]
    if isinstance(n, int) and n % 2:
        raise ShapeError("glu", [type_of(x)], f"axis {axis} has an odd size, {n}")
    before = (slice(None),) * axis
    half = n // 2
    first, second = (index(x, (*before, part)) for part in (slice(half), slice(half, None)))
    return mul(first, sigmoid(second))
