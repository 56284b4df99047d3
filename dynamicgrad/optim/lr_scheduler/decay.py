"""Learning rates that decay: in steps, or along a curve."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from ..optimizer import Optimizer
from .scheduler import LRScheduler


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


def require_between(low: float, high: float, **options: float) -> None:
    """Refuse options outside of bounds."""
    for name, value in options.items():
        if not low <= value <= high:
            raise ValueError(f"{name} is expected to be between {low} and {high}, not {value}")
