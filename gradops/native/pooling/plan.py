"""The numbers of a pooling: sizes, steps, and tables of the windows along each axis.

Note [Plans of pooling]. Axes are those of rows, which windows do not move over and which units of
work share, three over which they move, and one along which all entries lie side by side: entries of
it are computed by vectors. For each position along an axis, a table has where its window begins in
the operand, the first of its entries that are inside the operand, and their number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...kernels.nn.windows import Slide, places
from ...kernels.threads import machine_cores
from ..convolution.plan import Plan

AXES = range(3)
FIELDS = {name: i for i, name in enumerate((
    "rows", "units", "cuts", "length", "threads", "x_row", "y_row", "p_row",
    *[f"{name}_{a}" for name in ("count", "window", "tap", "y_step", "p_step", "table")
      for a in AXES],
))}  # fmt: skip
WORTH = 1 << 17  # entries of windows from which threads share the work


@dataclass(frozen=True)
class Pooling:
    """An operand, results, and indices: shapes, and strides in entries; of no indices, none."""

    x: tuple[Sequence[int], Sequence[int]]
    y: tuple[Sequence[int], Sequence[int]]
    indices: Sequence[int]
    slide: Slide
    apart: bool  # if units may be parts of a row: what they write does not overlap

    @property
    def moved(self) -> int:
        """The number of axes over which windows move."""
        return len(self.slide[0])

    @cached_property
    def lane_axis(self) -> int:
        """The axis along which entries lie side by side in all arrays."""
        leading = range(len(self.x[0]) - self.moved)
        steps = (self.x[1], self.y[1], self.indices or self.y[1])
        found = [i for i in leading if all(s[i] == 1 for s in steps) and self.x[0][i] > 1]
        if not found:
            raise Unsuitable("no axis along which entries lie side by side")
        return found[0]

    @cached_property
    def rows(self) -> tuple[int, list[int]]:
        """The number of rows, and from one to the next in each array."""
        count, steps = 1, [0, 0, 0]
        for i in reversed(range(len(self.x[0]) - self.moved)):
            n = self.x[0][i]
            if i == self.lane_axis or n == 1:
                continue
            here = [self.x[1][i], self.y[1][i], (self.indices or self.y[1])[i]]
            if count > 1 and here != [count * s for s in steps]:
                raise Unsuitable("rows at different steps")
            if count == 1:
                steps = here
            count *= n
        return count, steps

    def table(self, axis: int) -> np.ndarray:
        """For each position along an axis: where a window begins, which entries are inside."""
        windows, strides, pads, dilations = self.slide
        window, stride, pad, dilation = windows[axis], strides[axis], pads[axis], dilations[axis]
        first = len(self.x[0]) - self.moved
        size, step = self.x[0][first + axis], self.x[1][first + axis]
        count = int(places(size, window, stride, pad, dilation))
        begin = np.arange(count) * stride - pad[0]
        low = np.clip(-(begin // dilation), 0, window)
        high = np.clip((size - 1 - begin) // dilation + 1, low, window)
        return np.stack([begin * step, low, high], axis=1)

    def plan(self) -> Plan:
        """The plan."""
        count, (x_row, y_row, p_row) = self.rows
        tables = [self.table(a) if a < self.moved else np.array([[0, 0, 1]]) for a in AXES]
        first = len(self.x[0]) - self.moved
        cuts = len(tables[0]) if self.apart else 1
        found: dict[str, Any] = {
            "rows": count, "units": count * cuts, "cuts": cuts, "length": self.x[0][self.lane_axis],
            "x_row": x_row, "y_row": y_row, "p_row": p_row,
        }  # fmt: skip
        at, work = len(FIELDS), found["length"] * count
        for a, table in enumerate(tables):
            is_moved = a < self.moved
            step = self.x[1][first + a] * self.slide[3][a] if is_moved else 0
            found |= {
                f"count_{a}": len(table), f"window_{a}": self.slide[0][a] if is_moved else 1,
                f"tap_{a}": step, f"y_step_{a}": self.y[1][first + a] if is_moved else 0,
                f"p_step_{a}": (self.indices or self.y[1])[first + a] if is_moved else 0,
                f"table_{a}": at,
            }  # fmt: skip
            at += table.size
            work *= len(table) * found[f"window_{a}"]
        found["threads"] = machine_cores() if work >= WORTH else 1
        head = np.array([int(found[name]) for name in FIELDS], np.int64)
        return Plan(np.concatenate([head, *[t.ravel() for t in tables]]).astype(np.int64), 0)


class Unsuitable(Exception):
    """Arrays lie in a way that there is no code for."""
