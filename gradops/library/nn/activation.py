"""Activation functions. All are finite and exact to rounding where the mathematics is."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import analytic, cases, reals, unary
from ...core.traits import Trait
from ...core.types import ArrayType, normalize_axis, result_dtype
from ...kernels.elementwise.erf import erf as erf_kernel
from ...kernels.elementwise.floats import inexact
from ...kernels.elementwise.gelu import by_pieces, gelu_piece, slope_piece
from ...kernels.elementwise.rectify import MANY, positive_part
from ...kernels.nn.rows import columns, has_short_rows, rows
from ..elementwise.arithmetic import strong_product
from ..elementwise.elementwise import exp
from ..elementwise.trigonometric import tanh
from ..families import advance, elementwise, selection, singular
from ..reduce.reduction import require_axes, sum

__all__ = ["gelu", "log_softmax", "relu", "sigmoid", "silu", "softmax", "softplus"]

SMALL = 64  # entries up to which the number of NumPy calls is the cost


def reusable(y: Any) -> Any:
    """`y` if the steps that follow may overwrite it, else None."""
    return y if type(y) is np.ndarray and y.dtype.kind == "f" else None


# 1, -1 and 0 as arrays, which cost half as much as Python numbers beside small arrays.
NUMBERS: dict[Any, Any] = {
    np.dtype(d): tuple(np.array(n, d) for n in (1, -1, 0)) for d in ("f4", "f8")
}


ARRAYS = frozenset({np.ndarray, np.float32, np.float64})


def sigmoid_kernel(x: Any, out: Any = None) -> Any:
    """1 / (1 + exp(-x)), exact in both tails."""
    numbers = NUMBERS.get(x.dtype) if type(x) in ARRAYS else None
    if numbers is not None and x.size <= SMALL:
        one, minus_one, zero = numbers  # exp(min(x, 0)) / (1 + exp(-|x|)) cannot overflow
        below = np.exp(np.minimum(x, zero))
        return np.divide(below, np.add(np.exp(np.copysign(x, minus_one)), one), out=out)
    with np.errstate(over="ignore"):  # 1 / inf is the 0 that is meant
        y = np.negative(inexact(x), out=out)
        out = reusable(y) if out is None else out
        y = np.exp(y, out=out)
        return np.divide(1, np.add(y, 1, out=out), out=out)


def softplus_kernel(x: Any, out: Any = None) -> Any:
    x = inexact(x)
    if np.size(x) <= SMALL:
        return np.logaddexp(x, 0, out=out)
    y = softplus_of_minus(np.abs(x))
    return np.add(y, np.maximum(x, 0), out=reusable(y) if out is None else out)


def softplus_of_minus(x: Any) -> Any:
    """log(1 + exp(-x)) for an array `x` >= 0, which is overwritten."""
    out = reusable(x)
    return np.log1p(np.exp(np.negative(x, out=out), out=out), out=out)


sigmoid = elementwise(
    "sigmoid", sigmoid_kernel, d=[lambda y, x: y * (1 - y)], traits=[Trait.NONNEGATIVE],
    samples=analytic, doc="The logistic function, 1 / (1 + exp(-x)).",
)
softplus = elementwise(
    "softplus", softplus_kernel, d=[lambda y, x: sigmoid(x)], traits=[Trait.NONNEGATIVE],
    samples=cases(unary, reals((7, 10))), doc="log(1 + exp(x)), a smooth relu.",
)
def relu_source(x: ArrayType) -> str:
    """The kernel where it does more than NumPy's function."""
    known = all(isinstance(n, int) for n in x.shape)
    large = known and math.prod(map(int, x.shape)) >= MANY
    return "relu({0}{out})" if large else "np.maximum({0}, 0{out})"


relu = selection(
    "relu", positive_part, masks=[lambda y, x: y > 0],
    traits=[Trait.NONNEGATIVE, Trait.KINKED], source=relu_source, samples=unary,
    doc="The positive part of each entry; its derivative at 0 is 0.",
)


