"""Roots of systems of equations, and of many equations of one unknown each."""

from collections.abc import Callable
from typing import Any

from ...core.op import PLAIN
from ...core.types import shape_of
from ...kernels.solvers.roots import WITH_JACOBIAN
from ...library.shape.movement import reshape
from .scalar_roots import root_scalar
from .solving import require_convergence, slope_of, solve
from .unknowns import Unknowns, as_vector, tuple_of

Function = Callable[..., Any]


def root(
    fun: Function, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None,
    tol: float | None = None, callback: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """A root of a vector of equations: `scipy.optimize.root`, differentiable.

    `x` and `fun` of the result are functions of what `fun` depends on, captured or in `args`, by
    the implicit function theorem. `x0` may be a structure of arrays. Without `jac`, the solver gets
    the exact Jacobian.

    >>> a = dg.tensor([4.0, 9.0], requires_grad=True)
    >>> x = root(lambda x: x**2 - a, np.ones(2)).x
    >>> dg.autograd.grad(x.sum(), a)
    (tensor([0.2500, 0.1667]),)
    """
    args, unknowns = tuple_of(args), Unknowns(x0)
    value: Function = (lambda *xs: fun(*xs)[0]) if jac is True else fun
    functions = [lambda *xs: as_vector(value(*xs))] + ([jac] if callable(jac) else [])
    found = solve(
        "root", functions, unknowns, args,
        run=lambda bodies: (bodies[0], *(jacobians(bodies) if method in WITH_JACOBIAN else ())),
        equations=lambda bodies: bodies[0],
        options={"method": method, "tol": tol, "options": options, "callback": callback},
    )  # fmt: skip
    return found.result(lambda x: value(x, *args))


def jacobians(bodies: Any) -> Any:
    """The Jacobian as the user gives it, or else the exact one."""
    return bodies[1:] or [bodies[0].jacobian()]


def newton(
    func: Function, x0: Any, fprime: Any = None, args: Any = (), tol: float = 1.48e-08,
    maxiter: int = 50, fprime2: Any = None, x1: Any = None, rtol: float = 0.0,
    full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """Roots of an equation for each entry of `x0`, by Newton's method, or Halley's with `fprime2`.

    As `scipy.optimize.newton`, differentiable; derivatives that are not given are exact ones, so
    that the secant method is used only where `x1` is given.

    >>> newton(lambda x, a: x**2 - a, np.ones(2), args=(np.array([4.0, 9.0]),))
    array([2., 3.])
    """
    if x1 is not None:
        found = root_scalar(func, args=args, method="secant", x0=x0, x1=x1, xtol=tol, rtol=rtol,
                            maxiter=maxiter)  # fmt: skip
        return (found.root, found) if full_output else found.root
    shape, unknowns = shape_of(x0), Unknowns(x0)
    entries: Any = lambda f: lambda v, *others: as_vector(f(reshape(v, shape=shape), *others))
    given = [f for f in (fprime, fprime2) if callable(f)]
    functions = [entries(f) for f in (func, *given)]

    def run(bodies: Any) -> Any:
        slopes = list(bodies[1:])
        while len(slopes) < 2:
            slopes.append([bodies[0], *slopes][-1].composed(slope_of))
        return (bodies[0], *slopes[: 2 if fprime2 else 1])

    found = solve(
        "newton", functions, unknowns, tuple_of(args), run, lambda bodies: bodies[0],
        {"tol": tol, "maxiter": maxiter, "rtol": rtol, "halley": bool(fprime2)}, by="entries",
    )  # fmt: skip
    if disp:
        require_convergence(found, "newton", f"not all roots within {maxiter} steps")
    x = reshape(found.vector, shape=shape)
    if not full_output:
        return x[()] if type(x) in PLAIN else x
    report = found.report
    facts = (report.converged, report.zero_der) if report else (found.facts["success"], None)
    return x, *facts
