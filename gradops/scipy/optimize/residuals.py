"""Least squares, and curves fitted to data."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.op import OPS
from ...core.types import shape_of
from ...library.linalg.contraction import matmul
from ...library.linalg.solve import inv
from .bounds import limits, optimality
from .solving import Solved, solve
from .unknowns import Unknowns, as_vector, tuple_of

Function = Callable[..., Any]
OWN_LOSS = "the loss is a function of Python's, whose derivative is not known here"
WEIGHTS: dict[str, Callable[[Any], Any]] = {
    "soft_l1": lambda z: 1 / OPS["sqrt"](1 + z),
    "huber": lambda z: 1 / OPS["sqrt"](OPS["maximum"](z, 1.0)),
    "cauchy": lambda z: 1 / (1 + z),
    "arctan": lambda z: 1 / (1 + z * z),
}
"""The derivatives of SciPy's losses by the squared residual."""
LOSSES: dict[Any, Callable[[Any], Any]] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (OPS["sqrt"](1 + z) - 1),
    "huber": lambda z: OPS["where"](z <= 1, z, 2 * OPS["sqrt"](OPS["maximum"](z, 1.0)) - 1),
    "cauchy": lambda z: OPS["log1p"](z),
    "arctan": lambda z: OPS["arctan"](z),
}
"""SciPy's losses, of the squared residual."""


def stationarity_of(
    body: Any, x: Any, low: Any, high: Any, *others: Any, loss: str, scale: float, bounded: bool
) -> tuple[Any]:
    """The equations of least squares: the gradient of the cost, or the distance to a bound."""
    operands = (x, low, high, *others)
    (r,) = body(*operands)
    weighted = r if loss == "linear" else r * WEIGHTS[loss]((r / scale) ** 2)
    (gradient,) = body.pullback([0])(*operands, weighted)
    return (optimality(gradient, x, low, high) if bounded else gradient,)


def least_squares(
    fun: Function, x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf),
    method: str = "trf", ftol: float | None = 1e-8, xtol: float | None = 1e-8,
    gtol: float | None = 1e-8, x_scale: Any = None, loss: Any = "linear", f_scale: float = 1.0,
    max_nfev: int | None = None, verbose: int = 0, args: Any = (), kwargs: Any = None,
    **others: Any,
) -> Any:  # fmt: skip
    """Least squares: `scipy.optimize.least_squares`, with `x`, `fun`, `cost` differentiable.

    The solver gets the exact Jacobian unless `jac` is a function. The derivative of the minimum
    is by the whole Hessian of the cost, and not by that of Gauss and Newton, so that it is exact
    where residuals remain; at active bounds, it is that of the bound.

    >>> y = dg.tensor([1.0, 3.0, 5.0], requires_grad=True)
    >>> t = np.arange(3.0)
    >>> x = least_squares(lambda p: p[0] + p[1] * t - y, np.zeros(2)).x
    >>> dg.autograd.grad(x[1], y)[0].numpy().round(6) + 0
    array([-0.5,  0. ,  0.5], dtype=float32)
    """
    args, unknowns = tuple_of(args), Unknowns(x0)
    value = partial(fun, **kwargs) if kwargs else fun
    given = {"method": method, "x_scale": x_scale, "loss": loss, "f_scale": f_scale,
             "max_nfev": max_nfev, "verbose": verbose, **others}  # fmt: skip
    tolerances = {"ftol": ftol, "xtol": xtol, "gtol": gtol}
    found = solve_residuals(
        "least_squares", value, unknowns, args, bounds, loss, f_scale, given | tolerances,
        [jac] if callable(jac) else [],
    )  # fmt: skip
    result = found.result(lambda x: as_vector(value(x, *args)))
    if not found.is_plain and loss in LOSSES:
        result.cost = 0.5 * f_scale**2 * OPS["sum"](LOSSES[loss]((result.fun / f_scale) ** 2))
    return result


