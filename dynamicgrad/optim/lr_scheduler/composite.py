"""Schedules composed of others: one after the other, or all in each step."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .scheduler import LRScheduler, rates_of


class Several(LRScheduler):
    """Base class of schedules composed of others on one optimizer, and saved with them."""

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
        for i, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(f"the scheduler at index {i} belongs to another optimizer")
        self.optimizer, self.schedulers = optimizer, list(schedulers)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of the parts, their states."""
        states = [scheduler.state_dict() for scheduler in self.schedulers]
        return {**super().state_dict(), "schedulers": states}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state from `state_dict`."""
        rest = {name: value for name, value in state_dict.items() if name != "schedulers"}
        super().load_state_dict(rest)
        for scheduler, state in zip(self.schedulers, state_dict["schedulers"], strict=True):
            scheduler.load_state_dict(state)


class ChainedScheduler(Several):
    """Schedules applied in sequence at each step, each to the rates from the one before.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> parts = [dg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5) for _ in range(2)]
    >>> schedule = dg.optim.lr_scheduler.ChainedScheduler(parts)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained")
        super().__init__(optimizer or schedulers[0].optimizer, schedulers)
        self._last_lr = rates_of(self.optimizer)

    def step(self) -> None:
        """Go on to the next epoch of every schedule."""
        for scheduler in self.schedulers:
            scheduler.step()
        self._last_lr = rates_of(self.optimizer)


class SequentialLR(Several):
    """Schedules that take turns: each of `milestones` is the epoch at which the next begins.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> parts = [
    ...     dg.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2),
    ...     dg.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9),
    ... ]
    >>> schedule = dg.optim.lr_scheduler.SequentialLR(optimizer, parts, milestones=[2])
    >>> schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int],
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not schedulers or len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"{len(schedulers)} schedulers with {len(milestones)} milestones: expected one"
                " scheduler more than milestones"
            )
        for i, scheduler in enumerate(schedulers):
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(f"ReduceLROnPlateau, at index {i}, cannot be part of a sequence")
        super().__init__(optimizer, schedulers)
        self.milestones = milestones
        self.last_epoch = last_epoch + 1
        for scheduler in schedulers[::-1]:  # each one has set rates already; the first one's count
            scheduler.restart()
        self._last_lr = schedulers[0].get_last_lr()

    def restart(self) -> None:
        """Restart with the first schedule."""
        self.last_epoch = 0
        self.schedulers[0].restart()
        self._last_lr = self.schedulers[0].get_last_lr()

    def step(self) -> None:
        """Go on to the next epoch of the schedule whose turn it is."""
        self.last_epoch += 1
        i = bisect_right(self.milestones, self.last_epoch)
        scheduler = self.schedulers[i]
        if i and self.milestones[i - 1] == self.last_epoch:
            scheduler.restart()
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()
