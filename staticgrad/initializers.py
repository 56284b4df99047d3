"""Initializers of variables, by TensorFlow's names: functions of a shape and a dtype.

Note [Initial]. Random values are a function of a seed: the one given, or else the graph's (see
`set_random_seed`) and the name of the variable. So they do not depend on the order in which
variables are created, and a graph with a seed has the same initial values everywhere.
"""

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.types import as_shape, native
from gradops.typing import AnyArray, ArrayLike, DTypeLike

from .build.graph import get_default_graph
from .build.inputs import default_dtype
from .ops.random import seed_of

Shape = Sequence[int]
Seed = int | None
Draw = Callable[[AnyArray, tuple[int, ...], np.dtype], AnyArray]  # a key, a shape and a dtype
CUT = 0.87962566103423978  # the deviation of a normal distribution cut off at two deviations
MODES: dict[str, Callable[[float, float], float]] = {
    "fan_in": lambda into, out: into,
    "fan_out": lambda into, out: out,
    "fan_avg": lambda into, out: (into + out) / 2,
}


@dataclass(frozen=True)
class Initializer:
    """A function of a shape and a dtype that returns an initial value.

    >>> sg.initializers.constant(2.0)([3])
    array([2., 2., 2.], dtype=float32)
    """

    draw: Draw
    seed: Seed = None

    def __call__(self, shape: Shape, dtype: DTypeLike = None, name: str = "") -> np.ndarray:
        """The value for the variable called `name`, on which random values depend."""
        dtype = native(dtype or default_dtype())
        sizes = tuple([n for n in as_shape(shape) if isinstance(n, int) and n >= 0])
        if sizes != as_shape(shape):
            reason = "the sizes of a variable must be known"
            raise ShapeError("an initializer", [as_shape(shape)], reason)
        return np.asarray(self.draw(key_of(self.seed, name), sizes, dtype), dtype)


def key_of(seed: int | None, name: str) -> AnyArray:
    """The key of a variable's random numbers. See Note [Initial]."""
    if seed is not None:
        return ops.random_key(seed)
    return ops.random_key(seed_of(get_default_graph()), zlib.crc32(name.encode()))


def constant(value: ArrayLike = 0) -> Initializer:
    """A number for all entries, or an array of the shape.

    >>> sg.initializers.constant(1.5)([2])
    array([1.5, 1.5], dtype=float32)
    """
    return Initializer(lambda key, shape, dtype: np.broadcast_to(np.asarray(value, dtype), shape))


def zeros() -> Initializer:
    """Zeros.

    >>> sg.initializers.zeros()([2], "int64")
    array([0, 0])
    """
    return constant(0)


def ones() -> Initializer:
    """Ones.

    >>> sg.initializers.ones()([2], "int64")
    array([1, 1])
    """
    return constant(1)


def random_normal(mean: float = 0.0, stddev: float = 1.0, seed: Seed = None) -> Initializer:
    """Normally distributed numbers.

    >>> sg.initializers.random_normal(seed=1)([2, 3]).shape
    (2, 3)
    """
    return Initializer(scaled_draw(ops.random_normal, mean, stddev), seed)


def scaled_draw(op: Callable[..., AnyArray], mean: float, stddev: float) -> Draw:
    """The numbers that `op` draws, times `stddev`, plus `mean`."""
    return lambda key, shape, dtype: mean + stddev * op(key, shape=shape, dtype=dtype)


def random_uniform(minval: float = 0.0, maxval: float = 1.0, seed: Seed = None) -> Initializer:
    """Uniformly distributed numbers in [`minval`, `maxval`).

    >>> bool((sg.initializers.random_uniform(2, 3, seed=1)([9]) >= 2).all())
    True
    """

    def draw(key: AnyArray, shape: tuple[int, ...], dtype: np.dtype) -> AnyArray:
        return ops.random_uniform(key, shape=shape, low=minval, high=maxval, dtype=dtype)

    return Initializer(draw, seed)


