"""Learning rates that rise and fall: cosine waves, cycles, and one cycle."""

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import Any

from ..optimizer import Group, Optimizer
from .scheduler import LRScheduler, PerGroup, one_each, rates_of, require_optimizer, set_each


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


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine wave down to `eta_min` in `T_0` epochs, then restarted, `T_mult` times as long.

    `step` also takes an epoch, which may be a fraction.

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = dg.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def restart(self) -> None:
        """Restart with the first wave."""
        self.T_i, self.T_cur = self.T_0, -1
        super().restart()

    def step(self, epoch: float | None = None) -> None:
        """Advance to the next epoch, or to a given one."""
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


SCALES: dict[str, tuple[str, Callable[[float, float], float]]] = {
    "triangular": ("cycle", lambda gamma, x: 1.0),
    "triangular2": ("cycle", lambda gamma, x: 0.5 ** (x - 1)),
    "exp_range": ("iterations", lambda gamma, x: gamma**x),
}
"""The height of cycles by mode: what is counted, and a function of gamma and the count."""


class CyclicLR(LRScheduler):
    """Up from `base_lr` to `max_lr` in `step_size_up` steps and down again, over and over.

    The momentum, or Adam's first beta, goes the other way. How high a cycle is follows `mode`, or
    `scale_fn` of the number of the cycle or, with `scale_mode="iterations"`, of the step. Call
    `step` after every batch. Smith, "Cyclical learning rates for training neural networks" (2017).

    >>> optimizer = dg.optim.SGD([dg.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    >>> schedule = dg.optim.lr_scheduler.CyclicLR(optimizer, 0.0, 1.0, step_size_up=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, base_lr: PerGroup, max_lr: PerGroup, step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
        cycle_momentum: bool = True, base_momentum: PerGroup = 0.8, max_momentum: PerGroup = 0.9,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        require_optimizer(optimizer)
        if scale_fn is None:
            if mode not in SCALES:
                raise ValueError(
                    f"mode is one of {', '.join(SCALES)}, or scale_fn given, not {mode!r}"
                )
            scale_mode, scale = SCALES[mode]
            scale_fn = partial(scale, gamma)
        if cycle_momentum:
            set_momentum_range(optimizer, base_momentum, max_momentum, last_epoch != -1)
        self.scale_fn, self.scale_mode, self.cycle_momentum = scale_fn, scale_mode, cycle_momentum
        self.max_lrs = one_each("values for max_lr", max_lr, optimizer.param_groups)
        step_size_down = step_size_up if step_size_down is None else step_size_down
        self.total_size = step_size_up + step_size_down
        self.share_up = step_size_up / self.total_size
        if last_epoch == -1:
            set_each(optimizer.param_groups, "initial_lr", base_lr)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this step; also sets the momenta."""
        height = self.height()
        for group in self.optimizer.param_groups if self.cycle_momentum else ():
            low, high = group["base_momentum"], group["max_momentum"]
            set_momentum(group, high - (high - low) * height)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs)]

    def height(self) -> float:
        """Where this step is between the lowest rate, 0, and the highest, 1."""
        cycle, within = divmod(self.last_epoch / self.total_size, 1.0)
        up = self.share_up
        rise = within / up if within <= up else (1 - within) / (1 - up)
        return rise * self.scale_fn(cycle + 1 if self.scale_mode == "cycle" else self.last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and the function that says how high cycles are."""
        return {k: v for k, v in super().state_dict().items() if k != "scale_fn"}


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
        self, optimizer: Optimizer, max_lr: PerGroup, total_steps: int | None = None,
        epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
        anneal_strategy: str = "cos", cycle_momentum: bool = True, base_momentum: PerGroup = 0.85,
        max_momentum: PerGroup = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4,
        three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        require_optimizer(optimizer)
        self.total_steps = steps_in_all(total_steps, epochs, steps_per_epoch)
        if not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ANNEAL:
            raise ValueError(f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}")
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        self.phases = phases(self.total_steps, pct_start, three_phase)
        if cycle_momentum:
            set_momentum_range(optimizer, base_momentum, max_momentum, last_epoch != -1)
        if last_epoch == -1:
            set_each(optimizer.param_groups, "max_lr", max_lr)
            for group in optimizer.param_groups:
                group["initial_lr"] = group["max_lr"] / div_factor
                group["min_lr"] = group["initial_lr"] / final_div_factor
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this step; also sets the momenta."""
        step = self.last_epoch
        if step > self.total_steps:
            total = f"The specified number of total steps is {self.total_steps}"
            raise ValueError(f"Tried to step {step} times. {total}")
        ends = [phase[0] for phase in self.phases]
        i = bisect_left(ends[:-1], step)
        begin, (end, low, high, first, last) = ends[i - 1] if i else 0.0, self.phases[i]
        share, anneal = (step - begin) / (end - begin), ANNEAL[self.anneal_strategy]
        for group in self.optimizer.param_groups if self.cycle_momentum else ():
            set_momentum(group, anneal(group[first], group[last], share))
        return [anneal(group[low], group[high], share) for group in self.optimizer.param_groups]


def steps_in_all(total: int | None, epochs: int | None, each: int | None) -> int:
    """The total number of steps, given directly or by epochs and steps per epoch."""
    if total is None and (epochs is None or each is None):
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    found = epochs * each if total is None else total  # type: ignore[operator]
    if not isinstance(found, int) or found <= 0:
        raise ValueError(f"Expected positive integer total_steps, but got {found}")
    return found


def phases(total: int, share: float, three: bool) -> list[Phase]:
    """The phases of the cycle: up and down, with a separate last phase if `three`."""
    up: Phase = (share * total - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [up, (total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    return [
        up,
        (2 * share * total - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
        (total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
    ]


def set_momentum_range(optimizer: Optimizer, low: PerGroup, high: PerGroup, resumes: bool) -> None:
    """Give each group the smallest and the largest momentum, unless a schedule is resumed."""
    if optimizer.defaults.keys().isdisjoint({"momentum", "betas"}):
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
        )
    if not resumes:
        set_each(optimizer.param_groups, "max_momentum", high)
        set_each(optimizer.param_groups, "base_momentum", low)


def set_momentum(group: Group, momentum: float) -> None:
    """Set the momentum of a group, or the first beta of Adam."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum
