"""The coefficients of explicit Runge-Kutta schemes, with their errors and interpolations.

Those that SciPy has are SciPy's, read from its classes when they are first used.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

Weights = Callable[[np.ndarray], np.ndarray]  # of the stages, for places in a step from 0 to 1

SCIPY = ("RK23", "RK45", "DOP853")
FIXED = ("Euler", "Midpoint", "Heun", "RK4")
EXPLICIT = (*SCIPY, "Tsit5", *FIXED)


class Tableau:
    """A scheme: `rows` and `nodes` of the stages after the first, and the weights of the result.

    The row after those of the weights is of the derivative at the result, which errors and
    interpolations read. `errors` are weights of all stages; none are there for fixed steps.
    """

    def __init__(
        self, rows: Sequence[Any], nodes: Any, result: Any, weights_at: Weights, order: int = 0,
        errors: Sequence[Any] = (), more: Sequence[Any] = (), more_nodes: Any = (),
    ) -> None:  # fmt: skip
        self.result, self.weights_at, self.order = plain(result), weights_at, order
        self.rows = [*map(plain, rows), self.result, *map(plain, more)]
        self.nodes = [*plain(nodes), 1.0, *plain(more_nodes)]
        self.errors = [np.asarray(e, np.float64) for e in errors]


def plain(row: Any) -> list[float]:
    """A row of coefficients as Python's numbers."""
    return [float(x) for x in row]


@cache
def tableau(name: str) -> Tableau:
    """The coefficients of a scheme."""
    if name in SCIPY:
        from scipy import integrate

        own = getattr(integrate, name)
        return dop853(own) if name == "DOP853" else of_scipy(own)
    return tsit5() if name == "Tsit5" else fixed(*FIXED_ROWS[name])


def of_scipy(own: Any) -> Tableau:
    """A scheme of SciPy's with one estimate of the error and an interpolation by powers."""
    rows = [a[: i + 1] for i, a in enumerate(own.A[1:])]
    return Tableau(
        rows, own.C[1:], own.B, lambda x: powers(x, own.P.shape[1]) @ own.P.T,
        own.error_estimator_order, [own.E],
    )  # fmt: skip


def dop853(own: Any) -> Tableau:
    """The scheme of order eight, with two estimates, and three more stages for interpolation."""
    n = own.n_stages
    rows = [a[: i + 1] for i, a in enumerate(own.A[1:n])]
    more = [a[: n + 1 + i] for i, a in enumerate(own.A_EXTRA)]
    size = n + 1 + len(more)

    def full(v: np.ndarray) -> np.ndarray:
        return np.concatenate([v, np.zeros(size - len(v))])

    step, first, last = full(own.B), full(np.eye(n)[0]), full(np.eye(n + 1)[n])
    parts = np.array([step, first - step, 2 * step - first - last, *map(full, own.D)])
    return Tableau(
        rows, own.C[1:n], own.B, lambda x: alternating(x, len(parts)) @ parts,
        own.error_estimator_order, [full(own.E5), full(own.E3)], more, own.C_EXTRA,
    )  # fmt: skip


def powers(x: np.ndarray, n: int) -> np.ndarray:
    """x, x^2 ... x^n, as rows for places."""
    return np.cumprod(np.repeat(x[:, None], n, axis=1), axis=1)


def alternating(x: np.ndarray, n: int) -> np.ndarray:
    """The products x, x (1 - x), x^2 (1 - x) ... of n terms, as rows for places."""
    turns = [x if i % 2 == 0 else 1 - x for i in range(n)]
    return np.cumprod(np.stack(turns, axis=1), axis=1)


FIXED_ROWS: dict[str, tuple[Any, Any, Any]] = {
    "Euler": ([], [], [1.0]),
    "Midpoint": ([[0.5]], [0.5], [0.0, 1.0]),
    "Heun": ([[1.0]], [1.0], [0.5, 0.5]),
    "RK4": ([[0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [0.5, 0.5, 1.0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
}
"""Schemes of fixed steps: rows, nodes, weights."""


def fixed(rows: Any, nodes: Any, result: Any) -> Tableau:
    """A scheme of fixed steps, interpolated by the cubic through both ends and their slopes."""
    n = len(result)
    step, first, last = np.append(result, 0.0), np.eye(n + 1)[0], np.eye(n + 1)[n]
    parts = np.array([first, 3 * step - 2 * first - last, first + last - 2 * step])
    return Tableau(rows, nodes, result, lambda x: powers(x, 3) @ parts)


def tsit5() -> Tableau:
    """Tsitouras' scheme of order five.

    Ch. Tsitouras, Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying
    assumption, Computers and Mathematics with Applications 62 (2011).
    """
    rows = [
        [0.161],
        [-0.008480655492356989, 0.335480655492357],
        [2.8971530571054935, -6.359448489975075, 4.3622954328695815],
        [5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525],
        [5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401,
         -0.028269050394068383],
    ]  # fmt: skip
    result = [0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742,
              -3.290069515436081, 2.324710524099774]  # fmt: skip
    error = [-0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995,
             -0.1447110071732629, 0.5823571654525552, -0.45808210592918697, 1 / 66]  # fmt: skip
    return Tableau(
        rows, [0.161, 0.327, 0.9, 0.9800255409045097, 1.0], result, tsit5_weights, 4, [error]
    )


def tsit5_weights(x: np.ndarray) -> np.ndarray:
    """The weights of the stages in the interpolation of order four."""
    first = -1.0530884977290216 * x * (x - 1.3299890189751412)
    columns = [
        first * (x * x - 1.4364028541716351 * x + 0.7139816917074209),
        0.1017 * (x * x - 2.1966568338249754 * x + 1.2949852507374631) * x * x,
        2.490627285651252793 * (x * x - 2.38535645472061657 * x + 1.57803468208092486) * x * x,
        -16.54810288924490272 * (x - 1.21712927295533244) * (x - 0.61620406037800089) * x * x,
        47.37952196281928122 * (x - 1.203071208372362603) * (x - 0.658047292653547382) * x * x,
        -34.87065786149660974 * (x - 1.2) * (x - 2 / 3) * x * x,
        2.5 * (x - 1) * (x - 0.6) * x * x,
    ]
    return np.stack(columns, axis=1)