def truncated_normal(mean: float = 0.0, stddev: float = 1.0, seed: Seed = None) -> Initializer:
    """Normally distributed numbers within two standard deviations of the mean.

    >>> bool((abs(sg.initializers.truncated_normal(seed=1)([99])) <= 2).all())
    True
    """
    return Initializer(scaled_draw(ops.truncated_normal, mean, stddev), seed)


def variance_scaling(
    scale: float = 1.0,
    mode: str = "fan_in",
    distribution: str = "truncated_normal",
    seed: Seed = None,
) -> Initializer:
    """Random numbers with the variance `scale / n`, n being the fan in, the fan out or their mean.

    `mode` is fan_in, fan_out or fan_avg; `distribution` truncated_normal, untruncated_normal or
    uniform. Raises OptionError for others.

    >>> sg.initializers.variance_scaling(2.0, "fan_out", seed=1)([2, 3]).shape
    (2, 3)
    """
    if mode not in MODES:
        raise OptionError("variance_scaling", [], f"mode is one of {list(MODES)}, not {mode!r}")
    if distribution not in DISTRIBUTIONS:
        reason = f"distribution is one of {list(DISTRIBUTIONS)}, not {distribution!r}"
        raise OptionError("variance_scaling", [], reason)

    def draw(key: AnyArray, shape: tuple[int, ...], dtype: np.dtype) -> AnyArray:
        deviation = math.sqrt(scale / max(1.0, MODES[mode](*fans(shape))))
        return DISTRIBUTIONS[distribution](deviation).draw(key, shape, dtype)

    return Initializer(draw, seed)


DISTRIBUTIONS: dict[str, Callable[[float], Initializer]] = {
    "truncated_normal": lambda deviation: truncated_normal(0.0, deviation / CUT),
    "untruncated_normal": lambda deviation: random_normal(0.0, deviation),
    "uniform": lambda deviation: random_uniform(
        -math.sqrt(3) * deviation, math.sqrt(3) * deviation
    ),
}


def fans(shape: Shape) -> tuple[float, float]:
    """How many entries of the input make an entry of the output, and the other way round."""
    if len(shape) < 2:
        n = shape[0] if shape else 1
        return n, n
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


def glorot_uniform(seed: Seed = None) -> Initializer:
    """Uniform numbers whose variance suits both fans; Glorot and Bengio (2010).

    >>> bool((abs(sg.initializers.glorot_uniform(seed=1)([3, 3])) <= 1).all())
    True
    """
    return variance_scaling(1.0, "fan_avg", "uniform", seed)


def glorot_normal(seed: Seed = None) -> Initializer:
    """Normal numbers whose variance suits both fans; Glorot and Bengio (2010).

    >>> sg.initializers.glorot_normal(seed=1)([3, 3]).shape
    (3, 3)
    """
    return variance_scaling(1.0, "fan_avg", "truncated_normal", seed)


def he_normal(seed: Seed = None) -> Initializer:
    """Normal numbers that keep the variance the same through a relu; He et al. (2015).

    >>> sg.initializers.he_normal(seed=1)([3, 3]).shape
    (3, 3)
    """
    return variance_scaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Seed = None) -> Initializer:
    """Uniform numbers that keep the variance the same through a relu; He et al. (2015).

    >>> sg.initializers.he_uniform(seed=1)([3, 3]).shape
    (3, 3)
    """
    return variance_scaling(2.0, "fan_in", "uniform", seed)


OLDER = {
    f"{f.__name__}_initializer": f
    for f in (
        constant, glorot_normal, glorot_uniform, ones, random_normal, random_uniform,
        truncated_normal, variance_scaling, zeros,
    )
}  # fmt: skip
"""TensorFlow's older names, which `staticgrad` itself offers."""
globals().update(OLDER)
__all__ = sorted([
    "Initializer", "constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "ones",
    "random_normal", "random_uniform", "truncated_normal", "variance_scaling", "zeros", *OLDER,
])  # fmt: skip
