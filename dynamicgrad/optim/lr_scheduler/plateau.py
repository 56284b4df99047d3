"""Learning rates reduced when a quantity stops improving."""

import math
from typing import SupportsFloat

from ..optimizer import Optimizer
from .scheduler import LRScheduler, PerGroup, one_each, rates_of, require_optimizer


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a quantity has not improved for more than `patience` epochs.

    To improve is to be less by `threshold`, in proportion (`"rel"`) or in all (`"abs"`); with
    `mode="max"`, to be greater.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    >>> schedule.step(3.0); schedule.step(3.0); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0,
        min_lr: PerGroup = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        require_optimizer(optimizer)
        if factor >= 1:
            raise ValueError(f"Factor should be < 1.0, not {factor}")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode!r} is unknown: it is 'min' or 'max'")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode!r} is unknown: it is 'rel' or 'abs'")
        self.optimizer, self.mode, self.threshold_mode = optimizer, mode, threshold_mode
        self.reduction, self.patience, self.threshold = factor, patience, threshold
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = one_each("values for min_lr", min_lr, optimizer.param_groups)
        self.last_epoch = self.cooldown_counter = self.num_bad_epochs = 0
        self.best = math.inf if mode == "min" else -math.inf
        self._last_lr = rates_of(self.optimizer)

    def step(self, metrics: SupportsFloat) -> None:  # type: ignore[override]
        """Go on to the next epoch, with the quantity that the last one gave."""
        current = float(metrics)
        self.last_epoch += 1
        if self.improves(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        rates = rates_of(self.optimizer)
        if self.num_bad_epochs > self.patience:
            rates = [self.reduced(lr, low) for lr, low in zip(rates, self.min_lrs, strict=True)]
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self.set_lr(rates)

    def improves(self, current: float) -> bool:
        """True if the quantity is better than the best so far by more than the threshold."""
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            return sign * current < sign * self.best * (1 - sign * self.threshold)
        return sign * current < sign * self.best - self.threshold

    def reduced(self, lr: float, low: float) -> float:
        """The rate reduced to at least `low`; unchanged if the difference is at most `eps`."""
        new = max(lr * self.reduction, low)
        return new if lr - new > self.eps else lr
