"""Losses of quantities and of vectors: distances, divergences and margins."""

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
from ..shape.movement import expand_dims, reshape
from .activation import log_sigmoid, softplus
from .classification import labelled_infer
from .loss import check_same_shape, reduced
from .normalization import length

__all__ = [
    "cosine_embedding_loss", "cosine_similarity", "gaussian_nll_loss", "hinge_embedding_loss",
    "huber_loss", "kl_div", "margin_ranking_loss", "multi_label_soft_margin_loss",
    "multi_margin_loss", "pairwise_distance", "poisson_nll_loss", "smooth_l1_loss",
    "soft_margin_loss", "triplet_margin_loss",
]


def huber_loss(x: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared distance up to `delta`, and from there on straight.

    >>> float(huber_loss(np.array([0.0, 3.0]), np.array([0.0, 1.0])))
    0.75
    """
    if not delta > 0:
        raise OptionError("huber_loss", [], f"delta is greater than 0, not {delta}")
    check_same_shape("huber_loss", x, target)
    difference = x - target
    d = abs(difference)
    straight = delta * (d - 0.5 * delta)
    return reduced(where(less(d, delta), half_square(difference, delta), straight), reduction)


def half_square(difference: Any, bound: float) -> AnyArray:
    """Half the square of differences below a bound; of others not, whose slope may be infinite.

    It is not that of a distance, whose derivative at 0 is not there to give the second one.
    """
    near = where(less(abs(difference), bound), difference, 0)
    return 0.5 * (near * near)


def smooth_l1_loss(x: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """The distance from `beta` on, less beta / 2, and before that a parabola that joins it.

    >>> float(smooth_l1_loss(np.array([0.0, 3.0]), np.array([0.0, 1.0])))
    0.75
    """
    if not beta >= 0:
        raise OptionError("smooth_l1_loss", [], f"beta is at least 0, not {beta}")
    check_same_shape("smooth_l1_loss", x, target)
    difference = x - target
    d = abs(difference)
    if beta == 0:
        return reduced(d, reduction)
    near = half_square(difference, beta) / beta
    return reduced(where(less(d, beta), near, d - 0.5 * beta), reduction)


def kl_div(x: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """The divergence of log-probabilities `x` from a target, entry by entry and then reduced.

    The target are probabilities, or with `log_target` their logarithms. "batchmean" divides the
    sum by the size of the first axis, which is the divergence; "mean" by the number of entries.

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
    return reduced(losses, reduction)


def poisson_nll_loss(
    x: Any, target: Any, log_input: bool = True, full: bool = False, epsilon: float = 1e-8,
    reduction: str = "mean",
) -> Any:
    """The negative log likelihood of counts with rates `x`, or exp(x) if `log_input`.

    What does not depend on rates is left out, or if `full` is there as Stirling has it.

    >>> float(poisson_nll_loss(np.zeros(1), np.ones(1)))
    1.0
    """
    check_same_shape("poisson_nll_loss", x, target)
    losses = exp(x) - target * x if log_input else x - target * log(x + epsilon)
    if full:
        large = greater(target, 1)
        n = where(large, target, 2)
        losses = losses + where(large, n * log(n) - n + 0.5 * log(2 * math.pi * n), 0)
    return reduced(losses, reduction)


def gaussian_nll_loss(
    x: Any, target: Any, variance: Any, full: bool = False, epsilon: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """The negative log likelihood of targets with means `x` and variances, at least `epsilon`.

    A variance belongs to each entry, or to all along the last axis. With `full` the constant
    counts, too. The bound of the variance has no part in its gradient.

    >>> float(gaussian_nll_loss(np.zeros(1), np.ones(1), np.ones(1)))
    0.5
    """
    check_same_shape("gaussian_nll_loss", x, target)
    if len(shape_of(variance)) == len(shape_of(x)) - 1:
        variance = expand_dims(variance, axis=-1)
    bounded = variance + stop_gradient(maximum(epsilon - variance, 0))
    losses = 0.5 * (log(bounded) + square(x - target) / bounded)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def cosine_similarity(x: Any, y: Any, axis: int = 1, epsilon: float = 1e-8) -> Any:
    """The cosines of the angles between vectors along an axis; norms count as at least `epsilon`.

    >>> cosine_similarity(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]]))
    array([0.70710678])
    """
    shape = broadcast_shapes("cosine_similarity", [type_of(x), type_of(y)])
    k = normalize_axis("cosine_similarity", ArrayType(shape, type_of(x).dtype), axis)
    x, y = (unit(whole_along(v, shape, k), k, epsilon) for v in (x, y))
    return sum(x * y, axis=k)


def whole_along(v: Any, shape: Shape, axis: int) -> Any:
    """An operand with all axes of a shape that it broadcasts to, and the whole size along one."""
    sizes = (1,) * (len(shape) - len(shape_of(v))) + tuple(shape_of(v))
    v = v if len(sizes) == len(shape_of(v)) else reshape(v, shape=sizes)
    if sizes[axis] == shape[axis]:
        return v
    return broadcast_to(v, shape=(*sizes[:axis], shape[axis], *sizes[axis + 1 :]))


def unit(v: Any, axis: int, epsilon: float) -> Any:
    """Vectors along an axis over their norms; the bound of these has no part in the gradient."""
    norm = vector_norm(v, axis=axis, keepdims=True)
    return v / (norm + stop_gradient(maximum(epsilon - norm, 0)))


def pairwise_distance(
    x: Any, y: Any, p: float = 2.0, epsilon: float = 1e-6, keepdims: bool = False
) -> Any:
    """The norms of order `p` of differences along the last axis, to which `epsilon` is added.

    >>> float(pairwise_distance(np.array([3.0, 0.0]), np.array([0.0, 4.0]), epsilon=0.0))
    5.0
    """
    return length(x - y + epsilon, p, -1, keepdims)


def cosine_embedding_loss(
    x: Any, y: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """1 - cos for pairs of vectors with target 1, what cos exceeds a margin by for target -1.

    >>> float(cosine_embedding_loss(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.ones(1)))
    1.0
    """
    axis = len(shape_of(x)) - 1
    norm = sqrt((sum(square(x), axis=axis) + 1e-12) * (sum(square(y), axis=axis) + 1e-12))
    cos = sum(x * y, axis=axis) / norm
    near, far = where(equal(target, 1), 1 - cos, 0), maximum_of(cos - margin)
    return reduced(near + where(equal(target, -1), far, 0), reduction)


def maximum_of(x: Any) -> Any:
    """The positive part, with derivative 1 at 0, as PyTorch's losses with a margin have it."""
    return where(less(x, 0), 0, x)


def hinge_embedding_loss(
    x: Any, target: Any, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    """x for target 1, and what a margin exceeds x by for target -1; for others the sum of both.

    >>> float(hinge_embedding_loss(np.array([0.25]), np.array([-1])))
    0.75
    """
    check_same_shape("hinge_embedding_loss", x, target)
    far = where(equal(target, 1), 0, maximum_of(margin - x))
    return reduced(where(equal(target, -1), 0, x) + far, reduction)


def margin_ranking_loss(
    x: Any, y: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """What `x` should exceed `y` by for target 1, or the other way round for target -1.

    >>> float(margin_ranking_loss(np.array([1.0]), np.array([3.0]), np.array([1.0])))
    2.0
    """
    check_same_shape("margin_ranking_loss", x, y)
    return reduced(maximum_of(margin - target * (x - y)), reduction)


def soft_margin_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """log(1 + exp(-target x)), for targets 1 and -1.

    >>> round(float(soft_margin_loss(np.zeros(1), np.ones(1))), 4)
    0.6931
    """
    check_same_shape("soft_margin_loss", x, target)
    return reduced(softplus(-target * x), reduction)


def multi_label_soft_margin_loss(
    x: Any, target: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    """The cross entropy of several labels, 0 or 1, with logits: the mean over the last axis.

    >>> round(float(multi_label_soft_margin_loss(np.zeros((1, 2)), np.ones((1, 2)))), 4)
    0.6931
    """
    check_same_shape("multi_label_soft_margin_loss", x, target)
    losses = -(target * log_sigmoid(x) + (1 - target) * log_sigmoid(-x))
    losses = losses if weight is None else losses * weight
    return reduced(mean(losses, axis=-1), reduction)


def multi_margin_loss(
    x: OperandLike, labels: OperandLike, p: int = 1, margin: float = 1.0,
    weight: OperandLike | None = None, reduction: str = "mean",
) -> Any:
    """How much the score of each label should exceed all others by: the mean over the last axis.

    `p` is 1, or 2 for the squares; `weight` has a number for each class.

    >>> float(multi_margin_loss(np.zeros((1, 2)), np.array([1])))
    0.5
    """
    labelled_infer("multi_margin_loss", type_of(x), type_of(labels))
    if p not in (1, 2):
        raise OptionError("multi_margin_loss", [], f"p is 1 or 2, not {p}")
    classes: Any = shape_of(x)[-1]
    places = expand_dims(labels, axis=-1)
    losses = maximum_of(margin - take_along_axis(x, places, axis=-1) + x)
    losses = where(equal(places, np.arange(classes)), 0, losses if p == 1 else square(losses))
    if weight is not None:
        losses = losses * take(weight, places, axis=0)
    return reduced(mean(losses, axis=-1), reduction)


def triplet_margin_loss(
    anchor: OperandLike, near: OperandLike, far: OperandLike, margin: float = 1.0, p: float = 2.0,
    epsilon: float = 1e-6, swap: bool = False, reduction: str = "mean",
) -> Any:
    """How much nearer than by a margin `near` should be to the anchor than `far` is.

    With `swap`, `far` may also be as near to `near`.

    >>> round(float(triplet_margin_loss(np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)))), 4)
    1.0
    """
    positive, negative = (pairwise_distance(anchor, v, p, epsilon) for v in (near, far))
    if swap:
        other = pairwise_distance(near, far, p, epsilon)
        negative = where(less(other, negative), other, negative)
    return reduced(maximum_of(margin + positive - negative), reduction)
