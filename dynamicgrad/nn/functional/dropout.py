"""Dropout, as functions: of entries, of channels, and so that mean and variance stay."""

import numpy as np

import gradops as ops

from ...engine.tensor import Tensor, as_tensor
from ...ops.creation import Generator, draw

__all__ = [
    "alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout",
]  # fmt: skip

FLOOR = -1.7580993408473766  # what selu tends to: dropped entries get this


def require_probability(p: float) -> None:
    """Refuse a number that is not a probability."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def keep_mask(x: Tensor, p: float, shape: tuple[int, ...], generator: Generator) -> Tensor:
    """A random mask of a shape in the dtype of `x`: 1 with probability 1 - p, else 0."""
    noise = draw(lambda g, size: g.random(size, np.float32), shape, generator)
    return ops.astype(noise >= p, dtype=x.dtype)


def drop_entries(x: Tensor, p: float, mask: Tensor, inplace: bool) -> Tensor:
    """`x` times a mask, which broadcasts, scaled by 1 / (1 - p)."""
    scale = as_tensor(mask / (1 - p) if p < 1 else mask)
    return x.mul_(scale) if inplace else x * scale


def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False,
    generator: Generator = None,
) -> Tensor:  # fmt: skip
    """Each entry zero with probability `p`, else divided by 1 - p; the input if not `training`.

    >>> dg.nn.functional.dropout(dg.ones(4), 0.5, generator=np.random.default_rng(0))
    tensor([2., 2., 2., 0.])
    """
    require_probability(p)
    if not training or p == 0:
        return input
    return drop_entries(input, p, keep_mask(input, p, tuple(input.shape), generator), inplace)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False,
    generator: Generator = None,
) -> Tensor:  # fmt: skip
    """Whole channels of (examples, channels, ...) zero with probability `p`; others scaled.

    >>> dg.nn.functional.dropout1d(dg.ones(1, 1, 2), 1.0)
    tensor([[[0., 0.]]])
    """
    require_probability(p)
    if not training or p == 0:
        return input
    return drop_entries(input, p, keep_mask(input, p, by_channel(input), generator), inplace)


def by_channel(input: Tensor) -> tuple[int, ...]:
    """The shape with one entry for each channel of each example."""
    return (*input.shape[:2], *(1,) * (input.ndim - 2))


dropout2d = dropout3d = dropout1d


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False,
    generator: Generator = None,
) -> Tensor:  # fmt: skip
    """Dropout that sets entries to the lower limit of selu, and keeps mean and variance.

    >>> dg.nn.functional.alpha_dropout(dg.ones(2), 0.5)
    tensor([1., 1.])
    """
    return drop_to_floor(input, p, training, inplace, tuple(input.shape), generator)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False,
    generator: Generator = None,
) -> Tensor:  # fmt: skip
    """`alpha_dropout` of whole channels of (examples, channels, ...).

    >>> dg.nn.functional.feature_alpha_dropout(dg.ones(1, 2), 0.5)
    tensor([[1., 1.]])
    """
    return drop_to_floor(input, p, training, inplace, by_channel(input), generator)


def drop_to_floor(
    input: Tensor, p: float, training: bool, inplace: bool, shape: tuple[int, ...],
    generator: Generator,
) -> Tensor:  # fmt: skip
    """The input with random entries at `FLOOR`, scaled and shifted to keep mean and variance."""
    require_probability(p)
    if not training or p == 0:
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    mask = as_tensor(keep_mask(input, p, shape, generator))
    scale = ((1 - p) * (1 + p * FLOOR**2)) ** -0.5
    moved = (1 - mask) * (scale * FLOOR) - scale * p * FLOOR
    if inplace:
        return input.mul_(mask * scale).add_(moved)
    return input * (mask * scale) + moved
