"""CasADi: expressions of scalars, run by its virtual machine."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import casadi
import numpy as np

from ..workload import Arrays, Run, Workload
from .interface import Refusal, request
from .namespace import NumpyNamespace

casadi.GlobalOptions.setNumpyMode(-1)
ELEMENTWISE = ("sin", "cos", "tanh", "exp", "log", "sqrt")
MOST = 2_500  # entries of an input


class CasadiNamespace(NumpyNamespace):
    """NumPy's functions on arrays of CasADi's scalars."""

    def __getattr__(self, name: str) -> Any:
        if name not in ELEMENTWISE:
            return getattr(np, name)
        return lambda x: (np if isinstance(x, np.ndarray) else casadi).__dict__[name](x)

    def stack(self, xs: Any, axis: int = 0) -> Any:
        if isinstance(xs[0], np.ndarray):
            return np.stack(xs, axis)
        return as_array(xs, (len(xs),))

    def log_softmax(self, x: Any) -> Any:
        total = self.logsumexp(x, -1)
        return x - (total[:, None] if x.ndim > 1 else as_array([total], (1,)))

    def take(self, x: Any, i: Any, axis: int) -> Any:
        return np.take(x, i, axis)

    def zeros(self, shape: Any, dtype: Any) -> Any:
        return casadi.SX(0)

    def bce(self, z: Any, t: Any) -> Any:
        return np.mean(np.log(1 + np.exp(z)) - z * t)

    def logsumexp(self, x: Any, axis: int) -> Any:
        rows = np.moveaxis(x, axis, -1)
        found = [casadi.logsumexp(casadi.vertcat(*r)) for r in rows.reshape(-1, x.shape[axis])]
        return as_array(found, rows.shape[:-1]) if rows.ndim > 1 else found[0]

    def cholesky(self, x: Any) -> Any:
        l = np.zeros(x.shape, object)
        for i in range(len(x)):
            for j in range(i + 1):
                rest = x[i, j] - sum(l[i, k] * l[j, k] for k in range(j))
                l[i, j] = casadi.sqrt(rest) if i == j else rest / l[j, j]
        return l

    def solve_triangular(self, l: Any, b: Any) -> Any:
        x = np.zeros(b.shape, object)
        for i in range(len(l)):
            for j in range(b.shape[1]):
                x[i, j] = (b[i, j] - sum(l[i, k] * x[k, j] for k in range(i))) / l[i, i]
        return x


def as_array(scalars: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """An array of scalars."""
    found = np.empty(len(scalars), object)
    for i, s in enumerate(scalars):
        found[i] = s
    return found.reshape(shape)


def symbols(a: np.ndarray) -> tuple[Any, Any]:
    """A vector of symbols, and the array that it is the entries of."""
    vector = casadi.SX.sym("x", a.size)
    entries = as_array(casadi.vertsplit(vector), a.shape)
    return vector, entries if a.ndim else entries[()]


def build(workload: Workload, params: Arrays, data: Arrays) -> Run:
    """The workload as a function that reads and writes fixed memory."""
    if workload.dtype != "float64" and max(a.size for a in [*params, *data]) > MOST:
        raise Refusal("made for expressions of scalars in float64")
    return request(workload, REQUESTS)(workload, params, data)


def calling(outputs: Callable[[Any, Any], list[Any]]) -> Callable[..., Run]:
    """Build a run of `outputs(loss, symbols)`."""

    def build_run(workload: Workload, params: Arrays, data: Arrays) -> Run:
        if max(a.size for a in [*params, *data]) > MOST:
            raise Refusal("made for expressions of scalars")
        ps = [symbols(p) for p in params]
        floats = [d.dtype.kind == "f" for d in data]
        ds = [symbols(d) if f else (None, d) for d, f in zip(data, floats, strict=True)]
        loss = workload.program(CasadiNamespace(), [x for _, x in ps], [x for _, x in ds])
        vectors = [v for v, _ in [*ps, *ds] if v is not None]
        found = outputs(loss, [v for v, _ in ps])
        fed = [*params, *[d for d, f in zip(data, floats, strict=True) if f]]
        shapes = [(), *[p.shape for p in params]] if len(found) > 1 else [found[0].shape]
        f = casadi.Function("f", vectors, list(map(casadi.densify, found)))
        return in_memory(f, fed, shapes)

    return build_run


def in_memory(f: Any, fed: Arrays, shapes: Sequence[tuple[int, ...]]) -> Run:
    """A run of a function, which reads and writes arrays without copies."""
    buffer, trigger = f.buffer()
    inputs = [np.ascontiguousarray(a, np.float64) for a in fed]
    results = [np.empty(s) for s in shapes]
    for i, a in enumerate(inputs):
        buffer.set_arg(i, memoryview(a.reshape(-1)))
    for i, r in enumerate(results):
        buffer.set_res(i, memoryview(r.reshape(-1)))

    def run() -> Any:
        trigger()
        return results

    run.memory = buffer, inputs  # what the function reads lives as long as the run
    return run


def jacobian(workload: Workload, params: Arrays, data: Arrays) -> Run:
    """A function of one column, mapped over the columns."""
    ps = [symbols(p[:, 0]) for p in params]
    y = casadi.vertcat(*workload.program(CasadiNamespace(), [x for _, x in ps], []))
    blocks = [casadi.densify(casadi.jacobian(y, v)) for v, _ in ps]
    f = casadi.Function("f", [v for v, _ in ps], [y, *blocks]).map(params[0].shape[1])
    columns = [p.T for p in params]
    count = params[0].shape[1]
    shapes = [(count, 2), *[(count, len(p), 2) for p in params]]
    run = in_memory(f, columns, shapes)
    return lambda: [r.transpose(*reversed(range(r.ndim))) for r in run()]


def arrays(results: Sequence[Any]) -> Sequence[Any]:
    """The results as they are."""
    return results


def gradients(loss: Any, vectors: Any) -> list[Any]:
    """Value and gradients."""
    whole = casadi.gradient(loss, casadi.vertcat(*vectors))
    ends = np.cumsum([0, *[v.numel() for v in vectors]]).tolist()
    return [casadi.SX(loss), *[whole[i:j] for i, j in pairwise(ends)]]


REQUESTS = {
    "gradient": calling(gradients),
    "hessian": calling(lambda loss, vectors: [casadi.hessian(loss, vectors[0])[0]]),
    "jacobian": jacobian,
}