def silu_kernel(x: Any, out: Any = None) -> Any:
    x = inexact(x)
    with np.errstate(over="ignore"):  # x / inf is the 0 that is meant
        y = np.negative(x)
        buffer = reusable(y)
        y = np.exp(y, out=buffer)
        return np.divide(x, np.add(y, 1, out=buffer), out=out)


def silu_slope(y: Any, x: Any) -> Any:
    """s (1 + x (1 - s)) with s = sigmoid(x)."""
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


silu = elementwise(
    "silu", silu_kernel, d=[silu_slope], samples=unary, doc="x times its logistic function.",
)

CUBIC, SCALE = 0.044715, math.sqrt(2 / math.pi)


def is_single(x: Any) -> bool:
    """Whether entries have few enough digits for the kernels of gelu in float32."""
    return type(x) in ARRAYS and x.dtype.kind == "f" and x.dtype.itemsize <= 4


def gelu_by_erf(x: Any, out: Any) -> Any:
    if is_single(x):
        return by_pieces(gelu_piece, x, out)
    y = erf_kernel(x * math.sqrt(0.5))
    y += 1
    y *= x
    return np.multiply(y, 0.5, out=out)


def gelu_by_tanh(x: Any, out: Any) -> Any:
    y = x * x * CUBIC
    y += 1
    y *= x
    y *= SCALE
    y = np.tanh(y, out=reusable(y))
    y += 1
    y *= x
    return np.multiply(y, 0.5, out=out)


def slope_by_erf(x: Any, out: Any) -> Any:
    """Phi(x) + x phi(x), of the normal distribution."""
    if is_single(x):
        return by_pieces(slope_piece, x, out)
    y = np.multiply(density(x), x)
    return np.add(y, 0.5 * (1 + erf_kernel(x * math.sqrt(0.5))), out=out)


def slope_by_tanh(x: Any, out: Any) -> Any:
    """(1 + u)/2 + x/2 (1 - u u) times the slope of what is inside u = tanh(...)."""
    u, inner = gelu_inside(x)
    return np.add(0.5 * (1 + u), 0.5 * x * strong_product(1 - u * u, inner), out=out)


def density(x: Any) -> Any:
    """phi(x), of the normal distribution."""
    return exp(-0.5 * (x * x)) / math.sqrt(2 * math.pi)


def gelu_inside(x: Any) -> tuple[Any, Any]:
    """u, and the slope of what is inside, which may overflow where 1 - u u is zero."""
    return tanh(SCALE * x * (1 + CUBIC * (x * x))), SCALE * (1 + 3 * CUBIC * (x * x))


def bend_by_tanh(x: Any) -> Any:
    """The second derivative: (1 - u u) (w' - x u w' w' + x w''/2), u being tanh(w)."""
    u, inner = gelu_inside(x)
    bend = inner - x * u * inner * inner + 3 * SCALE * CUBIC * (x * x)
    return strong_product(1 - u * u, bend)


class Form(NamedTuple):
    """A form of gelu: kernels of its value and its slope, and its second derivative."""

    value: Callable[[Any, Any], Any]
    slope: Callable[[Any, Any], Any]
    bend: Callable[[Any], Any]


GELU = {
    "none": Form(gelu_by_erf, slope_by_erf, lambda x: density(x) * (2 - x * x)),
    "tanh": Form(gelu_by_tanh, slope_by_tanh, bend_by_tanh),
}


def gelu_form(approximate: str) -> Form:
    """What there is for one value of `approximate`."""
    if approximate not in GELU:
        raise OptionError("gelu", [], f"approximate is 'none' or 'tanh', not {approximate!r}")
    return GELU[approximate]


def gelu_infer(x: ArrayType, approximate: str) -> ArrayType:
    gelu_form(approximate)
    return ArrayType(x.shape, result_dtype(np.tanh, (x.dtype,)))


