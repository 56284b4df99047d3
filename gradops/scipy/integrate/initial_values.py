"""Initial value problems: `solve_ivp` and `odeint`, with SciPy's names, defaults and results."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.op import PLAIN
from ...kernels.odes.own_methods import run
from ...kernels.odes.reports import DONE
from ...kernels.odes.stepping import Control
from ...kernels.odes.stiff import solve_ivp as of_scipy
from ...kernels.odes.tableaus import FIXED, SCIPY
from ...kernels.solvers.running import reports
from ...library.elementwise.logic import isfinite
from ...library.index.indexing import index
from ...library.reduce.reduction import all as every
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims
from ...library.shape.rearrange import matrix_transpose
from ...transforms.layers import constant
from ..optimize.unknowns import strong, tuple_of
from .events import EventsOfGraph, as_list, differentiable, lent
from .fixed_steps import times_of
from .options import STIFF
from .problems import Problem, are_plain

Function = Callable[..., Any]


def solve_ivp(
    fun: Function, t_span: Sequence[Any], y0: Any, method: str = "RK45", t_eval: Any = None,
    dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None,
    memory_budget: int | None = None, **options: Any,
) -> Any:  # fmt: skip
    """The solution of y' = fun(t, y, *args) from `y0`: as `scipy.integrate.solve_ivp`.

    The result's `y`, of shape (n, number of times), is a function of `y0`, `args`, the span,
    `t_eval`, and of what `fun` captures, with derivatives of any order. So are `t_events` and
    `y_events`, and `sol` of its argument. Where nothing has a derivative, SciPy's result is
    returned as it is. In a graph `t_eval` has to be given, and each event has to say after how many
    times it ends the solution, `event.terminal = n`; what is not reached is NaN.

    Methods are SciPy's ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"), "Tsit5", and with steps
    of the size `step` "Euler", "Midpoint", "Heun" and "RK4". Of explicit ones the derivatives are
    those of the steps that were taken, whose sizes are constants; of the others they are solutions
    of the adjoint and of the sensitivity equations, with the tolerances given. Jacobians are exact.
    A gradient keeps states of at most `memory_budget` bytes, and computes others again.

    Raises OptionError for an unknown method or option, DTypeError for complex states. A solution
    that ends early says so in `success` and `message`; its gradient warns.

    >>> sol = solve_ivp(lambda t, y, k: -k * y, (0, 1), [1.0], rtol=1e-9, atol=1e-11, args=(2.0,))
    >>> bool(abs(sol.y[0, -1] - np.exp(-2.0)) < 1e-7)
    True
    """
    found = as_list(events)
    args = () if args is None else tuple_of(args)
    p = Problem("solve_ivp", [fun, *found], t_span, y0, args, method, memory_budget, **options)
    if p.is_plain and method in (*SCIPY, *STIFF):
        return of_scipy()(fun, t_span, np.asarray(y0), method, t_eval, dense_output, events,
                          vectorized, args or None, **options)  # fmt: skip
    if isinstance(t_eval, list | tuple) and are_plain(t_eval):
        t_eval = np.asarray(t_eval)
    if t_eval is not None:
        require_times(constant(strong(t_eval)), constant(p.span))
    return Solved(p, t_eval, found).result(dense_output, events is not None)


def require_times(times: Any, span: Any) -> None:
    """Raise OptionError for times that are not in order, or not in the span, if they are known."""
    if not are_plain([times, span]):
        return
    first, last = sorted(span)
    steps = np.diff(times) * (1 if span[1] >= span[0] else -1)
    if (times < first).any() or (times > last).any() or (steps <= 0).any() or times.ndim != 1:
        raise OptionError("solve_ivp", [], "t_eval is not a row of times in order, in the span",
                          hint="t_span says from where to where")  # fmt: skip


class Solved:
    """A problem with derivatives, solved: its times, states, events and report."""

    def __init__(self, p: Problem, t_eval: Any, events: Sequence[Function]) -> None:
        self.p = p
        if t_eval is None and p.is_graph and p.method in FIXED and p.has_known_span:
            t_eval = times_of(p)
        if p.is_graph and events and t_eval is not None:
            self.solve_in_graph(strong(t_eval), EventsOfGraph(p, events))
            return
        first: Any = self.first_run(t_eval, events) if t_eval is None or events else None
        found = first.t_events if events else []
        self.t_events = [differentiable(p, i, ts) for i, ts in enumerate(found)]
        self.times = self.times_of(t_eval, first)
        with reports() as heard:
            self.rows = p.states(self.times)
        self.report: Any = first or (heard[-1] if heard and p.is_known else None)
        if first is None and self.report is not None and not self.report.success:
            self.cut()
        self.y_events = [p.states(ts) if len(fs) else fs for ts, fs in zip(self.t_events, found)]

    def solve_in_graph(self, times: Any, events: EventsOfGraph) -> None:
        """The same as expressions. See Note [Events]."""
        self.times, self.report = times, None
        self.rows = events.ended(self.p.states(times), times)
        self.t_events = events.times
        self.y_events = [self.p.states(ts) for ts in events.times]

    def cut(self) -> None:
        """Drop the times that the solver did not reach, as SciPy does."""
        reached = slice(int(np.isfinite(constant(self.rows)).all(axis=1).sum()))
        self.times, self.rows = index(self.times, reached), index(self.rows, reached)

    def first_run(self, t_eval: Any, events: Sequence[Function]) -> Any:
        """The run on arrays that finds the times of steps and events."""
        p = self.p
        if not p.is_known:
            raise OptionError(
                "solve_ivp", [], "how many times there are depends on the steps, or on the events",
                hint="give t_eval" if p.is_graph else "give t_eval; or write a loop",
            )  # fmt: skip
        span, start, *others = [np.asarray(constant(x)) for x in (p.span, p.start, *p.others)]
        times = None if t_eval is None else np.asarray(constant(t_eval))
        control = Control(*p.attrs["control"])
        return run(p.f, p.helper, others, span, start, p.method, control, times,
                   lent(p, events) or None)  # fmt: skip

    def times_of(self, t_eval: Any, first: Any) -> Any:
        """The times of the result: those asked for, or those of steps, as far as they came."""
        if t_eval is not None:
            return strong(t_eval) if first is None else index(strong(t_eval), slice(len(first.t)))
        inner, ends = first.t[1:-1], [index(self.p.span, slice(0, 1))]
        if first.status == 1:
            ends.append(index(self.last_event(first), slice(0, 1)))
        else:
            ends.append(index(self.p.span, slice(1, 2)) if first.success else first.t[-1:])
        return concatenate([ends[0], inner, ends[1]]) if len(first.t) > 1 else ends[0]

    def last_event(self, first: Any) -> Any:
        """The time of the event that ended the run."""
        number = next(i for i, ts in enumerate(first.t_events) if len(ts) and ts[-1] == first.t[-1])
        return index(self.t_events[number], slice(-1, None))

    def result(self, dense: bool, with_events: bool) -> Any:
        """SciPy's OdeResult, with operands that have derivatives."""
        from scipy.integrate._ivp.ivp import OdeResult

        p, report = self.p, self.report
        y = p.results(matrix_transpose(self.rows))
        facts = {"nfev": None, "njev": None, "nlu": None, "status": None, "message": DONE,
                 "success": every(isfinite(self.rows))}  # fmt: skip
        if report is not None:
            facts |= {name: getattr(report, name) for name in facts}
        found = {
            name: list(map(p.results, xs)) if with_events else None
            for name, xs in (("t_events", self.t_events), ("y_events", self.y_events))
        }
        return OdeResult(t=p.results(self.times), y=y, sol=Dense(p) if dense else None,
                         **found, **facts)  # fmt: skip


