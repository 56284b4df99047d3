"""Two nonlinear fits with exact Hessians, in either mode, compared with NIST's certified values.

The data and the certified values are the Statistical Reference Datasets "Misra1a" and "Thurber" of
the US National Institute of Standards and Technology, in the public domain; the fits use NIST's
second starting point. The model is a plain NumPy function. SciPy's `trust-exact` minimises the sum
of squares with the Hessian from `dg.scipy` or `sg.scipy`. NIST's standard errors come from the
Jacobian of the linearised model; the exact Hessian includes the curvature of the model.

    python examples/scipy_fit.py
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

import dynamicgrad as dg
import staticgrad as sg

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Dataset:
    """A model, its data, a starting point, and NIST's certified values."""

    model: Callable[[Any, Any], Any]
    start: list[float]
    certified: list[float]
    certified_errors: list[float]
    table: str

    @property
    def data(self) -> tuple[Array, Array]:
        """The measured predictor and response."""
        numbers = np.array(self.table.split(), float).reshape(-1, 2)
        return numbers[:, 0], numbers[:, 1]


def misra1a(b: Any, x: Any) -> Any:
    """Monomolecular adsorption."""
    return b[0] * (1 - np.exp(-b[1] * x))


def thurber(b: Any, x: Any) -> Any:
    """Electron mobility of a semiconductor as a function of the logarithm of its density."""
    return np.polyval(b[3::-1], x) / (1 + x * np.polyval(b[:3:-1], x))


DATASETS = {
    "Misra1a": Dataset(
        misra1a, [250.0, 0.0005],
        [2.3894212918e02, 5.5015643181e-04], [2.7070075241e00, 7.2668688436e-06],
        "10.07 77.6 14.73 114.9 17.94 141.1 23.93 190.8 29.61 239.9 35.18 289.0 40.02 332.8 "
        "44.82 378.4 50.76 434.8 55.05 477.3 61.01 536.8 66.40 593.1 75.47 689.1 81.78 760.0",
    ),
    "Thurber": Dataset(
        thurber, [1300.0, 1500.0, 500.0, 75.0, 1.0, 0.4, 0.05],
        [1.2881396800e03, 1.4910792535e03, 5.8323836877e02, 7.5416644291e01, 9.6629502864e-01,
         3.9797285797e-01, 4.9727297349e-02],
        [4.6647963344e00, 3.9571156086e01, 2.8698696102e01, 5.5675370270e00, 3.1333340687e-02,
         1.4984928198e-02, 6.5842344623e-03],
        "80.574 -3.067 84.248 -2.981 87.264 -2.921 87.195 -2.912 89.076 -2.840 89.608 -2.797 "
        "89.868 -2.702 90.101 -2.699 92.405 -2.633 95.854 -2.481 100.696 -2.363 101.060 -2.322 "
        "401.672 -1.501 390.724 -1.460 567.534 -1.274 635.316 -1.212 733.054 -1.100 759.087 -1.046 "
        "894.206 -0.915 990.785 -0.714 1090.109 -0.566 1080.914 -0.545 1122.643 -0.400 "
        "1178.351 -0.309 1260.531 -0.109 1273.514 -0.103 1288.339 0.010 1327.543 0.119 "
        "1353.863 0.377 1414.509 0.790 1425.208 0.963 1421.384 1.006 1442.962 1.115 "
        "1464.350 1.572 1468.705 1.841 1447.894 2.047 1457.628 2.200",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Fit:
    """The fitted parameters, and their standard errors from the Jacobian and from the Hessian."""

    parameters: Array
    errors: Array
    hessian_errors: Array
    steps: int


def fit(mode: Any, dataset: Dataset) -> Fit:
    """The fit of a dataset with the derivatives of one package, `dg` or `sg`."""
    (y, x), start = dataset.data, np.array(dataset.start)

    def residuals(p: Any, x: Any, y: Any) -> Any:
        return dataset.model(p * start, x) - y  # parameters of one size

    def loss(p: Any, x: Any, y: Any) -> Any:
        return np.sum(residuals(p, x, y) ** 2)

    problem = mode.scipy(loss, np.ones(start.size), args=(x, y), hess=True)
    result = minimize(**problem, options={"gtol": 1e-9})
    variance = result.fun / (y.size - start.size)
    jacobian = mode.scipy.least_squares(residuals, result.x)["jac"](result.x, x, y)
    hessian = problem["hess"](result.x, x, y) / 2
    errors = [
        start * np.sqrt(variance * np.diag(np.linalg.inv(h)))
        for h in (jacobian.T @ jacobian, hessian)
    ]
    return Fit(result.x * start, *errors, result.nit)


HEADER = """\
      ---------------------- parameter ----------------------  --------- standard error ---------
      certified           tape               graph             certified  Jacobian   Hessian"""


def main() -> None:
    """Print the fits of both packages next to the certified values."""
    for name, dataset in DATASETS.items():
        tape, graph = fit(dg, dataset), fit(sg, dataset)
        print(f"{name}, {tape.steps} and {graph.steps} steps\n{HEADER}")
        rows = zip(dataset.certified, tape.parameters, graph.parameters, dataset.certified_errors,
                   tape.errors, tape.hessian_errors, strict=True)  # fmt: skip
        for i, (*values, sure, error, exact) in enumerate(rows):
            row = "".join(f"{v:<19.10e}" for v in values)
            print(f"  b{i + 1}  {row}{sure:<11.5g}{error:<11.5g}{exact:.5g}")
        apart = np.max(np.abs(tape.parameters / graph.parameters - 1))
        print(f"the two are apart by {apart:.0e} of a parameter at most\n")


if __name__ == "__main__":
    main()
