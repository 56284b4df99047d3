"""Update rules of optimizers, as pure functions of ops that both packages share.

A rule maps parameters, gradients and the optimizer's state to new parameters and a new state. What
holds the state, tensors updated in place or variables assigned in a graph, is each package's own.
"""

from collections.abc import Sequence
from typing import Any


def momentum_sgd(
    params: Sequence[Any],
    grads: Sequence[Any],
    velocities: Sequence[Any],
    lr: float,
    momentum: float = 0.9,
) -> tuple[list[Any], list[Any]]:
    """Gradient descent with momentum: v <- momentum * v + g, then p <- p - lr * v.

    Returns the new parameters and the new velocities. PyTorch's form of Sutskever et al., "On the
    importance of initialization and momentum in deep learning" (2013).

    >>> momentum_sgd([1.0], [0.5], [0.0], lr=0.1)
    ([0.95], [0.5])
    """
    velocities = [momentum * v + g for v, g in zip(velocities, grads, strict=True)]
    return [p - lr * v for p, v in zip(params, velocities, strict=True)], velocities
