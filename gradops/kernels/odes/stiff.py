"""Stiff equations by SciPy's solvers, and their cotangents by the adjoint equations.

Note [Continuous adjoint]. Along the solution y(t) of y' = f(y, t, a), the cotangent c of the state
obeys c' = -(df/dy)^T c backwards in time, and grows by what each time in the result asks for; that
of a is the integral of (df/da)^T c. The solution comes from the solver's own interpolation, since
an equation that is stiff forwards cannot be solved backwards.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import MissingExtraError
from .reports import Report, warn_of_gradient
from .stepping import Control

Function = Callable[..., Sequence[np.ndarray]]
Slope = Callable[[float, np.ndarray], np.ndarray]
TRIES = 5000  # calls of the derivative in which a solver has to come further
NO_PROGRESS = "The solver makes no progress: the solution may become infinite."
NO_NUMBERS = "The derivative of the state, its Jacobian or the state is no number, or infinite."


def solve_ivp() -> Any:
    """SciPy's function, or a MissingExtraError."""
    try:
        from scipy.integrate import solve_ivp
    except ImportError as error:
        raise MissingExtraError("solve_ivp", "SciPy", "scipy") from error
    return solve_ivp


def implicit(
    times: np.ndarray, span: np.ndarray, y: np.ndarray, others: Sequence[np.ndarray], f: Function,
    jacobian: Function, method: str, control: Control, dense: bool = False,
) -> tuple[np.ndarray, Any]:  # fmt: skip
    """The states at times by one of SciPy's solvers, NaN outside of the span, and its report."""
    states = np.full((len(times), y.size), np.nan)
    states[times == span[0]] = y
    if y.size == 0 or span[0] == span[1] or np.isnan(span).any():
        return states, Report(f, jacobian, others)
    inside = np.flatnonzero((times >= span.min()) & (times <= span.max()))
    ahead = times[inside] if span[1] >= span[0] else -times[inside]
    order = inside[np.argsort(ahead, kind="stable")]
    report = of_scipy(
        lambda t, x: f(np.asarray(x), np.float64(t), *others)[0], span, y, method,
        times[order], dense_output=dense, **options_of(control, y.size),
        jac=matrices(jacobian, others, method),
    )  # fmt: skip
    states[order[: len(report.t)]] = report.y.T
    return states, report


def of_scipy(
    f: Slope, span: Any, y: np.ndarray, method: str, times: Any, **options: Any
) -> Any:  # fmt: skip
    """The report of one of SciPy's solvers, which fails where they would raise, or try for ever.

    Their factors raise ValueError for what is no number. LSODA says there that it succeeded, and
    makes no end of tries where the solution becomes infinite.
    """
    try:
        report = solve_ivp()(Progress(f, span), span, y, method, times, **options)
    except Stuck:
        return failed(span, y, options, NO_PROGRESS)
    except ValueError as error:
        if "infs or NaNs" not in str(error):
            raise
        return failed(span, y, options, NO_NUMBERS)
    known = np.isfinite(report.y).all(axis=0)
    if not known.all():
        report.t, report.y = report.t[known], report.y[:, known]
        report.status, report.success, report.message = -1, False, NO_NUMBERS
    return report


def failed(span: Any, y: np.ndarray, options: Any, message: str) -> Any:
    """The report of a run that has not left its start."""
    start = (span[0], span[0])
    report = solve_ivp()(lambda t, x: 0 * x, start, y, events=options.get("events"))
    report.t, report.y, report.sol = report.t[:1], report.y[:, :1], None
    report.status, report.success, report.message = -1, False, message
    return report


class Stuck(Exception):
    """A solver has called the derivative many times without coming any further."""


class Progress:
    """The derivative of a state, which raises Stuck if the time does not move on."""

    def __init__(self, f: Slope, span: Any) -> None:
        self.f, self.furthest, self.tries = f, float(span[0]), 0
        self.direction = 1.0 if span[1] >= span[0] else -1.0

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        """The derivative."""
        if self.direction * (t - self.furthest) > 1e-15 * abs(t):
            self.furthest, self.tries = t, 0
        self.tries += 1
        if self.tries > TRIES:
            raise Stuck
        return self.f(t, y)


