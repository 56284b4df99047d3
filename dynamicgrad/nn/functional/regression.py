"""Losses of quantities and of vectors, as functions."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops

from ...dispatch.wrapping import set_name
from ...dispatch.zero_dim import numbers_as_rows
from ...engine.tensor import Tensor, as_tensor
from ...ops.creation import full_like

__all__ = [
    "cosine_embedding_loss", "cosine_similarity", "gaussian_nll_loss", "hinge_embedding_loss",
    "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "multi_margin_loss",
    "multilabel_soft_margin_loss", "pairwise_distance", "poisson_nll_loss", "smooth_l1_loss",
    "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip


def of_tensors(loss: Callable[..., Any]) -> Callable[..., Tensor]:
    """A loss of gradops with PyTorch's argument names."""

    def call(input: Tensor, target: Tensor, *args: Any, **options: Any) -> Tensor:
        return loss(as_tensor(input), as_tensor(target), *args, **options)

    return set_name(call, loss.__name__, loss.__doc__)


mse_loss, l1_loss, kl_div = map(of_tensors, (ops.mse_loss, ops.l1_loss, ops.kl_div))
smooth_l1_loss, huber_loss = map(of_tensors, (ops.smooth_l1_loss, ops.huber_loss))
soft_margin_loss = of_tensors(ops.soft_margin_loss)
hinge_embedding_loss = of_tensors(ops.hinge_embedding_loss)
cosines = numbers_as_rows(ops.cosine_similarity)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosines of the angles between vectors along a dimension.

    >>> dg.nn.functional.cosine_similarity(dg.tensor([[1.0, 0.0]]), dg.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    return cosines(as_tensor(x1), as_tensor(x2), dim, eps)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The norms of differences along the last dimension, to which `eps` is added.

    >>> dg.nn.functional.pairwise_distance(dg.tensor([3.0, 0.0]), dg.tensor([0.0, 4.0]), eps=0.0)
    tensor(5.)
    """
    return ops.pairwise_distance(as_tensor(x1), as_tensor(x2), p, eps, keepdim)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cos for pairs with target 1, max(0, cos - margin) for target -1.

    >>> x = dg.tensor([[1.0, 0.0]])
    >>> dg.nn.functional.cosine_embedding_loss(x, x, dg.ones(1))
    tensor(0.)
    """
    x, y, t = map(as_tensor, (input1, input2, target))
    return ops.cosine_embedding_loss(x, y, t, margin, reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """The margin by which the first input fails to exceed the second, for -1 the second the first.

    >>> dg.nn.functional.margin_ranking_loss(dg.ones(1), dg.tensor([3.0]), dg.ones(1))
    tensor(2.)
    """
    x, y, t = map(as_tensor, (input1, input2, target))
    return ops.margin_ranking_loss(x, y, t, margin, reduction)


def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How much the score of each label should exceed all others by: the mean over classes.

    >>> dg.nn.functional.multi_margin_loss(dg.zeros(1, 2), dg.tensor([1]))
    tensor(0.5000)
    """
    return ops.multi_margin_loss(as_tensor(input), as_tensor(target), p, margin, weight, reduction)


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The cross entropy of several labels, 0 or 1, with logits: the mean over classes.

    >>> dg.nn.functional.multilabel_soft_margin_loss(dg.zeros(1, 2), dg.ones(1, 2))
    tensor(0.6931)
    """
    x, y = as_tensor(input), as_tensor(target)
    return ops.multi_label_soft_margin_loss(x, y, weight, reduction)


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0,
    eps: float = 1e-6, swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How much nearer than by a margin `positive` should be to the anchor than `negative` is.

    >>> dg.nn.functional.triplet_margin_loss(dg.zeros(1, 1), dg.ones(1, 1), dg.ones(1, 1))
    tensor(1.)
    """
    a, near, far = map(as_tensor, (anchor, positive, negative))
    return ops.triplet_margin_loss(a, near, far, margin, p, eps, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *,
    distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`triplet_margin_loss` for any distance, by default `pairwise_distance`.

    >>> one = dg.ones(1, 1)
    >>> dg.nn.functional.triplet_margin_with_distance_loss(one, one, one, margin=0.5)
    tensor(0.5000)
    """
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.minimum(far, distance(positive, negative))
    return ops.margin_ranking_loss(near, far, -1, margin, reduction)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log likelihood of counts with rates `input`, or exp(input) if `log_input`.

    >>> dg.nn.functional.poisson_nll_loss(dg.zeros(1), dg.ones(1))
    tensor(1.)
    """
    x, y = as_tensor(input), as_tensor(target)
    return ops.poisson_nll_loss(x, y, log_input, full, eps, reduction)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log likelihood of targets with means `input` and variances, at least `eps`.

    >>> dg.nn.functional.gaussian_nll_loss(dg.zeros(1), dg.ones(1), dg.ones(1))
    tensor(0.5000)
    """
    x, y = as_tensor(input), as_tensor(target)
    v = full_like(x, var) if isinstance(var, int | float) else as_tensor(var)
    if isinstance(v.value, np.ndarray | np.generic) and np.any(np.less(v.value, 0)):
        raise ops.OptionError("gaussian_nll_loss", [v.type], "a variance is negative")
    x, y = ops.broadcast_arrays(x, y)
    return ops.gaussian_nll_loss(x, y, v, full, eps, reduction)
