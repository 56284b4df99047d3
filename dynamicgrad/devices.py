"""Devices: only the CPU. Programs that name it run unchanged; others are refused."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from gradops import OptionError

Made = TypeVar("Made", bound=Callable[..., Any])


class Device:
    """The device of a tensor."""

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


def device(type: object = "cpu", index: int | None = None) -> Device:
    """A device; raises OptionError unless it is the CPU.

    >>> dg.ones(2, device=dg.device("cpu")).device
    device(type='cpu')
    """
    if not is_device(type) or str(type).partition(":")[0] != "cpu":
        raise OptionError(
            "device", [], f"there is no device {type!r}: tensors are NumPy arrays, on the CPU",
            hint="omit device, or pass 'cpu'",
        )  # fmt: skip
    return CPU


def is_device(x: object) -> bool:
    """True if an argument names a device."""
    kinds = ("cpu", "cuda", "mps", "xpu", "meta")
    return isinstance(x, Device) or (isinstance(x, str) and x.partition(":")[0] in kinds)


def on_device(make: Made) -> Made:
    """`make`, which creates tensors, with the arguments `device`, `size` and `input`."""

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


def require(wanted: object) -> None:
    """Raise OptionError for a device other than the CPU."""
    device(wanted)


def without_device(args: Sequence[Any]) -> list[Any]:
    """The arguments that do not name a device; raises OptionError for devices but the CPU."""
    for x in filter(is_device, args):
        require(x)
    return [x for x in args if not is_device(x)]
