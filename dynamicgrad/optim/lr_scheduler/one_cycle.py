"""One rise and fall of the learning rates, for one training."""

import math
from typing import Any

from ..optimizer import Optimizer
from .momenta import require_momentum, set_each, set_momenta, set_momentum
from .scheduler import LRScheduler, require_optimizer


def by_cosine(start: float, end: float, share: float) -> float:
    """From `start` to `end` on half a cosine wave."""
    return end + (start - end) / 2 * (math.cos(math.pi * share) + 1)


def by_line(start: float, end: float, share: float) -> float:
    """From `start` to `end` on a line."""
    return (end - start) * share + start


ANNEAL = {"cos": by_cosine, "linear": by_line}
Phase = tuple[float, str, str, str, str]  # its last step, rates from and to, momenta from and to


class OneCycleLR(LRScheduler):
    """Up from `max_lr / div_factor` to `max_lr` and down again, step by step, for one training.

    The momentum, or Adam's first beta, goes the other way. Call `step` after every batch. Smith and
    Topin, "Super-convergence" (2017).

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    >>> schedule = dg.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> schedule.get_last_lr()
    [0.04...]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        self.total_steps = steps_in_all(total_steps, epochs, steps_per_epoch)
        if not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ANNEAL:
            raise ValueError(f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}")
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        self.phases = phases(self.total_steps, pct_start, three_phase)
        if cycle_momentum:
            require_momentum(optimizer)
        if last_epoch == -1:
            set_rates(optimizer.param_groups, max_lr, div_factor, final_div_factor)
            if cycle_momentum:
                set_momenta(optimizer.param_groups, base_momentum, max_momentum)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this step; the momenta are set on the way."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is"
                f" {self.total_steps}"
            )
        begin, phase = self.current(step)
        end, low, high, first, last = phase
        share, anneal = (step - begin) / (end - begin), ANNEAL[self.anneal_strategy]
        for group in self.optimizer.param_groups if self.cycle_momentum else ():
            set_momentum(group, anneal(group[first], group[last], share))
        return [anneal(group[low], group[high], share) for group in self.optimizer.param_groups]

    def current(self, step: int) -> tuple[float, Phase]:
        """The phase that a step belongs to, and the step at which it begins."""
        begin = 0.0
        for phase in self.phases[:-1]:
            if step <= phase[0]:
                return begin, phase
            begin = phase[0]
        return begin, self.phases[-1]


def steps_in_all(total: int | None, epochs: int | None, each: int | None) -> int:
    """How many steps the training has, given in one of two ways."""
    if total is None and (epochs is None or each is None):
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    found = epochs * each if total is None else total  # type: ignore[operator]
    if not isinstance(found, int) or found <= 0:
        raise ValueError(f"Expected positive integer total_steps, but got {found}")
    return found


def phases(total: int, share: float, three: bool) -> list[Phase]:
    """The phases of the cycle: up, down, and the last of it, which may be one with the second."""
    up: Phase = (share * total - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [up, (total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    return [
        up,
        (2 * share * total - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
        (total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
    ]


def set_rates(groups: list[Any], max_lr: Any, div: float, final_div: float) -> None:
    """Let each group know the rates between which its own goes."""
    set_each(groups, "max_lr", max_lr)
    for group in groups:
        group["initial_lr"] = group["max_lr"] / div
        group["min_lr"] = group["initial_lr"] / final_div
