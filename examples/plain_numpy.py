"""One plain NumPy function in three forms: unchanged, on the tape, and as a graph.

The function is the negative log likelihood of a Gaussian process, a textbook formula without
derivatives. With NumPy alone, SciPy minimises it with finite differences; `dynamicgrad` and
`staticgrad` differentiate the unchanged function, and give SciPy the exact gradient and
Hessian.

    python examples/plain_numpy.py
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import approx_fprime, minimize

import dynamicgrad as dg
import staticgrad as sg


def likelihood(log_p: Any, x: Any, y: Any) -> Any:
    """Negative log likelihood of `y` at `x`, given the logarithms of length, size and noise."""
    length, size, noise = np.exp(log_p)
    apart = (x[:, None] - x) / length
    k = size**2 * np.exp(-0.5 * apart**2) + noise**2 * np.eye(len(x))
    _, logdet = np.linalg.slogdet(k)
    return 0.5 * (y @ np.linalg.solve(k, y) + logdet + len(x) * np.log(2 * np.pi))


def data(n: int) -> tuple[Any, Any]:
    """A noisy curve."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, n))
    return x, np.sin(x) + 0.1 * rng.normal(size=n)


START = np.log([0.5, 2.0, 0.5])


def ways(x: Any, y: Any) -> dict[str, dict[str, Any]]:
    """For each form, the value, gradient and Hessian functions, and the arguments of `minimize`."""
    results: dict[str, dict[str, Any]] = {
        "NumPy": {
            "value": lambda p: likelihood(p, x, y),
            "gradient": lambda p: approx_fprime(p, likelihood, 1e-7, x, y),
            "problem": {"fun": likelihood, "x0": START, "args": (x, y)},
        }
    }
    for name, package in (("tape", dg), ("graph", sg)):
        problem = package.scipy(likelihood, START, args=(x, y), hess=True)
        results[name] = {
            "value": lambda p, f=problem["fun"]: f(p, x, y)[0],
            "gradient": lambda p, f=problem["fun"]: f(p, x, y)[1],
            "hessian": lambda p, f=problem["hess"]: f(p, x, y),
            "problem": problem,
        }
    return results


def microseconds(f: Callable[[], Any], calls: int) -> float:
    """The time of a call."""
    f()
    begin = time.perf_counter()
    for _ in range(calls):
        f()
    return (time.perf_counter() - begin) / calls * 1e6


def run(n: int = 20, calls: int = 100) -> dict[str, dict[str, Any]]:
    """Value, gradient and Hessian at the start, the time of a gradient, and the minimum."""
    x, y = data(n)
    results = {}
    for name, way in ways(x, y).items():
        result = minimize(**way["problem"])
        results[name] = {
            "value": way["value"](START),
            "gradient": way["gradient"](START),
            "hessian": way["hessian"](START) if "hessian" in way else None,
            "us": microseconds(lambda f=way["gradient"]: f(START), calls),
            "minimum": result.fun, "at": np.exp(result.x), "steps": result.nit,
        }  # fmt: skip
    return results


def main() -> None:
    """Print a row for each form."""
    dg.check(likelihood, START, *data(20))
    print("         value           gradient                              us per gradient")
    results = run()
    for name, way in results.items():
        print(f"{name:6}  {way['value']:.12f}  {np.round(way['gradient'], 8)}  {way['us']:8.0f}")
    print("\n         minimum         length, size, noise         steps")
    for name, way in results.items():
        print(f"{name:6}  {way['minimum']:.12f}  {np.round(way['at'], 6)}  {way['steps']:6}")
    same = np.array_equal(results["tape"]["gradient"], results["graph"]["gradient"])
    print(f"\ntape and graph give the same gradient to the bit: {'yes' if same else 'no'}")


if __name__ == "__main__":
    main()
