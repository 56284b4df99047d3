"""Sparse derivatives beside CasADi's and asdex's, and JAX's dense ones where these fit in memory.

python -m benchmarks.sparse
"""

import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

import staticgrad as sg

Function = Callable[[Any], Any]
TURNS = 15


class Case(NamedTuple):
    """A function of a vector, written for any of the libraries, and how many entries that has."""

    name: str
    n: int
    write: Callable[[Any, Any], Any]  # of the library's exp and sum, and the vector
    is_hessian: bool = False


def band(np: Any, x: Any) -> Any:
    """Residuals of a difference equation."""
    return x[2:] - 2 * x[1:-1] + x[:-2] + np.exp(x[1:-1]) * x[:-2]


def chain(np: Any, x: Any) -> Any:
    """Rosenbrock's function of many unknowns."""
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def grid(np: Any, x: Any) -> Any:
    """A Laplacian with a cubic term on a square, whose rows lie one after the other."""
    w = round(x.shape[0] ** 0.5)
    inside = x[w:-w]
    return 4 * inside - x[: -2 * w] - x[2 * w :] - x[w - 1 : -w - 1] - x[w + 1 : 1 - w] + inside**3


def collocation(np: Any, x: Any) -> Any:
    """The sum of squares of trapezoidal defects of a pendulum with a control."""
    third = x.shape[0] // 3
    a, v, u = x[:third], x[third : 2 * third], x[2 * third : 3 * third]
    f = u - np.sin(a)
    first = a[1:] - a[:-1] - 0.005 * (v[1:] + v[:-1])
    second = v[1:] - v[:-1] - 0.005 * (f[1:] + f[:-1])
    return np.sum(first**2) + np.sum(second**2)


CASES = [
    Case("Jacobian of three bands", 100_000, band),
    Case("Hessian of a chain", 100_000, chain, True),
    Case("Jacobian on a grid", 40_000, grid),
    Case("Hessian of a collocation", 30_000, collocation, True),
]


def ours(case: Case, backend: str) -> Function:
    """Our derivative, compiled."""
    with sg.Graph().as_default():
        x = sg.placeholder(np.float64, (case.n,))
        find = sg.sparse_hessian if case.is_hessian else sg.sparse_jacobian
        found = find(case.write(np, x), x)
        run = sg.compile(found.data, [x], backend=backend)
    return lambda v: found.csr(run(v))


class CasADi:
    """CasADi's functions by the names that the cases use."""

    def __init__(self) -> None:
        import casadi

        self.casadi, self.exp, self.sin, self.sum = casadi, casadi.exp, casadi.sin, casadi.sum1

    def derivative(self, case: Case) -> Function:
        """Its derivative, called on buffers."""
        x = self.casadi.SX.sym("x", case.n)
        y = case.write(self, x)
        found = self.casadi.hessian(y, x)[0] if case.is_hessian else self.casadi.jacobian(y, x)
        function = self.casadi.Function("f", [x], [found])
        buffer, run = function.buffer()
        given, out = np.zeros(case.n), np.zeros(function.nnz_out(0))
        buffer.set_arg(0, memoryview(given))
        buffer.set_res(0, memoryview(out))

        def call(v: np.ndarray, keep: Any = (function, buffer)) -> np.ndarray:
            given[:] = v
            run()
            return out

        return call


def dense(case: Case) -> Function:
    """JAX's dense derivative."""
    import jax

    jax.config.update("jax_enable_x64", True)
    find = jax.hessian if case.is_hessian else jax.jacfwd
    f = jax.jit(find(lambda x: case.write(jax.numpy, x)))
    return lambda v: f(v).block_until_ready()


def by_asdex(case: Case) -> Function:
    """The derivative of asdex, which is JAX's, compressed by colours."""
    import asdex
    import jax

    jax.config.update("jax_enable_x64", True)
    find = asdex.hessian if case.is_hessian else asdex.jacobian
    write = lambda x: case.write(jax.numpy, x)
    f = jax.jit(find(write, jax.numpy.zeros(case.n)))
    return lambda v: f(v).block_until_ready()


def made(make: Callable[[], Function], v: np.ndarray) -> tuple[Function, float]:
    """A derivative, and the seconds until its first result."""
    start = time.perf_counter()
    f = make()
    f(v)
    return f, time.perf_counter() - start


def measure(case: Case) -> None:
    """Print the seconds to a first result, and the milliseconds of a call."""
    makes = {"staticgrad": lambda: ours(case, "native"), "numpy": lambda: ours(case, "numpy")}
    if find_spec("casadi") is not None:
        makes["CasADi"] = lambda: CasADi().derivative(case)
    if find_spec("asdex") is not None:
        makes["asdex"] = lambda: by_asdex(case)
    small = case._replace(n=min(case.n, 3600))
    compare({k: (make, case.n) for k, make in makes.items()}, f"{case.name}, n = {case.n}")
    if find_spec("jax") is not None:
        few = {"staticgrad": (lambda: ours(small, "native"), small.n)}
        few["JAX, dense"] = (lambda: dense(small), small.n)
        compare(few, f"{case.name}, n = {small.n}")


def compare(makes: dict[str, tuple[Callable[[], Function], int]], title: str) -> None:
    """Print the times of several derivatives, which are called in turn."""
    print(title)
    vectors = {k: np.random.default_rng(0).normal(size=n) for k, (_, n) in makes.items()}
    found = {k: made(make, vectors[k]) for k, (make, _) in makes.items()}
    times: dict[str, list[float]] = {k: [] for k in found}
    for _ in range(TURNS):
        for k, (f, _) in found.items():
            start = time.perf_counter()
            f(vectors[k])
            times[k].append(time.perf_counter() - start)
    for k, (_, first) in found.items():
        print(f"  {k:12} first {first:6.2f} s   {1e3 * statistics.median(times[k]):8.2f} ms")


def main() -> None:
    """Measure all cases."""
    for case in CASES:
        measure(case)


if __name__ == "__main__":
    main()
