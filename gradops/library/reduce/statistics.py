"""Variances, covariances and vector norms."""

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Dim
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.samples import booleans, cases, complexes, distinct, integers, reals
from ...core.traits import Trait
from ...core.types import ArrayType, is_complex, is_inexact, shape_of, type_of
from ...typing import AnyArray, Operand, OperandLike
from ..elementwise.arithmetic import abs, power, sign, sqrt, strong_product
from ..elementwise.comparison import clip, equal, where
from ..elementwise.complexes import conj, real
from ..elementwise.trigonometric import share
from ..families import invalid, zeros_like
from ..index.diagonals import diagonal
from ..linalg.contraction import matmul
from ..shape.joining import concatenate
from ..shape.movement import in_dtype, reshape, transpose
from .reduction import (
    HALF,
    Axis,
    count,
    max,
    mean,
    mean_kernel,
    min,
    not_empty,
    reduction,
    require_axes,
    sum,
    tie_counts,
    with_reduced_axes,
    wrong_axes,
)

__all__ = ["corrcoef", "count_nonzero", "cov", "std", "var", "vector_norm"]

add_up: Callable[..., Any] = np.add.reduce


def deviations(x: Any, axis: Axis) -> Any:
    """The entries less their mean, as a new array."""
    return np.asarray(np.subtract(x, mean_kernel(x, axis, True)))


def var_kernel(
    x: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False, out: Any = None
) -> Any:
    require_axes(x, axis)
    if getattr(x, "dtype", None) == HALF:
        wide = np.asarray(var_kernel(x.astype(np.float32), axis, correction, keepdims)).astype(HALF)
        return wide[()] if out is None else np.positive(wide, out=out)
    off = deviations(x, axis)
    if off.dtype.kind == "c":
        squares = np.square(off.real) + np.square(off.imag)
    else:
        squares = np.square(off, out=off)
    total = add_up(squares, axis=axis, keepdims=keepdims, out=out)
    return np.true_divide(total, builtins.max(count(x, axis) - correction, 0), out=out)


def std_kernel(
    x: np.ndarray, axis: Axis = None, correction: float = 0, keepdims: bool = False,
    out: np.ndarray | None = None,
) -> np.ndarray:
    y = var_kernel(x, axis, correction, keepdims, out)
    return np.sqrt(y, out=out)


def doubled_per_freedom(v: AnyArray, x: Operand, axis: Axis, correction: float) -> AnyArray:
    """2 v / (n - correction), for n entries per result."""
    n = count(x, axis)
    if correction == int(correction):
        freedom = n - int(correction)
    else:
        freedom = (zeros_like(v) + n if isinstance(n, Dim) else n) - correction
    if isinstance(freedom, int | float) and freedom <= 0:
        return strong_product(v, np.inf)
    return 2 * v / freedom


def var_vjp(
    g: AnyArray, y: AnyArray, x: AnyArray, axis: Axis, correction: float, keepdims: bool
) -> AnyArray:
    off = x - mean(x, axis=axis, keepdims=True)
    return with_reduced_axes(doubled_per_freedom(g, x, axis, correction), x, axis, keepdims) * off


def var_jvp(
    t: AnyArray, y: AnyArray, x: AnyArray, axis: Axis, correction: float, keepdims: bool
) -> Operand:
    products = real_product(x - mean(x, axis=axis, keepdims=True), t)
    return doubled_per_freedom(sum(products, axis=axis, keepdims=keepdims), x, axis, correction)


def real_product(x: AnyArray, t: AnyArray) -> AnyArray:
    """The real part of conj(x) t; for reals the product x t."""
    return real(conj(x) * t) if is_complex(type_of(x).dtype) else x * t


def root_rate(v: Operand, y: AnyArray) -> AnyArray:
    """v / (2 y), the derivative of a root y; 0 where that is 0."""
    flat = equal(y, 0)
    return where(flat, 0, strong_product(v, 0.5 / where(flat, 1, y)))


def axes_samples(draw: Callable[..., Any]) -> Any:
    """Samples that reduce all axes, one, several or none, also of numbers and empty arrays."""
    return cases(
        draw((3, 4)), draw((2, 3, 4), axis=(0, -1)), draw((2, 3), axis=(1,), keepdims=True),
        draw((3,), axis=()), draw(()), draw((0, 3), axis=1),
    )


