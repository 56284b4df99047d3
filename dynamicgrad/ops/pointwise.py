"""Elementwise functions that combine several ops or take more arguments than one."""

from collections.abc import Callable

import numpy as np

import gradops as ops
from gradops import OptionError
from gradops.core.types import is_complex, is_inexact, shape_of, type_of
from gradops.typing import Number

from ..dispatch.casting import require_range
from ..dispatch.division import require_divisor
from ..dispatch.fast_path import binary, operand, unary
from ..dispatch.op_dtypes import factor_in, in_one_dtype, promote_with_factor, require_kind
from ..dispatch.promotion import common_dtype
from ..dispatch.wrapping import by_name, set_name
from ..engine.handle import cut_off
from ..engine.tensor import Tensor, as_tensor

divide, direction = binary(ops.div), unary(ops.sign)
Bound = Tensor | Number | None
PLAIN_BOUNDS = frozenset({float, int, type(None)})
"""Types of bounds that have the dtype of the floats beside them."""


def div(x: Tensor, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
    """The quotient; `rounding_mode` "floor" or "trunc" rounds it.

    >>> dg.div(dg.tensor([7, -7]), 2, rounding_mode="trunc")
    tensor([ 3, -3])
    """
    if rounding_mode is None:
        return divide(x, other)
    if rounding_mode == "floor":
        require_divisor(ops.floor_divide, x, other)
        return ops.floor_divide(operand(x), other)
    if rounding_mode != "trunc":
        kinds = [type_of(operand(x)), type_of(other)]
        raise OptionError("div", kinds, f"rounding_mode is 'floor' or 'trunc', not {rounding_mode}")
    x, other = in_one_dtype([operand(x), other])
    if is_inexact(x.dtype):
        return ops.trunc(divide(x, other))
    require_divisor(ops.floor_divide, x, other)
    return ops.floor_divide(x - ops.fmod(x, other), other)


def round_(x: Tensor, *, decimals: int = 0) -> Tensor:
    """Each entry rounded to `decimals`, halves to even.

    >>> dg.round(dg.tensor([0.5, 1.25]), decimals=1)
    tensor([0.5000, 1.2000])
    """
    if decimals == 0:
        return ops.round(x)
    return ops.round(x * 10.0**decimals) / 10.0**decimals


def lerp(x: Tensor, end: Tensor | Number, weight: Tensor | Number) -> Tensor:
    """Linear interpolation: `x + weight * (end - x)`.

    >>> dg.lerp(dg.tensor([1.0]), dg.tensor([3.0]), 0.25)
    tensor([1.5000])
    """
    return x + weight * (end - x)


def addcmul(x: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """`x + value * tensor1 * tensor2`.

    >>> dg.addcmul(dg.tensor([1.0]), dg.tensor([2.0]), dg.tensor([3.0]), value=2)
    tensor([13.])
    """
    x, tensor1, tensor2 = in_one_dtype([x, tensor1, tensor2])
    product = tensor1 * tensor2
    if x.dtype.kind in "iu":
        value = int(value)  # truncated, as in PyTorch
    return x + factor_in("addcmul", value, x.dtype) * product


def addcdiv(x: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """`x + value * tensor1 / tensor2`.

    >>> dg.addcdiv(dg.tensor([1.0]), dg.tensor([3.0]), dg.tensor([2.0]))
    tensor([2.5000])
    """
    require_kind("addcdiv", [tensor1, tensor2], common_dtype([tensor1, tensor2]), "fc")
    return x + value * (tensor1 / tensor2)


def frac(x: Tensor) -> Tensor:
    """The fractional part of each entry, with its sign.

    >>> dg.frac(dg.tensor([2.5, -2.5]))
    tensor([ 0.5000, -0.5000])
    """
    return x - ops.trunc(x)


def ldexp(x: Tensor, other: Tensor) -> Tensor:
    """`x * 2 ** other`.

    >>> dg.ldexp(dg.tensor([1.5]), dg.tensor([3]))
    tensor([12.])
    """
    other = operand(other)
    if is_inexact(x.dtype) and not is_inexact(other.dtype):
        require_kind("ldexp", [x, other], other.dtype, "iu")
        other = ops.astype(other, dtype=x.dtype)
    return x * ops.exp2(other)


def heaviside(x: Tensor, values: Tensor | Number) -> Tensor:
    """The step function: 0 for negative entries, 1 for positive ones, `values` for zeros.

    >>> dg.heaviside(dg.tensor([-1, 0, 2]), dg.tensor(5))
    tensor([0, 5, 1])
    """
    result = ops.heaviside(operand(x), values)
    return result if result.dtype == x.dtype else ops.astype(result, dtype=x.dtype)


def dist(x: Tensor, other: Tensor | Number, p: float = 2) -> Tensor:
    """The p-norm of the difference of two tensors.

    >>> dg.dist(dg.tensor([1.0, 1.0]), dg.tensor([4.0, 5.0]))
    tensor(5.)
    """
    return ops.vector_norm(x - other, ord=p)


def cdist(x1: Tensor, x2: Tensor, p: float = 2) -> Tensor:
    """The p-norm distances between the rows of two tensors.

    >>> dg.cdist(dg.tensor([[0.0, 0.0], [3.0, 4.0]]), dg.tensor([[0.0, 0.0]]))
    tensor([[0.],
            [5.]])
    """
    x1, x2 = operand(x1), operand(x2)
    apart = ops.expand_dims(x1, axis=-2) - ops.expand_dims(x2, axis=-3)
    return ops.vector_norm(apart, ord=p, axis=-1)


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers from absolute values and angles.

    >>> dg.polar(dg.tensor(2.0), dg.tensor(0.0))
    tensor(2.+0.j)
    """
    return ops.complex(operand(abs) * ops.cos(operand(angle)), abs * ops.sin(operand(angle)))


def isclose(
    x: Tensor, other: Tensor | Number, rtol: float = 1e-5, atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:  # fmt: skip
    """True where entries differ by no more than `atol + rtol * abs(other)`.

    >>> dg.isclose(dg.tensor([1.0, 2.0]), dg.tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    return ops.isclose(x, other, rtol, atol, equal_nan)


def bincount(x: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """The counts of 0, 1, 2 and so on; with weights, the sums of the weights.

    >>> dg.bincount(dg.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    numbers = x.detach().numpy()
    if numbers.ndim != 1 or numbers.dtype.kind not in "biu" or numbers.min(initial=0) < 0:
        raise ops.ShapeError(
            "bincount", [type_of(x)], "it counts non-negative integers in a vector",
            known_as="bincount only supports 1-d non-negative integral inputs.",
        )  # fmt: skip
    if minlength < 0:
        raise OptionError("bincount", [x.type], f"minlength must be at least 0, not {minlength}")
    counts = as_tensor(np.bincount(numbers.astype(np.int64, copy=False), minlength=minlength))
    if weights is None:
        return cut_off(counts, None, False)
    if weights.dtype != np.float32:  # as in PyTorch, whose other sums are in double precision
        weights = ops.astype(weights, dtype=np.float64)
    zeros = np.zeros(shape_of(counts), weights.dtype)
    return ops.scatter_add(as_tensor(zeros), numbers, weights)


def histc(x: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """The counts of entries in `bins` equal bins from `min` to `max`, by default their range.

    >>> dg.histc(dg.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    numbers = x.detach().numpy()
    if bins < 1:
        raise OptionError("histc", [type_of(x)], f"bins must be at least 1, not {bins}")
    if (min, max) == (0, 0) and numbers.size:
        min, max = numbers.min(), numbers.max()
        if min == max:
            min, max = min - 1, max + 1
    if not (np.isfinite(min) and np.isfinite(max) and min <= max):
        raise OptionError("histc", [type_of(x)], f"[{min}, {max}] is not a range")
    limits = (min, max)
    return as_tensor(np.histogram(numbers, bins, limits)[0].astype(numbers.dtype))


def with_alpha(op: ops.Op, doc: str) -> Callable[..., Tensor]:
    """`add` or `sub` with PyTorch's factor `alpha` for the second operand."""
    apply = binary(op)

    def call(x: Tensor, other: Tensor | Number, *, alpha: Tensor | Number = 1) -> Tensor:
        if alpha == 1:
            return apply(x, other)
        return apply(*promote_with_factor(op, op.name, operand(x), other, alpha))

    return set_name(call, op.name, doc)


add = with_alpha(ops.add, "`x + alpha * other`.")
sub = with_alpha(ops.sub, "`x - alpha * other`.")


def real(x: Tensor) -> Tensor:
    """The real part of complex entries, as a view; a real tensor is returned unchanged.

    >>> dg.real(dg.tensor([1 + 2j]))
    tensor([1.])
    """
    return ops.real(x) if is_complex(x.dtype) else x


def conj(x: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned unchanged.

    >>> dg.conj(dg.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return ops.conj(x) if is_complex(x.dtype) else x


def sign(x: Tensor) -> Tensor:
    """-1, 0 or 1 for each entry; refused for complex tensors, for which there is `sgn`.

    >>> dg.sign(dg.tensor([-2.0, 0.0]))
    tensor([-1.,  0.])
    """
    if is_complex(x.dtype):
        raise ops.DTypeError(
            "sign", [ops.type_of(x)], "it is defined for real numbers",
            hint="sgn(x) keeps the direction",
            known_as="torch.sign is not intended to support complex numbers",
        )  # fmt: skip
    return sgn(x)


def sgn(x: Tensor) -> Tensor:
    """-1, 0 or 1 for each entry; for complex ones z / |z|.

    >>> dg.sgn(dg.tensor([-2.0, 0.0]))
    tensor([-1.,  0.])
    """
    return ops.copy(x) if x.dtype == np.bool_ else direction(x)


def positive(x: Tensor) -> Tensor:
    """The tensor itself, as `+x`; refused for bool, as `-x` is.

    >>> dg.positive(dg.ones(2))
    tensor([1., 1.])
    """
    if x.dtype == np.bool_:
        raise ops.DTypeError("positive", [ops.type_of(x)], "a bool has no sign")
    return x


def clamp(x: Tensor, min: Bound = None, max: Bound = None) -> Tensor:
    """Each entry limited to the range from `min` to `max`.

    >>> dg.clamp(dg.tensor([-2.0, 0.5, 2.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    x = operand(x)
    require_range("clamp", x.dtype, min, max)
    if x.dtype.kind == "f" and PLAIN_BOUNDS.issuperset((type(min), type(max))):
        return ops.clip(x, min, max)
    given = in_one_dtype([x, *(b for b in (min, max) if b is not None)])
    low = None if min is None else given[1]
    return ops.clip(given[0], low, None if max is None else given[-1])


def clamp_max(x: Tensor, max: Tensor | Number) -> Tensor:
    """Each entry limited to at most `max`.

    >>> dg.clamp_max(dg.tensor([1.0, 3.0]), 2.0)
    tensor([1., 2.])
    """
    return clamp(x, max=max)


def clamp_min(x: Tensor, min: Tensor | Number) -> Tensor:
    """Each entry limited to at least `min`.

    >>> dg.clamp_min(dg.tensor([1.0, 3.0]), 2.0)
    tensor([2., 3.])
    """
    return clamp(x, min=min)


def equal(x: Tensor, other: Tensor | Number) -> bool:
    """True if two tensors have equal shapes and entries.

    >>> dg.equal(dg.ones(2), dg.ones(2)), dg.equal(dg.ones(2), dg.ones(3))
    (True, False)
    """
    return np.array_equal(as_tensor(x).value, as_tensor(other).value)


def allclose(
    x: Tensor, other: Tensor | Number, rtol: float = 1e-5, atol: float = 1e-8,
    equal_nan: bool = False,
) -> bool:  # fmt: skip
    """True if all entries differ by no more than `atol + rtol * abs(other)`.

    >>> dg.allclose(dg.ones(2), dg.ones(2) + 1e-6)
    True
    """
    a, b = operand(x).detach(), operand(other).detach()
    return bool(ops.all(isclose(a, b, rtol, atol, equal_nan)))


SHARED = by_name(
    add, allclose, clamp, clamp_max, clamp_min, conj, div, equal, heaviside, positive, real, sgn,
    sign, sub,
)  # fmt: skip
CONVERTING = by_name(
    addcdiv, addcmul, bincount, dist, frac, histc, isclose, ldexp, lerp, ops.isneginf, ops.isposinf,
    ops.isreal, ops.rsqrt,
) | {"round": round_}  # fmt: skip
