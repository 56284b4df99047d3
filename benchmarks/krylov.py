"""Solutions by products alone beside SciPy's, on a Laplacian of 40,000 unknowns.

python -m benchmarks.krylov
"""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as of_scipy

import dynamicgrad as dg
import staticgrad as sg
from gradops.scipy.sparse import linalg

METHODS = ["cg", "gmres", "minres", "bicgstab"]
WIDTH, TURNS = 200, 11
N = WIDTH * WIDTH


def laplacian() -> Any:
    """The matrix of a five-point star, with something on the diagonal."""
    one = np.ones(N)
    lanes = [-one[WIDTH:], -one[:-1], 4.5 * one, -one[:-1], -one[WIDTH:]]
    return sparse.diags_array(lanes, offsets=[-WIDTH, -1, 0, 1, WIDTH], shape=(N, N)).tocsr()


def star(x: Any) -> Any:
    """The product with it, without it."""
    end, row = np.zeros(1), np.zeros(WIDTH)
    beside = np.concatenate([x[1:], end]) + np.concatenate([end, x[:-1]])
    above = np.concatenate([x[WIDTH:], row]) + np.concatenate([row, x[:-WIDTH]])
    return 4.5 * x - beside - above


def runs(name: str) -> Mapping[str, tuple[str, Callable[[], Any]]]:
    """SciPy's and our solutions by a method; each with the one of SciPy's that it stands beside."""
    a, b = laplacian(), np.random.default_rng(0).normal(size=N)
    fed, tensor = sg.placeholder("float64", [N]), dg.tensor(b, requires_grad=True)
    operator = of_scipy.LinearOperator((N, N), matvec=a.__matmul__, dtype=np.float64)
    function = of_scipy.LinearOperator((N, N), matvec=star, dtype=np.float64)
    solve = lambda m, a, b: getattr(m, name)(a, b, rtol=1e-8)[0]
    found = {}
    for kind, theirs, own in (
        ("matrix", a, a), ("operator", operator, operator), ("function", function, star),
    ):  # fmt: skip
        compiled = sg.compile([solve(linalg, own, fed)], [fed])
        found[f"SciPy, {kind}"] = kind, lambda theirs=theirs: solve(of_scipy, theirs, b)
        found[f"eager, {kind}"] = kind, lambda own=own: solve(linalg, own, tensor)
        found[f"graph, {kind}"] = kind, lambda compiled=compiled: compiled(b)
    return found


def main() -> None:
    """Print milliseconds, and ratios to SciPy's on the same operator."""
    for name in METHODS:
        calls = runs(name)
        times: dict[str, list[float]] = {label: [] for label in calls}
        for _ in range(TURNS):
            for label, (_, call) in calls.items():
                start = time.perf_counter()
                call()
                times[label].append(time.perf_counter() - start)
        medians = {label: 1e3 * statistics.median(ts) for label, ts in times.items()}
        print(name)
        for label, (kind, _) in calls.items():
            ratio = medians[label] / medians[f"SciPy, {kind}"]
            print(f"  {label:16} {medians[label]:7.1f} ms  {ratio:5.2f}")


if __name__ == "__main__":
    main()
