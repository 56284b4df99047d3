"""How the work of a convolution is divided, and which steps lead from one entry to the next."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...kernels.nn.windows import Pads, Sizes, extent
from ...kernels.threads import machine_cores

ALIGNMENT = 64
FRAME = 1 << 17  # bytes of a frame
UNITS = 16  # at least, if there is much work
WORTH = 1 << 20  # multiplications from which threads share the work
FEW = 64  # positions of an example up to which a unit has several
LEAST = 4  # units, if there is much work and there are as many examples
SHORT = 7  # positions in a row up to which other axes are looked at
MOST_PARTS = 16  # sums of a gradient of filters
LARGE = 1 << 21  # bytes of such sums
DEPTH = 4  # entries of which gradients are computed at a time


@dataclass(frozen=True)
class Axis:
    """An axis over which windows move; that of examples is the first, with windows of one entry."""

    size: int
    x_step: int
    count: int = 1
    y_step: int = 0
    window: int = 1
    w_step: int = 0
    stride: int = 1
    dilation: int = 1
    before: int = 0

    @property
    def frame(self) -> int:
        """The entries that windows see."""
        return (self.count - 1) * self.stride + self.extent

    @property
    def extent(self) -> int:
        """The entries from the first of a window to the last."""
        return int(extent(self.window, self.dilation))

    @property
    def is_inside(self) -> bool:
        """True if no window reaches beyond the operand."""
        return self.before <= 0 and self.frame - self.before <= self.size


class Placed(NamedTuple):
    """The shape of an array, and its strides in entries."""

    shape: Sizes
    steps: Sizes


@dataclass(frozen=True)
class Convolution:
    """The shapes, strides in entries, and options of a convolution."""

    x: Placed
    w: Placed
    y: Placed
    options: tuple[Sizes, Pads, Sizes]
    groups: int
    block: int  # channels that are computed at a time
    itemsize: int
    group_step: int | None = None  # from the filters of a group to those of the next, if apart

    @cached_property
    def axes(self) -> list[Axis]:
        """Four axes: examples, and three over which windows move."""
        (xs, x_steps), (ws, w_steps), (ys, y_steps) = self.x, self.w, self.y
        strides, pads, dilations = self.options
        before = [pad[0] for pad in pads]
        steps = x_steps[2:], ys[2:], y_steps[2:], ws[2:], w_steps[2:], strides, dilations, before
        moved = [Axis(*sizes) for sizes in zip(xs[2:], *steps, strict=True)]
        missing = [Axis(1, 0) for _ in range(3 - len(moved))]
        return [Axis(xs[0], x_steps[0], ys[0], y_steps[0]), *missing, *moved]

    @property
    def inner(self) -> int:
        """The channels of the operand in a group."""
        return self.w[0][1]

    @property
    def outer(self) -> int:
        """The filters of a group."""
        return self.w[0][0] // self.groups

    @property
    def filters_step(self) -> int:
        """From the filters of a group to those of the next."""
        return self.outer * self.w[1][0] if self.group_step is None else self.group_step

    @property
    def work(self) -> int:
        """The number of multiplications."""
        return math.prod(self.y[0]) * math.prod(self.w[0][1:])

    @cached_property
    def channel_step(self) -> int:
        """From one channel of the operand to the next."""
        return self.x[1][1] if self.x[0][1] > 1 else 1

    @cached_property
    def is_framed(self) -> bool:
        """True if what units see is copied. See Note [Plans]."""
        beside = self.inner == 1 or self.channel_step == 1
        return not (beside and all(a.is_inside for a in self.axes))

    @cached_property
    def batch(self) -> int:
        """The examples of a unit."""
        examples, positions = self.x[0][0], math.prod(self.y[0][2:])
        if positions > FEW:
            return 1
        most = max(1, examples // LEAST) if self.work >= WORTH else examples
        return min(most, max(1, 4 * FEW // positions))

    @cached_property
    def cut_axis(self) -> int:
        """The axis along which examples are cut."""
        return next((i for i in (1, 2) if self.axes[i].count > 1), 3)

    @cached_property
    def cut(self) -> int:
        """The rows of a unit."""
        count = self.axes[self.cut_axis].count
        if self.batch > 1:
            return count
        size = math.prod(a.frame for a in self.axes[1:]) * self.x[0][1] * self.itemsize
        wanted = -(-UNITS // self.x[0][0]) if self.work >= WORTH else 1
        return -(-count // min(count, max(wanted, size // FRAME if self.is_framed else 1)))

    @cached_property
    def counts(self) -> list[int]:
        """The positions along each axis of a unit that has as many as any."""
        counts = [a.count for a in self.axes]
        counts[0], counts[self.cut_axis] = self.batch, self.cut
        return counts

    @cached_property
    def frame(self) -> list[int]:
        """The sizes of a frame, examples first."""
        found = [a.frame for a in self.axes]
        axis = self.axes[self.cut_axis]
        found[0], found[self.cut_axis] = self.batch, (self.cut - 1) * axis.stride + axis.extent
        return found

    @cached_property
    def steps(self) -> list[int]:
        """From an entry that units see to the next, along each axis."""
        if not self.is_framed:
            return [a.x_step for a in self.axes]
        channels = self.x[0][1]
        return [channels * math.prod(self.frame[i + 1 :]) for i in range(4)]

    @cached_property
    def row(self) -> int:
        """The axis of positions in a row."""
        counts = self.counts
        return 3 if counts[3] >= SHORT else max(range(3, -1, -1), key=counts.__getitem__)

    @cached_property
    def rows(self) -> np.ndarray:
        """Where rows of a unit begin, seen and written: the cut axis is the slowest but one."""
        outer = [0, self.cut_axis, *[i for i in (1, 2, 3) if i != self.cut_axis]]
        total: np.ndarray = np.zeros((1, 2), np.int64)
        for i in outer:
            if i != self.row:
                a, count = self.axes[i], np.arange(self.counts[i])[:, None]
                each = count * [a.stride * self.steps[i], a.y_step]
                total = (total[:, None] + each).reshape(-1, 2)
        return total

    @cached_property
    def offsets(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the entries of a window lie, and those of a filter; channels are the fastest."""
        total: np.ndarray = np.zeros((1, 2), np.int64)
        channel = Axis(1, 1 if self.is_framed else self.channel_step,
                       window=self.inner, w_step=self.w[1][1])  # fmt: skip
        for a, step in zip([*self.axes[1:], channel], [*self.steps[1:], channel.x_step]):
            each = np.arange(a.window)[:, None] * [a.dilation * step, a.w_step]
            total = (total[:, None] + each).reshape(-1, 2)
        return total[:, 0], total[:, 1]

    @cached_property
    def run(self) -> int:
        """The entries of a window that lie one after another."""
        windows = [a.window for a in self.axes[1:]]
        for i in range(3):
            run = self.inner * math.prod(windows[i:])
            if (np.diff(self.offsets[0].reshape(-1, run)) == 1).all():
                return run
        return self.inner

    @cached_property
    def blocks(self) -> int:
        """The blocks of filters in a group."""
        return -(-self.outer // self.block)

    @cached_property
    def padded(self) -> int:
        """The entries of a window, and some more with which tiles of gradients are full."""
        return -(-len(self.offsets[0]) // DEPTH) * DEPTH

    @cached_property
    def threads(self) -> int:
        """On how many threads work may be done."""
        return machine_cores() if self.work >= WORTH else 1

    @cached_property
    def frame_bytes(self) -> int:
        """The bytes of a frame."""
        size = math.prod(self.frame) * self.x[0][1] * self.itemsize if self.is_framed else 0
        return -(-size // ALIGNMENT) * ALIGNMENT

    @cached_property
    def units(self) -> int:
        """The number of units."""
        return -(-self.x[0][0] // self.batch) * -(-self.axes[self.cut_axis].count // self.cut)

    @cached_property
    def parts(self) -> int:
        """The number of sums of which the gradient of filters is the sum."""
        most = max(2, min(MOST_PARTS, LARGE // max(1, self.sum_size * self.itemsize)))
        return min(most, self.units) if self.work >= WORTH else 1

    @property
    def sum_size(self) -> int:
        """The entries of such a sum."""
        return self.groups * self.blocks * self.padded * self.block
