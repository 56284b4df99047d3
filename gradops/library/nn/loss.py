"""Regression and binary losses, and their reductions."""

from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Size, product
from ...core.errors import OptionError, ShapeError
from ...core.op import Op
from ...core.samples import beside, between, cases, exactly, reals
from ...core.types import ArrayType, result_dtype, shape_of, type_of
from ...kernels.native_kernels import native
from ...kernels.nn.activation import SMALL, softplus_of_minus
from ...kernels.sums import sum_of
from ...typing import AnyArray, Arrays, Attrs, DTypeLike, Flags, Operand
from ..elementwise.arithmetic import abs, square
from ..elementwise.comparison import maximum, where
from ..elementwise.exponential import exp, log, log1p
from ..families import elementwise, invalid
from ..reduce.reduction import HALF, mean, mean_kernel, sum
from ..shape.broadcasting import repeat_shared
from .activation import sigmoid

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "l1_loss", "mse_loss"]

REDUCTIONS = ("mean", "sum", "none")


def reduce_losses(losses: AnyArray, reduction: str) -> Any:
    """The losses reduced by "mean" or "sum", or with "none" unchanged."""
    check_reduction(reduction)
    if reduction == "none":
        return losses
    return mean(losses) if reduction == "mean" else sum(losses)


def check_reduction(reduction: str) -> None:
    """Raise an OptionError for an unknown reduction."""
    if reduction not in REDUCTIONS:
        raise OptionError("loss", [], f"reduction is 'mean', 'sum' or 'none', not {reduction!r}")


def loss_cotangent(g: AnyArray, reduction: str, n: Size) -> Any:
    """The cotangent of each of `n` losses, from that of their reduction."""
    return g / (n or 1) if reduction == "mean" else g


def entries(x: Operand) -> Any:
    """The number of entries."""
    return x.size if type(x) is np.ndarray else product(shape_of(x))


def loss_type(shape: tuple[Size, ...], dtype: DTypeLike, reduction: str) -> ArrayType:
    """The type of losses after their reduction."""
    check_reduction(reduction)
    return ArrayType(shape if reduction == "none" else (), dtype)


def loss_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch by computing unreduced losses, then reducing each example's."""
    losses = op(*repeat_shared(xs, batched), reduction="none")
    if attrs["reduction"] == "none":
        return losses
    axes = tuple(range(1, len(shape_of(losses))))
    return (mean if attrs["reduction"] == "mean" else sum)(losses, axis=axes)


def differ(a: tuple[Size, ...], b: tuple[Size, ...]) -> bool:
    """True if two shapes are known to differ."""
    known = [(m, n) for m, n in zip(a, b, strict=False) if {type(m), type(n)} == {int}]
    return len(a) != len(b) or not all(m == n for m, n in known)


def check_same_shape(op: str, x: Any, target: Any) -> None:
    """Raise a ShapeError for a prediction and target of different shapes, which might broadcast."""
    if differ(shape_of(x), shape_of(target)):
        raise ShapeError(
            op, [type_of(x), type_of(target)], "the two shapes must be equal",
            hint="reshape or broadcast one of them first",
        )


@native("activations", "bce_losses", "z, y, None", when="np.size(z) > SMALL")
def bce_losses(z: Any, y: Any) -> Any:
    """log(1 + exp(z)) - z y, exact in both tails for labels 0 and 1."""
    if np.size(z) > SMALL:
        return np.maximum(z, 0) - z * y + softplus_of_minus(np.abs(z))
    zy = z * y
    return np.logaddexp(-zy, z - zy)


def bce_kernel(z: np.ndarray, y: np.ndarray, reduction: str = "mean") -> Any:
    arrays = type(z) is type(y) is np.ndarray and z.dtype is not HALF
    if arrays and z.shape == y.shape and reduction == "mean" and 0 < z.size <= SMALL:
        zy = z * y  # the common case of what follows, spelled out
        return sum_of(np.logaddexp(-zy, z - zy)) / z.size
    z, y = np.asarray(z), np.asarray(y)
    if z.shape != y.shape:
        check_same_shape("binary_cross_entropy_with_logits", z, y)
    return reduce_arrays(bce_losses(z, y), reduction)


