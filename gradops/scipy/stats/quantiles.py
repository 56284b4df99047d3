"""Quantiles and samples of distributions, with derivatives.

Note [Quantiles]. The quantile x of q solves F(x, a) = q. Its value is SciPy's; its derivatives are
those of two steps of Newton's method from there, which have the value 0. A step doubles the number
of orders in which derivatives are right, so that those up to the third are.
"""

from typing import Any

import numpy as np

from ...core.op import PLAIN
from ...core.types import broadcast_shapes, type_of
from ...library.elementwise.arithmetic import sqrt
from ...library.elementwise.comparison import where
from ...library.elementwise.exponential import exp
from ...library.shape.creation import stop_gradient
from ...library.solvers.quantiles import quantile
from ...transforms.layers import constant

STEPS = 2


def quantile_of(dist: Any, q: Any, args: Any, kwargs: Any, upper: bool) -> Any:
    """The point below which, or above which, lies the probability `q`."""
    call = "isf" if upper else "ppf"
    q, shapes, loc, scale = dist.operands(call, q, args, kwargs)
    valid, shapes = dist.checked(scale, shapes)
    known = [constant(x) for x in (q, *shapes)]
    z = quantile(*known, name=dist.name, upper=upper)
    inside = (z == z) & (abs(z) < np.inf) & (q > 0) & (q < 1)
    form = dist.survival if upper else dist.cumulative
    x = where(inside, z, dist.of_shapes(dist.interior, shapes))
    for _ in range(STEPS):
        step = newton(form(x, *shapes) - where(inside, q, 0.5), dist.log_density(x, *shapes))
        step = -step if upper else step
        x = x - (step - stop_gradient(step))
    y = where(valid, loc + where(valid, scale, 1.0) * where(inside, x, z), np.nan)
    return y[()] if isinstance(y, np.ndarray) else y


def newton(miss: Any, log_slope: Any) -> Any:
    """A step of Newton's method; where the slope is zero, with a derivative that is no number."""
    flat = log_slope == -np.inf
    steep = sqrt(abs(where(flat, miss - stop_gradient(miss), 1.0)))
    return where(flat, steep, miss * exp(-where(flat, 0.0, log_slope)))


def sample(dist: Any, args: Any, kwargs: Any, size: Any, random_state: Any) -> Any:
    """Random numbers of a distribution: the quantiles of uniform ones, so with derivatives."""
    shapes, loc, scale = dist.parameters("rvs", args, kwargs)
    if size is None:
        values = [x if type(x) not in PLAIN else np.asarray(x) for x in (*shapes, loc, scale)]
        size = broadcast_shapes(dist.name, [type_of(x) for x in values])
    return quantile_of(dist, uniform(random_state, size), args, kwargs, False)


def uniform(random_state: Any, size: Any) -> Any:
    """Uniform random numbers from a seed, a generator of NumPy's, or a key of ours."""
    shape = (size,) if isinstance(size, int | np.integer) else tuple(size)
    if isinstance(random_state, np.random.RandomState):
        return random_state.random_sample(shape)
    if hasattr(random_state, "gradop_level") or isinstance(random_state, np.ndarray):
        from ... import random

        return random.uniform(random_state, shape, "float64")
    return np.random.default_rng(random_state).random(shape)
