"""Random numbers with a parameter for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.types import type_of
from ..elementwise.tables import float_dtype
from .random import as_keys, draw_once

MOST = {"random_poisson": 2.0**62}  # a larger mean gives numbers of more than 64 bits


def of_parameter(name: str, draw: Callable[..., Any], dtype: Any = None) -> Callable[..., Any]:
    """A kernel that draws by `draw(generator, parameters)` for a key, or for each of several.

    The shape is that of the numbers of one key. The parameter broadcasts to the shape of all. The
    dtype is that of the parameter, unless it is given.
    """

    def kernel(key: Any, parameter: Any, shape: tuple[int, ...]) -> Any:
        key, given = as_keys(key), np.asarray(parameter)
        found = float_dtype(given) if dtype is None else dtype
        check(name, given)
        whole = np.broadcast_to(given.astype(np.float64, copy=False), (*key.shape[:-1], *shape))
        if key.ndim == 1:
            return np.asarray(draw_once(draw, key.tolist(), whole)).astype(found, copy=False)[()]
        y = np.empty(whole.shape, found)
        for k in np.ndindex(key.shape[:-1]):
            y[k] = draw_once(draw, key[k].tolist(), whole[k])
        return y

    kernel.__name__ = kernel.__qualname__ = name
    return kernel


def check(name: str, parameter: np.ndarray) -> None:
    """Raise for parameters that are negative or not finite, with which NumPy might draw forever."""
    most = MOST.get(name, np.finfo(np.float64).max)
    within = (parameter >= 0) & (parameter <= most)
    if not within.all():
        wrong = parameter[~within].ravel()[0]
        raise OptionError(
            name, [type_of(parameter)], f"a parameter is from 0 to {most:.3g}, not {wrong}"
        )


def loggamma(generator: np.random.Generator, alpha: np.ndarray) -> np.ndarray:
    """The logarithm of numbers with a gamma distribution, also where these underflow.

    With E exponential, G(alpha) has the distribution of G(alpha + 1) exp(-E / alpha).
    """
    y = np.log(generator.standard_gamma(alpha + 1))
    with np.errstate(divide="ignore", over="ignore"):
        return y - generator.standard_exponential(alpha.shape) / alpha


def gamma(generator: np.random.Generator, alpha: np.ndarray) -> np.ndarray:
    with np.errstate(under="ignore"):
        return np.exp(loggamma(generator, alpha))


def poisson(generator: np.random.Generator, mean: np.ndarray) -> np.ndarray:
    return generator.poisson(mean)


random_gamma = of_parameter("random_gamma", gamma)
random_loggamma = of_parameter("random_loggamma", loggamma)
random_poisson = of_parameter("random_poisson", poisson, np.dtype(np.int64))