def matrices(jacobian: Function, others: Sequence[np.ndarray], method: str) -> Any:
    """The Jacobian at a time and state as a method takes it: sparse if its entries are given."""

    def at(t: float, y: np.ndarray) -> Any:
        found = jacobian(np.asarray(y), np.float64(t), *others)
        if len(found) == 1:
            return found[0]
        from scipy.sparse import csc_matrix, csr_matrix

        matrix = csr_matrix(tuple(found), (len(y), len(y)))
        return matrix.toarray() if method == "LSODA" else csc_matrix(matrix)

    return at


def options_of(control: Control, size: int) -> dict[str, Any]:
    """The options of SciPy's solvers; tangents have the tolerances of what they belong to."""
    atol = np.broadcast_to(np.asarray(control.atol), (control.entries,))
    repeats = -(-size // max(control.entries, 1))
    return {"rtol": control.rtol, "atol": np.tile(atol, repeats)[:size],
            "max_step": control.max_step, "first_step": control.first_step}  # fmt: skip


def pull_solution(
    found: list[np.ndarray], g: np.ndarray, times: np.ndarray, span: np.ndarray, y: np.ndarray,
    others: Sequence[np.ndarray], functions: Sequence[Function], method: str, control: Control,
) -> None:  # fmt: skip
    """Add up the cotangents from the last time to the first. See Note [Continuous adjoint]."""
    f, jacobian, pull = functions
    _, report = implicit(times, span, y, others, f, jacobian, method, control, dense=True)
    if not report.success:
        warn_of_gradient(report.message)
    if getattr(report, "sol", None) is None:
        found[0] += g[times == span[0]].sum(axis=0)
        return
    back = Adjoint(report.sol, others, matrices(jacobian, others, method), pull, found)
    stops = [t for t in np.unique(times) if (t - span[0]) * (back.t - t) >= 0]
    for t in stops if span[1] < span[0] else reversed(stops):
        back.move(t, method, control)
        back.state[: y.size] += g[times == t].sum(axis=0)
    back.move(span[0], method, control)
    ends = np.cumsum([ct.size for ct in found])[:-1]
    for total, part in zip(found, np.split(back.state, ends), strict=True):
        total += part.reshape(total.shape)


class Adjoint:
    """The cotangents of state and operands while they are carried back, as one vector."""

    def __init__(
        self, solution: Any, others: Sequence[np.ndarray], jacobian: Any, pull: Function,
        found: Sequence[np.ndarray],
    ) -> None:  # fmt: skip
        self.solution, self.others, self.jacobian, self.pull = solution, others, jacobian, pull
        self.n, self.t = found[0].size, solution.ts[-1]
        self.sizes = [ct.size for ct in found]
        self.state = np.zeros(sum(self.sizes))

    def move(self, t: float, method: str, control: Control) -> None:
        """Carry the cotangents to another time."""
        if t == self.t or not self.state.any():
            self.t = t
            return
        control = control._replace(entries=self.n, first_step=None)
        report = solve_ivp()(self.slope, (self.t, t), self.state, method, jac=self.slopes,
                             **options_of(control, self.state.size))  # fmt: skip
        self.state, self.t = report.y[:, -1], t

    def slope(self, t: float, state: np.ndarray) -> np.ndarray:
        """The derivatives of the cotangents by time."""
        y = self.solution(t)
        found = self.pull(y, np.float64(t), *self.others, state[: self.n])
        sizes = zip(found, self.sizes, strict=True)
        return -np.concatenate([np.zeros(n) if ct is None else np.ravel(ct) for ct, n in sizes])

    def slopes(self, t: float, state: np.ndarray) -> Any:
        """The Jacobian of `slope`, but for the rows of operands, on which nothing depends."""
        a, size = -self.jacobian(t, self.solution(t)).T, state.size
        if isinstance(a, np.ndarray):
            return np.pad(a, (0, size - self.n))
        a = a.tocsc()
        a.resize(size, size)
        return a
