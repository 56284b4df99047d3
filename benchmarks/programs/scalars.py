"""Chains of operations on scalars and short arrays, and one expression on long arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..by_hand import scalars as by_hand
from ..workload import Arrays, Workload

Rng = np.random.Generator


def scalar(rng: Rng, steps: int) -> tuple[Arrays, Arrays]:
    """A number, and the number of steps as the length of an array."""
    return [np.array(0.5)], [np.zeros(steps)]


def scalar_chain(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """sin, a product, a sum, tanh and a product, ten times."""
    (x,) = params
    y = x
    for _ in range(xp.shape(data[0])[0]):
        y = xp.tanh(xp.sin(y) * 1.5 + x) * x
    return y


def entries(rng: Rng, steps: int, size: int) -> tuple[Arrays, Arrays]:
    """A short array."""
    return [rng.standard_normal(size)], [np.zeros(steps)]


def long_chain(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """Four operations for each step, in a Python loop."""
    (x,) = params
    y = x
    for _ in range(xp.shape(data[0])[0]):
        y = xp.sin(y * 0.9 + x) - 0.1
    return xp.sum(y)


def looped_chain(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The operations of `long_chain`, in a loop of the library."""
    (x,) = params
    step = lambda state, _: (xp.sin(state[0] * 0.9 + x) - 0.1,)
    (y,) = xp.fold(step, (x,), data)
    return xp.sum(y)


def four(rng: Rng, size: int) -> tuple[Arrays, Arrays]:
    """Four arrays."""
    return [rng.standard_normal(size) for _ in range(4)], []


def elementwise(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """tanh, exp, products and a sum."""
    a, b, c, d = params
    return xp.sum(xp.tanh(a * b) + c * xp.exp(-(d * d)))


WORKLOADS = [
    Workload(
        "scalar", "50 scalar ops, value + derivative", scalar, scalar_chain,
        sizes={"steps": 10}, small={"steps": 3}, by_hand=by_hand.scalar_chain,
    ),
    Workload(
        "chain", "10,000-op chain on 10 elements", entries, long_chain,
        sizes={"steps": 2_500, "size": 10}, small={"steps": 7, "size": 3},
        by_hand=by_hand.long_chain, slow=("JAX jit", "torch.compile", "TensorFlow XLA", "PyTensor"),
    ),
    Workload(
        "chain-loop", "10,000-op chain on 10 elements, as a loop", entries, looped_chain,
        sizes={"steps": 2_500, "size": 10}, small={"steps": 7, "size": 3},
        by_hand=by_hand.long_chain, slow=("torch.compile", "PyTensor"),
    ),
    Workload(
        "elementwise", "1e6-element expression, 4 gradients", four, elementwise,
        sizes={"size": 1_000_000}, small={"size": 12}, threads=(1, 2),
        by_hand=by_hand.elementwise,
    ),
]  # fmt: skip
