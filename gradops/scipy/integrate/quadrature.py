"""Integrals of functions: adaptive ones by QUADPACK, and one of a fixed number of points."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.op import PLAIN
from ...library.index.indexing import index
from ...library.reduce.reduction import sum
from ...library.shape.movement import reshape
from ...library.solvers.integrals import integral
from ...transforms.bodies import is_traced
from ...transforms.closing import close
from ...transforms.layers import constant
from ..optimize.unknowns import as_number, pairs, strong, tuple_of

Function = Callable[..., Any]


def quad(
    func: Function, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8, limit: int = 50, points: Any = None, weight: Any = None,
    wvar: Any = None, wopts: Any = None, maxp1: int = 50, limlst: int = 50,
    complex_func: bool = False,
) -> Any:  # fmt: skip
    """The integral of func(x, *args) from a to b, and an estimate of its error: as SciPy's `quad`.

    The integral is a function of the limits, of `args` and of what `func` captures, with
    derivatives of any order, which are integrals as well. Limits may be infinite. Where nothing has
    a derivative, SciPy's result is returned as it is. An integral that is not as exact as asked for
    warns. Raises OptionError for a weight, or a complex function, where something has a derivative.

    >>> value, _ = quad(lambda x, k: np.exp(-k * x * x), 0, np.inf, args=(2.0,))
    >>> bool(abs(value - 0.5 * np.sqrt(np.pi / 2)) < 1e-12)
    True
    """
    args = tuple_of(args)
    low, high = (reshape(strong(x), shape=()) for x in (a, b))
    if weight is None and not complex_func:
        closed = close(lambda x, *more: reshape(as_number(func(x, *more)), shape=(1,)),
                       (sample_of(low, high), *args))  # fmt: skip
        x, *others = closed.operands
        xs = [x.__gradop_lift__(low) if is_traced(x) and type(low) in PLAIN else low, high, *others]
    else:
        xs = [low, high, *args]
    if all(type(x) in PLAIN for x in xs) and (weight or complex_func or closed.like is None):
        from scipy import integrate

        return integrate.quad(func, a, b, args, full_output, epsabs, epsrel, limit, points, weight,
                              wvar, wopts, maxp1, limlst, complex_func)  # fmt: skip
    if weight is not None or complex_func or full_output:
        raise OptionError(
            "quad", [], "derivatives are of real integrals without a weight, and no full_output",
            hint="multiply the function by the weight; integrate real and imaginary parts apart",
        )  # fmt: skip
    options = pairs({"epsabs": epsabs, "epsrel": epsrel, "limit": limit, "points": points})
    found = integral(*xs, functions=(closed.body,), size=1, options=options)
    return closed.alike(index(found, 0)), closed.alike(index(found, 1))


def sample_of(low: Any, high: Any) -> float:
    """A point between limits, at which a function can be called."""
    known = [constant(x) for x in (low, high)]
    ends = [float(x) for x in known if type(x) in PLAIN and np.isfinite(x)]
    if len(ends) == 1:  # the other one is infinite, or an expression
        return ends[0] + 1.0 if type(known[0]) in PLAIN and np.isfinite(known[0]) else ends[0] - 1.0
    return 0.5 * (ends[0] + ends[1]) if ends else 0.5


def dblquad(
    func: Function, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> Any:  # fmt: skip
    """The integral of func(y, x, *args) over x from a to b, and y from gfun(x) to hfun(x).

    With derivatives as `quad` has them. Limits of y are functions of x, or numbers.

    >>> value, _ = dblquad(lambda y, x: x * y, 0, 2, 0, 1)
    >>> bool(abs(value - 1.0) < 1e-12)
    True
    """
    args = tuple_of(args)
    options: dict[str, Any] = {"epsabs": epsabs, "epsrel": epsrel}

    def inner(x: Any, *more: Any) -> Any:
        low, high = (f(x) if callable(f) else f for f in (gfun, hfun))
        return quad(lambda y, *each: func(y, *each), low, high, (x, *more), **options)[0]

    return quad(inner, a, b, args, **options)


def tplquad(
    func: Function, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (),
    epsabs: float = 1.49e-8, epsrel: float = 1.49e-8,
) -> Any:  # fmt: skip
    """The integral of func(z, y, x, *args): x from a to b, y from gfun(x) to hfun(x), z in between.

    Limits of z are functions qfun(x, y) and rfun(x, y), or numbers. With derivatives as `quad`.

    >>> value, _ = tplquad(lambda z, y, x: x * y * z, 0, 1, 0, 1, 0, 2)
    >>> bool(abs(value - 0.5) < 1e-12)
    True
    """
    options: dict[str, Any] = {"epsabs": epsabs, "epsrel": epsrel}

    def inner(y: Any, x: Any, *more: Any) -> Any:
        low, high = (f(x, y) if callable(f) else f for f in (qfun, rfun))
        return quad(lambda z, *each: func(z, *each), low, high, (y, x, *more), **options)[0]

    return dblquad(inner, a, b, gfun, hfun, args, **options)


def fixed_quad(func: Function, a: Any, b: Any, args: Any = (), n: int = 5) -> tuple[Any, None]:
    """The integral of func(x, *args) from a to b by the rule of Gauss and Legendre, and None.

    `func` takes all n points at once, as for SciPy. The limits are finite.

    >>> round(float(fixed_quad(lambda x: x**3, 0.0, 2.0, n=2)[0]), 12)
    4.0
    """
    for limit in (a, b):
        known = constant(limit)
        if np.ndim(known) == 0 and type(known) in PLAIN and np.isinf(known):
            raise OptionError("fixed_quad", [], "the limits are finite", hint="quad takes others")
    roots, weights = np.polynomial.legendre.leggauss(n)
    points = (b - a) * (roots + 1) / 2.0 + a
    return (b - a) / 2.0 * sum(weights * func(points, *tuple_of(args)), axis=-1), None