class Dense:
    """The solution as a function of the time, inside of the span; each call solves once more."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def __call__(self, t: Any) -> Any:
        """The state at a time, or the states at times as columns; NaN outside of the span."""
        p, times = self.problem, strong(t)
        if len(np.shape(times)) == 0:
            return p.results(index(p.states(expand_dims(times, axis=0)), 0))
        return p.results(matrix_transpose(p.states(times)))


def odeint(
    func: Function, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0,
    full_output: Any = 0, ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None,
    tcrit: Any = None, h0: float = 0.0, hmax: float = 0.0, hmin: float = 0.0, ixpr: Any = 0,
    mxstep: int = 0, mxhnil: int = 0, mxordn: int = 12, mxords: int = 5, printmessg: Any = 0,
    tfirst: bool = False,
) -> Any:  # fmt: skip
    """The states at times `t`, as rows, of y' = func(y, t, *args): as `scipy.integrate.odeint`.

    The first of `t` is the time of `y0`. With derivatives, as `solve_ivp` has them with the method
    "LSODA", which is the solver of both. Where nothing has a derivative, SciPy's result is returned
    as it is. Jacobians are exact, so that `Dfun` is not called.

    >>> odeint(lambda y, t: -y, 1.0, [0.0, 1.0]).round(4)
    array([[1.    ],
           [0.3679]])
    """
    args, t = tuple_of(args), strong(np.asarray(t) if isinstance(t, list | tuple) else t)
    swapped = func if tfirst else lambda time, y, *more: func(y, time, *more)
    tolerances = [1.49012e-8 if x is None else x for x in (rtol, atol)]
    span = index(t, 0), index(t, -1)
    p = Problem("odeint", [swapped], span, y0, args, "LSODA", rtol=tolerances[0],
                atol=tolerances[1], max_step=hmax or np.inf, first_step=h0 or None)  # fmt: skip
    if p.is_plain and type(t) in PLAIN:
        from scipy import integrate

        return integrate.odeint(func, y0, t, args, Dfun, col_deriv, full_output, ml, mu, rtol,
                                atol, tcrit, h0, hmax, hmin, ixpr, mxstep, mxhnil, mxordn, mxords,
                                printmessg, tfirst)  # fmt: skip
    if full_output or tcrit is not None:
        raise OptionError("odeint", [], "derivatives are of the states, without further output",
                          hint="solve_ivp gives a report")  # fmt: skip
    return p.results(p.states(t))
