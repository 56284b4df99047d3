"""An inverse problem of a differential equation.

Heat flows through a rod, whose conductivity is to be found from noisy temperatures. The equation is
a sparse matrix whose entries depend on the unknowns; the gradient through its solution is one more
solution, with the transposed matrix.

It prints:

    half of the conductivities are wrong by less than 5 %
"""

from typing import Any

import numpy as np
from scipy.optimize import minimize

import dynamicgrad as dg
from gradops.scipy import sparse

N = 80
X = (np.arange(N) + 0.5) / N
TRUE = np.exp(0.5 * np.sin(2 * np.pi * X) + 0.8 * (X > 0.6))
HEAT = np.stack([np.ones(N), np.sin(3 * np.pi * X), np.where(X < 0.5, 1.0, -1.0)], axis=1)


def temperatures(conductivity: Any) -> Any:
    """The temperatures for three ways of heating, with both ends kept at zero."""
    between = 2 / (1 / conductivity[1:] + 1 / conductivity[:-1])
    links = np.concatenate([2 * conductivity[:1], between, 2 * conductivity[-1:]]) * N**2
    matrix = sparse.diags_array(
        [-links[1:-1], links[1:] + links[:-1], -links[1:-1]], offsets=[-1, 0, 1], shape=(N, N)
    )
    return sparse.linalg.spsolve(matrix.tocsc(), HEAT)


rng = np.random.default_rng(0)
CLEAN = temperatures(TRUE)
MEASURED = CLEAN + 0.005 * np.abs(CLEAN).max() * rng.normal(size=CLEAN.shape)


def objective(log_conductivity: Any) -> Any:
    """The misfit, and a penalty for jumps."""
    misfit = (temperatures(np.exp(log_conductivity)) - MEASURED) / np.abs(MEASURED).max()
    jumps = log_conductivity[1:] - log_conductivity[:-1]
    return np.sum(misfit**2) / 0.005**2 + 8.0 * np.sum(np.sqrt(jumps**2 + 1e-4))


def run() -> dict[str, Any]:
    """The conductivity that is found, and its error."""
    result = minimize(
        **dg.scipy(objective, np.zeros(N), method="L-BFGS-B"), options={"maxiter": 500}
    )
    found = np.exp(result.x)
    return {"conductivity": found, "error": float(np.median(np.abs(found / TRUE - 1)))}


def draw(plot: Any) -> None:
    """The conductivity, true and found."""
    plot.plot(X, TRUE, "--", label="true")
    plot.plot(X, run()["conductivity"], label="found")
    plot.legend()


if __name__ == "__main__":
    print(f"half of the conductivities are wrong by less than {100 * run()['error']:.0f} %")
