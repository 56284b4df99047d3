"""Learning rates that rise and fall."""

import math
from typing import Any

from ..optimizer import Optimizer
from .scheduler import LRScheduler, require_optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine wave down to `eta_min` in `T_0` epochs, then anew, `T_mult` times as long.

    `step` also takes an epoch, which may be a fraction.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def restart(self) -> None:
        """Begin anew with the first wave."""
        self.T_i, self.T_cur = self.T_0, -1
        super().restart()

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to one that is given."""
        if epoch is None:
            return super().step()
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        self.T_i, self.T_cur = self.T_0, epoch
        while self.T_cur >= self.T_i:
            self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        self.steps_done += 1
        self.last_epoch = math.floor(epoch)
        self.set_lr(self.get_lr())

    def advance(self) -> None:
        """Count the epoch, also within its wave, and set the learning rates."""
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        super().advance()

    def get_lr(self) -> list[float]:
        """Where the wave is, between the initial rates and `eta_min`."""
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (lr - self.eta_min) * height for lr in self.base_lrs]


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
        self.use_beta1 = "betas" in optimizer.defaults
        if cycle_momentum and not self.use_beta1 and "momentum" not in optimizer.defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        if last_epoch == -1:
            set_rates(optimizer.param_groups, max_lr, div_factor, final_div_factor)
            if cycle_momentum:
                set_each(optimizer.param_groups, "max_momentum", max_momentum)
                set_each(optimizer.param_groups, "base_momentum", base_momentum)
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
            m = anneal(group[first], group[last], share)
            group.update(betas=(m, *group["betas"][1:])) if self.use_beta1 else group.update(
                momentum=m
            )
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


def set_each(groups: list[Any], name: str, given: Any) -> None:
    """Let each group have an option: the same, or its own from a list."""
    for group, value in zip(groups, one_each(name, given, groups)):
        group[name] = value


def one_each(name: str, given: Any, groups: list[Any]) -> list[Any]:
    """A value for each group: the same, or from a list."""
    found = list(given) if isinstance(given, list | tuple) else [given] * len(groups)
    if len(found) != len(groups):
        raise ValueError(f"Expected {len(groups)} values for {name}, but got {len(found)}")
    return found
