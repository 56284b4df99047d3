"""Filling tensors with the values that training begins with, in place.

Random numbers are those of `generator`, by default of this thread; `dg.manual_seed` seeds them.
"""

import math
from typing import Any

import numpy as np

from gradops import OptionError, ShapeError

from ..engine.grad_mode import no_grad
from ..engine.tensor import Tensor, handle
from ..ops.creation import Generator
from ..ops.creation import generator as default_generator

__all__ = [
    "calculate_gain", "constant_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_",
    "orthogonal_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip

GAINS = {
    "linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0, "conv_transpose3d": 1.0, "sigmoid": 1.0, "tanh": 5 / 3,
    "relu": math.sqrt(2), "selu": 3 / 4,
}  # fmt: skip


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The recommended gain of weights before an activation function.

    `param` is the slope of a leaky_relu, by default 0.01. Raises ValueError for an unknown name.

    >>> dg.nn.init.calculate_gain("leaky_relu", 1.0)
    1.0
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def fill(t: Tensor, value: Any) -> Tensor:
    """Fill `t` with values, cast to its dtype."""
    with no_grad():
        return t.copy_(handle(np.asarray(value, t.dtype)))


def source(generator: Generator) -> np.random.Generator:
    """The random numbers to take."""
    return default_generator() if generator is None else generator


def uniform_(t: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator = None) -> Tensor:
    """Random numbers, uniform from `a` to `b`.

    >>> dg.nn.init.uniform_(dg.empty(2, 3), 5, 6).shape
    (2, 3)
    """
    drawn = source(generator).random(t.shape, np.float64 if t.dtype == np.float64 else np.float32)
    return fill(t, a + (b - a) * drawn)


def normal_(t: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator = None) -> Tensor:
    """Random numbers, normal with a mean and a standard deviation.

    >>> dg.nn.init.normal_(dg.empty(2, 3)).shape
    (2, 3)
    """
    return fill(t, mean + std * source(generator).standard_normal(t.shape))


def trunc_normal_(
    t: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
    generator: Generator = None,
) -> Tensor:  # fmt: skip
    """Normal random numbers, redrawn outside of `a` and `b`.

    Raises ValueError where next to nothing lies between the bounds.

    >>> bool((dg.nn.init.trunc_normal_(dg.empty(100)).abs() <= 2).all())
    True
    """
    rng = source(generator)
    low, high = (a - mean) / std, (b - mean) / std
    share = (math.erf(high / math.sqrt(2)) - math.erf(low / math.sqrt(2))) / 2
    if not share > 1e-3:
        raise ValueError(f"a normal distribution has hardly anything from {a} to {b}")
    drawn = rng.standard_normal(t.shape)
    while (outside := (drawn < low) | (drawn > high)).any():
        drawn = np.where(outside, rng.standard_normal(t.shape), drawn)
    return fill(t, np.clip(mean + std * drawn, a, b))


def constant_(t: Tensor, val: float) -> Tensor:
    """One number everywhere.

    >>> dg.nn.init.constant_(dg.empty(2), 3)
    tensor([3., 3.])
    """
    return fill(t, val)


def zeros_(t: Tensor) -> Tensor:
    """Zeros.

    >>> dg.nn.init.zeros_(dg.empty(2))
    tensor([0., 0.])
    """
    return fill(t, 0)


def ones_(t: Tensor) -> Tensor:
    """Ones.

    >>> dg.nn.init.ones_(dg.empty(2))
    tensor([1., 1.])
    """
    return fill(t, 1)


def fans(t: Tensor) -> tuple[int, int]:
    """The fan-in and fan-out of a weight."""
    if t.ndim < 2:
        raise ShapeError(
            "init", [t.type],
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
        )  # fmt: skip
    field = math.prod(t.shape[2:])
    return t.shape[1] * field, t.shape[0] * field


def xavier_uniform_(t: Tensor, gain: float = 1.0, generator: Generator = None) -> Tensor:
    """Uniform random numbers whose variance suits both fans; Glorot and Bengio (2010).

    >>> bool((dg.nn.init.xavier_uniform_(dg.empty(3, 3)).abs() <= 1).all())
    True
    """
    bound = gain * math.sqrt(6 / sum(fans(t)))
    return uniform_(t, -bound, bound, generator)


def xavier_normal_(t: Tensor, gain: float = 1.0, generator: Generator = None) -> Tensor:
    """Normal random numbers whose variance suits both fans; Glorot and Bengio (2010).

    >>> dg.nn.init.xavier_normal_(dg.empty(3, 3)).shape
    (3, 3)
    """
    return normal_(t, 0.0, gain * math.sqrt(2 / sum(fans(t))), generator)


def deviation(t: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation of weights that preserves variances; He et al. (2015)."""
    if mode not in ("fan_in", "fan_out"):
        raise OptionError("init", [t.type], f"mode is 'fan_in' or 'fan_out', not {mode!r}")
    fan = fans(t)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan) if fan else 0.0


def kaiming_uniform_(
    t: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Generator = None,
) -> Tensor:  # fmt: skip
    """Uniform random numbers that preserve variances through a layer; He et al. (2015).

    >>> dg.nn.init.kaiming_uniform_(dg.empty(3, 3), nonlinearity="relu").shape
    (3, 3)
    """
    bound = math.sqrt(3) * deviation(t, a, mode, nonlinearity)
    return uniform_(t, -bound, bound, generator)


def kaiming_normal_(
    t: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Generator = None,
) -> Tensor:  # fmt: skip
    """Normal random numbers that preserve variances through a layer; He et al. (2015).

    >>> dg.nn.init.kaiming_normal_(dg.empty(3, 3), nonlinearity="relu").shape
    (3, 3)
    """
    return normal_(t, 0.0, deviation(t, a, mode, nonlinearity), generator)


def orthogonal_(t: Tensor, gain: float = 1, generator: Generator = None) -> Tensor:
    """A random matrix with orthogonal rows, or columns if these are fewer; Saxe et al. (2013).

    Dimensions after the first are taken as one.

    >>> w = dg.nn.init.orthogonal_(dg.empty(2, 3, dtype="float64"))
    >>> dg.allclose(w @ w.T, dg.eye(2, dtype="float64"))
    True
    """
    if t.ndim < 2:
        raise ShapeError("orthogonal_", [t.type], "it takes tensors with 2 or more dimensions")
    rows, columns = t.shape[0], math.prod(t.shape[1:])
    drawn = source(generator).standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q = q * np.sign(np.diagonal(r))  # makes the distribution uniform; Mezzadri (2007)
    return fill(t, gain * (q.T if rows < columns else q).reshape(t.shape))
