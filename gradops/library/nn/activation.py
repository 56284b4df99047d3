"""Activation functions, finite and exact to rounding where the mathematics is.

At kinks they have PyTorch's derivatives.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.op import OPS
from ...core.samples import analytic, cases, reals, unary
from ...core.traits import Trait
from ...core.types import ArrayType, normalize_axis, result_dtype, shape_of, type_of
from ...kernels.elementwise.erf import erf as erf_kernel
from ...kernels.elementwise.tables import inexact
from ...kernels.native_kernels import native, run_for
from ...kernels.nn import activation as kernels
from ...kernels.nn.activation import CUBIC, SCALE
from ...kernels.nn.gelu import BLOCK as PIECE
from ...kernels.nn.gelu import P as POLYNOMIAL
from ...kernels.nn.gelu import by_pieces, slope_piece, value_and_slope
from ...typing import AnyArray, Operand, OperandLike, Out
from ..elementwise.arithmetic import abs, div, mul, neg, strong_product
from ..elementwise.comparison import greater, greater_equal, less_equal, where
from ..elementwise.exponential import exp, expm1
from ..elementwise.trigonometric import tanh
from ..families import elementwise, selection, singular
from ..index.indexing import index
from ..shape.movement import reshape

__all__ = [
    "celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "leaky_relu", "log_sigmoid", "mish", "prelu", "relu", "relu6", "selu",
    "sigmoid", "silu", "softplus", "softshrink", "softsign", "tanhshrink", "threshold",
]

sigmoid = elementwise(
    "sigmoid", kernels.sigmoid, d=[lambda y, x: y * (1 - y)],
    traits=[Trait.NONNEGATIVE, Trait.SATURATING],
    scalar="(1.0 if {0} >= 0.0 else math.exp({0})) / (1.0 + math.exp(-abs({0})))",
    samples=analytic, onnx="Sigmoid", doc="The logistic function, 1 / (1 + exp(-x)).",
)
softplus = elementwise(
    "softplus", kernels.softplus, d=[lambda y, x: sigmoid(x)],
    traits=[Trait.NONNEGATIVE, Trait.SATURATING],
    scalar="max({0}, 0.0) + math.log1p(math.exp(-abs({0})))",
    samples=cases(unary, reals((7, 10))), onnx="Softplus", doc="log(1 + exp(x)), a smooth relu.",
)
def relu_source(x: ArrayType) -> str:
    """The kernel for large arrays; NumPy's function does for small ones."""
    known = all(isinstance(n, int) for n in x.shape)
    large = known and math.prod(map(int, x.shape)) >= kernels.MANY
    return "relu({0}{out})" if large else "np.maximum({0}, 0{out})"


relu = selection(
    "relu", kernels.positive_part, masks=[lambda y, x: y > 0],
    traits=[Trait.NONNEGATIVE, Trait.KINKED, Trait.MOVING, Trait.UNROUNDED], source=relu_source,
    samples=unary,
    scalar="({0} if {0} > 0.0 or {0} != {0} else 0.0)",
    onnx="Relu", doc="The positive part of each entry; its derivative at 0 is 0.",
)


def silu_slope(y: AnyArray, x: AnyArray) -> AnyArray:
    """s (1 + x (1 - s)) with s = sigmoid(x)."""
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


silu = elementwise(
    "silu", kernels.silu, d=[silu_slope], traits=[Trait.SATURATING], samples=unary,
    formula=lambda x: x * sigmoid(x), doc="x times its logistic function.",
)



@native("activations", "gelu_slope", "x, out", entrywise=1)
def slope_by_erf(x: Any, out: Any) -> Operand:
    """The slope of exact gelu: Phi(x) + x phi(x), of the normal distribution."""
    if kernels.is_single(x):
        return by_pieces(slope_piece, x, out)
    y = np.multiply(density(x), x)
    return np.add(y, 0.5 * (1 + erf_kernel(x * math.sqrt(0.5))), out=out)


@native("activations", "gelu_tanh_slope", "x, out", entrywise=1)
def slope_by_tanh(x: AnyArray, out: np.ndarray | None) -> AnyArray:
    """The slope of approximate gelu."""
    return kernels.in_pieces(slope_of_piece, x, out)


def slope_of_piece(x: AnyArray, out: np.ndarray | None) -> AnyArray:
    """(1 + u)/2 + x/2 (1 - u u) w' with u = tanh(w)."""
    u, inner = gelu_tanh_and_slope(x)
    return np.add(0.5 * (1 + u), 0.5 * x * strong_product(1 - u * u, inner), out=out)


def density(x: Any) -> Any:
    """phi(x), the density of the normal distribution."""
    return exp(-0.5 * (x * x)) / math.sqrt(2 * math.pi)


