"""Schedules by function, and their base class: they multiply the rates, and so can be chained."""

import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, TypeVar

from ..optimizer import Group, Optimizer

T = TypeVar("T")
Schedule = Callable[[int], float]
"""A function of the epoch."""
PerGroup = float | list[float]
"""An option of all groups, or a list with that of each."""


class LRScheduler:
    """Sets the learning rates of an optimizer's groups, epoch by epoch.

    A subclass defines `factor()`, by which the rates are multiplied when `last_epoch` is reached,
    or `get_lr()`. `last_epoch` is -1 for a new start; else the groups must know their
    `initial_lr`, or KeyError is raised.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        require_optimizer(optimizer)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an"
                    " optimizer: load the optimizer's state before making the scheduler"
                )
        self.optimizer = optimizer
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.start()

    def start(self) -> None:
        """Make the first step, at construction."""
        self.is_initial, self.steps_done = True, 0
        self.advance()
        self.is_initial, self.steps_done = False, 1

    def restart(self) -> None:
        """Restart from the initial learning rates."""
        set_each(self.optimizer.param_groups, "lr", self.base_lrs)
        self.last_epoch = -1
        self.start()

    def step(self) -> None:
        """Go on to the next epoch."""
        if self.steps_done == 1 and not self.optimizer.steps_done:
            text = (
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first value"
                " of the schedule is skipped; call `optimizer.step()` first"
            )
            warnings.warn(text, UserWarning, stacklevel=2)
        self.steps_done += 1
        self.advance()

    def advance(self) -> None:
        """Count the epoch and set the learning rates."""
        self.last_epoch += 1
        self.set_lr(self.get_lr())

    def set_lr(self, rates: list[float]) -> None:
        """Set and remember the learning rates of the groups."""
        set_each(self.optimizer.param_groups, "lr", rates)
        self._last_lr = rates

    def get_lr(self) -> list[float]:
        """The learning rates of the new epoch, from the present ones."""
        factor = self.factor()
        return [lr * factor for lr in rates_of(self.optimizer)]

    def factor(self) -> float:
        """The factor of the learning rates for the epoch that begins."""
        raise NotImplementedError(f"{type(self).__name__} must define factor() or get_lr()")

    def get_last_lr(self) -> list[float]:
        """The learning rates that were set last."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """Everything the schedule knows but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state from `state_dict`."""
        vars(self).update(state_dict)


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


def require_optimizer(optimizer: object) -> None:
    """Raise TypeError unless `optimizer` is an Optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def rates_of(optimizer: Optimizer) -> list[float]:
    """The learning rates of the groups as they are."""
    return [group["lr"] for group in optimizer.param_groups]


def set_each(groups: Sequence[Group], name: str, given: PerGroup) -> None:
    """Set an option of each group: one value for all, or one each from a list."""
    for group, value in zip(groups, one_each(f"values for {name}", given, groups)):
        group[name] = value


def one_each(what: str, given: T | list[T], groups: Sequence[Group]) -> list[T]:
    """The value for each group: one for all, or one each from a list."""
    values = list(given) if isinstance(given, list | tuple) else [given] * len(groups)
    if len(values) != len(groups):
        raise ValueError(f"Expected {len(groups)} {what}, but got {len(values)}")
    return values
