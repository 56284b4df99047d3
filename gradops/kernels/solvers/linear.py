"""The linear equations of implicit differentiation."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import ConvergenceWarning, LinAlgError, OperandError
from ...core.source_location import warn
from ...core.types import type_of
from .krylov import Method
from .running import INFO, TINY, warn_unconverged

WORST = 1e-14  # of reciprocal condition numbers, up to which a Jacobian counts as singular

CHANGED = 10.0  # times its norm before, up to which a residual counts as unchanged
CLOSE = 1e-13  # the residual of GMRES, relative to the right side
RESTART, ROUNDS = 100, 50  # vectors of a Krylov space, and how often one is built


def solve_implicit(solved: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The solution x of a @ x = b, where `a` is the Jacobian at a solution or its transpose.

    Raises LinAlgError for a Jacobian that is singular or not finite, warns of a solution that did
    not converge.
    """
    warn_unconverged(solved)
    a, b = np.asarray(a), np.asarray(b)
    if not np.isfinite(a).all():
        raise LinAlgError(
            "implicit_solve", [type_of(a)],
            "the Jacobian at the solution has entries that are infinite or no numbers",
            hint="the function has no derivative there; start the solver elsewhere",
        )  # fmt: skip
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise singular(a) from None
    if a.size and not reciprocal_condition(a) > WORST:
        raise singular(a)
    return x


def reciprocal_condition(a: np.ndarray) -> float:
    """The reciprocal condition number of a matrix."""
    if a.shape == (1, 1):
        return 1.0 if a[0, 0] else 0.0
    return 1 / np.linalg.cond(a)


def singular(a: np.ndarray) -> LinAlgError:
    """The error for a singular Jacobian."""
    return LinAlgError(
        "implicit_solve", [type_of(a)],
        f"the Jacobian at the solution is singular: its condition number is {np.linalg.cond(a):.3g}"
        ", so the solution is no differentiable function of the arguments",
        hint="the solution is not isolated, or a double root: state it so that it is unique",
    )  # fmt: skip


def solve_by_products(
    *operands: np.ndarray, product: Callable[..., Sequence[Any]],
    transposed: Callable[..., Sequence[Any]], method: Method | None = None,
) -> np.ndarray:  # fmt: skip
    """The solution x of J x = b, of which `product` gives J x; by GMRES of SciPy or a `method`.

    The operands are what a solver found, b, and those of the product before the vector.
    """
    solved, b, *given = operands
    warn_unconverged(solved)
    n, b = b.shape[0], np.asarray(b, np.float64)
    options = {"rtol": CLOSE, "restart": min(n, RESTART), "maxiter": ROUNDS}
    times: Any = lambda v: np.asarray(product(*given, v.reshape(n))[0], np.float64)
    x, failed = (method or Method("gmres", options)).solve(times, b)
    if failed:
        tell(method, b, float(np.linalg.norm(times(x) - b)))
    return x


def tell(method: Method | None, b: np.ndarray, residual: float) -> None:
    """Warn of a method of the user's that did not converge; raise LinAlgError for ours."""
    if method is not None:
        warn(
            f"{method.name} does not converge for the equations of a derivative: the residual is"
            f" {residual:.3g}, the right side {np.linalg.norm(b):.3g}\n  hint: maxiter=, rtol= and"
            " M= of the solution are those of its derivatives",
            ConvergenceWarning,
        )
        return
    raise LinAlgError(
        "implicit_krylov", [type_of(b)],
        "GMRES does not converge for the equations with the Jacobian at the solution: the residual"
        f" is {residual:.3g}",
        hint="the Jacobian is singular or badly scaled: scale the unknowns and the equations",
    )  # fmt: skip


def checked_residual(solved: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """The result of a solver; raises OperandError if the residual there is another by now.

    A function in Python may read what has changed since: its derivative would be another's.
    """
    was, now = float(solved[1 - INFO]), float(np.linalg.norm(residual))
    size = max(1.0, float(np.linalg.norm(solved[:-INFO])))
    if not now > CHANGED * (was + TINY * size):  # nor if both are no numbers
        return solved
    raise OperandError(
        "solution", [type_of(solved[:-INFO])],
        f"the function of the solver has changed since: at the solution its residual was {was:.3g},"
        f" and is {now:.3g}, so that the derivative would be that of another function",
        hint="something it reads was written to: give it a copy, or take the derivative before",
    )  # fmt: skip


def checked_slope(slope: np.ndarray, solved: np.ndarray) -> np.ndarray:
    """The slopes of equations; raises LinAlgError if one is zero, infinite or not a number."""
    warn_unconverged(solved)
    if np.isfinite(slope).all() and np.all(slope):
        return slope
    where = int(np.flatnonzero(~np.isfinite(slope) | (slope == 0))[0])
    raise LinAlgError(
        "implicit_divide", [type_of(slope)],
        f"equation {where} has the slope {np.ravel(slope)[where]:.3g} at its solution, which is no"
        " differentiable function of the arguments",
        hint="a double root has no derivative: state the equation so that it crosses zero",
    )  # fmt: skip
