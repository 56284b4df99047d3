"""Libraries with PyTorch's names: torch, and dynamicgrad; eager, compiled and traced."""

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..workload import ADAM, RATE, Arrays, Run, Workload, directions
from .interface import request
from .namespace import Namespace


class TorchNamespace(Namespace):
    """PyTorch's functions under the names that programs use."""

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self.functional = module.nn.functional

    def relu(self, x: Any) -> Any:
        return self.module.relu(x)

    def sigmoid(self, x: Any) -> Any:
        return self.module.sigmoid(x)

    def gelu(self, x: Any) -> Any:
        return self.functional.gelu(x, approximate="tanh")

    def unstack(self, x: Any) -> Any:
        return x.unbind(0)

    def concatenate(self, xs: Any, axis: int) -> Any:
        return self.module.cat(xs, axis)

    def transpose(self, x: Any, axes: Any) -> Any:
        return x.permute(*axes)

    def swapaxes(self, x: Any, a: int, b: int) -> Any:
        return x.transpose(a, b)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return self.module.logsumexp(x, axis)

    def log_softmax(self, x: Any) -> Any:
        return self.functional.log_softmax(x, -1)

    def softmax(self, x: Any) -> Any:
        return self.functional.softmax(x, -1)

    def cross_entropy(self, z: Any, y: Any) -> Any:
        return self.functional.cross_entropy(z, y)

    def conv2d(self, x: Any, w: Any, b: Any) -> Any:
        return self.functional.conv2d(x, w, b, padding=1)

    def max_pool(self, x: Any) -> Any:
        return self.functional.max_pool2d(x, 2)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return self.functional.scaled_dot_product_attention(q, k, v)

    def take(self, x: Any, i: Any, axis: int) -> Any:
        return x.index_select(axis, i)

    def cholesky(self, x: Any) -> Any:
        return self.module.linalg.cholesky(x)

    def diagonal(self, x: Any) -> Any:
        return self.module.diagonal(x, 0, -2, -1)

    def bce(self, z: Any, t: Any) -> Any:
        return self.functional.binary_cross_entropy_with_logits(z, t)

    def linear(self, x: Any, w: Any, b: Any) -> Any:
        return self.module.addmm(b, x, w) if x.ndim == 2 else x @ w + b

    def layer_norm(self, x: Any, w: Any, b: Any) -> Any:
        return self.functional.layer_norm(x, (x.shape[-1],), w, b)

    def solve_triangular(self, l: Any, b: Any) -> Any:
        return self.module.linalg.solve_triangular(l, b, upper=False)

    def zeros(self, shape: Any, dtype: Any) -> Any:
        return self.module.zeros(shape, dtype=dtype)


class DynamicNamespace(TorchNamespace):
    """dynamicgrad, whose recurrent layers take their weights as attributes of a module."""

    def linear(self, x: Any, w: Any, b: Any) -> Any:
        return x @ w + b  # operators take the fast path

    def gru(self, x: Any, *weights: Any) -> Any:
        return recurrent_layer("GRU", x, weights)

    def lstm(self, x: Any, *weights: Any) -> Any:
        return recurrent_layer("LSTM", x, weights)


def recurrent_layer(kind: str, x: Any, weights: Any) -> Any:
    """The outputs of `dg.nn.LSTM` or `dg.nn.GRU`, which runs this."""
    from dynamicgrad.nn.layers.recurrent import loop
    from gradops.nn import CELLS, Weights, recurrent

    return recurrent(CELLS[kind], x, [[Weights(*weights)]], loop)[0]


class TorchLayers(TorchNamespace):
    """torch, which has recurrent layers as functions."""

    def gru(self, x: Any, w: Any, u: Any, b: Any, c: Any) -> Any:
        start = x.new_zeros(1, x.shape[1], u.shape[1])
        return self.module.gru(x, start, [w, u, b, c], True, 1, 0.0, True, False, False)[0]

    def lstm(self, x: Any, w: Any, u: Any, b: Any, c: Any) -> Any:
        start = x.new_zeros(1, x.shape[1], u.shape[1])
        return self.module.lstm(x, (start, start), [w, u, b, c], True, 1, 0.0, True, False, False)[
            0
        ]


