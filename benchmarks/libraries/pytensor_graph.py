"""PyTensor: graphs compiled by its default backend."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.gradient import hessian_vector_product

from ..workload import ADAM, RATE, Arrays, Run, Workload, directions
from .interface import request
from .namespace import Namespace, Step


class PytensorNamespace(Namespace):
    """PyTensor's functions under the names that programs use."""

    def shape(self, x: Any) -> Any:
        return x.type.shape

    def relu(self, x: Any) -> Any:
        return pt.maximum(x, np.array(0, x.dtype))

    def sigmoid(self, x: Any) -> Any:
        return pt.sigmoid(x)

    def gelu(self, x: Any) -> Any:
        return super().gelu(x)

    def matrix_transpose(self, x: Any) -> Any:
        return x.mT if x.ndim > 2 else x.T

    def logsumexp(self, x: Any, axis: int) -> Any:
        return pt.logsumexp(x, axis)

    def log_softmax(self, x: Any) -> Any:
        return pt.special.log_softmax(x, -1)

    def softmax(self, x: Any) -> Any:
        return pt.special.softmax(x, -1)

    def cholesky(self, x: Any) -> Any:
        return pt.linalg.cholesky(x)

    def diagonal(self, x: Any) -> Any:
        return pt.diagonal(x, 0, -2, -1)

    def bce(self, z: Any, t: Any) -> Any:
        return pt.mean(pt.softplus(z) - z * t)

    def transpose(self, x: Any, axes: Any) -> Any:
        return x.transpose(*axes)

    def unstack(self, x: Any) -> Any:
        return [x[i] for i in range(x.type.shape[0])]

    def solve_triangular(self, l: Any, b: Any) -> Any:
        return pt.linalg.solve_triangular(l, b, lower=True, b_ndim=2)

    def fold(self, step: Step, carry: tuple, xs: Sequence[Any]) -> tuple:
        return tuple(states[-1] for states in scanned(step, carry, xs))

    def recurrence(self, step: Step, carry: tuple, xs: Any) -> Any:
        return scanned(lambda state, x: step(state, x[0]), carry, [xs])[0]


def scanned(step: Step, carry: tuple, xs: Sequence[Any]) -> list[Any]:
    """The states of a scan."""
    count = len(xs)

    def inner(*args: Any) -> list[Any]:
        new = step(args[count:], args[:count])
        return [pt.specify_shape(n, c.type.shape) for n, c in zip(new, carry, strict=True)]

    states, _ = pytensor.scan(inner, sequences=list(xs), outputs_info=list(carry))
    return states if isinstance(states, list) else [states]


def build(workload: Workload, params: Arrays, data: Arrays) -> Run:
    """The workload as a compiled function."""
    return request(workload, REQUESTS)(workload, params, data)


def symbols(arrays: Arrays) -> list[Any]:
    """A symbol for each array, of its shape."""
    return [pt.tensor(dtype=a.dtype, shape=a.shape) for a in arrays]


def calling(outputs: Callable[[Any, Any, Arrays], Any]) -> Callable[..., Run]:
    """Build a run of `outputs(loss, symbols, vectors)`."""

    def build_run(workload: Workload, params: Arrays, data: Arrays) -> Run:
        ps, ds = symbols(params), symbols(data)
        loss = workload.program(PytensorNamespace(pt), ps, ds)
        vectors = directions(params)
        f = pytensor.function([*ps, *ds], outputs(loss, ps, vectors), on_unused_input="ignore")
        f.trust_input = True
        fed = [*params, *data]
        return lambda: f(*fed)

    return build_run


def hvp(loss: Any, params: Any, vectors: Arrays) -> list[Any]:
    """The products of the Hessian."""
    return hessian_vector_product(loss, params, [pt.constant(v) for v in vectors])


def jacobian(y: Any, params: Any, _: Any) -> list[Any]:
    """The blocks of each column: a gradient for each row of the output."""
    rows = [pytensor.grad(y[i].sum(), params) for i in range(y.type.shape[0])]
    return [y, *[pt.stack(blocks) for blocks in zip(*rows, strict=True)]]


def stepping(update: Callable[..., Any]) -> Callable[..., Run]:
    """A training step: shared variables, and their updates."""

    def build_step(workload: Workload, params: Arrays, data: Arrays) -> Run:
        ps, ds = [pytensor.shared(p, borrow=True, shape=p.shape) for p in params], symbols(data)
        loss = workload.program(PytensorNamespace(pt), ps, ds)
        f = pytensor.function(ds, loss, updates=update(ps, pytensor.grad(loss, ps)))
        f.trust_input = True
        return lambda: [f(*data), *ps]

    return build_step


def sgd(params: Any, grads: Any) -> Any:
    """p - rate g."""
    rate = np.float32(RATE) if params[0].dtype == "float32" else RATE
    return [(p, p - rate * g) for p, g in zip(params, grads, strict=True)]


def adam(params: Any, grads: Any) -> Any:
    """Adam's update."""
    dtype, updates = params[0].dtype, []
    number = lambda x: np.array(x, dtype)
    t = pytensor.shared(number(0))
    b1, b2, one = number(ADAM["beta1"]), number(ADAM["beta2"]), number(1)
    t_new = t + one
    for p, g in zip(params, grads, strict=True):
        m, v = (pytensor.shared(np.zeros(p.type.shape, dtype), shape=p.type.shape) for _ in "mv")
        m_new, v_new = b1 * m + (one - b1) * g, b2 * v + (one - b2) * g * g
        mhat, vhat = m_new / (one - b1**t_new), v_new / (one - b2**t_new)
        move = number(ADAM["rate"]) * mhat / (pt.sqrt(vhat) + number(ADAM["eps"]))
        updates += [(m, m_new), (v, v_new), (p, p - move)]
    return [*updates, (t, t_new)]


def arrays(results: Sequence[Any]) -> list[Any]:
    """The results; shared variables by their values."""
    return [r.get_value() if hasattr(r, "get_value") else r for r in results]


REQUESTS = {
    "gradient": calling(lambda loss, ps, _: [loss, *pytensor.grad(loss, ps)]),
    "hvp": calling(hvp),
    "hessian": calling(lambda loss, ps, _: [pytensor.gradient.hessian(loss, ps[0])]),
    "jacobian": calling(jacobian),
    "sgd": stepping(sgd), "adam": stepping(adam),
}  # fmt: skip
