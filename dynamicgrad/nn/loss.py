"""Losses as modules."""

from typing import Any

from . import functional as F
from .functional.classification import IGNORE
from .module import Module


class Loss(Module):
    """A loss whose reduction is the mean, the sum, or none."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction


class WeightedLoss(Loss):
    """A loss with weights, which are a buffer."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)


class MSELoss(Loss):
    """The squared distances of predictions from targets.

    >>> dg.nn.MSELoss()(dg.tensor([1.0, 3.0]), dg.ones(2))
    tensor(2.)
    """

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """The absolute distances of predictions from targets.

    >>> dg.nn.L1Loss()(dg.tensor([1.0, 3.0]), dg.ones(2))
    tensor(1.)
    """

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Loss):
    """The distance from `beta` on, less beta / 2, and before that a parabola that joins it.

    >>> dg.nn.SmoothL1Loss()(dg.tensor([0.0, 3.0]), dg.tensor([0.0, 1.0]))
    tensor(0.7500)
    """

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.smooth_l1_loss(input, target, self.reduction, self.beta)


class HuberLoss(Loss):
    """Half the squared distance up to `delta`, and from there on straight.

    >>> dg.nn.HuberLoss()(dg.tensor([0.0, 3.0]), dg.tensor([0.0, 1.0]))
    tensor(0.7500)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.huber_loss(input, target, self.reduction, self.delta)


class CrossEntropyLoss(WeightedLoss):
    """The cross entropy of labels with softmax of scores (N, C, ...).

    Labels are classes (N, ...) or probabilities in the shape of the scores.

    >>> dg.nn.CrossEntropyLoss()(dg.zeros(1, 2), dg.tensor([1]))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = IGNORE,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.cross_entropy(
            input, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class NLLLoss(WeightedLoss):
    """Minus the log-probability at each label.

    >>> dg.nn.NLLLoss()(dg.tensor([[-1.0, -2.0]]), dg.tensor([1]))
    tensor(2.)
    """

    def __init__(
        self, weight: Any = None, ignore_index: int = IGNORE, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class BCELoss(WeightedLoss):
    """The cross entropy of labels between 0 and 1 with probabilities.

    >>> dg.nn.BCELoss()(dg.tensor([0.5]), dg.ones(1))
    tensor(0.6931)
    """

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """The cross entropy of labels between 0 and 1 with the logistic function of logits.

    >>> dg.nn.BCEWithLogitsLoss()(dg.zeros(1), dg.ones(1))
    tensor(0.6931)
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight
        )


class KLDivLoss(Loss):
    """The divergence of log-probabilities from probabilities, or from their logarithms.

    >>> dg.nn.KLDivLoss(reduction="batchmean")(dg.zeros(1), dg.tensor([0.5]))
    tensor(-0.3466)
    """

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.kl_div(input, target, self.reduction, self.log_target)
