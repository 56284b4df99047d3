"""Losses as modules."""

from typing import Any

from ...engine.tensor import Tensor
from .. import functional as F
from ..functional.classification import IGNORE
from ..modules.function_module import Applied
from ..modules.module import Module

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "PoissonNLLLoss", "SmoothL1Loss",
    "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip


class Loss(Applied):
    """A loss without weights."""

    def extra_repr(self) -> str:
        """An empty string, as in PyTorch."""
        return ""


class MSELoss(Loss, function=F.mse_loss, reduction="mean"):
    """The squared distances of predictions from targets.

    >>> dg.nn.MSELoss()(dg.tensor([1.0, 3.0]), dg.ones(2))
    tensor(2.)
    """


class L1Loss(Loss, function=F.l1_loss, reduction="mean"):
    """The absolute distances of predictions from targets.

    >>> dg.nn.L1Loss()(dg.tensor([1.0, 3.0]), dg.ones(2))
    tensor(1.)
    """


class SmoothL1Loss(Loss, function=F.smooth_l1_loss, reduction="mean", beta=1.0):
    """The distance from `beta` on, less beta / 2, and before that a parabola that joins it.

    >>> dg.nn.SmoothL1Loss()(dg.tensor([0.0, 3.0]), dg.tensor([0.0, 1.0]))
    tensor(0.7500)
    """


class HuberLoss(Loss, function=F.huber_loss, reduction="mean", delta=1.0):
    """Half the squared distance up to `delta`, and from there on straight.

    >>> dg.nn.HuberLoss()(dg.tensor([0.0, 3.0]), dg.tensor([0.0, 1.0]))
    tensor(0.7500)
    """


class KLDivLoss(Loss, function=F.kl_div, reduction="mean", log_target=False):
    """The divergence of log-probabilities from probabilities, or from their logarithms.

    >>> dg.nn.KLDivLoss(reduction="batchmean")(dg.zeros(1), dg.tensor([0.5]))
    tensor(-0.3466)
    """


class PoissonNLLLoss(
    Loss, function=F.poisson_nll_loss, log_input=True, full=False, eps=1e-8, reduction="mean"
):
    """The negative log likelihood of counts with given rates, or exponents of rates.

    >>> dg.nn.PoissonNLLLoss()(dg.zeros(1), dg.ones(1))
    tensor(1.)
    """


class GaussianNLLLoss(Loss, function=F.gaussian_nll_loss, full=False, eps=1e-6, reduction="mean"):
    """The negative log likelihood of targets with given means and variances.

    >>> dg.nn.GaussianNLLLoss()(dg.zeros(1), dg.ones(1), dg.ones(1))
    tensor(0.5000)
    """


class SoftMarginLoss(Loss, function=F.soft_margin_loss, reduction="mean"):
    """log(1 + exp(-y x)) for scores x and labels y of 1 or -1.

    >>> dg.nn.SoftMarginLoss()(dg.zeros(1), dg.ones(1))
    tensor(0.6931)
    """


class HingeEmbeddingLoss(Loss, function=F.hinge_embedding_loss, margin=1.0, reduction="mean"):
    """x for the label 1, max(0, margin - x) for the label -1.

    >>> dg.nn.HingeEmbeddingLoss()(dg.tensor([0.5, 0.5]), dg.tensor([1.0, -1.0]))
    tensor(0.5000)
    """


class CosineEmbeddingLoss(Loss, function=F.cosine_embedding_loss, margin=0.0, reduction="mean"):
    """1 - cos for pairs with target 1, max(0, cos - margin) for target -1.

    >>> dg.nn.CosineEmbeddingLoss()(dg.ones(1, 2), dg.ones(1, 2), dg.ones(1)).shape
    ()
    """


class MarginRankingLoss(Loss, function=F.margin_ranking_loss, margin=0.0, reduction="mean"):
    """The margin by which the first input fails to exceed the second, for -1 the second the first.

    >>> dg.nn.MarginRankingLoss()(dg.ones(1), dg.tensor([3.0]), dg.ones(1))
    tensor(2.)
    """


class TripletMarginLoss(
    Loss, function=F.triplet_margin_loss, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction="mean"
):
    """How much nearer to an anchor the second input should be than the third is.

    >>> dg.nn.TripletMarginLoss()(dg.zeros(1, 1), dg.ones(1, 1), dg.ones(1, 1))
    tensor(1.)
    """


class WeightedLoss(Module):
    """A loss with weights, which are a buffer."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction
        self.register_buffer("weight", weight)


class CrossEntropyLoss(WeightedLoss):
    """The cross entropy of labels with softmax of scores (N, C, ...).

    Labels are classes (N, ...) or probabilities in the shape of the scores.

    >>> dg.nn.CrossEntropyLoss()(dg.zeros(1, 2), dg.tensor([1]))
    tensor(0.6931)
    """

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = IGNORE, reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(weight, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        options = (self.weight, self.ignore_index, self.reduction, self.label_smoothing)
        return F.cross_entropy(input, target, *options)


class NLLLoss(WeightedLoss):
    """Minus the log-probability at each label.

    >>> dg.nn.NLLLoss()(dg.tensor([[-1.0, -2.0]]), dg.tensor([1]))
    tensor(2.)
    """

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = IGNORE, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class BCELoss(WeightedLoss):
    """The cross entropy of labels between 0 and 1 with probabilities.

    >>> dg.nn.BCELoss()(dg.tensor([0.5]), dg.ones(1))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """The cross entropy of labels between 0 and 1 with the logistic function of logits.

    >>> dg.nn.BCEWithLogitsLoss()(dg.zeros(1), dg.ones(1))
    tensor(0.6931)
    """

    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        options = (self.weight, self.reduction, self.pos_weight)
        return F.binary_cross_entropy_with_logits(input, target, *options)


class MultiMarginLoss(WeightedLoss):
    """How much the score of each label should exceed all others by: the mean over classes.

    >>> dg.nn.MultiMarginLoss()(dg.zeros(1, 2), dg.tensor([1]))
    tensor(0.5000)
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, reduction)
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """The cross entropy of several labels, 0 or 1, with logits: the mean over classes.

    >>> dg.nn.MultiLabelSoftMarginLoss()(dg.zeros(1, 2), dg.ones(1, 2))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, self.reduction)


class TripletMarginWithDistanceLoss(Module):
    """`TripletMarginLoss` for any distance, by default `PairwiseDistance`.

    >>> one = dg.ones(1, 1)
    >>> dg.nn.TripletMarginWithDistanceLoss(margin=0.5)(one, one, one)
    tensor(0.5000)
    """

    def __init__(
        self, *, distance_function: Any = None, margin: float = 1.0, swap: bool = False,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__()
        self.distance_function, self.margin = distance_function, margin
        self.swap, self.reduction = swap, reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function,
            margin=self.margin, swap=self.swap, reduction=self.reduction,
        )  # fmt: skip