def build(
    workload: Workload, params: Arrays, data: Arrays, package: str = "torch", mode: str = "eager"
) -> Run:
    """The workload with tensors: eager, compiled by torch, or traced by `sg.function`."""
    lib = importlib.import_module(package)
    xp = (TorchLayers if package == "torch" else DynamicNamespace)(lib)
    weights = [lib.tensor(p, requires_grad=True) for p in params]
    constants = [lib.tensor(d) for d in data]
    vectors = [lib.tensor(v) for v in directions(params)]
    loss = partial(workload.program, xp, data=constants)
    if mode == "compile" and workload.request in COMPILED:
        whole = lib.compile(COMPILED[workload.request](lib, loss, vectors))
        held = [w.detach() for w in weights]
        return lambda: whole(held)
    make = request(workload, REQUESTS)
    if mode == "traced":
        return traced(lambda w, c: make(lib, partial(workload.program, xp, data=c), w, vectors),
                      weights, constants, workload.request in STEPS)  # fmt: skip
    return make(lib, lib.compile(loss) if mode == "compile" else loss, weights, vectors)


def traced(make: Callable[..., Run], weights: Any, constants: Any, is_step: bool) -> Run:
    """The tensor program as a graph: its arguments are parameters and data.

    A step reads and updates its parameters from outside, as an optimizer does.
    """
    import staticgrad as sg

    if is_step:
        return sg.function(make(weights, constants))
    function = sg.function(lambda weights, constants: make(weights, constants)())
    return lambda: function(weights, constants)


def gradient(lib: Any, loss: Any, weights: Any, _: Any) -> Run:
    """Forward and backward."""

    def run() -> Any:
        for w in weights:
            w.grad = None
        value = loss(weights)
        value.backward()
        return [value, *[w.grad for w in weights]]

    return run


def training(make: Callable[[Any, Any], Any]) -> Callable[..., Run]:
    """Forward, backward and update by the library's optimizer."""

    def build_step(lib: Any, loss: Any, weights: Any, _: Any) -> Run:
        optimizer = make(lib, weights)

        def run() -> Any:
            optimizer.zero_grad()
            value = loss(weights)
            value.backward()
            optimizer.step()
            return [value, *weights]

        return run

    return build_step


def hvp(lib: Any, loss: Any, weights: Any, vectors: Any) -> Run:
    """The gradient of the product of gradient and vector."""
    grad = lib.autograd.grad

    def run() -> Any:
        return grad(grad(loss(weights), weights, create_graph=True), weights, vectors)

    return run


def hessian(lib: Any, loss: Any, weights: Any, _: Any) -> Run:
    """The Hessian by the first parameter, all rows at once."""
    first, *others = weights
    of_first = lib.func.hessian(lambda w: loss([w, *others]))
    return lambda: [of_first(first)]


def jacobian(lib: Any, loss: Any, weights: Any, _: Any) -> Run:
    """The blocks of each column: a backward for each row of the output."""

    def run() -> Any:
        y = loss(weights)
        rows = [lib.autograd.grad(row.sum(), weights, retain_graph=True) for row in y.unbind(0)]
        return [y, *[lib.stack(blocks) for blocks in zip(*rows, strict=True)]]

    return run


def compiled_hvp(lib: Any, loss: Any, vectors: Any) -> Any:
    """Forward over reverse as one function: compiled backwards have no second derivatives."""
    return lambda ws: lib.func.jvp(lib.func.grad(loss), (ws,), (vectors,))[1]


def compiled_hessian(lib: Any, loss: Any, vectors: Any) -> Any:
    """The Hessian by the first parameter as one function."""
    return lambda ws: [lib.func.hessian(lambda w: loss([w, *ws[1:]]))(ws[0])]


def compiled_jacobian(lib: Any, loss: Any, vectors: Any) -> Any:
    """Reverse mode for one column, batched over the columns."""
    both = lambda ws: (loss(ws), loss(ws))
    reverse = lib.func.jacrev(both, has_aux=True)

    def blocks(ws: Any) -> Any:
        jacobians, value = lib.func.vmap(reverse, -1, -1)(ws)
        return [value, *jacobians]

    return blocks


def arrays(results: Sequence[Any]) -> Arrays:
    """The results as NumPy arrays."""
    return [r.detach().numpy() for r in results]


REQUESTS = {
    "gradient": gradient,
    "sgd": training(lambda lib, ws: lib.optim.SGD(ws, lr=RATE)),
    "adam": training(lambda lib, ws: lib.optim.Adam(ws, lr=ADAM["rate"])),
    "hvp": hvp,
    "hessian": hessian,
    "jacobian": jacobian,
}
STEPS = ("sgd", "adam")
COMPILED = {"hvp": compiled_hvp, "hessian": compiled_hessian, "jacobian": compiled_jacobian}
