"""Roots of one equation of one unknown."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.op import PLAIN
from ...kernels.solvers.scalar_roots import BRACKETING
from ...library.index.indexing import index
from ...library.shape.movement import reshape
from ...transforms.layers import constant
from .solving import Solved, slope_of, solve
from .unknowns import Unknowns, as_number, tuple_of

Function = Callable[..., Any]


def root_scalar(
    f: Function, args: Any = (), method: str | None = None, bracket: Any = None,
    fprime: Any = None, fprime2: Any = None, x0: Any = None, x1: Any = None,
    xtol: float | None = None, rtol: float | None = None, maxiter: int | None = None,
    options: Any = None,
) -> Any:  # fmt: skip
    """A root of a function of one number: `scipy.optimize.root_scalar`, differentiable.

    `root` of the result is a function of what `f` depends on. With `x0` alone the method is
    Newton's, with the exact derivative; "halley" has an exact second one.

    >>> a = dg.tensor(8.0, requires_grad=True)
    >>> x = root_scalar(lambda x: x**3 - a, bracket=(0.0, 5.0)).root
    >>> dg.autograd.grad(x, a)
    (tensor(0.0833),)
    """
    given = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, **(options or {})}
    found = solve_one(f, tuple_of(args), method, bracket, fprime, fprime2, x0, x1, given)
    return as_root_results(found)


def solve_one(
    f: Function, args: tuple[Any, ...], method: str | None, bracket: Any, fprime: Any,
    fprime2: Any, x0: Any, x1: Any, options: dict[str, Any],
) -> Solved:  # fmt: skip
    """The root of one equation."""
    if bracket is None and x0 is None:
        raise ValueError("root_scalar needs a bracket or x0, where to start")
    default = "brentq" if bracket is not None else "secant" if x1 is not None else "newton"
    method = method or ("halley" if fprime2 and bracket is None else default)
    ends = bracket if method in BRACKETING else (x0, x0 if x1 is None else x1)
    if ends is None:
        raise ValueError(f"root_scalar: method {method!r} needs a bracket")
    a, b = (as_number(constant(x)) for x in ends)
    given = [g for g in (fprime, fprime2) if callable(g)]
    value: Function = (lambda *xs: f(*xs)[0]) if fprime is True else f

    def run(bodies: Any) -> Any:
        functions = list(bodies)
        while len(functions) < 3:
            functions.append(functions[-1].composed(slope_of))
        return functions[: {"newton": 2, "halley": 3}.get(method, 1)]

    return solve(
        "root_scalar", [of_entry(g) for g in (value, *given)], Unknowns(reshape(a, shape=(1,))),
        args, run, lambda bodies: bodies[0],
        {"method": method, "second": x1 is not None, **options}, (a, b), by="entries",
    )  # fmt: skip


def of_entry(f: Function) -> Function:
    """A function of a number as one of vectors of one entry."""
    return lambda v, *others: reshape(as_number(f(index(v, 0), *others)), shape=(1,))


def as_root_results(found: Solved) -> Any:
    """SciPy's RootResults, whose root is differentiable."""
    from scipy.optimize import RootResults

    x = index(found.vector, 0)
    x = float(x) if type(x) in PLAIN else x
    if (report := found.report) is not None:
        report.root = x
        return report
    facts = found.facts
    result = RootResults(x, facts["nit"], facts["nfev"], 0, "")
    result.converged, result.flag = facts["success"], "known when the graph runs"
    return result


def by_bracket(method: str) -> Function:
    """The function of SciPy's that is called as a method of `root_scalar`."""

    def find(
        f: Function, a: Any, b: Any, args: Any = (), xtol: float = 2e-12,
        rtol: float = 4 * np.finfo(float).eps, maxiter: int = 100, full_output: bool = False,
        disp: bool = True,
    ) -> Any:  # fmt: skip
        options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter}
        found = as_root_results(
            solve_one(f, tuple_of(args), method, (a, b), None, None, None, None, options)
        )
        if disp and found.converged is False:
            raise RuntimeError(f"{method} failed to converge after {maxiter} iterations")
        return (found.root, found) if full_output else found.root

    find.__name__ = find.__qualname__ = method
    find.__doc__ = (
        f"A root between `a` and `b`, where `f` has different signs: `scipy.optimize.{method}`.\n\n"
        "    The root is a differentiable function of what `f` depends on.\n    "
    )
    return find


bisect, brentq, brenth, ridder = map(by_bracket, ("bisect", "brentq", "brenth", "ridder"))


def toms748(
    f: Function, a: Any, b: Any, args: Any = (), k: int = 1, xtol: float = 2e-12,
    rtol: float = 4 * np.finfo(float).eps, maxiter: int = 100, full_output: bool = False,
    disp: bool = True,
) -> Any:  # fmt: skip
    """A root between `a` and `b` by algorithm 748: `scipy.optimize.toms748`, differentiable.

    >>> float(toms748(lambda x: x**2 - 4.0, 0.0, 5.0))
    2.0
    """
    return by_bracket("toms748")(f, a, b, args, xtol, rtol, maxiter, full_output, disp)
