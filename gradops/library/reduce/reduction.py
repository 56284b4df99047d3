"""Reductions over axes: sums, products, extremes, and functions made of them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Size, product
from ...core.errors import AxisError, ShapeError
from ...core.op import Op
from ...core.samples import booleans, cases, complexes, distinct, exactly, reals
from ...core.traits import Trait
from ...core.types import ArrayType, normalize_axes, result_dtype, shape_of, type_of
from ...kernels.elementwise.tables import inexact
from ...kernels.native_kernels import native
from ...kernels.numpy_versions import WRITES_EXTREMES
from ...kernels.sums import are_short_rows, sum_of, sum_short_rows
from ...kernels.sums import logsumexp as logsumexp_of_floats
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand, Out
from ..elementwise.comparison import equal, where
from ..elementwise.exponential import exp, exp_difference, log
from ..elementwise.logic import isfinite, isnan, logical_or
from ..families import Kernel, batch_along_axis, invalid
from ..shape.broadcasting import broadcast_to
from ..shape.movement import astype, reshape, transpose

__all__ = ["all", "any", "argmax", "argmin", "logsumexp", "max", "mean", "min", "prod", "sum"]

Axis = int | tuple[int, ...] | None

wrong_axes = [
    invalid((2, 3), axis=2, says="axis 2 is out of range"),
    invalid((2, 3), axis=(0, -2), says="named twice in (0, -2)"),
]
wrong_axis = [wrong_axes[0], invalid((2, 3), axis=(0, 1), says="one axis or all, not (0, 1)")]
nothing = [
    invalid((0, 3), axis=0, says="axis 0 is empty"),
    invalid((2, 0), axis=None, says="axis 1 is empty"),
]


def reducing_samples(draw: Callable[..., Any]) -> Any:
    """Samples that reduce all axes, one, two or none, with and without `keepdims`."""
    return cases(
        draw((3, 4)), draw((3, 4), axis=0), draw((3, 4), axis=-1, keepdims=True),
        draw((2, 3, 4), axis=(0, -1)), draw((2, 3), axis=(1,), keepdims=True), draw((3,), axis=()),
        draw(()), draw((0, 3), axis=1), draw((2, 3), keepdims=True),
    )


def reduction(name: str, kernel: Kernel, *, vjp: Any, jvp: Any, **facets: Any) -> Op:
    """An op that reduces the axes `axis`, or with `keepdims` leaves them with size 1."""
    if called := facets.pop("called", ""):
        facets["source"] = f"{called}({{0}}, axis={{axis}}, keepdims={{keepdims}}{{out}})"
    facets.setdefault("batch", batch_along_axis)
    facets.setdefault("error_samples", wrong_axes)
    facets["traits"] = {Trait.REDUCTION, *facets.get("traits", ())}
    check = facets.pop("check", None)

    def infer(x: ArrayType, axis: Axis, keepdims: bool, **others: Any) -> ArrayType:
        if check is not None:
            check(name, x, axis, **others)
        return ArrayType(reduced_shape(name, x, axis, keepdims), result_dtype(kernel, (x.dtype,)))

    return Op(name=name, kernel=kernel, infer=infer, vjp=[vjp], jvp=[jvp], **facets)


def reduced_shape(name: str, x: ArrayType, axis: Axis, keepdims: bool) -> tuple[Size, ...]:
    """The shape of `x` after a reduction."""
    axes = normalize_axes(name, x, axis)
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    return tuple(n for i, n in enumerate(x.shape) if i not in axes)


def not_empty(name: str, x: ArrayType, axis: Axis) -> None:
    """Raise a ShapeError for an empty axis, which has no extreme."""
    for i in normalize_axes(name, x, axis):
        if x.shape[i] == 0:
            raise AxisError(name, [x], f"axis {i} is empty", hint="check the shape beforehand")


def one_axis_not_empty(name: str, x: ArrayType, axis: Axis) -> None:
    """Raise a ShapeError for several axes, or an empty one."""
    if isinstance(axis, tuple):
        raise ShapeError(name, [x], f"it takes one axis or all, not {axis}", hint="reshape first")
    not_empty(name, x, axis)


def single_axis_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch an op along one axis: without an axis, all are merged into one."""
    if attrs["axis"] is not None:
        return batch_along_axis(op, xs, batched, attrs)
    n, *rest = shape_of(xs[0])
    y = op(reshape(xs[0], shape=(n, product(rest))), axis=1)
    return reshape(y, shape=(n, *(1 for _ in rest))) if attrs["keepdims"] else y


