"""Anomaly mode: backward stops at the first NaN and names its forward call."""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from gradops import TapeError
from gradops.core.source_location import describe
from gradops.transforms.reverse import Inspect

from .grad_mode import PACKING, RECORDING, Mode, Watching, is_recording
from .node import Node

CHECKING: ContextVar[bool] = ContextVar("checking", default=False)
INSPECTING: ContextVar[Inspect | None] = ContextVar("inspecting", default=None)
"""What sees the cotangents of each node, beside anomaly mode."""


def inspection() -> Inspect | None:
    """What sees each gradient that backward computes: the check of anomaly mode, or another."""
    return refuse_nan if CHECKING.get() else INSPECTING.get()


def refuse_nan(vertex: Node, wanted: Sequence[int], cts: Sequence[Any]) -> Sequence[Any]:
    """The gradients of operands; raises TapeError if there is a NaN in one."""
    for i, ct in zip(wanted, cts, strict=True):
        value = getattr(ct, "value", ct)
        if not isinstance(value, np.ndarray | np.generic) or not np.isnan(value).any():
            continue
        count = int(np.isnan(value).sum())
        raise TapeError(
            f"Function '{vertex.name()}' returned nan values in its {i}th output: {count} of"
            f" {value.size}.\n"
            f"  it is the backward of {vertex.op}, called at {describe(vertex.place)}"
        )
    return cts


def is_anomaly_enabled() -> bool:
    """True if anomaly mode is on.

    >>> dg.autograd.is_anomaly_enabled()
    False
    """
    return CHECKING.get()


class set_detect_anomaly:
    """Turn anomaly mode on or off: from this call on, or inside a `with` block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = CHECKING.get()  # a value, not a token: the block may end in another task
        CHECKING.set(mode and check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        CHECKING.set(self.before)


class detect_anomaly:
    """Stop backward at the first NaN, inside a `with` block, and name the forward line.

    Errors in backward name their forward line in any case. Raises TapeError where a rule makes a
    NaN of a gradient that has none, unless `check_nan` is False; with `check_forward`, also where
    the first recorded operation gives a value that is not finite.

    >>> x = dg.tensor([0.0], requires_grad=True)
    >>> with dg.autograd.detect_anomaly():
    ...     (dg.sqrt(x) * 0).sum().backward()
    """

    def __init__(self, check_nan: bool = True, check_forward: bool = False) -> None:
        self.check_nan, self.check_forward = check_nan, check_forward
        self.before: list[tuple[bool, Mode]] = []

    def __enter__(self) -> None:
        self.before.append((CHECKING.get(), RECORDING.get()))
        CHECKING.set(self.check_nan)
        if self.check_forward and is_recording():
            RECORDING.set(Watching(PACKING.get()))

    def __exit__(self, *exception: object) -> None:
        checking, mode = self.before.pop()
        CHECKING.set(checking)
        if self.check_forward:
            RECORDING.set(mode)
