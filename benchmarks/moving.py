"""What a careful person would write in NumPy for ops that move, sort, find and update entries."""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

rng = np.random.default_rng(0)
x = rng.standard_normal((1000, 100)).astype(np.float32)
square = x[:100]
rows, few = rng.integers(0, 1000, 500), rng.integers(0, 50, (1000, 100))
values = rng.standard_normal((500, 100)).astype(np.float32)
order = np.argsort(x, axis=-1)
bounds = np.sort(x[0])
WINDOW = {"size": (3,), "axis": (1,), "step": (1,), "dilation": (1,)}
EDGES = {"pad_width": ((2, 2), (2, 2)), "mode": "reflect"}


def updated(ufunc: Any) -> Any:
    """A copy with rows combined with others."""

    def call(x: Any, v: Any, i: Any) -> Any:
        y = x.copy()
        ufunc.at(y, i, v)
        return y

    return call


def written(x: Any, v: Any, i: Any) -> Any:
    """A copy with rows written."""
    y = x.copy()
    y[i] = v
    return y


def product_of_rows(v: Any, i: Any) -> Any:
    """Ones, multiplied by rows."""
    y = np.ones((1000, 100), v.dtype)
    np.multiply.at(y, i, v)
    return y


def windows_added(g: Any) -> Any:
    """The windows of rows added to where they come from."""
    y = np.zeros((len(g), g.shape[1] + 2), g.dtype)
    for k in range(3):
        y[:, k : k + g.shape[1]] += g[..., k]
    return y


def folded(g: Any) -> Any:
    """The mirrored borders added to where they come from."""
    y = g.copy()
    y[3:5] += y[1::-1]
    y[-5:-3] += y[:-3:-1]
    y = y[2:-2]
    y[:, 3:5] += y[:, 1::-1]
    y[:, -5:-3] += y[:, :-3:-1]
    return y[:, 2:-2]


def best(x: Any) -> Any:
    """Where the five largest entries of each row are."""
    found = np.argpartition(x, -5)[:, -5:]
    ranked = np.argsort(-np.take_along_axis(x, found, -1))
    return np.take_along_axis(found, ranked, -1)


def inverted(order: Any) -> Any:
    """The inverse of each row."""
    y = np.empty_like(order)
    np.put_along_axis(y, order, np.arange(100)[None], -1)
    return y


def modes(x: Any) -> Any:
    """Where a most frequent entry of each row is."""
    found = []
    for row in x:
        _, first, counts = np.unique(row, return_index=True, return_counts=True)
        found.append(first[counts.argmax()])
    return np.array(found)[:, None]


def on_diagonal(g: Any) -> Any:
    """A matrix with a diagonal."""
    y = np.zeros((100, 100), g.dtype)
    y.flat[::101] = g
    return y


def starts(x: Any) -> Any:
    """Where runs of equal entries start."""
    y = np.ones(x.shape, bool)
    y[:, 1:] = x[:, 1:] != x[:, :-1]
    return y


INDEX = {"index": ("array",)}
CALLS: dict[str, Any] = {
    "roll": ([x], {"shift": 3, "axis": 1}, lambda x: np.roll(x, 3, 1)),
    "tile": ([x], {"reps": (2, 2)}, lambda x: np.tile(x, (2, 2))),
    "repeat": ([x], {"repeats": 2, "axis": 1}, lambda x: np.repeat(x, 2, 1)),
    "counted": ([rows], {}, lambda i: np.repeat(np.arange(i.size), i)),
    "diagonal": ([square], {}, np.diagonal),
    "place_diagonal": ([x[0]], {"shape": (100, 100)}, on_diagonal),
    "tril": ([x], {}, np.tril), "triu": ([x], {}, np.triu),
    "windows": ([x], WINDOW, lambda x: sliding_window_view(x, 3, 1)),
    "sum_windows": (
        [sliding_window_view(x, 3, 1).copy()], {**WINDOW, "shape": (1000, 100)}, windows_added,
    ),
    "extend": ([x], EDGES, lambda x: np.pad(x, 2, mode="reflect")),
    "fold_back": ([x], EDGES, folded),
    "sort": ([x], {}, np.sort), "argsort": ([x], {}, np.argsort),
    "argtopk": ([x], {"k": 5}, best),
    "argkth": ([x], {"k": 5}, lambda x: np.argpartition(x, 4)[:, 4:5]),
    "argmode": ([few], {}, modes), "inverse_permutation": ([order], {}, inverted),
    "argwhere": ([few > 25], {}, np.argwhere),
    "searchsorted": ([bounds, x], {}, np.searchsorted),
    "isin": ([few, np.arange(5)], {}, np.isin),
    "run_starts": ([few], {}, starts),
    "run_lengths": ([few[0] > 25], {}, lambda b: np.diff(np.flatnonzero(b), append=b.size)),
    "set_at": ([x, values, rows], INDEX, written),
    "add_at": ([x, values, rows], INDEX, updated(np.add)),
    "maximum_at": ([x, values, rows], INDEX, updated(np.maximum)),
    "minimum_at": ([x, values, rows], INDEX, updated(np.minimum)),
    "product_at": ([values, rows], {**INDEX, "shape": (1000, 100)}, product_of_rows),
}  # fmt: skip
PARTS = ["survivors"]