def with_reduced_axes(v: Operand, x: Operand, axis: Axis, keepdims: bool) -> Operand:
    """`v`, shaped like the output, reshaped to broadcast with the operand `x`."""
    if keepdims or axis is None or axis == 0:
        return v
    return reshape(v, shape=reduced_shape("keep", type_of(x), axis, True))


def count(x: Operand, axis: Axis) -> Any:
    """The number of entries of `x` that are reduced to one."""
    shape = shape_of(x)
    if axis is None:
        return product(shape)
    return product(shape[i] for i in normalize_axes("count", type_of(x), axis))


def sum_transpose(g: AnyArray, y: AnyArray, x: AnyArray, axis: Axis, keepdims: bool) -> AnyArray:
    """The transpose of a sum: each entry gets the cotangent of its sum."""
    return broadcast_to(with_reduced_axes(g, x, axis, keepdims), shape=shape_of(x))


def require_axes(x: Any, axis: Any) -> None:
    """Raise for an axis of a number, which NumPy would ignore."""
    if axis is not None and axis != () and np.ndim(x) == 0:
        raise ValueError("a number has no axes")  # type inference has the words for the user


def reduce_with(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a reduction of NumPy's."""

    def kernel(x: np.ndarray, axis: Axis = None, keepdims: bool = False, out: Out = None) -> Any:
        if axis is not None:
            require_axes(x, axis)
        return reduce(x, axis=axis, keepdims=keepdims, out=out)

    return kernel


def reduce_into(reduce: Callable[..., Any], x: np.ndarray, out: Out = None, **how: Any) -> Any:
    """A reduction of NumPy's, copied to `out`."""
    y = reduce(x, **how)
    if out is None:
        return y
    np.copyto(out, y)
    return out


def sum_kernel(x: Any, axis: Axis = None, keepdims: bool = False, out: Any = None) -> Any:
    if axis is not None:
        if type(x) is np.ndarray and are_short_rows(x.shape, x.dtype, axis):
            return sum_short_rows(x, keepdims, out)
        require_axes(x, axis)
    return sum_of(x, axis, keepdims, out)


def sum_source(x: ArrayType, axis: Axis, keepdims: bool) -> str:
    """The kernel where rows are known to be short, else NumPy's function."""
    called = "sum" if are_short_rows(x.shape, x.dtype, axis) else "np.add.reduce"
    return f"{called}({{0}}, axis={{axis}}, keepdims={{keepdims}}{{out}})"


HALF = np.dtype("f2")


def mean_kernel(x: Any, axis: Axis = None, keepdims: bool = False, out: Any = None) -> Any:
    require_axes(x, axis)
    dtype = getattr(x, "dtype", None)
    if dtype == HALF:  # neither the sum nor the count need fit into it
        wide = np.asarray(mean_kernel(x.astype(np.float32), axis, keepdims)).astype(HALF)
        return wide[()] if out is None else np.positive(wide, out=out)
    if dtype is not None and dtype.kind in "biu":  # the sum may not overflow
        total = np.add.reduce(x, axis=axis, dtype=np.float64, keepdims=keepdims, out=out)
    else:
        total = sum_kernel(x, axis, keepdims, out)
    n = np.size(x) if axis is None else count(x, axis)
    return total / n if out is None else np.true_divide(total, n, out=out)


sum = reduction(
    "sum", sum_kernel, source=sum_source, vjp=sum_transpose,
    jvp=lambda t, y, x, axis, keepdims: sum(t, axis=axis, keepdims=keepdims),
    traits=[Trait.LINEAR, Trait.PROPAGATING],
    samples=cases(reducing_samples(reals), complexes((3, 4), axis=0)),
    doc="The sum over the given axes, or over all.",
)
mean = reduction(
    "mean", mean_kernel,
    vjp=lambda g, y, x, axis, keepdims: (
        sum_transpose(g / (count(x, axis) or 1), y, x, axis, keepdims)
    ),
    jvp=lambda t, y, x, axis, keepdims: mean(t, axis=axis, keepdims=keepdims),
    traits=[Trait.LINEAR, Trait.PROPAGATING], samples=reducing_samples(reals),
    doc="The mean over the given axes, or over all; of integers, a float.",
)


def is_extreme(y: Operand, x: AnyArray, axis: Axis, keepdims: bool) -> AnyArray:
    """True where `x` equals the extreme `y`; if that is NaN, where `x` is NaN."""
    return equal(x, with_reduced_axes(y, x, axis, keepdims)) | isnan(x)


def tie_counts(mask: AnyArray, like: Operand, axis: Axis, keepdims: bool) -> AnyArray:
    """The number of entries that share each extreme, in the dtype of `like`."""
    return sum(astype(mask, dtype=type_of(like).dtype), axis=axis, keepdims=keepdims)


def extreme_vjp(g: AnyArray, y: AnyArray, x: AnyArray, axis: Axis, keepdims: bool) -> AnyArray:
    """The cotangent goes to the extreme entry; ties share it equally."""
    mask = is_extreme(y, x, axis, keepdims)
    share = g / tie_counts(mask, g, axis, keepdims)
    return where(mask, with_reduced_axes(share, x, axis, keepdims), 0)


def extreme_jvp(t: AnyArray, y: AnyArray, x: AnyArray, axis: Axis, keepdims: bool) -> AnyArray:
    """The mean of the tangents of the extreme entries."""
    mask = is_extreme(y, x, axis, keepdims)
    total = sum(where(mask, t, 0), axis=axis, keepdims=keepdims)
    return total / tie_counts(mask, t, axis, keepdims)


def extreme(name: str, ufunc: np.ufunc, which: str) -> Op:
    """The largest or smallest entry."""
    reduce = ufunc.reduce if WRITES_EXTREMES else partial(reduce_into, ufunc.reduce)
    return reduction(
        name, reduce_with(reduce), called=f"np.{ufunc.__name__}.reduce" if WRITES_EXTREMES else "",
        vjp=extreme_vjp, jvp=extreme_jvp, check=not_empty, samples=reducing_samples(distinct),
        error_samples=wrong_axes + nothing, traits=[Trait.MOVING],
        doc=f"The {which} entry along the given axes, or of all; ties share the derivative.",
    )


max = extreme("max", np.maximum, "largest")
min = extreme("min", np.minimum, "smallest")


def prod_others_kernel(x: np.ndarray) -> np.ndarray:
    """The product of all entries before each entry times that of all after it."""
    y = np.ones_like(x)
    np.multiply.accumulate(x[..., :-1], axis=-1, out=y[..., 1:])
    after = np.multiply.accumulate(x[..., :0:-1], axis=-1)
    y[..., :-1] *= after[..., ::-1]
    return y


def prod_others_infer(x: ArrayType) -> ArrayType:
    if not x.ndim:
        raise ShapeError("prod_others", [x], "the operand has no axes")
    return x


def prod_others_rule(v: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    """v times the symmetric matrix of products of all entries but two."""
    n = shape_of(x)[-1]
    if not isinstance(n, int):
        raise ShapeError(
            "prod_others", [type_of(x)], f"its derivative needs to know the size {n}",
            hint="give the axis a size, or write prod as exp(sum(log(...)))",
        )
    eye = np.eye(n, dtype=bool)
    without = where(eye, 1, reshape(x, shape=(*shape_of(x)[:-1], 1, n)))
    pairs = where(eye, 0, prod_others(without))
    return sum(pairs * reshape(v, shape=(*shape_of(v)[:-1], 1, n)), axis=-1)


prod_others = Op(
    "prod_others", prod_others_kernel, infer=prod_others_infer,
    flops=flops.per_result(2),
    vjp=[prod_others_rule], jvp=[prod_others_rule], batch=lambda op, xs, batched, attrs: op(xs[0]),
    samples=cases(
        reals((3, 4)), reals((2, 1)), reals((2, 0)), exactly([[1.0, 0, 3], [0, 0, 2]]),
        complexes((3, 4)),
    ),
    error_samples=[invalid((), says="no axes")],
    doc="For each entry, the product of all others along the last axis; exact where some are zero.",
)


def over_last(f: Callable[[Any], Any], x: AnyArray, axis: Axis) -> AnyArray:
    """`f`, which works along the last axis, applied along all given axes as one."""
    last = normalize_axes("prod", type_of(x), axis)
    order = (*(i for i in range(len(shape_of(x))) if i not in last), *last)
    moved = transpose(x, axes=order)
    kept = shape_of(moved)[: len(order) - len(last)]
    y = f(reshape(moved, shape=(*kept, count(x, axis))))
    inverse = tuple(sorted(range(len(order)), key=order.__getitem__))
    return transpose(reshape(y, shape=shape_of(moved)), axes=inverse)


prod = reduction(
    "prod", reduce_with(np.multiply.reduce), called="np.multiply.reduce",
    vjp=lambda g, y, x, axis, keepdims: (
        with_reduced_axes(g, x, axis, keepdims) * over_last(prod_others, x, axis)
    ),
    jvp=lambda t, y, x, axis, keepdims: sum(
        t * over_last(prod_others, x, axis), axis=axis, keepdims=keepdims
    ),
    samples=cases(
        reducing_samples(reals), exactly([[1.0, 0, 3], [0, 2, 0]], axis=1),
        complexes((3, 4), axis=0),
    ),
    doc="The product over the given axes, or over all; its derivative is exact at zeros.",
)


SOME = "type(x) is np.ndarray and x.size"
LAST = f"{SOME} and (axis == -1 or axis == x.ndim - 1 or (axis is None and x.ndim == 1))"
FIRST = f"axis == 0 and {SOME} and x.ndim == 2"


@native("exponentials", "logsumexp", "x, out", when=f"not keepdims and {LAST}")
@native("exponentials", "logsumexp_first", "x, out", when=f"not keepdims and {FIRST}")
@native("exponentials", "logsumexp_kept", "x, out", when=f"keepdims and {LAST}")
@native("exponentials", "logsumexp_first_kept", "x, out", when=f"keepdims and {FIRST}")
def logsumexp_kernel(
    x: Any, axis: int | None = None, keepdims: Any = False, out: np.ndarray | None = None
) -> np.ndarray:
    require_axes(x, axis)
    x = inexact(x)
    if not x.size:
        with np.errstate(divide="ignore"):  # log(0), here too
            return np.log(np.add.reduce(x, axis=axis, keepdims=keepdims), out=out)
    return logsumexp_of_floats(x, axis, keepdims, out)


def logsumexp_shares(y: AnyArray, x: AnyArray, axis: Axis, keepdims: bool) -> AnyArray:
    """softmax(x), the derivative of logsumexp; 0 where every entry is -inf."""
    return exp_difference(x, with_reduced_axes(y, x, axis, keepdims))


def logsumexp_formula(x: AnyArray, axis: Axis, keepdims: bool) -> AnyArray:
    top = max(x, axis=axis, keepdims=True)
    top = where(isfinite(top), top, 0)
    found = log(sum(exp(x - top), axis=axis, keepdims=True)) + top
    shape = reduced_shape("sum", type_of(x), axis, keepdims)
    return reshape(found, shape=shape)


logsumexp = reduction(
    "logsumexp", logsumexp_kernel,
    flops=flops.per_operand(4),
    vjp=lambda g, y, x, axis, keepdims: (
        with_reduced_axes(g, x, axis, keepdims) * logsumexp_shares(y, x, axis, keepdims)
    ),
    jvp=lambda t, y, x, axis, keepdims: sum(
        t * logsumexp_shares(y, x, axis, keepdims), axis=axis, keepdims=keepdims
    ),
    samples=reducing_samples(reals), error_samples=wrong_axes, formula=logsumexp_formula,
    doc="log(sum(exp(x))) over the given axes, or over all, without overflow.",
)


one_axis = cases(
    distinct((3, 4)), distinct((3, 4), axis=0), distinct((3, 4), axis=-1, keepdims=True),
    distinct((2, 3), keepdims=True), distinct((0, 3), axis=1),
)


def position_formula(best: Op, x: AnyArray, axis: Any, keepdims: bool) -> AnyArray:
    """The least number of an entry that is the best, or NaN if one is."""
    kept = tuple([1 for _ in shape_of(x)]) if axis is None and keepdims else None
    if axis is None:
        x, axis = reshape(x, shape=(-1,)), 0
    top = best(x, axis=axis, keepdims=True)
    n, after = shape_of(x)[axis], len(shape_of(x)) - 1 - axis % len(shape_of(x))
    numbers = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
    numbers = numbers.reshape((-1,) + (1,) * after)
    found = where(logical_or(equal(x, top), isnan(x)), numbers, numbers.dtype.type(n))
    result = astype(min(found, axis=axis, keepdims=keepdims), dtype=np.int64)
    return result if kept is None else reshape(result, shape=kept)


def position(name: str, find: Callable[..., Any], which: str, best: Op) -> Op:
    """The index of the largest or smallest entry."""
    return reduction(
        name, reduce_with(find), called=f"np.{name}", vjp=None, jvp=None, batch=single_axis_batch,
        check=one_axis_not_empty, samples=one_axis, error_samples=wrong_axis + nothing,
        doc=f"The index of the first {which} entry along an axis, or of the flattened array.",
        formula=partial(position_formula, best),
    )


argmax = position("argmax", np.argmax, "largest", max)
argmin = position("argmin", np.argmin, "smallest", min)
any = reduction(
    "any", reduce_with(np.logical_or.reduce), called="np.logical_or.reduce", vjp=None, jvp=None,
    samples=reducing_samples(booleans),
    doc="Whether any entry along the given axes, or any there is, is true.",
)
all = reduction(
    "all", reduce_with(np.logical_and.reduce), called="np.logical_and.reduce", vjp=None, jvp=None,
    samples=reducing_samples(booleans),
    doc="Whether all entries along the given axes, or all there are, are true.",
)
