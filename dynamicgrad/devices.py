"""Devices: there is one, the CPU. Programs that name it run unchanged; others are refused."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gradops import OptionError

Made = TypeVar("Made", bound=Callable[..., Any])


class Device:
    """Where a tensor lies."""

    __slots__ = ("index", "type")

    def __init__(self, type: str, index: int | None = None) -> None:
        self.type, self.index = type, index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and str(self) == str(other) and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"

    def __str__(self) -> str:
        return self.type


CPU = Device("cpu")
IDLE = frozenset({"layout", "memory_format", "non_blocking", "pin_memory", "sparse_grad"})
"""Options that say how, on other devices, and change no value here."""


def device(type: Any = "cpu", index: int | None = None) -> Device:
    """A device; raises OptionError for another than the CPU.

    >>> dg.ones(2, device=dg.device("cpu")).device
    device(type='cpu')
    """
    if not is_device(type) or str(type).partition(":")[0] != "cpu":
        raise OptionError(
            "device", [], f"there is no device {type!r}: tensors are NumPy arrays, on the CPU",
            hint="leave device out, or give 'cpu'",
        )  # fmt: skip
    return CPU


def is_device(x: Any) -> bool:
    """Whether an argument names a device."""
    kinds = ("cpu", "cuda", "mps", "xpu", "meta")
    return isinstance(x, Device) or (isinstance(x, str) and x.partition(":")[0] in kinds)


def on_device(make: Made) -> Made:
    """`make`, which makes tensors, with an argument `device`."""

    @functools.wraps(make)
    def call(*args: Any, device: Any = None, size: Any = None, **kwargs: Any) -> Any:
        if device is not None:
            require(device)
        if size is not None:
            args = (*args, tuple(size))
        if "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        return make(*args, **{k: v for k, v in kwargs.items() if k not in IDLE} if kwargs else {})

    return call  # type: ignore[return-value]


def require(wanted: Any) -> None:
    """Refuse a device that there is not."""
    device(wanted)


def without_device(args: tuple[Any, ...]) -> list[Any]:
    """The arguments that name no device; the devices among them must be there."""
    for x in args:
        if is_device(x):
            require(x)
    return [x for x in args if not is_device(x)]
