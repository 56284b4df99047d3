"""Selections whose number depends on data."""

import math
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS

from ...control.loops import map_accumulate
from ..errors import Unsupported
from ..reading.registry import operator
from ..reading.values import Value, as_expr
from .elementwise import cast, like

MOST_COLUMNS = 4096  # of rows that are sorted, as each column is an op


@operator("Unique", 11)
def unique(x: Value, *, axis: int | None = None, sorted: int = 1) -> Any:
    """The unique entries, or parts along an axis, their first indices, inverse and counts."""
    if axis is None:
        values, first, inverse, counts = ops.unique_all(x)
        inverse = OPS["reshape"](inverse, shape=(-1,))
    else:
        values, first, inverse, counts = unique_parts(x, axis)
    if not sorted:
        order = OPS["argsort"](first, axis=-1)
        values = ops.take(values, order, axis=axis or 0)
        first, counts = first[order], counts[order]
        inverse = ops.take(OPS["inverse_permutation"](order), inverse, axis=0)
    return values, *(cast(v, np.int64) for v in (first, inverse, counts))


def unique_parts(x: Value, axis: int) -> tuple[Any, ...]:
    """The unique parts along an axis, in lexicographic order, first indices, inverse, counts."""
    moved = ops.moveaxis(x, axis, 0)
    rows = OPS["reshape"](moved, shape=(moved.shape[0], math.prod(moved.shape[1:])))
    if not isinstance(rows.shape[1], int) or rows.shape[1] > MOST_COLUMNS:
        raise Unsupported("unique parts that have many entries, or an unknown number")
    order = OPS["positions"](rows, axis=0)
    for k in reversed(range(rows.shape[1])):  # the least important column first
        order = ops.take(order, OPS["argsort"](rows[:, k][order], axis=-1, stable=True), axis=0)
    ranked = ops.take(rows, order, axis=0)
    starts = OPS["any"](OPS["run_starts"](OPS["transpose"](ranked)), axis=0)
    number = OPS["cumsum"](cast(starts, np.int64), axis=0) - 1
    first = order[starts]
    inverse = ops.take(number, OPS["inverse_permutation"](order), axis=0)
    return ops.take(x, first, axis=axis), first, inverse, OPS["run_lengths"](starts)


@operator("NonMaxSuppression", 10)
def non_max_suppression(
    boxes: Value, scores: Value, most: Value | None = None, overlap: Value | None = None,
    threshold: Value | None = None, *, center_point_box: int = 0,
) -> Any:  # fmt: skip
    """The boxes of the best scores that overlap no better one: rows of batch, class and box."""
    boxes, scores = as_expr(boxes), as_expr(scores)
    limit = np.int64(0) if most is None else OPS["reshape"](most, shape=())
    bound = like(0, boxes) if overlap is None else OPS["reshape"](overlap, shape=())
    clashes = OPS["greater"](shares(boxes, bool(center_point_box)), bound)
    order = OPS["argsort"](scores, axis=-1, descending=True, stable=True)
    ranked = OPS["take_along_axis"](scores, order, axis=-1)
    is_high = ops.full_like(ranked, value=1, dtype=np.dtype(bool))
    if threshold is not None:
        is_high = OPS["greater"](ranked, OPS["reshape"](threshold, shape=()))
    kept = suppressed(clashes, order, is_high, limit)
    rows = OPS["argwhere"](kept)
    places = order[(rows[:, 0], rows[:, 1], rows[:, 2])]
    return cast(OPS["stack"](rows[:, 0], rows[:, 1], places, axis=1), np.int64)


def suppressed(clashes: Any, order: Any, is_high: Any, limit: Any) -> Any:
    """By batch, class and rank, whether a box is selected: the best first, unless it clashes."""
    batch, classes, count = order.shape
    along = OPS["reshape"](OPS["positions"](clashes, axis=0), shape=(-1, 1))
    numbers = OPS["positions"](clashes, axis=1)

    def step(taken: Any, entry: Any) -> tuple[Any, Any]:
        box, high = entry
        clash = OPS["any"](OPS["logical_and"](taken, clashes[(along, box)]), axis=-1)
        fits = OPS["less"](OPS["sum"](cast(taken, np.int64), axis=-1), limit)
        selected = OPS["logical_and"](OPS["logical_and"](high, fits), OPS["logical_not"](clash))
        hit = OPS["equal"](OPS["expand_dims"](box, axis=-1), numbers)
        return OPS["logical_or"](
            taken, OPS["logical_and"](hit, OPS["expand_dims"](selected, axis=-1))
        ), selected

    none = OPS["broadcast_to"](as_expr(np.array(False)), shape=(batch, classes, count))
    rows = (ops.moveaxis(order, -1, 0), ops.moveaxis(is_high, -1, 0))
    return ops.moveaxis(map_accumulate(step, none, rows)[1], 0, -1)


def shares(boxes: Any, is_centered: bool) -> Any:
    """The overlap of each two boxes of a batch: their intersection over their union."""
    a, b, c, d = (boxes[..., i] for i in range(4))
    half = like(0.5, boxes)
    if is_centered:
        a, b, c, d = b - d * half, a - c * half, b + d * half, a + c * half
    lows = [OPS["minimum"](p, q) for p, q in ((a, c), (b, d))]
    highs = [OPS["maximum"](p, q) for p, q in ((a, c), (b, d))]
    area = (highs[0] - lows[0]) * (highs[1] - lows[1])
    inside: Any = 1
    for low, high in zip(lows, highs, strict=True):
        least = OPS["minimum"](high[..., :, None], high[..., None, :])
        most = OPS["maximum"](low[..., :, None], low[..., None, :])
        inside = inside * OPS["maximum"](least - most, like(0, boxes))
    union = area[..., :, None] + area[..., None, :] - inside
    is_area = OPS["greater"](union, like(0, boxes))
    return OPS["masked"](is_area, inside / OPS["where"](is_area, union, like(1, boxes)))
