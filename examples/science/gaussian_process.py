"""A Gaussian process.

The likelihood is the textbook's, in NumPy. `dg.scipy` gives SciPy its exact gradient and Hessian,
and `fit_summary` the standard errors of the logarithms of length, size and noise.

It prints:

    parameter   estimate  std. error
    x[0]        0.397678       0.381
    x[1]       -0.291667       0.528
    x[2]        -2.15154       0.162
    errors from the exact Hessian; condition number 9.8
"""

from typing import Any

import numpy as np
from scipy.optimize import minimize

import dynamicgrad as dg

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 6, 25))
Y = np.sin(X) + 0.15 * rng.normal(size=25)


def kernel(log_p: Any, a: Any, b: Any) -> Any:
    """The covariance of the curve at two sets of points."""
    length, size, _ = np.exp(log_p)
    return size**2 * np.exp(-0.5 * ((a[:, None] - b) / length) ** 2)


def likelihood(log_p: Any) -> Any:
    """The negative log likelihood of the data."""
    k = kernel(log_p, X, X) + np.exp(2 * log_p[2]) * np.eye(len(X))
    _, logdet = np.linalg.slogdet(k)
    return 0.5 * (Y @ np.linalg.solve(k, Y) + logdet + len(X) * np.log(2 * np.pi))


def curve(log_p: Any, t: Any) -> tuple[Any, Any]:
    """The curve that is expected at `t`, and its standard deviation."""
    k = kernel(log_p, X, X) + np.exp(2 * log_p[2]) * np.eye(len(X))
    across = kernel(log_p, t, X)
    spread = np.exp(2 * log_p[1]) - np.sum(across * np.linalg.solve(k, across.T).T, axis=1)
    return across @ np.linalg.solve(k, Y), np.sqrt(np.maximum(spread, 0))


def run() -> dict[str, Any]:
    """The fit."""
    problem = dg.scipy(likelihood, np.log([0.5, 2.0, 0.5]), hess=True)
    result = minimize(**problem)
    return {"log_p": result.x, "summary": dg.scipy.fit_summary(result, problem)}


def draw(plot: Any) -> None:
    """The data, the curve and twice its standard deviation."""
    t = np.linspace(-0.5, 6.5, 200)
    mean, spread = curve(run()["log_p"], t)
    plot.fill_between(t, mean - 2 * spread, mean + 2 * spread, alpha=0.25)
    plot.plot(t, mean, label="expected")
    plot.plot(t, np.sin(t), "--", label="true")
    plot.plot(X, Y, "k.", label="data")
    plot.legend()


if __name__ == "__main__":
    print(run()["summary"])
