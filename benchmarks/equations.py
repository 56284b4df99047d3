"""The gradient of a fit of a differential equation, beside SciPy's solution of it alone.

python -m benchmarks.equations
"""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp as of_scipy
from scipy.sparse import diags_array

import staticgrad as sg
from gradops.scipy.integrate import solve_ivp

TIMES, START = np.linspace(0, 20, 21), np.array([30.0, 4.0])
RATES = np.array([0.5, 0.03, 0.8, 0.02])
TOLERANCES = {"rtol": 1e-6, "atol": 1e-8}
TURNS, POINTS = 15, 2000


def species(t: Any, y: Any, p: Any) -> Any:
    """Lynxes and hares, by Lotka and Volterra."""
    hare, lynx = y
    return np.stack([hare * (p[0] - p[1] * lynx), lynx * (p[3] * hare - p[2])])


def diffusion(t: Any, u: Any, k: Any) -> Any:
    """Heat in a rod, by differences."""
    cold = np.zeros(1)
    around = np.concatenate([cold, u[:-1]]) + np.concatenate([u[1:], cold]) - 2 * u
    return k * (POINTS + 1) ** 2 * around + u * (1 - u)


def gradient(f: Callable[[Any], Any], x: Any, backend: str) -> Callable[[], Any]:
    """The compiled value and gradient of a function at a point."""
    fed = sg.placeholder("float64", np.shape(x))
    y = f(fed)
    run = sg.compile([y, *sg.gradients(y, [fed])], [fed], backend=backend)
    return lambda: run(x)


def runs() -> Iterator[tuple[str, dict[str, Callable[[], Any]]]]:
    """Gradients by both backends, and solutions of the same equations by SciPy."""
    plain = lambda t, y, a, b, c, d: [y[0] * (a - b * y[1]), y[1] * (d * y[0] - c)]
    for method in ("RK45", "Tsit5", "DOP853"):
        given = ((0, 20), START, method, TIMES)
        theirs = ((0, 20), START, "RK45" if method == "Tsit5" else method, TIMES)
        fit = lambda p, g=given: np.sum(solve_ivp(species, *g, args=(p,), **TOLERANCES).y ** 2)
        solve = lambda g=theirs: of_scipy(plain, *g, args=tuple(RATES), **TOLERANCES)
        yield f"lynx and hare, {method}", beside(fit, RATES, solve)
    u0 = np.sin(np.pi * np.arange(1, POINTS + 1) / (POINTS + 1))
    lanes = diags_array(np.ones((3, POINTS)), offsets=[-1, 0, 1], shape=(POINTS, POINTS))
    for method in ("Radau", "BDF"):
        given = (diffusion, (0, 0.5), u0, method, [0.5])
        fit = lambda k, g=given: np.sum(solve_ivp(*g, args=(k,), **TOLERANCES).y ** 2)
        solve = lambda g=given: of_scipy(*g, args=(0.1,), jac_sparsity=lanes, **TOLERANCES)
        yield f"heat at {POINTS} points, {method}", beside(fit, 0.1, solve)


def beside(
    fit: Callable[[Any], Any], x: Any, solve: Callable[[], Any]
) -> dict[str, Callable[[], Any]]:
    """What is measured: SciPy's solution first."""
    return {"SciPy, solution alone": solve, "numpy": gradient(fit, x, "numpy"),
            "auto": gradient(fit, x, "auto")}  # fmt: skip


def main() -> None:
    """Print milliseconds of a value with its gradient, and the ratio to SciPy's solution."""
    for name, calls in runs():
        times: dict[str, list[float]] = {label: [] for label in calls}
        for _ in range(TURNS):
            for label, call in calls.items():
                start = time.perf_counter()
                call()
                times[label].append(time.perf_counter() - start)
        medians = {label: 1e3 * statistics.median(ts) for label, ts in times.items()}
        print(name)
        for label, took in medians.items():
            print(f"  {label:22} {took:7.1f} ms  {took / next(iter(medians.values())):5.2f}")


if __name__ == "__main__":
    main()
