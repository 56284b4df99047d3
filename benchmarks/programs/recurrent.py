"""Recurrent networks: a cell written as a formula, and the layers of the libraries."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..by_hand import recurrent as by_hand
from ..workload import Arrays, Workload

Rng = np.random.Generator


def cell(rng: Rng, steps: int, batch: int, hidden: int) -> tuple[Arrays, Arrays]:
    """Weights of a cell with as many inputs as states; the inputs, and the first state."""
    scale = 1 / np.sqrt(hidden)
    params = [rng.standard_normal((hidden, hidden)) * scale for _ in range(2)]
    inputs = rng.standard_normal((steps, batch, hidden))
    return [*params, rng.standard_normal(hidden) * scale], [inputs, np.zeros((batch, hidden))]


def tanh_rnn(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The squared norm of the last state."""
    (u, w, b), (xs, start) = params, data

    def step(state: tuple, entry: tuple) -> tuple:
        (h,), (x,) = state, entry
        return (xp.tanh(x @ u + h @ w + b),)

    (h,) = xp.fold(step, (start,), (xs,))
    return xp.sum(h * h)


def gates(count: int) -> Any:
    """Inputs for a layer of that many gates, with PyTorch's weights."""

    def make(rng: Rng, steps: int, batch: int, hidden: int) -> tuple[Arrays, Arrays]:
        rows, scale = count * hidden, 1 / np.sqrt(hidden)
        shapes = [(rows, hidden), (rows, hidden), (rows,), (rows,)]
        params = [rng.uniform(-scale, scale, s) for s in shapes]
        return params, [rng.standard_normal((steps, batch, hidden))]

    return make


def gru(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The mean square of a gated recurrent unit's outputs."""
    y = xp.gru(data[0], *params)
    return xp.mean(y * y)


def lstm(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The mean square of a long short-term memory's outputs."""
    y = xp.lstm(data[0], *params)
    return xp.mean(y * y)


SMALL = {"steps": 3, "batch": 2, "hidden": 4}
BATCHED = {"steps": 64, "batch": 32, "hidden": 128}
LONG = {"steps": 1_000, "batch": 1, "hidden": 14}
WORKLOADS = [
    Workload(
        "rnn", "tanh RNN, T=100, batch 32, hidden 64", cell, tanh_rnn,
        sizes={"steps": 100, "batch": 32, "hidden": 64}, small=SMALL, by_hand=by_hand.tanh_rnn,
        slow=("torch.compile", "PyTensor"),
    ),
    Workload(
        "gru", "GRU, T=64, batch 32, hidden 128", gates(3), gru, sizes=BATCHED, small=SMALL,
        by_hand=by_hand.gru, threads=(1, 2), slow=("PyTensor",),
    ),
    Workload(
        "lstm", "LSTM, T=64, batch 32, hidden 128", gates(4), lstm, sizes=BATCHED, small=SMALL,
        by_hand=by_hand.lstm, threads=(1, 2), slow=("PyTensor",),
    ),
    Workload(
        "gru-long", "GRU, T=1,000, batch 1, hidden 14", gates(3), gru, sizes=LONG, small=SMALL,
        by_hand=by_hand.gru, slow=("PyTensor",),
    ),
    Workload(
        "lstm-long", "LSTM, T=1,000, batch 1, hidden 14", gates(4), lstm, sizes=LONG, small=SMALL,
        by_hand=by_hand.lstm, slow=("PyTensor",),
    ),
]  # fmt: skip
