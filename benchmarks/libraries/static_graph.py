"""staticgrad: graphs, compiled at one of its levels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops
import staticgrad as sg
from gradops.nn import CELLS, Weights, recurrent
from staticgrad.layers.recurrent import loop
from staticgrad.passes.levels import LEVELS
from staticgrad.train import AdamOptimizer

from ..workload import ADAM, RATE, Arrays, Run, Workload, directions
from .interface import request
from .namespace import Namespace, Step

CHANNELS_LAST = True
__all__ = ["LEVELS", "arrays", "build"]


class StaticNamespace(Namespace):
    """staticgrad's functions under the names that programs use."""

    channels_last = True

    def sum(self, x: Any, axis: Any = None) -> Any:
        return sg.reduce_sum(x, axis)

    def mean(self, x: Any, axis: Any = None) -> Any:
        return sg.reduce_mean(x, axis)

    def concatenate(self, xs: Any, axis: int) -> Any:
        return sg.concat(xs, axis)

    def unstack(self, x: Any) -> Any:
        return sg.unstack(x)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return sg.reduce_logsumexp(x, axis)

    def log_softmax(self, x: Any) -> Any:
        return sg.log_softmax(x)

    def softmax(self, x: Any) -> Any:
        return sg.softmax(x)

    def relu(self, x: Any) -> Any:
        return sg.relu(x)

    def sigmoid(self, x: Any) -> Any:
        return sg.sigmoid(x)

    def gelu(self, x: Any) -> Any:
        return sg.nn.gelu(x, approximate=True)

    def cross_entropy(self, z: Any, y: Any) -> Any:
        return sg.cross_entropy(z, y)

    def bce(self, z: Any, t: Any) -> Any:
        return sg.binary_cross_entropy_with_logits(z, t)

    def layer_norm(self, x: Any, w: Any, b: Any) -> Any:
        return ops.layer_norm(x, x.shape[-1:], w, b)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return ops.attention(q, k, v)

    def diagonal(self, x: Any) -> Any:
        return sg.matrix_diag_part(x)

    def take(self, x: Any, i: Any, axis: int) -> Any:
        return sg.gather(x, i, axis=axis)

    def solve_triangular(self, l: Any, b: Any) -> Any:
        return sg.matrix_triangular_solve(l, b)

    def max_pool(self, x: Any) -> Any:
        return sg.nn.max_pool(x, 2, 2, "VALID")

    def conv2d(self, x: Any, w: Any, b: Any) -> Any:
        return sg.nn.conv2d(x, w, 1, "SAME") + b

    def fold(self, step: Step, carry: tuple, xs: Sequence[Any]) -> tuple:
        return sg.foldl(step, tuple(xs), carry)

    def gru(self, x: Any, *weights: Any) -> Any:
        return recurrent(CELLS["GRU"], x, [[Weights(*weights)]], loop)[0]

    def lstm(self, x: Any, *weights: Any) -> Any:
        return recurrent(CELLS["LSTM"], x, [[Weights(*weights)]], loop)[0]


How = dict[str, Any]
"""How graphs are compiled: a level, and a backend."""


def build(
    workload: Workload, params: Arrays, data: Arrays, level: int = 2, backend: str = "numpy"
) -> Run:
    """The workload compiled, with parameters and data as feeds."""
    how = {"optimize": level, "backend": backend}
    with sg.Graph().as_default():
        return request(workload, REQUESTS)(workload, params, data, how)


def placeholders(arrays: Arrays) -> list[Any]:
    """A placeholder for each array."""
    return [sg.placeholder(a.dtype, a.shape) for a in arrays]


def loss_of(workload: Workload, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The output of the program as an expression."""
    return workload.program(StaticNamespace(sg), params, data)


def fetching(fetches: Any) -> Any:
    """Build a run that fetches `fetches(loss, params)`."""

    def build_run(workload: Workload, params: Arrays, data: Arrays, how: How) -> Run:
        ps, ds = placeholders(params), placeholders(data)
        run = sg.compile(fetches(loss_of(workload, ps, ds), ps), [*ps, *ds], **how)
        fed = [*params, *data]
        return lambda: run(*fed)

    return build_run


def jacobian(y: Any, params: Sequence[Any]) -> list[Any]:
    """The blocks of each column: a gradient for each row of the output."""
    rows = [sg.gradients(row, params) for row in sg.unstack(y)]
    return [y, *[sg.stack(blocks) for blocks in zip(*rows, strict=True)]]


def sgd(workload: Workload, params: Arrays, data: Arrays, how: How) -> Run:
    """A step from parameters to new parameters."""
    ps, ds = placeholders(params), placeholders(data)
    loss = loss_of(workload, ps, ds)
    new = [p - RATE * g for p, g in zip(ps, sg.gradients(loss, ps), strict=True)]
    run = sg.compile([loss, *new], [*ps, *ds], **how)
    state = list(params)

    def step() -> Any:
        loss, *state[:] = run(*state, *data)
        return [loss, *state]

    return step


def adam(workload: Workload, params: Arrays, data: Arrays, how: How) -> Run:
    """Variables, which an optimizer trains in a session."""
    ps, ds = [sg.Variable(p) for p in params], placeholders(data)
    loss = loss_of(workload, ps, ds)
    train = AdamOptimizer(ADAM["rate"]).minimize(loss)
    session = sg.Session(**how)
    session.run(sg.global_variables_initializer())
    step = session.make_callable([loss, train], ds)
    read = session.make_callable(ps, [])
    return lambda: Results(step(*data)[0], read)


class Results:
    """A loss and the variables, which are read when they are looked at."""

    __slots__ = ("loss", "read")

    def __init__(self, loss: Any, read: Any) -> None:
        self.loss, self.read = loss, read

    def __iter__(self) -> Any:
        return iter([self.loss, *self.read()])


def arrays(results: Any) -> list[Any]:
    """The results in a list."""
    return list(results)


REQUESTS = {
    "gradient": fetching(lambda loss, ps: [loss, *sg.gradients(loss, ps)]),
    "hvp": fetching(lambda loss, ps: sg.hvp(loss, ps, [sg.constant(v) for v in directions_of(ps)])),
    "hessian": fetching(lambda loss, ps: [sg.hessian(loss, ps[0])]),
    "jacobian": fetching(jacobian),
    "sgd": sgd, "adam": adam,
}  # fmt: skip


def directions_of(params: Sequence[Any]) -> Arrays:
    """The directions for placeholders."""
    return directions([np.zeros(p.shape, p.dtype) for p in params])
