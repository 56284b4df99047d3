"""A transformer layer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..workload import Arrays, Workload

Rng = np.random.Generator


def block(rng: Rng, batch: int, places: int, width: int, heads: int) -> tuple[Arrays, Arrays]:
    """Inputs, projections, a feed-forward network and norms; the heads as an array's length."""
    shapes = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)]
    params = [rng.standard_normal((batch, places, width))]
    for s in shapes:
        params += [rng.standard_normal(s) / np.sqrt(s[0]), rng.standard_normal(s[1]) / 10]
    norms = [1 + rng.standard_normal(width) / 10 for _ in range(4)]
    return [*params, *norms], [np.zeros(heads)]


def transformer(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """Attention and a feed-forward network with gelu, each added to its input and normalised."""
    x, wqkv, bqkv, wo, bo, w1, b1, w2, b2, s1, t1, s2, t2 = params
    (batch, places, width), heads = xp.shape(x), xp.shape(data[0])[0]
    qkv = xp.reshape(x @ wqkv + bqkv, (batch, places, 3, heads, width // heads))
    q, k, v = xp.unstack(xp.transpose(qkv, (2, 0, 3, 1, 4)))
    h = xp.transpose(xp.attention(q, k, v), (0, 2, 1, 3))
    h = xp.layer_norm(x + (xp.reshape(h, (batch, places, width)) @ wo + bo), s1, t1)
    y = xp.layer_norm(h + (xp.gelu(h @ w1 + b1) @ w2 + b2), s2, t2)
    return xp.mean(y * y)


WORKLOADS = [
    Workload(
        "transformer",
        "transformer block d=128, seq 64, batch 8",
        block,
        transformer,
        sizes={"batch": 8, "places": 64, "width": 128, "heads": 4},
        small={"batch": 2, "places": 3, "width": 8, "heads": 2},
        threads=(1, 2),
    ),
]
