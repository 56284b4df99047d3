"""Stiff chemical kinetics.

Robertson's reactions have rates that differ by nine orders of magnitude. SciPy's Radau solves them
with exact Jacobians; the gradient comes from the adjoint equations, by the same solver.

It prints:

    parameter  estimate  std. error
    slow       -3.23885      0.0127
    back        9.19856      0.0194
    fast        17.2154      0.0146
    errors from the exact Hessian; condition number 13.8
    {'slow': '0.0392', 'back': '9.88e+03', 'fast': '3e+07'}
"""

from typing import Any

import numpy as np
from scipy.optimize import least_squares

import staticgrad as sg
from gradops.scipy.integrate import solve_ivp

TIMES = np.geomspace(0.1, 1e4, 6)
TRUE = {"slow": np.log(0.04), "back": np.log(1e4), "fast": np.log(3e7)}


def reactions(t: Any, y: Any, slow: Any, back: Any, fast: Any) -> Any:
    """The changes of three concentrations."""
    first, second, third = slow * y[0], back * y[1] * y[2], fast * y[1] ** 2
    return np.stack([second - first, first - second - third, third])


def concentrations(p: Any, times: Any) -> Any:
    """The concentrations at times, for logarithms of the rates; the second one in 1e-4."""
    rates = tuple(np.exp(p[name]) for name in TRUE)
    y = solve_ivp(reactions, (0.0, 1e4), [1.0, 0.0, 0.0], "Radau", times, args=rates, rtol=1e-6,
                  atol=1e-10).y  # fmt: skip
    return y * np.array([[1.0], [1e4], [1.0]])


rng = np.random.default_rng(0)
DATA = np.asarray(concentrations(TRUE, TIMES)) * (1 + 0.02 * rng.normal(size=(3, 6)))


def run() -> dict[str, Any]:
    """The fit from rates that are wrong by factors of two to five."""
    start = {"slow": np.log(0.1), "back": np.log(3e4), "fast": np.log(1e7)}
    problem = sg.scipy.least_squares(lambda p: concentrations(p, TIMES) / DATA - 1, start)
    result = least_squares(**problem)
    return {"p": problem.unflatten(result.x), "summary": sg.scipy.fit_summary(result, problem)}


def draw(plot: Any) -> None:
    """The concentrations over the logarithm of time."""
    p, t = run()["p"], np.geomspace(0.1, 1e4, 100)
    for data, curve, name in zip(DATA, concentrations(p, t), "ABC", strict=True):
        (line,) = plot.semilogx(t, curve, label=name)
        plot.semilogx(TIMES, data, "o", markersize=4, color=line.get_color())
    plot.legend()


if __name__ == "__main__":
    found = run()
    print(found["summary"])
    print({name: f"{np.exp(x):.3g}" for name, x in found["p"].items()})
