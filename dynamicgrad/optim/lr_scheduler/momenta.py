"""Options of groups that schedules set beside the learning rate: momenta, and one of each list."""

from typing import Any

from ..optimizer import Optimizer

Groups = list[dict[str, Any]]


def require_momentum(optimizer: Optimizer) -> None:
    """Refuse an optimizer that has neither momentum nor betas."""
    if optimizer.defaults.keys().isdisjoint({"momentum", "betas"}):
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
        )


def set_momenta(groups: Groups, base: Any, largest: Any) -> None:
    """Let each group know the momenta between which its own goes."""
    set_each(groups, "max_momentum", largest)
    set_each(groups, "base_momentum", base)


def set_momentum(group: dict[str, Any], momentum: float) -> None:
    """Let a group have a momentum, which is Adam's first beta."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def set_each(groups: Groups, name: str, given: Any) -> None:
    """Let each group have an option: the same, or its own from a list."""
    for group, value in zip(groups, one_each(name, given, groups)):
        group[name] = value


def one_each(name: str, given: Any, groups: Groups) -> list[Any]:
    """A value for each group: the same, or from a list."""
    found = list(given) if isinstance(given, list | tuple) else [given] * len(groups)
    if len(found) != len(groups):
        raise ValueError(f"Expected {len(groups)} values for {name}, but got {len(found)}")
    return found
