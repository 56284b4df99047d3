"""An ordinary differential equation, fitted to observations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..by_hand import dynamics as by_hand
from ..libraries.namespace import Namespace
from ..workload import Arrays, Workload

H = 0.05  # the length of a step


def populations(rng: np.random.Generator, steps: int) -> tuple[Arrays, Arrays]:
    """Four rates and two first values; observations of both populations after each step."""
    theta = np.array([1.1, 0.4, 0.4, 0.1, 2.0, 1.0])
    return [theta], [*(3 + rng.standard_normal((2, steps)))]


def lotka_volterra(fold: Any, xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The squared distance of the populations, by Runge and Kutta's method of order 4, to data."""
    a, b, c, d, x, y = xp.unstack(params[0])
    rate = lambda x, y: (a * x - b * x * y, d * x * y - c * y)

    def step(state: tuple, observed: tuple) -> tuple:
        x, y, loss = state
        k1, l1 = rate(x, y)
        k2, l2 = rate(x + H / 2 * k1, y + H / 2 * l1)
        k3, l3 = rate(x + H / 2 * k2, y + H / 2 * l2)
        k4, l4 = rate(x + H * k3, y + H * l3)
        x = x + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y = y + H / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        u, v = x - observed[0], y - observed[1]
        return x, y, loss + u * u + v * v

    return fold(xp, step, (x, y, xp.zeros((), params[0].dtype)), data)[2]


def looped(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """With a loop of the library."""
    return lotka_volterra(type(xp).fold, xp, params, data)


def unrolled(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """With a Python loop."""
    return lotka_volterra(Namespace.fold, xp, params, data)


SIZES = {"sizes": {"steps": 200}, "small": {"steps": 4}, "dtype": "float64"}
LONG = ("JAX jit", "torch.compile", "TensorFlow XLA", "PyTensor")
WORKLOADS = [
    Workload("lotka", "Lotka-Volterra, 200 RK4 steps, scan", populations, looped,
             by_hand=by_hand.lotka_volterra, slow=("torch.compile",), **SIZES),
    Workload("lotka-unrolled", "Lotka-Volterra, 200 RK4 steps, unrolled", populations, unrolled,
             by_hand=by_hand.lotka_volterra, slow=LONG, **SIZES),
    Workload("lotka-hessian", "Lotka-Volterra, scan, 6x6 Hessian", populations, looped,
             request="hessian", slow=("torch.compile", "PyTensor"), **SIZES),
    Workload("lotka-hessian-unrolled", "Lotka-Volterra, unrolled, 6x6 Hessian", populations,
             unrolled, request="hessian", slow=LONG, **SIZES),
]  # fmt: skip
