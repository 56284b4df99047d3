"""Predators and prey.

Pelts of hares and lynxes that the Hudson's Bay Company traded, 1900 to 1920, in thousands (P.
Howard, Modeling Basics, 2009), and the equations of Lotka and Volterra. The solver takes its own
steps; the least squares get the exact derivatives of what it computed, by all six parameters.

It prints:

    parameter   estimate  std. error
    births     -0.615891        0.11
    eaten       -3.60581       0.142
    deaths     -0.227672       0.105
    feeding     -3.74251       0.139
    hares        3.54392      0.0811
    lynxes        1.7655      0.0826
    errors from the exact Hessian; condition number 318
    births 0.54; eaten 0.0272; deaths 0.796; feeding 0.0237; hares 34.6; lynxes 5.84
"""

from typing import Any

import numpy as np
from scipy.optimize import least_squares

import staticgrad as sg
from gradops.scipy.integrate import solve_ivp

PELTS = """
30.0 47.2 70.2 77.4 36.3 20.6 18.1 21.4 22.0 25.4 27.1 40.3 57.0 76.6 52.3 19.5 11.2
7.6 14.6 16.2 24.7
4.0 6.1 9.8 35.2 59.4 41.7 19.0 13.0 8.3 9.1 7.4 8.0 12.3 19.5 45.7 51.1 29.7 15.8 9.7 10.1 8.6
"""
HARES, LYNXES = np.array(PELTS.split(), float).reshape(2, 21)
YEARS = np.arange(21.0)
NAMES = ("births", "eaten", "deaths", "feeding", "hares", "lynxes")
START = dict(zip(NAMES, np.log([0.55, 0.028, 0.84, 0.026, 30.0, 4.0]), strict=True))


def change(t: Any, y: Any, births: Any, eaten: Any, deaths: Any, feeding: Any) -> Any:
    """The growth of both populations in a year."""
    return np.stack([y[0] * (births - eaten * y[1]), y[1] * (feeding * y[0] - deaths)])


def populations(p: Any, times: Any) -> Any:
    """Hares and lynxes, for logarithms of the parameters."""
    births, eaten, deaths, feeding, hares, lynxes = (np.exp(p[name]) for name in NAMES)
    return solve_ivp(
        change, (0.0, 20.0), np.stack([hares, lynxes]), t_eval=times, rtol=1e-6,
        args=(births, eaten, deaths, feeding),
    ).y  # fmt: skip


def residuals(p: Any) -> Any:
    """The differences of the logarithms."""
    return np.log(populations(p, YEARS)) - np.log(np.stack([HARES, LYNXES]))


def run() -> dict[str, Any]:
    """The fit, and the standard errors of the logarithms."""
    problem = sg.scipy.least_squares(residuals, START)
    result = least_squares(**problem)
    p = problem.unflatten(result.x)
    return {"p": p, "summary": sg.scipy.fit_summary(result, problem)}


def draw(plot: Any) -> None:
    """The pelts, and the fitted populations."""
    p, t = run()["p"], np.linspace(0, 20, 200)
    fitted = populations(p, t)
    for name, data, curve in (("hares", HARES, fitted[0]), ("lynxes", LYNXES, fitted[1])):
        (line,) = plot.plot(1900 + t, curve, label=name)
        plot.plot(1900 + YEARS, data, "o", markersize=4, color=line.get_color())
    plot.legend()


if __name__ == "__main__":
    found = run()
    print(found["summary"])
    print("; ".join(f"{name} {np.exp(x):.3g}" for name, x in found["p"].items()))
