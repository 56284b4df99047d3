"""JAX, compiled by jit."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..workload import ADAM, RATE, Arrays, Run, Workload, directions
from .interface import request
from .namespace import Namespace, Step

jax.config.update("jax_enable_x64", True)  # float64 rows; the others hold float32 throughout


class JaxNamespace(Namespace):
    """JAX's functions under the names that programs use."""

    def relu(self, x: Any) -> Any:
        return jax.nn.relu(x)

    def sigmoid(self, x: Any) -> Any:
        return jax.nn.sigmoid(x)

    def gelu(self, x: Any) -> Any:
        return jax.nn.gelu(x)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return jax.nn.logsumexp(x, axis)

    def log_softmax(self, x: Any) -> Any:
        return jax.nn.log_softmax(x)

    def softmax(self, x: Any) -> Any:
        return jax.nn.softmax(x)

    def cholesky(self, x: Any) -> Any:
        return jnp.linalg.cholesky(x)

    def diagonal(self, x: Any) -> Any:
        return jnp.diagonal(x, 0, -2, -1)

    def solve_triangular(self, l: Any, b: Any) -> Any:
        return jax.scipy.linalg.solve_triangular(l, b, lower=True)

    def conv2d(self, x: Any, w: Any, b: Any) -> Any:
        return lax.conv(x, w, (1, 1), "SAME") + b[:, None, None]

    def max_pool(self, x: Any) -> Any:
        return lax.reduce_window(x, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def fold(self, step: Step, carry: tuple, xs: Sequence[Any]) -> tuple:
        return lax.scan(lambda c, x: (step(c, x), None), carry, tuple(xs))[0]

    def recurrence(self, step: Step, carry: tuple, xs: Any) -> Any:
        def both(c: Any, x: Any) -> Any:
            c = step(c, x)
            return c, c[0]

        return lax.scan(both, carry, xs)[1]


def build(workload: Workload, params: Arrays, data: Arrays) -> Run:
    """The workload compiled, with parameters and data as arguments."""
    xp = JaxNamespace(jnp)
    loss = lambda params, data: workload.program(xp, params, data)
    params, data = jax.device_put((params, data))
    return request(workload, REQUESTS)(loss, params, data)


def calling(f: Any) -> Any:
    """Build a run that calls `jit(f(loss))` with parameters and data, and waits."""

    def build_run(loss: Any, params: Any, data: Any) -> Run:
        compiled = jax.jit(f(loss))
        return lambda: jax.block_until_ready(compiled(params, data))

    return build_run


def gradient(loss: Any) -> Any:
    """Value and gradients as one list."""

    def both(params: Any, data: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, data)
        return [value, *grads]

    return both


def hvp(loss: Any) -> Any:
    """Forward over reverse."""

    def product(params: Any, data: Any) -> Any:
        vs = directions(params)
        return jax.jvp(lambda p: jax.grad(loss)(p, data), (params,), (vs,))[1]

    return product


def hessian(loss: Any) -> Any:
    """Forward over reverse, all columns at once."""
    return lambda params, data: [jax.hessian(lambda p: loss([p, *params[1:]], data))(params[0])]


def jacobian(loss: Any) -> Any:
    """Reverse mode for one column, batched over the columns."""

    def of_column(params: Any, data: Any) -> Any:
        return loss(params, data), jax.jacrev(loss)(params, data)

    def blocks(params: Any, data: Any) -> Any:
        value, jacobians = jax.vmap(of_column, -1, -1)(params, data)
        return [value, *jacobians]

    return blocks


def stepping(update: Any, start: Any) -> Any:
    """A training step; parameters and optimizer state are donated."""

    def build_step(loss: Any, params: Any, data: Any) -> Run:
        @partial(jax.jit, donate_argnums=(0, 1))
        def step(params: Any, state: Any, data: Any) -> Any:
            value, grads = jax.value_and_grad(loss)(params, data)
            return value, *update(params, state, grads)

        held = [params, start(params)]

        def run() -> Any:
            value, *held[:] = jax.block_until_ready(step(*held, data))
            return [value, *held[0]]

        return run

    return build_step


def sgd(params: Any, state: Any, grads: Any) -> Any:
    """p - rate g."""
    return [p - RATE * g for p, g in zip(params, grads, strict=True)], state


def adam(params: Any, state: Any, grads: Any) -> Any:
    """Adam's update, as optax writes it."""
    t, ms, vs = state
    t, b1, b2 = t + 1, ADAM["beta1"], ADAM["beta2"]
    ms = [b1 * m + (1 - b1) * g for m, g in zip(ms, grads, strict=True)]
    vs = [b2 * v + (1 - b2) * g * g for v, g in zip(vs, grads, strict=True)]
    c1, c2 = 1 - b1**t, 1 - b2**t
    new = [
        p - ADAM["rate"] * (m / c1) / (jnp.sqrt(v / c2) + ADAM["eps"])
        for p, m, v in zip(params, ms, vs, strict=True)
    ]
    return new, (t, ms, vs)


def adam_state(params: Any) -> Any:
    """Step, and zeros twice."""
    zeros = lambda: [jnp.zeros_like(p) for p in params]
    return jnp.float32(0), zeros(), zeros()


def arrays(results: Sequence[Any]) -> Sequence[Any]:
    """The results; NumPy converts them."""
    return results


REQUESTS = {
    "gradient": calling(gradient),
    "hvp": calling(hvp),
    "hessian": calling(hessian),
    "jacobian": calling(jacobian),
    "sgd": stepping(sgd, lambda params: ()),
    "adam": stepping(adam, adam_state),
}
