"""Random numbers, by keys of ours: the same for a seed, and not those of other libraries."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import OPS

from ...ops import random as draws
from ..reading.registry import operator
from ..reading.tensors import dtype_of
from ..reading.values import Value, as_expr


def seeded(seed: float | None) -> int | None:
    """ONNX's seed, a float, as a seed of ours."""
    return None if seed is None else int(np.float32(seed).view(np.int32))


def keep_mask(x: Value, probability: float, seed: float | None) -> Any:
    """Truth values of the shape of `x` that are true with a probability."""
    uniform = draws.random_uniform(x.shape, seed=seeded(seed))
    return OPS["less"](uniform, np.float32(probability))


def normal(shape: Sequence[Any], dtype: Any, mean: float, scale: float, seed: float | None) -> Any:
    """Normal random numbers."""
    return draws.random_normal(shape, mean, scale, dtype=np.dtype(dtype), seed=seeded(seed))


def uniform(shape: Sequence[Any], dtype: Any, low: float, high: float, seed: float | None) -> Any:
    """Uniform random numbers."""
    return draws.random_uniform(shape, low, high, dtype=np.dtype(dtype), seed=seeded(seed))


@operator("RandomNormal")
def random_normal(
    *, shape: Sequence[int], dtype: int = 1, mean: float = 0.0, scale: float = 1.0,
    seed: float | None = None,
) -> Any:  # fmt: skip
    """Normal random numbers of a shape."""
    return normal(shape, dtype_of(dtype), mean, scale, seed)


@operator("RandomUniform")
def random_uniform(
    *, shape: Sequence[int], dtype: int = 1, low: float = 0.0, high: float = 1.0,
    seed: float | None = None,
) -> Any:  # fmt: skip
    """Uniform random numbers of a shape."""
    return uniform(shape, dtype_of(dtype), low, high, seed)


@operator("RandomNormalLike")
def random_normal_like(
    x: Value, *, dtype: int | None = None, mean: float = 0.0, scale: float = 1.0,
    seed: float | None = None,
) -> Any:  # fmt: skip
    """Normal random numbers of the shape of `x`."""
    return normal(x.shape, x.dtype if dtype is None else dtype_of(dtype), mean, scale, seed)


@operator("RandomUniformLike")
def random_uniform_like(
    x: Value, *, dtype: int | None = None, low: float = 0.0, high: float = 1.0,
    seed: float | None = None,
) -> Any:  # fmt: skip
    """Uniform random numbers of the shape of `x`."""
    return uniform(x.shape, x.dtype if dtype is None else dtype_of(dtype), low, high, seed)


@operator("Bernoulli", 15)
def bernoulli(x: Value, *, dtype: int | None = None, seed: float | None = None) -> Any:
    """1 with the probability that the entry is, else 0."""
    draw = uniform(x.shape, x.dtype, 0.0, 1.0, seed)
    result = OPS["less"](draw, x)
    return OPS["astype"](result, dtype=x.dtype if dtype is None else dtype_of(dtype))


@operator("Multinomial", 7)
def multinomial(
    x: Value, *, dtype: int = 6, sample_size: int = 1, seed: float | None = None
) -> Any:
    """Classes drawn by unnormalized logarithms of their probabilities, rows of samples."""
    from ...ops.distributions import multinomial as draw

    drawn = draw(as_expr(x), sample_size, seed=seeded(seed))
    return OPS["astype"](drawn, dtype=dtype_of(dtype))
