"""Functions that work entry by entry and are formulas of other ops, or take more than ops do."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops import OptionError
from gradops.core.types import is_complex, is_inexact, shape_of, type_of

from ..dispatch.casting import require_range
from ..dispatch.division import require_divisor
from ..dispatch.fast_path import binary, operand, unary
from ..dispatch.op_dtypes import factor_in, in_one_dtype, multiplied, require_kind
from ..dispatch.promotion import common_dtype
from ..engine.handle import cut_off
from ..engine.tensor import Tensor, as_tensor

divide, direction = binary(ops.div), unary(ops.sign)
PLAIN_BOUNDS = frozenset({float, int, type(None)})
"""Types of bounds that have the dtype of the floats beside them."""


def div(x: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """The quotient of two operands; with `rounding_mode`, rounded by "floor" or by "trunc".

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


def round_(x: Any, *, decimals: int = 0) -> Any:
    """Each entry rounded to so many decimals, halves to the even digit.

    >>> dg.round(dg.tensor([0.5, 1.25]), decimals=1)
    tensor([0.5000, 1.2000])
    """
    if decimals == 0:
        return ops.round(x)
    return ops.round(x * 10.0**decimals) / 10.0**decimals


def lerp(x: Any, end: Any, weight: Any) -> Any:
    """What lies between two operands, a part `weight` of the way from the first to the second.

    >>> dg.lerp(dg.tensor([1.0]), dg.tensor([3.0]), 0.25)
    tensor([1.5000])
    """
    return x + weight * (end - x)