def gelu_kernel(x: Any, approximate: str = "none", out: Any = None) -> Any:
    return gelu_form(approximate).value(inexact(x), out)


def gelu_slope_kernel(x: Any, approximate: str = "none", out: Any = None) -> Any:
    return gelu_form(approximate).slope(inexact(x), out)


gelu_samples = cases(unary, reals((3, 4), approximate="tanh"))
gelu_slope = elementwise(
    "gelu_slope", gelu_slope_kernel,
    d=[singular(lambda y, x, approximate: gelu_form(approximate).bend(x))],
    infer=gelu_infer, source="gelu_slope({0}, approximate={approximate}{out})",
    samples=gelu_samples, doc="The derivative of gelu.",
)
gelu = elementwise(
    "gelu", gelu_kernel, d=[lambda y, x, approximate: gelu_slope(x, approximate=approximate)],
    infer=gelu_infer, source="gelu({0}, approximate={approximate}{out})", samples=gelu_samples,
    doc="x times the normal distribution function, or its usual approximation by tanh.",
)


def along(name: str, kernel: Callable[..., Any], **facets: Any) -> Op:
    """An op that normalizes along one axis and keeps the shape."""

    def infer(x: ArrayType, axis: int) -> ArrayType:
        normalize_axis(name, x, axis)
        return ArrayType(x.shape, result_dtype(kernel, (x.dtype,)))

    return Op(
        name=name, kernel=kernel, infer=infer, batch=advance, family="along an axis",
        source=f"{name}({{0}}, axis={{axis}}{{out}})",
        samples=cases(reals((3, 4)), reals((2, 3, 4), axis=1), reals((4,), axis=0), reals((0, 3)),
                      reals((2, 0))),
        error_samples=[
            ErrorSample([np.ones((2, 3))], {"axis": 2}, ShapeError, "axis 2 is out of range"),
        ],
        **facets,
    )


def centred(x: Any, axis: int, out: Any) -> Any:
    """`x` less its largest entry along the axis, so that exp cannot overflow."""
    require_axes(x, axis)
    x = inexact(x)
    if not x.size:
        return x.copy()
    return np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True), out=out)


def softmax_kernel(x: Any, axis: int = -1, out: Any = None) -> Any:
    if has_short_rows(x, axis):
        y = columns(x)
        y = np.exp(np.subtract(y, np.maximum.reduce(y), out=y), out=y)
        return rows(np.divide(y, np.add.reduce(y), out=y), x, out)
    y = centred(x, axis, out)
    out = reusable(y)
    y = np.exp(y, out=out)
    return np.divide(y, np.add.reduce(y, axis=axis, keepdims=True), out=out)


def log_softmax_kernel(x: Any, axis: int = -1, out: Any = None) -> Any:
    if has_short_rows(x, axis):
        y = columns(x)
        y = np.subtract(y, np.maximum.reduce(y), out=y)
        return rows(np.subtract(y, np.log(np.add.reduce(np.exp(y))), out=y), x, out)
    y = centred(x, axis, out)
    total = np.add.reduce(np.exp(y), axis=axis, keepdims=True)
    if not y.size:
        return y
    return np.subtract(y, np.log(total), out=reusable(y))


softmax_rule = lambda v, y, x, axis: y * (v - sum(v * y, axis=axis, keepdims=True))
softmax = along(
    "softmax", softmax_kernel, vjp=[softmax_rule], jvp=[softmax_rule],
    traits=frozenset({Trait.NONNEGATIVE}), doc="exp(x) divided by its sum along an axis.",
)
log_softmax = along(
    "log_softmax", log_softmax_kernel,
    vjp=[lambda g, y, x, axis: g - exp(y) * sum(g, axis=axis, keepdims=True)],
    jvp=[lambda t, y, x, axis: t - sum(exp(y) * t, axis=axis, keepdims=True)],
    doc="The logarithm of softmax, accurate where softmax underflows.",
)