def gelu_tanh_and_slope(x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """u = tanh(w) and the slope w', which may overflow where 1 - u u is zero."""
    return tanh(SCALE * x * (1 + CUBIC * (x * x))), SCALE * (1 + 3 * CUBIC * (x * x))


def second_by_tanh(x: AnyArray) -> AnyArray:
    """The second derivative: (1 - u u) (w' - x u w' w' + x w''/2), with u = tanh(w)."""
    u, inner = gelu_tanh_and_slope(x)
    bend = inner - x * u * inner * inner + 3 * SCALE * CUBIC * (x * x)
    return strong_product(1 - u * u, bend)


def doubled_distribution(x: AnyArray) -> AnyArray:
    """2 Phi(x), in float32 by the polynomial of the kernel."""
    if type_of(x).dtype != np.float32:
        return 1 + OPS["erf"](x * math.sqrt(0.5))
    square, total = x * x, float(POLYNOMIAL[-1])
    for c in POLYNOMIAL[-2::-1].tolist():
        total = square * total + c
    return 1 + tanh(x * total)


def slope_formula_by_tanh(x: AnyArray) -> AnyArray:
    """The slope of approximate gelu, by ops."""
    u, inner = gelu_tanh_and_slope(x)
    return 0.5 * (1 + u) + 0.5 * x * strong_product(1 - u * u, inner)


class Form(NamedTuple):
    """A form of gelu: kernels of its value and slope, its second derivative, and formulas."""

    value: Callable[[Any, Any], Any]
    slope: Callable[[Any, Any], Any]
    bend: Callable[[Any], Any]
    formula: Callable[[Any], Any]
    slope_formula: Callable[[Any], Any]


GELU = {
    "none": Form(
        kernels.gelu_by_erf, slope_by_erf, lambda x: density(x) * (2 - x * x),
        lambda x: 0.5 * doubled_distribution(x) * x,
        lambda x: 0.5 * doubled_distribution(x) + x * density(x),
    ),
    "tanh": Form(
        kernels.gelu_by_tanh, slope_by_tanh, second_by_tanh,
        lambda x: 0.5 * x * (1 + gelu_tanh_and_slope(x)[0]), slope_formula_by_tanh,
    ),
}


def gelu_form(approximate: str) -> Form:
    """The form for a value of `approximate`, or an OptionError."""
    if approximate not in GELU:
        raise OptionError("gelu", [], f"approximate is 'none' or 'tanh', not {approximate!r}")
    return GELU[approximate]


def gelu_infer(x: ArrayType, approximate: str) -> ArrayType:
    gelu_form(approximate)
    return ArrayType(x.shape, result_dtype(np.tanh, (x.dtype,)))


def gelu_kernel(x: np.ndarray, approximate: str = "none", out: Out = None) -> np.ndarray:
    return gelu_form(approximate).value(inexact(x), out)


def gelu_slope_kernel(x: np.ndarray, approximate: str = "none", out: Out = None) -> np.ndarray:
    return gelu_form(approximate).slope(inexact(x), out)


@native(
    "activations", "gelu_and_slope", "x, None, None", when="approximate == 'none'", entrywise=1,
)
@native(
    "activations", "gelu_tanh_and_slope", "x, None, None", when="approximate == 'tanh'",
    entrywise=1,
)
def gelu_and_slope_kernel(x: np.ndarray, approximate: str = "none") -> tuple[Any, Any]:
    x = inexact(x)
    if approximate == "none" and kernels.is_single(x):
        return value_and_slope(x)
    return gelu_kernel(x, approximate), gelu_slope_kernel(x, approximate)


gelu_samples = cases(unary, reals((3, 4), approximate="tanh"))


def piece_bytes(y: ArrayType, x: ArrayType, approximate: str) -> int:
    """The bytes of the blocks that are computed on the way; none in machine code."""
    if run_for(y.dtype) and (approximate == "tanh" or y.dtype.itemsize == 4):
        return 0
    count = 6 if approximate == "tanh" else 2
    return count * min(PIECE, math.prod(map(int, x.shape))) * x.dtype.itemsize


gelu_slope = elementwise(
    "gelu_slope", gelu_slope_kernel,
    d=[singular(lambda y, x, approximate: gelu_form(approximate).bend(x))], infer=gelu_infer,
    traits=[Trait.SATURATING], workspace=piece_bytes, samples=gelu_samples,
    doc="The derivative of gelu.",
    formula=lambda x, approximate: gelu_form(approximate).slope_formula(x),
)
gelu = elementwise(
    "gelu", gelu_kernel, d=[lambda y, x, approximate: gelu_slope(x, approximate=approximate)],
    infer=gelu_infer, traits=[Trait.SATURATING], samples=gelu_samples,
    pairs={"gelu_slope": gelu_and_slope_kernel}, workspace=piece_bytes,
    formula=lambda x, approximate: gelu_form(approximate).formula(x),
    doc="x times the normal distribution function, or its usual approximation by tanh.",
)


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
"""The scale and slope with which activations tend to mean 0 and variance 1."""


def nonpositive_part(x: Any) -> AnyArray:
    """min(x, 0), so that exp cannot overflow."""
    return where(greater(x, 0), 0, x)


def leaky_relu(x: OperandLike, slope: float = 0.01) -> Any:
    """x where it is positive, else `slope` times x.

    >>> leaky_relu(np.array([-1.0, 2.0]), 0.5)
    array([-0.5,  2. ])
    """
    return where(greater(x, 0), x, mul(x, slope))


def prelu(x: OperandLike, slope: OperandLike) -> Any:
    """x where it is positive, else a slope times x; one slope, or one for each channel (axis 1).

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


def relu6(x: OperandLike) -> Any:
    """x clipped to 0 to 6; the derivative at both is 0.

    >>> relu6(np.array([-1.0, 2.0, 8.0]))
    array([0., 2., 6.])
    """
    return where(greater_equal(x, 6), 6, relu(x))


def hardtanh(x: OperandLike, low: float = -1.0, high: float = 1.0) -> Any:
    """x clipped to bounds; the derivative at both is 0.

    >>> hardtanh(np.array([-2.0, 0.5, 2.0]))
    array([-1. ,  0.5,  1. ])
    """
    if not low < high:
        raise OptionError("hardtanh", [type_of(x)], f"{low} is not less than {high}")
    return where(less_equal(x, low), low, where(greater_equal(x, high), high, x))


def hardsigmoid(x: Any) -> Any:
    """x / 6 + 1/2, clipped to 0 to 1.

    >>> hardsigmoid(np.array([-4.0, 0.0, 4.0]))
    array([0. , 0.5, 1. ])
    """
    return div(relu6(x + 3), 6)


def hardswish(x: OperandLike) -> Any:
    """x hardsigmoid(x).

    >>> hardswish(np.array([-4.0, 1.5, 4.0]))
    array([0.   , 1.125, 4.   ])
    """
    near = hardtanh(x, -3, 3)  # the parabola of what is far would be infinite, and masked then
    middle = div(mul(near, near + 3), 6)
    return where(less_equal(x, -3), 0, where(greater_equal(x, 3), x, middle))


def threshold(x: OperandLike, at: float, value: float) -> Any:
    """x where it is greater than `at`, else `value`.

    >>> threshold(np.array([1.0, 2.0]), 1.0, 0.5)
    array([0.5, 2. ])
    """
    return where(less_equal(x, at), value, x)


def hardshrink(x: OperandLike, bound: float = 0.5) -> Any:
    """x, or 0 where abs(x) is at most `bound`.

    >>> hardshrink(np.array([-1.0, 0.25]))
    array([-1.,  0.])
    """
    return where(less_equal(abs(x), bound), 0, x)


def softshrink(x: Any, bound: float = 0.5) -> Any:
    """x moved towards 0 by `bound`, and 0 where abs(x) is at most `bound`.

    >>> softshrink(np.array([-1.0, 0.25]))
    array([-0.5,  0. ])
    """
    if bound < 0:
        raise OptionError("softshrink", [type_of(x)], f"the bound is at least 0, not {bound}")
    return where(greater(x, bound), x - bound, where(greater_equal(x, -bound), 0, x + bound))


def elu(x: OperandLike, alpha: float = 1.0) -> Any:
    """x where it is positive, else alpha (exp(x) - 1).

    >>> elu(np.array([-1.0, 2.0]))
    array([-0.63212056,  2.        ])
    """
    return where(greater(x, 0), x, mul(expm1(nonpositive_part(x)), alpha))


def selu(x: OperandLike) -> Any:
    """elu, scaled so that activations tend to mean 0 and variance 1.

    >>> selu(np.array([1.0]))
    array([1.05070099])
    """
    return mul(elu(x, SELU_ALPHA), SELU_SCALE)


def celu(x: OperandLike, alpha: float = 1.0) -> Any:
    """x where it is positive, else alpha (exp(x / alpha) - 1), which has slope 1 at 0.

    >>> celu(np.array([-2.0, 2.0]), 2.0)
    array([-1.26424112,  2.        ])
    """
    if not alpha:
        raise OptionError("celu", [type_of(x)], "alpha must not be 0")
    return where(greater(x, 0), x, mul(expm1(div(nonpositive_part(x), alpha)), alpha))


def mish(x: OperandLike) -> Any:
    """x tanh(softplus(x)).

    >>> mish(np.array([0.0]))
    array([0.])
    """
    return mul(x, tanh(softplus(x)))


def softsign(x: OperandLike) -> Any:
    """x / (1 + abs(x)).

    >>> softsign(np.array([1.0]))
    array([0.5])
    """
    return div(x, abs(x) + 1)


def tanhshrink(x: OperandLike) -> Any:
    """x - tanh(x).

    >>> tanhshrink(np.array([0.0]))
    array([0.])
    """
    return x - tanh(x)


def log_sigmoid(x: OperandLike) -> Any:
    """log(sigmoid(x)), exact where sigmoid underflows.

    >>> log_sigmoid(np.array([-1000.0]))
    array([-1000.])
    """
    return neg(softplus(neg(x)))


def glu(x: OperandLike, axis: int = -1) -> Any:
    """The first half of `x` along an axis times the sigmoid of the second half.

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