spread_samples = cases(
    axes_samples(reals), complexes((3, 4), axis=0), reals((5,), correction=0.5), integers((4,)),
)
def var_formula(x: AnyArray, axis: Axis, correction: float, keepdims: bool) -> AnyArray:
    off = x - mean(x, axis=axis, keepdims=True)
    n = builtins.max(count(x, axis) - correction, 0)
    return sum(off * off, axis=axis, keepdims=keepdims) / n


def std_formula(x: AnyArray, axis: Axis, correction: float, keepdims: bool) -> AnyArray:
    return sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


var = reduction(
    "var", var_kernel, formula=var_formula, vjp=var_vjp, jvp=var_jvp, samples=spread_samples,
    flops=flops.per_operand(4),
    doc="The mean squared distance from the mean, over n - `correction`.",
)
std = reduction(
    "std", std_kernel, formula=std_formula, samples=spread_samples,
    flops=flops.per_operand(4),
    vjp=lambda g, y, x, **attrs: var_vjp(root_rate(g, y), y, x, **attrs),
    jvp=lambda t, y, x, **attrs: root_rate(var_jvp(t, y, x, **attrs), y),
    doc="The square root of the variance; where all entries are equal its derivative is 0.",
)


def count_nonzero_kernel(
    x: Any, axis: Axis = None, keepdims: bool = False, out: np.ndarray | None = None
) -> Any:
    require_axes(x, axis)
    if axis is None and not keepdims and out is None:
        return np.intp(np.count_nonzero(x))
    there = np.not_equal(x, 0)
    return add_up(there, axis=axis, keepdims=keepdims, dtype=np.intp, out=out)


count_nonzero = reduction(
    "count_nonzero", count_nonzero_kernel, vjp=None, jvp=None,
    samples=cases(axes_samples(integers), booleans((3, 4), axis=0), complexes((3,))),
    doc="The number of nonzero entries along the given axes, or of all.",
)


def square_norm(x: Any, axis: Axis, keepdims: bool) -> Any:
    """The Euclidean norm, by the dot product where entries are contiguous."""
    if x.dtype.kind == "c":
        squares = np.square(x.real) + np.square(x.imag)
        return np.sqrt(add_up(squares, axis=axis, keepdims=keepdims))
    if axis is None and not keepdims:
        flat = x.ravel()  # contiguous: BLAS adds entries that lie apart in another order
        return np.sqrt(flat.dot(flat))
    return np.sqrt(add_up(np.square(x), axis=axis, keepdims=keepdims))


