"""A Kalman filter.

A level wanders, and is measured with noise. The filter gives the likelihood of the two variances, a
loop of a few lines; its exact Hessian says how well they are known.

It prints:

    parameter   estimate  std. error
    x[0]        -1.20216       0.217
    x[1]       -0.151428       0.072
    errors from the exact Hessian; condition number 2.11
    standard deviations [0.301 0.859] of 0.3 and 0.8
"""

from typing import Any

import numpy as np
from scipy.optimize import minimize

import staticgrad as sg

rng = np.random.default_rng(0)
LEVEL = np.cumsum(0.3 * rng.normal(size=150))
MEASURED = LEVEL + 0.8 * rng.normal(size=150)


def filtered(p: Any, measured: Any) -> tuple[Any, Any, Any]:
    """The negative log likelihood, the levels, and their variances."""
    wander, noise = np.exp(2 * p[0]), np.exp(2 * p[1])
    level, variance, total = measured[0], noise, 0.0
    levels, variances = [level], [variance]
    for z in measured[1:]:
        variance = variance + wander
        spread = variance + noise
        surprise = z - level
        total = total + 0.5 * (surprise**2 / spread + np.log(2 * np.pi * spread))
        gain = variance / spread
        level, variance = level + gain * surprise, variance * (1 - gain)
        levels.append(level)
        variances.append(variance)
    return total, levels, variances


def run() -> dict[str, Any]:
    """The fit: logarithms of both standard deviations."""
    problem = sg.scipy(lambda p: filtered(p, MEASURED)[0], np.zeros(2), method="trust-ncg")
    result = minimize(**problem)
    return {"p": result.x, "summary": sg.scipy.fit_summary(result, problem)}


def draw(plot: Any) -> None:
    """The true level, the measurements, and the filter with twice its standard deviation."""
    p = run()["p"]
    _, levels, variances = filtered(p, MEASURED)
    mean, spread = np.array(levels), np.sqrt(np.array(variances))
    t = np.arange(len(mean))
    plot.fill_between(t, mean - 2 * spread, mean + 2 * spread, alpha=0.25)
    plot.plot(t, mean, label="filter")
    plot.plot(t, LEVEL, "--", label="level")
    plot.plot(t, MEASURED, "k.", markersize=3, label="measured")
    plot.legend()


if __name__ == "__main__":
    found = run()
    print(found["summary"])
    print("standard deviations", np.exp(found["p"]).round(3), "of 0.3 and 0.8")
