"""Gradients among the results of a graph, compared with differences of the loss."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.graph import FrozenGraph
from ..runtime.backends.interpreter import interpret

LABEL = re.compile(r"d (?P<loss>.+) / d (?P<wrt>.+)")
DIRECTIONS = 3


def wrong_gradients(
    graph: FrozenGraph, feeds: Sequence[Any], labels: Sequence[str]
) -> tuple[int, list[str]]:
    """The number of labelled gradients, and which of them differences contradict."""
    inputs = {e.name: i for i, e in enumerate(graph.inputs)}
    values = [np.asarray(x) for x in interpret(graph, feeds)]
    count, wrong = 0, []
    for k, label in enumerate(labels):
        match = LABEL.fullmatch(label)
        if match is None or match["loss"] not in labels or match["wrt"] not in inputs:
            continue
        i, loss = inputs[match["wrt"]], labels.index(match["loss"])
        if values[loss].size != 1 or values[k].shape != np.shape(feeds[i]):
            continue
        count += 1
        error = relative_error(graph, feeds, i, loss, values[k])
        if not error < tolerance(values[k].dtype):
            wrong.append(f"{label} differs from differences of {match['loss']} by {error:.1e}")
    return count, wrong


def relative_error(
    graph: FrozenGraph, feeds: Sequence[Any], i: int, loss: int, gradient: np.ndarray
) -> float:
    """The largest error of slopes along random directions, relative to the gradient's norm."""
    rng, worst = np.random.default_rng(0), 0.0
    x = np.asarray(feeds[i])
    step = float(np.finfo(x.dtype).eps ** (1 / 3)) * max(1.0, float(np.max(np.abs(x), initial=0)))
    for _ in range(DIRECTIONS):
        t = rng.standard_normal(x.shape)
        t /= max(float(np.sqrt(np.sum(t * t))), 1e-30)
        ahead, behind = (
            float(np.asarray(interpret(graph, replaced(feeds, i, x + h * t))[loss]).reshape(()))
            for h in (step, -step)
        )
        want, got = (ahead - behind) / (2 * step), float(np.sum(gradient * t))
        scale = float(np.sqrt(np.sum(np.square(gradient, dtype=np.float64)))) + abs(want) + 1e-12
        worst = max(worst, abs(got - want) / scale)
    return worst


def replaced(feeds: Sequence[Any], i: int, value: Any) -> list[Any]:
    """The feeds with another value at one place."""
    return [np.asarray(value, np.asarray(x).dtype) if k == i else x for k, x in enumerate(feeds)]


def tolerance(dtype: np.dtype) -> float:
    """The error that differences in a precision may have."""
    return 10 * float(np.finfo(dtype).eps ** (1 / 2))
