"""Regression, embedding and margin losses."""

import math
from typing import Any

import numpy as np

from ...core.dims import Shape
from ...core.errors import OptionError
from ...core.types import ArrayType, broadcast_shapes, normalize_axis, shape_of, type_of
from ...typing import AnyArray, OperandLike
from ..elementwise.arithmetic import abs, sqrt, square
from ..elementwise.comparison import equal, greater, less, maximum, where
from ..elementwise.exponential import exp, log
from ..index.indexing import take
from ..reduce.along_axis import take_along_axis
from ..reduce.reduction import mean, sum
from ..reduce.statistics import vector_norm
from ..shape.broadcasting import broadcast_to
from ..shape.creation import stop_gradient
from ..shape.movement import expand_dims, in_single, reshape
from .activation import log_sigmoid, softplus
from .classification import labelled_infer
from .loss import check_same_shape, reduce_losses
from .normalization import p_norm

__all__ = [
    "cosine_embedding_loss", "cosine_similarity", "gaussian_nll_loss", "hinge_embedding_loss",
    "huber_loss", "kl_div", "margin_ranking_loss", "multi_label_soft_margin_loss",
    "multi_margin_loss", "pairwise_distance", "poisson_nll_loss", "smooth_l1_loss",
    "soft_margin_loss", "triplet_margin_loss",
]


def huber_loss(x: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared error up to `delta`, linear beyond.

    >>> float(huber_loss(np.array([0.0, 3.0]), np.array([0.0, 1.0])))
    0.75
    """
    if not delta > 0:
        raise OptionError("huber_loss", [], f"delta is greater than 0, not {delta}")
    check_same_shape("huber_loss", x, target)
    difference = x - target
    d = abs(difference)
    straight = delta * (d - 0.5 * delta)
    return reduce_losses(where(less(d, delta), half_square(difference, delta), straight), reduction)


def half_square(difference: Any, bound: float) -> AnyArray:
    """Half the square of differences below a bound, 0 beyond, where the slope may be infinite.

    It does not use the absolute value, which has no second derivative at 0.
    """
    near = where(less(abs(difference), bound), difference, 0)
    return 0.5 * (near * near)


def smooth_l1_loss(x: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """The absolute error less beta / 2 from `beta` on, and a parabola below.

    >>> float(smooth_l1_loss(np.array([0.0, 3.0]), np.array([0.0, 1.0])))
    0.75
    """
    if not beta >= 0:
        raise OptionError("smooth_l1_loss", [], f"beta is at least 0, not {beta}")
    check_same_shape("smooth_l1_loss", x, target)
    difference = x - target
    d = abs(difference)
    if beta == 0:
        return reduce_losses(d, reduction)
    near = half_square(difference, beta) / beta
    return reduce_losses(where(less(d, beta), near, d - 0.5 * beta), reduction)


def kl_div(x: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """The Kullback-Leibler divergence of log-probabilities `x` from a target, reduced.

    The target is probabilities, or with `log_target` their logarithms. "batchmean" divides the sum
    by the size of the first axis, which is the divergence; "mean" by the number of entries.

    >>> float(kl_div(np.zeros((1, 1)), np.ones((1, 1)), "batchmean"))
    0.0
    """
    check_same_shape("kl_div", x, target)
    if log_target:
        losses = exp(target) * (target - x)
    else:
        positive = greater(target, 0)
        losses = where(positive, target * log(where(positive, target, 1.0)), 0.0) - target * x
    if reduction == "batchmean":
        return sum(losses) / (shape_of(x)[0] if shape_of(x) else 1)
    return reduce_losses(losses, reduction)


def poisson_nll_loss(
    x: Any, target: Any, log_input: bool = True, full: bool = False, epsilon: float = 1e-8,
    reduction: str = "mean",
) -> Any:
    """The negative log likelihood of Poisson counts with rates `x`, or exp(x) if `log_input`.

    Terms that do not depend on the rates are left out, or with `full` added by Stirling's formula.

    >>> float(poisson_nll_loss(np.zeros(1), np.ones(1)))
    1.0
    """
    check_same_shape("poisson_nll_loss", x, target)
    losses = exp(x) - target * x if log_input else x - target * log(x + epsilon)
    if full:
        large = greater(target, 1)
        n = where(large, target, 2)
        losses = losses + where(large, n * log(n) - n + 0.5 * log(2 * math.pi * n), 0)
    return reduce_losses(losses, reduction)


def gaussian_nll_loss(
    x: Any, target: Any, variance: Any, full: bool = False, epsilon: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """The Gaussian negative log likelihood of targets with means `x` and the given variances.

    A variance belongs to each entry, or to all along the last axis, and is at least `epsilon`; this
    bound has no part in the gradient. With `full` the constant term is added.

    >>> float(gaussian_nll_loss(np.zeros(1), np.ones(1), np.ones(1)))
    0.5
    """
    check_same_shape("gaussian_nll_loss", x, target)
    if len(shape_of(variance)) == len(shape_of(x)) - 1:
        variance = expand_dims(variance, axis=-1)
    bounded = variance + stop_gradient(maximum(epsilon - variance, 0))
    losses = 0.5 * (log(bounded) + square(x - target) / bounded)
    return reduce_losses(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


@in_single
def cosine_similarity(x: Any, y: Any, axis: int = 1, epsilon: float = 1e-8) -> Any:
    """The cosine similarity of vectors along an axis; norms are bounded below by `epsilon`.

    >>> cosine_similarity(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]]))
    array([0.70710678])
    """
    shape = broadcast_shapes("cosine_similarity", [type_of(x), type_of(y)])
    k = normalize_axis("cosine_similarity", ArrayType(shape, type_of(x).dtype), axis)
    x, y = (unit(broadcast_along(v, shape, k), k, epsilon) for v in (x, y))
    return sum(x * y, axis=k)


def broadcast_along(v: Any, shape: Shape, axis: int) -> Any:
    """An operand with all axes of a shape that it broadcasts to, broadcast along one."""
    sizes = (1,) * (len(shape) - len(shape_of(v))) + tuple(shape_of(v))
    v = v if len(sizes) == len(shape_of(v)) else reshape(v, shape=sizes)
    if sizes[axis] == shape[axis]:
        return v
    return broadcast_to(v, shape=(*sizes[:axis], shape[axis], *sizes[axis + 1 :]))


def unit(v: Any, axis: int, epsilon: float) -> Any:
    """Vectors along an axis over their norms; the lower bound has no part in the gradient."""
    norm = vector_norm(v, axis=axis, keepdims=True)
    return v / (norm + stop_gradient(maximum(epsilon - norm, 0)))


@in_single
def pairwise_distance(
    x: Any, y: Any, p: float = 2.0, epsilon: float = 1e-6, keepdims: bool = False
) -> Any:
    """The p-norms of `x - y + epsilon` along the last axis.

    >>> float(pairwise_distance(np.array([3.0, 0.0]), np.array([0.0, 4.0]), epsilon=0.0))
    5.0
    """
    return p_norm(x - y + epsilon, p, -1, keepdims)


@in_single
def cosine_embedding_loss(
    x: Any, y: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """1 - cos for pairs with target 1, max(0, cos - margin) for target -1.

    >>> float(cosine_embedding_loss(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.ones(1)))
    1.0
    """
    axis = len(shape_of(x)) - 1
    norm = sqrt((sum(square(x), axis=axis) + 1e-12) * (sum(square(y), axis=axis) + 1e-12))
    cos = sum(x * y, axis=axis) / norm
    near, far = where(equal(target, 1), 1 - cos, 0), margin_part(cos - margin)
    return reduce_losses(near + where(equal(target, -1), far, 0), reduction)


def margin_part(x: Any) -> Any:
    """max(x, 0) with derivative 1 at 0, as in PyTorch's margin losses."""
    return where(less(x, 0), 0, x)


