"""Algebraic Riccati equations of optimal control, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.types import type_of
from ...library.linalg.matrices import adjoint, times
from ...library.linalg.riccati import solve_riccati
from ...library.linalg.solve import inv, solve
from ..known_entries import entries_of
from .operands import operands

__all__ = ["solve_continuous_are", "solve_discrete_are"]


def solve_continuous_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """The stabilizing x of a.H @ x @ e + e.H @ x @ a - k.H @ r @ k + q = 0, k the feedback.

    k is r^-1 (b.H @ x @ e + s.H); `e` is by default the identity, `s` zero. The derivative is
    exact, of any order, and solves a Lyapunov equation. Raises LinAlgError where there is none,
    OptionError for a `q` or `r` that is not Hermitian; in a graph the Hermitian part is taken.

    >>> solve_continuous_are(np.array([[0.0]]), np.eye(1), np.array([[4.0]]), np.eye(1))
    array([[2.]])
    """
    return solved("solve_continuous_are", a, b, q, r, e, s)


def solve_discrete_are(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """The stabilizing x of a.H @ x @ a - e.H @ x @ e - k.H @ (r + b.H @ x @ b) @ k + q = 0.

    k, the feedback, is (r + b.H @ x @ b)^-1 (b.H @ x @ a + s.H); see `solve_continuous_are`.

    >>> solve_discrete_are(np.array([[0.0]]), np.eye(1), np.array([[4.0]]), np.eye(1))
    array([[4.]])
    """
    return solved("solve_discrete_are", a, b, q, r, e, s)


def solved(call: str, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> Any:
    """The solution, from an equation without `e` and `s` that has it too."""
    given = [x for x in (a, b, q, r, e, s) if x is not None]
    a, b, q, r, *others = operands(call, *given)
    e = None if e is None else others[0]
    s = None if s is None else others[-1]
    require_hermitian(call, q)
    require_hermitian(call, r)
    if s is not None:
        cross = solve(r, adjoint(s))
        a, q = a - times(b, cross), q - times(s, cross)
    is_discrete = call == "solve_discrete_are"
    if e is None:
        return solve_riccati(a, b, q, r, discrete=is_discrete)
    back = inv(e)
    a, q = times(a, back), times(adjoint(back), q, back)
    return solve_riccati(a, b, q, r, discrete=is_discrete)


def require_hermitian(call: str, x: Any) -> None:
    """Raise an OptionError for a matrix that is known, and not Hermitian."""
    value = entries_of(x)
    if value is None:
        return
    other = value.conj().swapaxes(-1, -2)
    least = 100 * np.finfo(value.dtype).eps * np.abs(value).max(initial=0)
    if value.shape != other.shape or np.abs(value - other).max(initial=0) > least:
        raise OptionError(call, [type_of(x)], "q and r are Hermitian")
