"""Learning rates that rise and fall."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ..optimizer import Optimizer
from .momenta import one_each, require_momentum, set_each, set_momenta, set_momentum
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


SCALES: dict[str, tuple[str, Callable[[float, float], float]]] = {
    "triangular": ("cycle", lambda gamma, x: 1.0),
    "triangular2": ("cycle", lambda gamma, x: 0.5 ** (x - 1)),
    "exp_range": ("iterations", lambda gamma, x: gamma**x),
}
"""How high cycles are: what is counted, and a function of the count."""


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
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        if mode not in SCALES and scale_fn is None:
            raise ValueError(f"mode is one of {', '.join(SCALES)}, or scale_fn given, not {mode!r}")
        groups = optimizer.param_groups
        if cycle_momentum:
            require_momentum(optimizer)
            if last_epoch == -1:
                set_momenta(groups, base_momentum, max_momentum)
        if scale_fn is None:
            scale_mode, scale_of = SCALES[mode]
            scale_fn = partial(scale_of, gamma)
        self.scale_fn, self.scale_mode, self.cycle_momentum = scale_fn, scale_mode, cycle_momentum
        self.max_lrs = one_each("max_lr", max_lr, groups)
        self.total_size = step_size_up + (
            step_size_up if step_size_down is None else step_size_down
        )
        self.share_up = step_size_up / self.total_size
        if last_epoch == -1:
            set_each(groups, "initial_lr", base_lr)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this step; the momenta are set on the way."""
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
