"""Functions for SciPy's solvers, with derivatives by the tape."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gradops.core.tree import tree_map
from gradops.scipy.solvers import Derivatives, SciPy
from gradops.typing import Function

from ..engine.array import Array
from ..engine.grad_mode import no_grad
from ..engine.handle import Handle, detach, hold
from ..engine.tensor import as_tensor
from .jacobians import hessian, hvp, jacfwd, jacrev
from .reverse import value_and_grad


def value(f: Function) -> Function:
    """The values of `f`, without a tape."""

    def call(x: Any, *args: object) -> Any:
        with no_grad():
            return as_tensor(f(hold(Array, x), *args)).value

    return call


def jacobian(f: Function) -> Function:
    """The Jacobian of `f`, by columns or by rows, whichever are fewer."""
    by_columns, by_rows, values = jacfwd(f), jacrev(f), value(f)
    shorter: list[Function] = []

    def call(x: Any, *args: object) -> Any:
        if not shorter:
            shorter.append(by_columns if x.size <= np.size(values(x, *args)) else by_rows)
        return shorter[0](x, *args)

    return call


def of_array(f: Function) -> Function:
    """`f` as solvers call it: results that still depend on tensors leave these behind."""
    return lambda *xs: tree_map(bare, f(*xs))


def bare(x: Any) -> Any:
    """The value of a tensor."""
    return detach(x).value if isinstance(x, Handle) else x


def sparse(name: str) -> Callable[[Function], Function]:
    """A sparse derivative, which is imported when it is asked for."""

    def transform(f: Function) -> Function:
        from .. import sparse

        result: Function = getattr(sparse, name)(f)
        return result

    return transform


scipy = SciPy(
    Derivatives(
        value=value,
        value_and_gradient=lambda f: of_array(value_and_grad(f)),
        product=lambda f: of_array(hvp(f)),
        hessian=lambda f: of_array(hessian(f)),
        jacobian=lambda f: of_array(jacobian(f)),
        sparse_hessian=sparse("sparse_hessian"),
        sparse_jacobian=sparse("sparse_jacobian"),
    ),
    """The keyword arguments of `scipy.optimize.minimize` for a function and where to start.

    `dg.scipy.least_squares`, `root`, `curve_fit`, `solve_ivp` and `NonlinearConstraint` give those
    of what has these names, `fit_summary` the standard errors of a result.

    The function is a plain NumPy function, or one of
    tensors; its argument may be a structure of arrays. See `gradops.scipy.solvers.SciPy`.

    >>> start = {"a": np.zeros(2), "b": 3.0}
    >>> problem = dg.scipy(lambda p: np.sum((p["a"] - 1) ** 2) + (p["b"] - 2) ** 2, start)
    >>> sorted(problem), problem["fun"](problem["x0"])
    (['fun', 'jac', 'x0'], (3.0, array([-2., -2.,  2.])))
    >>> from scipy.optimize import minimize
    >>> problem.unflatten(minimize(**problem).x.round(6))
    {'a': array([1., 1.]), 'b': np.float64(2.0)}
    """,
)
