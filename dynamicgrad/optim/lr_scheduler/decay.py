"""Learning rates that decay: by a function, in steps, along a curve, or on a plateau."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, SupportsFloat

from ..optimizer import Optimizer
from .scheduler import LRScheduler, PerGroup, one_each, rates_of, require_optimizer

Schedule = Callable[[int], float]
"""A function of the epoch."""


class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch, or one function for each group.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Schedule | list[Schedule], last_epoch: int = -1
    ) -> None:
        self.lr_lambdas = one_each("lr_lambdas", lr_lambda, optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The initial rates times the values of the functions."""
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self.base_lrs)]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and functions; of other callables, their attributes."""
        held = [None if type(f) is FunctionType else dict(vars(f)) for f in self.lr_lambdas]
        return {**super().state_dict(), "lr_lambdas": held}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state from `state_dict`; the functions stay."""
        rest = {name: value for name, value in state_dict.items() if name != "lr_lambdas"}
        super().load_state_dict(rest)
        for f, held in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            vars(f).update(held or {})


class MultiplicativeLR(LambdaLR):
    """The rate times a function of the epoch, in every epoch, or one function for each group.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[float]:
        """The present rates times the values of the functions; unchanged at the start."""
        if self.is_initial:
            return rates_of(self.optimizer)
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, rates_of(self.optimizer))]


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        """`gamma` where a step ends."""
        return self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else 1.0


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each of the epochs `milestones`.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.MultiStepLR(optimizer, [1, 5], gamma=0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        """`gamma`, as often as the epoch is a milestone."""
        marks, epoch = self.milestones, self.last_epoch
        return self.gamma ** (bisect_right(marks, epoch) - bisect_left(marks, epoch))


class ConstantLR(LRScheduler):
    """The rate times `factor` until epoch `total_iters`.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> dg.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5).get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        require_between(0, 1, factor=factor)
        self.held_factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        """On at the start, and off again at the end."""
        if self.last_epoch == 0:
            return self.held_factor
        return 1 / self.held_factor if self.last_epoch == self.total_iters else 1.0


class LinearLR(LRScheduler):
    """The rate times a factor that goes in equal steps from one value to another.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> dg.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5).get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0,
        total_iters: int = 5, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        require_between(0, 1, start_factor=start_factor, end_factor=end_factor)
        if start_factor == 0:
            raise ValueError("start_factor is greater than 0: rates are multiplied, not set")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        """This epoch's factor over the last one's."""
        if self.last_epoch == 0:
            return self.start_factor
        if self.is_initial or self.last_epoch > self.total_iters:
            return 1.0
        rise = self.end_factor - self.start_factor
        return 1 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)


class ExponentialLR(LRScheduler):
    """The rate times `gamma` in every epoch.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        """`gamma`, but at the start."""
        return 1.0 if self.is_initial else self.gamma


class PolynomialLR(LRScheduler):
    """The rate times (1 - epoch / total_iters) ** power, until it is zero.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        """The ratio of the polynomial's values at this epoch and the last."""
        if self.is_initial or self.last_epoch > self.total_iters:
            return 1.0
        left, before = (1 - i / self.total_iters for i in (self.last_epoch, self.last_epoch - 1))
        return (left / before) ** self.power


class CosineAnnealingLR(LRScheduler):
    """Half a cosine wave down to `eta_min` in `T_max` epochs, and up again in as many.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The height above `eta_min` in proportion to the wave."""
        rates, epoch, low = rates_of(self.optimizer), self.last_epoch, self.eta_min
        if self.is_initial:
            return rates
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # up from where the wave was zero
            first = (1 - math.cos(math.pi / self.T_max)) / 2
            return [lr + (base - low) * first for lr, base in zip(rates, self.base_lrs)]
        now, before = (1 + math.cos(math.pi * i / self.T_max) for i in (epoch, epoch - 1))
        return [now / before * (lr - low) + low for lr in rates]


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


def require_between(low: float, high: float, **options: float) -> None:
    """Refuse options outside of bounds."""
    for name, value in options.items():
        if not low <= value <= high:
            raise ValueError(f"{name} is expected to be between {low} and {high}, not {value}")
