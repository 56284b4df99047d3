"""Minima: of functions of a vector or a structure, and of one number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.op import PLAIN
from ...kernels.solvers.minima import WITH_HESSIAN, WITH_PRODUCTS
from ...library.index.indexing import index
from .bounds import limits, optimality
from .solving import solve
from .unknowns import Kept, Unknowns, as_number, tuple_of

Function = Callable[..., Any]
CONSTRAINED = (
    "the minimum is one under constraints, whose derivative is not known here: give bounds, or put"
    " the constraints into the equations and use root"
)


def gradient_of(body: Any, *operands: Any) -> tuple[Any]:
    """The gradient of a function of a vector that gives one number."""
    return body.pullback([0])(*operands, np.float64(1.0))


def stationarity_of(body: Any, x: Any, low: Any, high: Any, *others: Any) -> tuple[Any]:
    """The equations of a minimum within bounds."""
    (gradient,) = gradient_of(body, x, low, high, *others)
    return (optimality(gradient, x, low, high),)


def minimize(
    fun: Function, x0: Any, args: Any = (), method: str | None = None, jac: Any = None,
    hess: Any = None, hessp: Any = None, bounds: Any = None, constraints: Any = (),
    tol: float | None = None, callback: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """A minimum: `scipy.optimize.minimize`, with `x` and `fun` of the result differentiable.

    The derivative of the minimum is that of the root of the gradient, so it needs the Hessian,
    which is computed; at active bounds, that of the bound. A minimum under `constraints` is found,
    but has no derivative: asking for it raises MissingRuleError. The solver gets the exact
    gradient and the second derivatives that the method uses. `x0` may be a structure of arrays.

    >>> a = dg.tensor([1.0, 2.0], requires_grad=True)
    >>> x = minimize(lambda x: ((x - a**2) ** 2).sum(), np.zeros(2)).x
    >>> dg.autograd.grad(x.sum(), a)
    (tensor([2., 4.]),)
    """
    args, unknowns, name = tuple_of(args), Unknowns(x0), (method or "").lower()
    low, high = limits(unknowns.start, bounds)
    value: Function = (lambda *xs: fun(*xs)[0]) if jac is True else fun
    own = [g for g in (jac, hess or hessp) if callable(g)]
    if len(own) == 1 and not callable(jac):
        why = "hess or hessp is given without jac"
        raise OptionError("minimize", [], why, hint="leave them out: they are computed exactly")

    def run(bodies: Any) -> Any:
        gradient = bodies[1] if len(bodies) > 1 else bodies[0].composed(gradient_of)
        second = bodies[2:3]
        if name in WITH_HESSIAN and not second:
            second = [gradient.jacobian()]
        if name in WITH_PRODUCTS and not second:
            second = [gradient.tangents([0])]
        return (bodies[0], gradient, *second)

    found = solve(
        "minimize", [lambda *xs: as_number(value(*xs)), *own], unknowns, args, run,
        lambda bodies: bodies[0].composed(stationarity_of if bounds is not None else gradient_of),
        {"method": method or "", "tol": tol, "callback": callback, "options": options,
         "bounded": bounds is not None, "constraints": Kept(constraints) if constraints else None},
        (low, high), by=CONSTRAINED if constraints else "",
    )  # fmt: skip
    return found.result(lambda x: value(x, *args))


def minimize_scalar(
    fun: Function, bracket: Any = None, bounds: Any = None, args: Any = (),
    method: str | None = None, tol: float | None = None, options: Any = None,
) -> Any:  # fmt: skip
    """A minimum of a function of one number: `scipy.optimize.minimize_scalar`, differentiable.

    >>> a = dg.tensor(3.0, requires_grad=True)
    >>> x = minimize_scalar(lambda x: (x - a) ** 2).x
    >>> dg.autograd.grad(x, a)
    (tensor(1.),)
    """
    args, start = tuple_of(args), np.zeros(1)
    low, high = limits(start, None if bounds is None else [tuple(bounds)])
    found = solve(
        "minimize_scalar", [lambda v, *others: as_number(fun(index(v, 0), *others))],
        Unknowns(start), args, lambda bodies: (bodies[0], bodies[0].composed(gradient_of)),
        lambda bodies: bodies[0].composed(stationarity_of if bounds is not None else gradient_of),
        {"method": method, "bracket": bracket, "tol": tol, "options": options,
         "bounded": bounds is not None},
        (low, high),
    )  # fmt: skip
    x = index(found.vector, 0)
    result = found.result(lambda x: fun(index(x, 0), *args))
    result.x = np.float64(x) if type(x) in PLAIN else x
    return result