def solve_residuals(
    how: str, fun: Function, unknowns: Unknowns, args: tuple[Any, ...], bounds: Any, loss: Any,
    scale: float, options: dict[str, Any], jac: list[Function],
) -> Solved:  # fmt: skip
    """The unknowns at which the sum of a loss of residuals is least."""
    low, high = limits(unknowns.start, bounds)
    bounded = not (is_infinite(low) and is_infinite(high))
    known = loss if isinstance(loss, str) and (loss in WEIGHTS or loss == "linear") else "linear"
    zero = partial(stationarity_of, loss=known, scale=scale, bounded=bounded)
    linear = partial(stationarity_of, loss="linear", scale=1.0, bounded=False)
    return solve(
        how, [lambda *xs: as_vector(fun(*xs)), *jac], unknowns, args,
        lambda bodies: (bodies[0], bodies[1] if jac else bodies[0].jacobian(),
                        bodies[0].composed(zero if not bounded else linear)),
        lambda bodies: bodies[0].composed(zero),
        options | {"bounded": bounded}, (low, high), by="" if known == loss else OWN_LOSS,
    )  # fmt: skip


def is_infinite(bound: Any) -> bool:
    """True for bounds that are known to be none."""
    return isinstance(bound, np.ndarray) and bool(np.isinf(bound).all())


def curve_fit(
    f: Function, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None,
    absolute_sigma: bool = False, check_finite: bool | None = None,
    bounds: Any = (-np.inf, np.inf), method: str | None = None, jac: Any = None,
    **kwargs: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """The parameters of a curve and their covariance: `scipy.optimize.curve_fit`, differentiable.

    `f(xdata, *parameters)` is the curve. Both results are functions of the data, of `sigma`, one
    standard deviation for each datum, and of what `f` captures.

    >>> t = np.array([0.0, 1.0, 2.0])
    >>> popt, pcov = curve_fit(lambda t, a, b: a + b * t, t, np.array([1.0, 3.0, 5.0]))
    >>> popt.round(6)
    array([1., 2.])
    """
    if sigma is not None and len(shape_of(sigma)) > 1:
        hint = "divide the residuals by its Cholesky factor, in least_squares"
        raise OptionError("curve_fit", [], "sigma has two axes", hint=hint)
    unknowns = Unknowns(np.ones(parameter_count(f)) if p0 is None else p0)
    n = shape_of(unknowns.start)[0]

    def residuals(p: Any, x: Any, y: Any, *sigma: Any) -> Any:
        r = f(x, *[p[i] for i in range(n)]) - y
        return r / sigma[0] if sigma else r

    args = (xdata, asarray(ydata), *([] if sigma is None else [asarray(sigma)]))
    free = not isinstance(bounds, tuple) or all(np.ndim(b) == 0 and np.isinf(b) for b in bounds)
    how = "leastsq" if method in (None, "lm") and free else "least_squares"
    options = kwargs if how == "leastsq" else kwargs | {"method": method or "trf"}
    found = solve_residuals(how, residuals, unknowns, args, bounds, "linear", 1.0, options, [])
    if found.report is not None and not found.report.success:
        raise RuntimeError(f"Optimal parameters not found: {found.report.message}")
    covariance, freedom = inverse_curvature(found)
    if not absolute_sigma:
        (r,) = found.closed.body(found.x, *found.closed.operands[1:])
        covariance = covariance * (OPS["sum"](r * r) / freedom)
    return found.vector, found.closed.alike(covariance)


def inverse_curvature(found: Solved) -> tuple[Any, Any]:
    """The inverse of J^T J at a minimum, and how many more residuals than unknowns there are."""
    (j,) = found.closed.body.jacobian()(found.x, *found.closed.operands[1:])
    m, n = shape_of(j)
    return inv(matmul(OPS["transpose"](j), j), checked=True), m - n


def asarray(x: Any) -> Any:
    """Data as an array, or the operand that they are."""
    return x if hasattr(x, "gradop_level") else np.asarray(x, np.float64)


def parameter_count(f: Function) -> int:
    """The number of parameters that a curve takes after the data."""
    parameters = inspect.signature(f).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise ValueError("Unable to determine number of fit parameters: give p0")
    return len(parameters) - 1