def reduce_arrays(losses: Any, reduction: str) -> Any:
    """The reduction of losses that are arrays."""
    if reduction == "mean":
        if losses.dtype is HALF:
            return mean_kernel(losses)
        return sum_of(losses) / losses.size
    check_reduction(reduction)
    return losses if reduction == "none" else sum_of(losses)


def bce_infer(z: ArrayType, y: ArrayType, reduction: str) -> ArrayType:
    check_same_shape("binary_cross_entropy_with_logits", z, y)
    return loss_type(z.shape, result_dtype(bce_losses, (z.dtype, y.dtype)), reduction)


def bce_source(z: ArrayType, y: ArrayType, reduction: str) -> str:
    """The inlined kernel for small arrays, where a call costs as much as the work."""
    n, inlined = z.size, reduction == "mean" and z.ndim and HALF not in (z.dtype, y.dtype)
    if not inlined or not isinstance(n, int) or not 0 < n <= SMALL:
        return "binary_cross_entropy_with_logits({0}, {1}, reduction={reduction})"
    losses = "np.logaddexp(-({fresh} := {0} * {1}), {0} - {fresh})"
    return f"np.add.reduce({losses}, axis=None) / {n}"


binary_cross_entropy_with_logits = Op(
    "binary_cross_entropy_with_logits", bce_kernel, arity=2, infer=bce_infer,
    flops=flops.per_result(6), workspace=flops.bytes_of_operands(1),
    vjp=[
        lambda g, loss, z, y, reduction: (
            (sigmoid(z) - y) * loss_cotangent(g, reduction, entries(z))
        ),
        lambda g, loss, z, y, reduction: -z * loss_cotangent(g, reduction, entries(z)),
    ],
    jvp=[
        lambda t, loss, z, y, reduction: reduce_losses((sigmoid(z) - y) * t, reduction),
        lambda t, loss, z, y, reduction: reduce_losses(-z * t, reduction),
    ],
    batch=loss_batch, source=bce_source,
    samples=cases(
        *(beside(reals((5, 3)), between(0, 1, (5, 3), reduction=r)) for r in REDUCTIONS),
        beside(reals((9, 10)), between(0, 1, (9, 10))), exactly(0.5, 1.0),
        reals((0, 3), (0, 3), reduction="sum"),
    ),
    error_samples=[invalid((4, 1), (4,), says="shapes must be equal")],
    doc="The cross entropy of labels between 0 and 1 with the logistic function of logits.",
    formula=lambda z, y, reduction: reduce_losses(
        where(z > 0, z, 0) + log1p(exp(-abs(z))) - z * y, reduction
    ),
)


def bce_of_probabilities(p: Any, y: Any) -> Any:
    with np.errstate(divide="ignore"):  # the logarithm of 0 is bounded as well
        return -(y * np.maximum(np.log(p), -100) + (1 - y) * np.maximum(np.log1p(-p), -100))


def bounded_log(p: Any) -> Any:
    """The logarithm, at least -100."""
    return where(p > 0, maximum(log(where(p > 0, p, 1)), -100), -100)


binary_cross_entropy = elementwise(
    "binary_cross_entropy", bce_of_probabilities,
    d=[
        lambda loss, p, y: (p - y) / maximum(p * (1 - p), 1e-12),
        lambda loss, p, y: bounded_log(1 - p) - bounded_log(p),
    ],
    samples=between(0.1, 0.9, (3, 4), (3, 4)),
    doc="The cross entropy, entry by entry, of labels with probabilities; logarithms are at least"
    " -100, and the derivative by a probability is bounded likewise, as PyTorch's is.",
    formula=lambda p, y: -(y * maximum(log(p), -100) + (1 - y) * maximum(log1p(-p), -100)),
)


def mse_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The squared errors of `x`, reduced, by default to their mean.

    >>> float(mse_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    2.0
    """
    check_same_shape("mse_loss", x, target)
    return reduce_losses(square(x - target), reduction)


def l1_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The absolute errors of `x`, reduced, by default to their mean.

    >>> float(l1_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    1.0
    """
    check_same_shape("l1_loss", x, target)
    return reduce_losses(abs(x - target), reduction)
