"""The numbers of a convolution: sizes, steps and tables that its code reads.

Note [Plans]. The code knows no sizes. It reads them from a plan, which depends on shapes, on where
entries lie, and on the options of a convolution. A plan is one array of integers, which is kept,
and may be a constant of a graph's code. Work is divided into units: some examples, or some rows of
one. If windows reach beyond an operand, or its channels do not lie side by side, the part that a
unit sees is copied into a frame, with zeros around it and with channels last. How work is divided
depends on sizes alone, and so do results.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from .geometry import ALIGNMENT, Convolution

FIELDS = {name: i for i, name in enumerate((
    "groups", "blocks", "left", "channels", "batch", "examples", "cuts", "cut", "length", "units",
    "threads", "parts", "x_first", "x_batch", "x_cut", "x_group", "x_step", "y_batch", "y_cut",
    "y_group", "y_step", "positions", "positions_are", "inner_rows", "some_rows",
    "taps", "run", "entries", "padded", "w_group", "w_filter",
    "framed", "frame_bytes", "channel_step", "cut_axis", "cut_stride", "cut_extent",
    *[f"{name}_{a}" for name in ("step", "size", "frame", "from") for a in range(4)],
    "taps_at", "rows_at", "offsets_at", "filters_at", "bias_at", "frames_at",
))}  # fmt: skip
OF_BATCH, OF_CUT = 1, 2
ROWS = 128  # positions of the rows between which sums are kept in memory


@dataclass(frozen=True)
class Plan:
    """The integers that code reads, and the bytes of memory that it needs."""

    values: np.ndarray
    bytes: int
    address: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "address", self.values.ctypes.data)


def sizes(c: Convolution) -> dict[str, int]:
    """The fields of a plan that count."""
    cut = c.axes[c.cut_axis]
    inner = [n for i, n in enumerate(c.counts) if i not in (0, c.cut_axis, c.row)]
    kind = OF_BATCH if c.row == 0 else OF_CUT if c.row == c.cut_axis else 0
    return {
        "groups": c.groups, "blocks": c.blocks, "left": c.outer, "channels": c.x.shape[1],
        "batch": c.batch, "examples": c.x.shape[0], "cuts": -(-cut.count // c.cut), "cut": c.cut,
        "length": cut.count, "units": c.units, "threads": c.threads, "parts": c.parts,
        "positions": c.counts[c.row], "positions_are": kind, "inner_rows": math.prod(inner),
        "some_rows": max(1, ROWS // c.counts[c.row]), "taps": len(c.offsets[0]) // c.run,
        "run": c.run, "entries": len(c.offsets[0]), "padded": c.padded, "framed": c.is_framed,
        "frame_bytes": c.frame_bytes, "cut_axis": c.cut_axis, "cut_stride": cut.stride,
        "cut_extent": cut.extent,
    }  # fmt: skip


def steps(c: Convolution) -> dict[str, int]:
    """The fields of a plan that lead from one entry to another."""
    axes, cut, row = c.axes, c.axes[c.cut_axis], c.axes[c.row]
    first = -sum(a.before * a.x_step for a in axes)
    return {
        "x_first": 0 if c.is_framed else first, "x_batch": c.batch * axes[0].x_step,
        "x_cut": c.cut * cut.stride * cut.x_step,
        "x_group": c.inner * (1 if c.is_framed else c.channel_step),
        "x_step": c.steps[c.row] * row.stride, "y_batch": c.batch * axes[0].y_step,
        "y_cut": c.cut * cut.y_step, "y_group": c.outer, "y_step": row.y_step,
        "w_group": c.filters_step, "w_filter": c.w.steps[0], "channel_step": c.channel_step,
        "bias_at": c.groups * c.blocks * len(c.offsets[0]) * c.block,
    }  # fmt: skip


def of_axes(c: Convolution) -> dict[str, int]:
    """The fields of a plan for each axis."""
    found: dict[str, int] = {}
    for i, a in enumerate(c.axes):
        found |= {f"step_{i}": a.x_step, f"size_{i}": a.size, f"frame_{i}": c.frame[i],
                  f"from_{i}": -a.before}  # fmt: skip
    return found


def plan(c: Convolution, for_filters: bool) -> Plan:
    """The plan of the convolution, or that of its gradient in the filters."""
    offsets, filters = c.offsets
    panels = c.groups * c.blocks * (len(offsets) + 1) * c.block
    size = c.parts * c.sum_size if for_filters else panels
    frames_at = -(-size * c.itemsize // ALIGNMENT) * ALIGNMENT
    padding = np.zeros(c.padded - len(offsets), np.int64)
    tables = {"taps_at": offsets[:: c.run], "rows_at": c.rows.ravel(),
              "offsets_at": np.concatenate([offsets, padding]), "filters_at": filters}  # fmt: skip
    found = {**sizes(c), **steps(c), **of_axes(c), "frames_at": frames_at}
    at = len(FIELDS)
    for name, table in tables.items():
        found[name] = at
        at += len(table)
    head = [int(found[name]) for name in FIELDS]
    values = np.concatenate([np.array(head, np.int64), *tables.values()])
    return Plan(values, frames_at + c.threads * c.frame_bytes)