def vector_norm_kernel(x: Any, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Any:
    require_axes(x, axis)
    x = np.asarray(x)
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    if ord == 2:
        return square_norm(x, axis, keepdims)
    if ord == 0:
        there = np.not_equal(x, 0)
        return add_up(there, axis=axis, keepdims=keepdims, dtype=x.real.dtype)
    size = np.abs(x)
    if ord in EXTREMES:
        return EXTREMES[ord](size, axis=axis, keepdims=keepdims)
    total = add_up(size if ord == 1 else size**ord, axis=axis, keepdims=keepdims)
    return total if ord == 1 else total ** (1 / ord)


EXTREMES: dict[float, Callable[..., Any]] = {np.inf: np.maximum.reduce, -np.inf: np.minimum.reduce}


def norm_check(op: str, x: ArrayType, axis: Axis, ord: float) -> None:
    if not isinstance(ord, int | float):
        raise OptionError(op, [x], f"ord is a number, not {ord!r}", hint="use a norm of matrices")
    if ord in EXTREMES:
        not_empty(op, x, axis)


def norm_partial(y: Operand, x: Operand, axis: Axis, keepdims: bool, ord: float) -> AnyArray:
    """The derivative of a norm by each entry; 0 where there is none."""
    y, size = with_reduced_axes(y, x, axis, keepdims), abs(x)
    if ord == 2:
        return share(x, y)
    if ord in EXTREMES:  # sizes may round otherwise than in y, if x lies otherwise in memory
        top = equal(size, (max if ord > 0 else min)(size, axis=axis, keepdims=True))
        return where(top, sign(x), 0) / tie_counts(top, y, axis, True)
    if ord in (0, 1):
        return sign(x) * ord
    zero = equal(size, 0)
    return sign(x) * where(zero, 0, power(share(where(zero, 1, size), y), ord - 1))


def norm_formula(x: AnyArray, axis: Axis, keepdims: bool, ord: float) -> AnyArray:
    if ord == 2:
        return sqrt(sum(x * x, axis=axis, keepdims=keepdims))
    if ord == 0:
        return sum(where(equal(x, 0), 0, abs(x) * 0 + 1), axis=axis, keepdims=keepdims)
    size = abs(x)
    if ord in EXTREMES:
        return (max if ord > 0 else min)(size, axis=axis, keepdims=keepdims)
    total = sum(size if ord == 1 else size**ord, axis=axis, keepdims=keepdims)
    return total if ord == 1 else total ** (1 / ord)


vector_norm = reduction(
    "vector_norm", vector_norm_kernel,
    flops=flops.per_operand(2),
    vjp=lambda g, y, x, axis, keepdims, ord: (
        with_reduced_axes(g, x, axis, keepdims) * norm_partial(y, x, axis, keepdims, ord)
    ),
    jvp=lambda t, y, x, axis, keepdims, ord: sum(
        real_product(norm_partial(y, x, axis, keepdims, ord), t), axis=axis, keepdims=keepdims
    ),
    check=norm_check, traits=[Trait.NONNEGATIVE], formula=norm_formula,
    samples=cases(
        axes_samples(reals), complexes((3, 4), axis=0), complexes((3,), ord=3),
        complexes((3,), ord=np.inf),
        *(distinct((2, 3), axis=1, ord=p) for p in (0, 1, 0.5, -1, -np.inf)),
    ),
    error_samples=[
        *wrong_axes, invalid((3,), ord="fro", error=OptionError, says="ord is a number, not 'fro'"),
        invalid((0, 3), axis=0, ord=np.inf, says="axis 0 is empty"),
    ],
    doc="(sum(abs(x)**ord))**(1/ord): the norm of entries; the maximum for inf, the count for 0.",
)


def variables_in_rows(m: Any, rowvar: bool) -> Operand:
    """The data with a variable in each row."""
    if len(shape_of(m)) > 2:
        raise ShapeError("cov", [type_of(m)], "the variables are the rows of a matrix")
    if len(shape_of(m)) < 2:
        return reshape(m, shape=(1, -1))
    return m if rowvar or shape_of(m)[0] == 1 else transpose(m)


def cov(
    m: OperandLike, y: OperandLike | None = None, rowvar: bool = True, bias: bool = False,
    ddof: Any = None, fweights: Any = None, aweights: Any = None, dtype: Any = None,
) -> Any:  # fmt:
    """The covariances of variables, which are the rows; without `rowvar` they are the columns.

    `y` has more variables. They are over n - `ddof`, by default n - 1, or n if `bias`. `fweights`
    say how often each observation counts, `aweights` how much. Raises ShapeError for more than two
    axes.

    >>> cov(np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    x = variables_in_rows(m, rowvar)
    x = x if y is None else concatenate([x, variables_in_rows(y, rowvar)])
    if dtype is not None and not is_inexact(np.dtype(dtype)):
        raise DTypeError("cov", [type_of(x)], f"covariances are floats, not {dtype}")
    x = in_dtype(x, dtype)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = [w for w in (fweights, aweights) if w is not None]
    n = shape_of(x)[1]
    if not weights:
        off = x - mean(x, axis=1, keepdims=True)
        return square_or_number(matmul(off, conj(transpose(off))) / (n - ddof))
    w = weights[0] if len(weights) == 1 else weights[0] * weights[1]
    total = sum(w)
    over = total - ddof
    if aweights is not None and ddof:
        over = total - ddof * sum(w * aweights) / total
    off = x - sum(x * w, axis=1, keepdims=True) / total
    return square_or_number(matmul(off, conj(transpose(off * w))) / over)


def square_or_number(c: AnyArray) -> AnyArray:
    """A matrix of one entry as a number."""
    return reshape(c, shape=()) if shape_of(c) == (1, 1) else c


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The correlation matrix of variables, which are the rows, or without `rowvar` the columns.

    >>> corrcoef(np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).round(6)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if not shape_of(c):
        return c / c
    d = sqrt(real(diagonal(c)))
    return clip(c / reshape(d, shape=(-1, 1)) / d, -1, 1)
