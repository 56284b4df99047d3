"""Entries in other places: moved, picked, updated, sorted."""

from typing import Any

import numpy as np

from .operands import Call, floats, labels, places, row, x

values = floats(500, 100)
AT = {"index": ("array",)}


def added_along(g: Any, places: Any) -> Any:
    """Zeros with entries added at their places in each row."""
    found = np.zeros((1000, 100), np.float32)
    np.add.at(found, (np.arange(1000)[:, None], places), g)
    return found


def scattered(values: Any, key: Any) -> Any:
    """Zeros with values added at a key."""
    found = np.zeros((1000, 100), np.float32)
    np.add.at(found, key, values)
    return found


def written(x: Any, value: Any) -> Any:
    """A copy with one row replaced."""
    found = x.copy()
    found[1] = value
    return found


def padded(x: Any) -> Any:
    """One row and column of zeros around."""
    found = np.zeros((1002, 102), x.dtype)
    found[1:-1, 1:-1] = x
    return found


def with_row(change: Any) -> Any:
    """A copy that was changed at some rows."""

    def call(x: Any, *rest: Any) -> Any:
        found = x.copy()
        change(found, *rest)
        return found

    return call


def set_rows(found: Any, values: Any, key: Any) -> None:
    found[key] = values


CALLS: dict[str, Call] = {
    "reshape": ([x], {"shape": (100, 1000)}, lambda x: x.reshape(100, 1000)),
    "transpose": ([x], {"axes": None}, np.transpose),
    "broadcast_to": ([row], {"shape": (1000, 100)}, lambda x: np.broadcast_to(x, (1000, 100))),
    "expand_to": ([row], {"shape": (1000, 100)}, lambda x: np.broadcast_to(x, (1000, 100))),
    "slice": ([x], {"index": (("slice", 1, 900, 2),)}, lambda x: x[1:900:2]),
    "take_along_axis": (
        [x, x.argsort(axis=1)], {"axis": 1}, lambda x, i: np.take_along_axis(x, i, 1),
    ),
    "add_along_axis": (
        [x, x.argsort(axis=1)], {"axis": 1, "shape": (1000, 100)}, added_along,
    ),
    "getitem": ([x, places], {"index": ("array",)}, lambda x, i: x[i]),
    "scatter": (
        [floats(500, 100), places], {"index": ("array",), "shape": (1000, 100)}, scattered,
    ),
    "pad": ([x], {"pad_width": ((1, 1), (1, 1))}, padded),
    "copy_slices": ([x, row], {"steps": (("slice", (("index", (1,)),)),)}, written),
    "set_at": ([x, values, places], AT, with_row(set_rows)),
    "add_at": ([x, values, places], AT, with_row(lambda x, v, key: np.add.at(x, key, v))),
    "maximum_at": ([x, values, places], AT, with_row(lambda x, v, key: np.maximum.at(x, key, v))),
    "minimum_at": ([x, values, places], AT, with_row(lambda x, v, key: np.minimum.at(x, key, v))),
    "diagonal": ([x], {}, np.diagonal),
    "tril": ([x], {}, np.tril),
    "triu": ([x], {}, np.triu),
    "argwhere": ([x > 1], {}, np.argwhere),
    "isin": ([labels, places], {}, np.isin),
    "searchsorted": ([np.sort(row), x], {}, np.searchsorted),
    "argsort": ([x], {}, np.argsort),
    "sort": ([x], {}, np.sort),
    "argtopk": ([x], {"k": 5}, lambda x: np.argsort(-x, axis=-1, kind="stable")[:, :5]),
    "argkth": ([x], {"k": 5}, lambda x: np.argpartition(x, 4, axis=-1)[:, 4:5]),
    "roll": ([x], {"shift": (3,), "axis": (0,)}, lambda x: np.roll(x, 3, 0)),
    "tile": ([x], {"reps": (2, 2)}, lambda x: np.tile(x, (2, 2))),
    "repeat": ([x], {"repeats": 2, "axis": 1}, lambda x: np.repeat(x, 2, 1)),
    "extend": (
        [x], {"pad_width": ((1, 1), (1, 1)), "mode": "reflect"}, lambda x: np.pad(x, 1, "reflect"),
    ),
    "windows": (
        [x], {"size": (3,), "axis": (1,), "step": (1,), "dilation": (1,)},
        lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, 1),
    ),
}  # fmt: skip
