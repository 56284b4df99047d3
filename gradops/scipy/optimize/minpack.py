"""`fsolve` and `leastsq`: the names of MINPACK's functions in older programs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.source_location import warn
from .residuals import inverse_curvature, solve_residuals
from .root_finding import root
from .unknowns import Unknowns, tuple_of

Function = Callable[..., Any]
FREE = (-np.inf, np.inf)


def fsolve(
    func: Function, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0,
    col_deriv: Any = 0, xtol: float = 1.49012e-08, maxfev: int = 0, band: Any = None,
    epsfcn: Any = None, factor: float = 100, diag: Any = None,
) -> Any:  # fmt: skip
    """A root of equations: `scipy.optimize.fsolve`, differentiable as `root` is.

    With `full_output` also SciPy's infodict, flag and message. A run that does not converge warns.

    >>> a = dg.tensor([4.0, 9.0], requires_grad=True)
    >>> dg.autograd.grad(fsolve(lambda x: x**2 - a, np.ones(2)).sum(), a)
    (tensor([0.2500, 0.1667]),)
    """
    options = {"xtol": xtol, "maxfev": maxfev, "band": band, "eps": epsfcn, "factor": factor,
               "diag": diag, "col_deriv": col_deriv or None}  # fmt: skip
    known = {k: v for k, v in options.items() if v is not None}
    found = root(func, x0, args, "hybr", fprime, options=known)
    if not full_output:
        tell(found)
        return found.x
    names = ("nfev", "njev", "fjac", "r", "qtf")
    info = {name: getattr(found, name, None) for name in names} | {"fvec": found.fun}
    return found.x, info, found.get("status"), found.get("message")


def leastsq(
    func: Function, x0: Any, args: Any = (), Dfun: Any = None, full_output: Any = False,
    col_deriv: Any = False, ftol: float = 1.49012e-08, xtol: float = 1.49012e-08, gtol: float = 0.0,
    maxfev: int = 0, epsfcn: Any = None, factor: float = 100, diag: Any = None,
) -> Any:  # fmt: skip
    """Least squares: `scipy.optimize.leastsq`, differentiable as `least_squares` is.

    The result is the minimum and SciPy's flag; with `full_output` the minimum, the inverse of J^T J
    at it, SciPy's infodict, message and flag.

    >>> t = np.arange(3.0)
    >>> leastsq(lambda p, y: p[0] + p[1] * t - y, np.zeros(2), (np.ones(3),))[0].round(9)
    array([1., 0.])
    """
    if col_deriv:
        raise OptionError("leastsq", [], "Dfun gives derivatives along columns",
                          hint="without it, the Jacobian is exact")  # fmt: skip
    options = {"ftol": ftol, "xtol": xtol, "gtol": gtol, "maxfev": maxfev, "factor": factor,
               "diag": diag}  # fmt: skip
    args = tuple_of(args)
    found = solve_residuals("leastsq", func, Unknowns(x0), args, FREE, "linear", 1.0, options,
                            [Dfun] if callable(Dfun) else [])  # fmt: skip
    report = found.report
    status = None if report is None else report.status
    if not full_output:
        tell(report)
        return found.vector, status
    info = {"nfev": getattr(report, "nfev", None), "fvec": func(found.structure, *args)}
    inverse = found.closed.alike(inverse_curvature(found)[0])
    return found.vector, inverse, info, getattr(report, "message", None), status


def tell(report: Any) -> None:
    """Warn of a run that did not converge, as SciPy does."""
    if report is not None and getattr(report, "success", True) is False:
        warn(str(report.message), RuntimeWarning)
