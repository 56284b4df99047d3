"""Networks of dense layers: losses, training steps, a Hessian-vector product."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..by_hand import dense as by_hand
from ..workload import Arrays, Workload

Rng = np.random.Generator


def layer(rng: Rng, inputs: int, outputs: int) -> tuple[Arrays, Arrays]:
    """Weight and bias of a layer; one example and its targets."""
    params = [rng.standard_normal((inputs, outputs)), rng.standard_normal(outputs)]
    return params, [np.ones(inputs), np.zeros(outputs)]


def binary(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """A layer and its binary cross entropy."""
    (w, b), (x, t) = params, data
    return xp.bce(xp.vecmat(x, w) + b, t)


def weights(rng: Rng, sizes: Sequence[int]) -> Arrays:
    """Weights and biases of layers."""
    shapes = [s for m, n in pairwise(sizes) for s in ((m, n), (n,))]
    return [rng.standard_normal(s) / np.sqrt(s[0]) for s in shapes]


def classes(rng: Rng, batch: int, inputs: int, hidden: int, classes: int) -> tuple[Arrays, Arrays]:
    """Three layers, examples and labels."""
    params = weights(rng, (inputs, hidden, hidden, classes))
    return params, [rng.standard_normal((batch, inputs)), rng.integers(0, classes, batch)]


def mlp(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """Two hidden layers with relu, and the cross entropy."""
    (w1, b1, w2, b2, w3, b3), (x, labels) = params, data
    h = xp.relu(xp.linear(x, w1, b1))
    h = xp.relu(xp.linear(h, w2, b2))
    return xp.cross_entropy(xp.linear(h, w3, b3), labels)


def features(rng: Rng, examples: int, features: int) -> tuple[Arrays, Arrays]:
    """Weights; examples and their targets."""
    x, t = rng.standard_normal((examples, features)), (rng.random(examples) > 0.5) * 1.0
    return [rng.standard_normal(features)], [x, t]


def logistic(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The binary cross entropy of a linear model."""
    (w,), (x, t) = params, data
    return xp.bce(xp.matvec(x, w), t)


def regression(rng: Rng, batch: int, width: int) -> tuple[Arrays, Arrays]:
    """Two layers; examples and targets."""
    params = weights(rng, (width, width, 1))
    return params, [rng.standard_normal((batch, width)), rng.standard_normal((batch, 1))]


def tanh_mlp(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """One hidden layer with tanh, and the mean squared error."""
    (w1, b1, w2, b2), (x, t) = params, data
    d = xp.linear(xp.tanh(xp.linear(x, w1, b1)), w2, b2) - t
    return xp.mean(d * d)


SMALL = {"batch": 3, "inputs": 4, "hidden": 5, "classes": 3}
WORKLOADS = [
    Workload(
        "bce", "one-layer BCE net, 5x3", layer, binary,
        sizes={"inputs": 5, "outputs": 3}, small={"inputs": 4, "outputs": 2},
        by_hand=by_hand.binary,
    ),
    Workload(
        "mlp", "MLP 64-128-128-10, batch 32, SGD step", classes, mlp, request="sgd",
        sizes={"batch": 32, "inputs": 64, "hidden": 128, "classes": 10}, small=SMALL,
        by_hand=by_hand.mlp_sgd,
    ),
    Workload(
        "hvp", "Hessian-vector product, tanh MLP 64-64-1, batch 32", regression, tanh_mlp,
        request="hvp", sizes={"batch": 32, "width": 64}, small={"batch": 3, "width": 4},
        by_hand=by_hand.tanh_mlp_hvp,
    ),
    Workload(
        "adam", "MLP 784-1024-1024-10, batch 256, Adam step", classes, mlp, request="adam",
        sizes={"batch": 256, "inputs": 784, "hidden": 1024, "classes": 10}, small=SMALL,
        by_hand=by_hand.mlp_adam, threads=(1, 2),
    ),
    Workload(
        "logistic", "logistic regression 100,000 x 100", features, logistic,
        sizes={"examples": 100_000, "features": 100}, small={"examples": 9, "features": 4},
        by_hand=by_hand.logistic, threads=(1, 2),
    ),
]  # fmt: skip
