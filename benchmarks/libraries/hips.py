"""HIPS autograd."""

from collections.abc import Callable, Sequence
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
from autograd.core import make_vjp
from autograd.scipy.linalg import solve_triangular
from autograd.scipy.special import logsumexp

from ..workload import ADAM, RATE, Arrays, Run, Workload, directions
from .interface import request
from .namespace import NumpyNamespace


class HipsNamespace(NumpyNamespace):
    """autograd's NumPy and SciPy."""

    def logsumexp(self, x: Any, axis: int) -> Any:
        return logsumexp(x, axis)

    def take(self, x: Any, i: Any, axis: int) -> Any:
        return x[i] if axis == 0 else x[:, i]


def build(workload: Workload, params: Arrays, data: Arrays) -> Run:
    """The workload as a function of arrays."""
    xp = HipsNamespace(anp, solve_triangular)
    loss = lambda params: workload.program(xp, params, data)
    return request(workload, REQUESTS)(loss, params)


def gradient(loss: Any, params: Arrays) -> Run:
    """Value and gradients."""
    both = autograd.value_and_grad(loss)

    def run() -> Any:
        value, grads = both(params)
        return [value, *grads]

    return run


def hvp(loss: Any, params: Arrays) -> Run:
    """The gradient of the product of gradient and vectors."""
    grad, vectors = autograd.grad(loss), directions(params)
    product = lambda ps: sum(anp.sum(g * v) for g, v in zip(grad(ps), vectors, strict=True))
    twice = autograd.grad(product)
    return lambda: twice(params)


def hessian(loss: Any, params: Arrays) -> Run:
    """The Jacobian of the gradient."""
    found = autograd.hessian(lambda p: loss([p, *params[1:]]))
    return lambda: [found(params[0])]


def jacobian(loss: Any, params: Arrays) -> Run:
    """The blocks of each column: a pull-back for each row of the output."""

    def run() -> Any:
        pull, y = make_vjp(loss, params)
        units = [np.zeros_like(y) for _ in y]
        for i, unit in enumerate(units):
            unit[i] = 1
        rows = [pull(unit) for unit in units]
        return [y, *[np.stack(blocks) for blocks in zip(*rows, strict=True)]]

    return run


def stepping(update: Callable[..., Any], start: Callable[[Arrays], Any]) -> Callable[..., Run]:
    """A training step in NumPy."""

    def build_step(loss: Any, params: Arrays) -> Run:
        both, held, state = autograd.value_and_grad(loss), list(params), start(params)

        def run() -> Any:
            value, grads = both(held)
            held[:] = update(held, grads, state)
            return [value, *held]

        return run

    return build_step


def sgd(params: Arrays, grads: Arrays, _: Any) -> Arrays:
    """p - rate g."""
    return [p - np.float32(RATE) * g for p, g in zip(params, grads, strict=True)]


def adam(params: Arrays, grads: Arrays, state: Any) -> Arrays:
    """Adam's update, as `autograd.misc.optimizers` writes it."""
    state["t"] += 1
    t, b1, b2, new = state["t"], ADAM["beta1"], ADAM["beta2"], []
    for i, (p, g) in enumerate(zip(params, grads, strict=True)):
        m = state["m"][i] = (1 - b1) * g + b1 * state["m"][i]
        v = state["v"][i] = (1 - b2) * (g**2) + b2 * state["v"][i]
        mhat, vhat = m / (1 - b1**t), v / (1 - b2**t)
        new.append(p - ADAM["rate"] * mhat / (np.sqrt(vhat) + ADAM["eps"]))
    return new


def moments(params: Arrays) -> dict[str, Any]:
    """Zeros, and the number of steps."""
    return {
        "t": 0,
        "m": [np.zeros_like(p) for p in params],
        "v": [np.zeros_like(p) for p in params],
    }


def arrays(results: Sequence[Any]) -> Sequence[Any]:
    """The results as they are."""
    return results


REQUESTS = {
    "gradient": gradient, "hvp": hvp, "hessian": hessian, "jacobian": jacobian,
    "sgd": stepping(sgd, lambda params: None), "adam": stepping(adam, moments),
}  # fmt: skip