def addcmul(x: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """The operand plus `value` times the product of two others.

    >>> dg.addcmul(dg.tensor([1.0]), dg.tensor([2.0]), dg.tensor([3.0]), value=2)
    tensor([13.])
    """
    x, tensor1, tensor2 = in_one_dtype([x, tensor1, tensor2])
    product = tensor1 * tensor2
    if x.dtype.kind in "iu":
        value = int(value)  # cut off, as in PyTorch
    return x + factor_in("addcmul", value, x.dtype) * product


def addcdiv(x: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """The operand plus `value` times the quotient of two others.

    >>> dg.addcdiv(dg.tensor([1.0]), dg.tensor([3.0]), dg.tensor([2.0]))
    tensor([2.5000])
    """
    require_kind("addcdiv", [tensor1, tensor2], common_dtype([tensor1, tensor2]), "fc")
    return x + value * (tensor1 / tensor2)


def frac(x: Any) -> Any:
    """What each entry has behind the point, with its sign.

    >>> dg.frac(dg.tensor([2.5, -2.5]))
    tensor([ 0.5000, -0.5000])
    """
    return x - ops.trunc(x)


def ldexp(x: Any, other: Any) -> Any:
    """The operand times 2 to the power of the other.

    >>> dg.ldexp(dg.tensor([1.5]), dg.tensor([3]))
    tensor([12.])
    """
    other = operand(other)
    if is_inexact(x.dtype) and not is_inexact(other.dtype):
        require_kind("ldexp", [x, other], other.dtype, "iu")
        other = ops.astype(other, dtype=x.dtype)
    return x * ops.exp2(other)


def heaviside(x: Any, values: Any) -> Any:
    """0 for negative entries, 1 for positive ones, and for zeros the entry of `values`.

    >>> dg.heaviside(dg.tensor([-1, 0, 2]), dg.tensor(5))
    tensor([0, 5, 1])
    """
    found = ops.heaviside(operand(x), values)
    return found if found.dtype == x.dtype else ops.astype(found, dtype=x.dtype)


def dist(x: Any, other: Any, p: float = 2) -> Any:
    """The norm of the difference of two operands.

    >>> dg.dist(dg.tensor([1.0, 1.0]), dg.tensor([4.0, 5.0]))
    tensor(5.)
    """
    return ops.vector_norm(x - other, ord=p)


def cdist(x1: Any, x2: Any, p: float = 2) -> Any:
    """The distances of the rows of one operand from the rows of another, by a norm.

    >>> dg.cdist(dg.tensor([[0.0, 0.0], [3.0, 4.0]]), dg.tensor([[0.0, 0.0]]))
    tensor([[0.],
            [5.]])
    """
    x1, x2 = operand(x1), operand(x2)
    apart = ops.expand_dims(x1, axis=-2) - ops.expand_dims(x2, axis=-3)
    return ops.vector_norm(apart, ord=p, axis=-1)


def polar(abs: Any, angle: Any) -> Any:
    """The complex numbers of a size and an angle.

    >>> dg.polar(dg.tensor(2.0), dg.tensor(0.0))
    tensor(2.+0.j)
    """
    return ops.complex(operand(abs) * ops.cos(operand(angle)), abs * ops.sin(operand(angle)))


def isclose(
    x: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Which entries differ by no more than `atol + rtol * abs(other)`.

    >>> dg.isclose(dg.tensor([1.0, 2.0]), dg.tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    return ops.isclose(x, other, rtol, atol, equal_nan)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often 0, 1, 2 and so on are among the entries; with weights, the sums of these.

    >>> dg.bincount(dg.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    numbers = x.detach().numpy()
    if numbers.ndim != 1 or numbers.dtype.kind not in "biu" or numbers.min(initial=0) < 0:
        raise ops.ShapeError(
            "bincount", [type_of(x)], "it counts the numbers 0, 1, 2 and so on in one row",
            known_as="bincount only supports 1-d non-negative integral inputs.",
        )  # fmt: skip
    if minlength < 0:
        raise OptionError("bincount", [type_of(x)], f"minlength is at least 0, not {minlength}")
    counts = as_tensor(np.bincount(numbers.astype(np.int64, copy=False), minlength=minlength))
    if weights is None:
        return cut_off(counts, None, False)
    if weights.dtype != np.float32:  # as in PyTorch, whose other sums are in double precision
        weights = ops.astype(weights, dtype=np.float64)
    zeros = np.zeros(shape_of(counts), weights.dtype)
    return ops.scatter_add(as_tensor(zeros), numbers, weights)


def histc(x: Any, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many entries lie in each of so many equal parts from `min` to `max`, or of their range.

    >>> dg.histc(dg.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    numbers = x.detach().numpy()
    if bins < 1:
        raise OptionError("histc", [type_of(x)], f"there is at least one bin, not {bins}")
    if (min, max) == (0, 0) and numbers.size:
        min, max = numbers.min(), numbers.max()
        if min == max:
            min, max = min - 1, max + 1
    if not (np.isfinite(min) and np.isfinite(max) and min <= max):
        raise OptionError("histc", [type_of(x)], f"no range is [{min}, {max}]")
    limits = (min, max)
    return as_tensor(np.histogram(numbers, bins, limits)[0].astype(numbers.dtype))


def scaled(op: ops.Op, doc: str) -> Callable[..., Any]:
    """`add` or `sub` with PyTorch's factor `alpha` for the second operand."""
    apply = binary(op)

    def call(x: Any, other: Any, *, alpha: Any = 1) -> Any:
        if alpha == 1:
            return apply(x, other)
        return apply(*multiplied(op, op.name, operand(x), other, alpha))

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = doc
    return call


add = scaled(ops.add, "`x + alpha * other`.")
sub = scaled(ops.sub, "`x - alpha * other`.")


def real(x: Any) -> Any:
    """The real part of complex entries: a view; what is real already is returned itself.

    >>> dg.real(dg.tensor([1 + 2j]))
    tensor([1.])
    """
    return ops.real(x) if is_complex(x.dtype) else x


def conj(x: Any) -> Any:
    """The complex conjugates; what is real is returned itself.

    >>> dg.conj(dg.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return ops.conj(x) if is_complex(x.dtype) else x


def sign(x: Any) -> Any:
    """-1, 0 or 1 for each entry; refused for complex numbers, which `sgn` is for.

    >>> dg.sign(dg.tensor([-2.0, 0.0]))
    tensor([-1.,  0.])
    """
    if is_complex(x.dtype):
        raise ops.DTypeError(
            "sign", [ops.type_of(x)], "it is of real numbers", hint="sgn(x) keeps the direction",
            known_as="torch.sign is not intended to support complex numbers",
        )  # fmt: skip
    return sgn(x)


def sgn(x: Any) -> Any:
    """-1, 0 or 1 for each entry; of complex ones, the direction z / |z|.

    >>> dg.sgn(dg.tensor([-2.0, 0.0]))
    tensor([-1.,  0.])
    """
    return ops.copy(x) if x.dtype == np.bool_ else direction(x)


def positive(x: Any) -> Any:
    """The tensor itself, as `+x` is; refused for bool, as `-x` is.

    >>> dg.positive(dg.ones(2))
    tensor([1., 1.])
    """
    if x.dtype == np.bool_:
        raise ops.DTypeError("positive", [ops.type_of(x)], "a bool has no sign")
    return x


def clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """Each entry, but no less than `min` and no more than `max`.

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


def clamp_max(x: Any, max: Any) -> Any:
    """Each entry, but no more than `max`.

    >>> dg.clamp_max(dg.tensor([1.0, 3.0]), 2.0)
    tensor([1., 2.])
    """
    return clamp(x, max=max)


def clamp_min(x: Any, min: Any) -> Any:
    """Each entry, but no less than `min`.

    >>> dg.clamp_min(dg.tensor([1.0, 3.0]), 2.0)
    tensor([2., 3.])
    """
    return clamp(x, min=min)


def equal(x: Any, other: Any) -> bool:
    """Whether two tensors have the same shape and the same entries.

    >>> dg.equal(dg.ones(2), dg.ones(2)), dg.equal(dg.ones(2), dg.ones(3))
    (True, False)
    """
    return np.array_equal(as_tensor(x).value, as_tensor(other).value)


def allclose(
    x: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether all entries differ by no more than `atol + rtol * abs(other)`.

    >>> dg.allclose(dg.ones(2), dg.ones(2) + 1e-6)
    True
    """
    a, b = operand(x).detach(), operand(other).detach()
    return bool(ops.all(isclose(a, b, rtol, atol, equal_nan)))


SHARED: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        add, allclose, clamp, clamp_max, clamp_min, conj, div, equal, heaviside, positive, real,
        sgn, sign, sub,
    )
}  # fmt: skip
CONVERTING: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        addcdiv, addcmul, bincount, dist, frac, histc, isclose, ldexp, lerp,
        ops.isneginf, ops.isposinf, ops.isreal, ops.rsqrt,
    )
} | {"round": round_}  # fmt: skip
