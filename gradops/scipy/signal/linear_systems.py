"""Responses of linear systems in continuous and discrete time, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import where
from ...library.index.indexing import index
from ...library.linalg.banded import solve_banded_op
from ...library.linalg.contraction import matmul
from ...library.linalg.matrix_functions import matrix_exp
from ...library.linalg.solve import solve
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims, reshape
from ...library.shape.padding import pad
from ...library.shape.rearrange import matrix_transpose
from ...library.shape.repeating import tile
from ..known_entries import entries_of
from ..promotion import promoted
from .filters import operand

__all__ = ["cont2discrete", "dlsim", "lsim"]


def state_space(system: Any) -> list[Any]:
    """The matrices A, B, C and D of a system by these, or by numerator and denominator."""
    if not isinstance(system, tuple | list) or len(system) not in (2, 4):
        raise OptionError(
            "lsim", [], "a system is (numerator, denominator) or (A, B, C, D) here",
            hint="scipy.signal.zpk2tf makes a numerator and denominator of zeros and poles",
        )  # fmt: skip
    if len(system) == 4:
        found = promoted(*map(operand, system))
        return [x if len(shape_of(x)) > 1 else reshape(x, shape=(-1, 1)) for x in found]
    num, den = promoted(*map(operand, system))
    n: Any = shape_of(den)[0]
    missing: Any = n - shape_of(num)[0]
    if missing < 0 or len(shape_of(num)) != 1:
        raise ShapeError(
            "lsim", [type_of(num), type_of(den)], "the numerator is a vector, and not the longer"
        )
    num = pad(num, ((missing, 0),)) / den[0]
    den = den / den[0]
    return canonical(num, den, n - 1)


def canonical(num: Any, den: Any, n: int) -> list[Any]:
    """The matrices of a transfer function whose denominator starts with 1."""
    d = reshape(num[:1], shape=(1, 1))
    if not n:
        return [np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), d]
    below = 0 * den[1:] + np.eye(n - 1, n)
    a = concatenate([expand_dims(-den[1:], axis=0), below])
    return [a, np.eye(n, 1), expand_dims(num[1:] - num[0] * den[1:], axis=0), d]


def lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: bool = True) -> Any:
    """Times, output and states of a linear system with inputs `U` at equal steps of time.

    `system` is a numerator and denominator, or matrices A, B, C and D. `X0` is the initial state.
    Inputs are lines between the steps, or constant without `interp`. Differentiable in all but the
    times: one matrix exponential, and a solve of banded equations for all states.

    >>> t, y, x = lsim(([1.0], [1.0, 1.0]), np.ones(3), np.arange(3.0))
    >>> y.round(6)
    array([0.      , 0.632121, 0.864665])
    """
    a, b, c, d = state_space(system)
    count, dt = steps_of(T)
    n, m = known_sizes(b)
    u = np.zeros((count, m)) if isinstance(U, int | float) and not U else operand(U)
    u = expand_dims(u, axis=-1) if len(shape_of(u)) == 1 else u
    if shape_of(u) != (count, m):
        raise ShapeError("lsim", [type_of(u)], f"the inputs are {m} at each of {count} times")
    first = np.zeros(n) if X0 is None else operand(X0)
    a, b, c, d, u, first, _ = promoted(a, b, c, d, u, first, np.zeros(()))  # to double precision
    step, held, change = discretized(a, b, dt, interp)
    driven = matmul(u[:-1], held) + matmul(u[1:] - u[:-1], change)
    states = recurrence(step, concatenate([expand_dims(first, axis=0), driven]), count, n)
    y = matmul(states, matrix_transpose(c)) + matmul(u, matrix_transpose(d))
    return T, squeezed(y), squeezed(states)


def steps_of(times_of: Any) -> tuple[int, float]:
    """The number of times and the step between them; raises OptionError unless they are equal."""
    found = entries_of(operand(times_of))
    steps = np.zeros(0) if found is None else np.diff(found)
    if found is None or not steps.size or found[0] != 0 or not np.allclose(steps, steps[0]):
        raise OptionError("lsim", [], "the times are known, start at 0, and have equal steps")
    return len(found), float(steps[0])


def known_sizes(b: Any) -> tuple[int, int]:
    """The numbers of states and inputs, or a ShapeError if they are not known."""
    n, m = shape_of(b)
    if not isinstance(n, int) or not isinstance(m, int):
        raise ShapeError("lsim", [type_of(b)], "the numbers of states and inputs are not known")
    return n, m


def discretized(a: Any, b: Any, dt: float, interp: bool) -> tuple[Any, Any, Any]:
    """The matrices by which a step takes states, inputs that are held, and their change.

    The last two are transposed. The input is one more state, and its slope another.
    """
    n, m = known_sizes(b)
    zero = np.zeros((n, m))
    rows = [
        concatenate([a * dt, b * dt, zero], axis=1),
        np.eye(m, n + 2 * m, k=n + m), np.zeros((m, n + 2 * m)),
    ]  # fmt: skip
    whole = matrix_exp(concatenate(rows))[:n]
    change = matrix_transpose(whole[:, n + m :])
    return whole[:, :n], matrix_transpose(whole[:, n : n + m]), change if interp else 0 * change


def recurrence(step: Any, right: Any, count: int, n: int) -> Any:
    """The rows x[k] = step @ x[k - 1] + right[k], as the solution of one banded system."""
    if not n:
        return right
    away = np.arange(2 * n)[:, None] - n + np.arange(n)  # the row of an entry of each diagonal
    inside = (away >= 0) & (away < n)
    entries = index(step, (np.clip(away, 0, n - 1), np.arange(n)))
    bands = where(inside, -entries, 0.0) + np.eye(2 * n, 1)
    column = reshape(right, shape=(count * n, 1))
    found = solve_banded_op(tile(bands, (1, count)), column, lower=2 * n - 1, upper=0)
    return reshape(found, shape=(count, n))


def squeezed(x: Any) -> Any:
    """`x` without axes of one entry."""
    return reshape(x, shape=tuple([n for n in shape_of(x) if n != 1]))


def cont2discrete(
    system: Any, dt: float, method: str = "zoh", alpha: float | None = None
) -> tuple[Any, ...]:
    """The matrices A, B, C, D of a system at steps of time `dt`, and `dt`.

    `method` is "zoh" for inputs held during a step, "foh" for lines between them, "bilinear",
    "euler", "backward_diff", "gbt" with a weight `alpha` of the end of a step, or "impulse".

    >>> a, b, c, d, dt = cont2discrete(([[0.0]], [[1.0]], [[1.0]], [[0.0]]), 0.5)
    >>> a, b
    (array([[1.]]), array([[0.5]]))
    """
    if not isinstance(system, tuple | list) or len(system) != 4:
        raise OptionError("cont2discrete", [], "a system is (A, B, C, D) here")
    a, b, c, d = promoted(*map(operand, system))
    n, _ = known_sizes(b)
    weights = {"bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0,
               "backward_diff": 1.0, "gbt": alpha}  # fmt: skip
    weight = weights.get(method)
    if weight is not None:
        inner = np.eye(n) - weight * dt * a
        moved = solve(inner, dt * b)
        outer = matrix_transpose(solve(matrix_transpose(inner), matrix_transpose(c)))
        step = solve(inner, np.eye(n) + (1 - weight) * dt * a)
        return step, moved, outer, d + weight * matmul(c, moved), dt
    if method == "zoh":
        step, held, _ = discretized(a, b, dt, interp=False)
        return step, matrix_transpose(held), c, d, dt
    if method == "foh":
        step, held, change = discretized(a, b, dt, interp=True)
        held, change = matrix_transpose(held), matrix_transpose(change)
        return step, held - change + matmul(step, change), c, d + matmul(c, change), dt
    if method != "impulse":
        raise OptionError("cont2discrete", [], f"there is no method {method!r}, or no alpha for it")
    none, step = d == 0, matrix_exp(a * dt)
    known = entries_of(none)
    if known is not None and not known.all():
        raise OptionError("cont2discrete", [], "the method 'impulse' is for systems whose D is 0")
    return step, matmul(step, b) * dt, c, where(none, matmul(c, b) * dt, np.nan), dt


def dlsim(system: Any, u: Any, t: None = None, x0: Any = None) -> Any:
    """Times, outputs and states of a system in discrete time, (A, B, C, D, dt), with inputs `u`.

    Raises OptionError for times `t`, at which inputs would be interpolated.

    >>> t, y, x = dlsim(([[0.5]], [[1.0]], [[1.0]], [[0.0]], 0.1), np.ones(3))
    >>> y[:, 0]
    array([0. , 1. , 1.5])
    """
    if t is not None or not isinstance(system, tuple | list) or len(system) != 5:
        raise OptionError("dlsim", [], "a system is (A, B, C, D, dt), without times, here")
    u = operand(u)
    u = expand_dims(u, axis=-1) if len(shape_of(u)) == 1 else u
    n, _ = known_sizes(operand(system[1]))
    first = np.zeros(n) if x0 is None else operand(x0)
    a, b, c, d, u, first, _ = promoted(*map(operand, system[:4]), u, first, np.zeros(()))
    count: Any = shape_of(u)[0]
    driven = matmul(u[:-1], matrix_transpose(b))
    states = recurrence(a, concatenate([expand_dims(first, axis=0), driven]), count, n)
    y = matmul(states, matrix_transpose(c)) + matmul(u, matrix_transpose(d))
    return np.linspace(0, (count - 1) * system[4], count), y, states