def hinge_embedding_loss(x: Any, target: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """x for target 1, max(0, margin - x) for target -1; for others the sum of both.

    >>> float(hinge_embedding_loss(np.array([0.25]), np.array([-1])))
    0.75
    """
    check_same_shape("hinge_embedding_loss", x, target)
    far = where(equal(target, 1), 0, margin_part(margin - x))
    return reduce_losses(where(equal(target, -1), 0, x) + far, reduction)


def margin_ranking_loss(
    x: Any, y: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """max(0, margin - target (x - y)), for targets 1 and -1.

    >>> float(margin_ranking_loss(np.array([1.0]), np.array([3.0]), np.array([1.0])))
    2.0
    """
    check_same_shape("margin_ranking_loss", x, y)
    return reduce_losses(margin_part(margin - target * (x - y)), reduction)


def soft_margin_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """log(1 + exp(-target x)), for targets 1 and -1.

    >>> round(float(soft_margin_loss(np.zeros(1), np.ones(1))), 4)
    0.6931
    """
    check_same_shape("soft_margin_loss", x, target)
    return reduce_losses(softplus(-target * x), reduction)


def multi_label_soft_margin_loss(
    x: Any, target: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    """The binary cross entropy with logits of several labels, averaged over the last axis.

    >>> round(float(multi_label_soft_margin_loss(np.zeros((1, 2)), np.ones((1, 2)))), 4)
    0.6931
    """
    check_same_shape("multi_label_soft_margin_loss", x, target)
    losses = -(target * log_sigmoid(x) + (1 - target) * log_sigmoid(-x))
    losses = losses if weight is None else losses * weight
    return reduce_losses(mean(losses, axis=-1), reduction)


def multi_margin_loss(
    x: OperandLike, labels: OperandLike, p: int = 1, margin: float = 1.0,
    weight: OperandLike | None = None, reduction: str = "mean",
) -> Any:
    """The mean over classes of max(0, margin - score of the label + score of the class).

    `p` is 1, or 2 for squares; `weight` has a number for each class.

    >>> float(multi_margin_loss(np.zeros((1, 2)), np.array([1])))
    0.5
    """
    labelled_infer("multi_margin_loss", type_of(x), type_of(labels))
    if p not in (1, 2):
        raise OptionError("multi_margin_loss", [], f"p is 1 or 2, not {p}")
    classes: Any = shape_of(x)[-1]
    places = expand_dims(labels, axis=-1)
    losses = margin_part(margin - take_along_axis(x, places, axis=-1) + x)
    losses = where(equal(places, np.arange(classes)), 0, losses if p == 1 else square(losses))
    if weight is not None:
        losses = losses * take(weight, places, axis=0)
    return reduce_losses(mean(losses, axis=-1), reduction)


def triplet_margin_loss(
    anchor: OperandLike, near: OperandLike, far: OperandLike, margin: float = 1.0, p: float = 2.0,
    epsilon: float = 1e-6, swap: bool = False, reduction: str = "mean",
) -> Any:
    """max(0, margin + distance to `near` - distance to `far`), distances from the anchor.

    With `swap`, the distance of `near` and `far` replaces that to `far` if it is smaller.

    >>> round(float(triplet_margin_loss(np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)))), 4)
    1.0
    """
    positive, negative = (pairwise_distance(anchor, v, p, epsilon) for v in (near, far))
    if swap:
        other = pairwise_distance(near, far, p, epsilon)
        negative = where(less(other, negative), other, negative)
    return reduce_losses(margin_part(margin + positive - negative), reduction)
