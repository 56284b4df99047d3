"""Functions for SciPy's solvers: an executable for each kind of derivative that they ask for."""

from collections.abc import Callable
from typing import Any

from gradops import flatten
from gradops.scipy.solvers import Derivatives, SciPy

from .functions.traced_function import function
from .transform import forward
from .transform.jacobian import jacobian, jacobian_by_columns
from .transform.reverse import gradients

Function = Callable[..., Any]


def compile_once(fn: Function) -> Function:
    """Decorate a function to be compiled at its first call with vectors alone, of fixed types."""
    traced = function(fn)
    compiled: list[Any] = []

    def call(*vectors: Any) -> Any:
        if len(vectors) != fn.__code__.co_argcount:  # there are other arguments, of any kind
            return traced(*vectors)
        if not compiled:
            leaves, rebuild = flatten((vectors, {}))
            compiled.append(traced.concrete(leaves, rebuild, (vectors, {})))
        return compiled[0].run(vectors)

    return call


def value_and_gradient(f: Function) -> Function:
    """The value of `f` and its gradient, in one graph."""

    @compile_once
    def both(x: Any, *args: Any) -> Any:
        y = f(x, *args)
        return y, *gradients(y, x, unconnected="zero")

    return both


def product(f: Function) -> Function:
    """The Hessian of `f` times a vector."""

    @compile_once
    def times(x: Any, v: Any, *args: Any) -> Any:
        return forward.hvp(f(x, *args), x, v)[0]

    return times


def hessian(f: Function) -> Function:
    """The Hessian of `f`: forward over reverse, by columns, as the tape takes it."""

    @compile_once
    def square(x: Any, *args: Any) -> Any:
        (g,) = gradients(f(x, *args), x, unconnected="zero")
        assert g is not None
        return jacobian_by_columns(g, x)

    return square


def shorter_jacobian(y: Any, x: Any) -> Any:
    """The Jacobian of a vector, by columns or by rows, whichever are fewer."""
    more_rows = not isinstance(y.size, int) or x.size <= y.size
    return (jacobian_by_columns if more_rows else jacobian)(y, x)


def sparse(name: str) -> Callable[[Function], Function]:
    """A sparse derivative, which is imported when it is asked for."""

    def transform(f: Function) -> Function:
        from .sparse import functions

        result: Function = getattr(functions, name)(f)
        return result

    return transform


scipy = SciPy(
    Derivatives(
        value=function,
        value_and_gradient=value_and_gradient,
        product=product,
        hessian=hessian,
        jacobian=lambda f: function(lambda x, *args: shorter_jacobian(f(x, *args), x)),
        sparse_hessian=sparse("sparse_hessian"),
        sparse_jacobian=sparse("sparse_jacobian"),
    ),
    """The keyword arguments of `scipy.optimize.minimize` for a function and where to start.

    `sg.scipy.least_squares`, `root`, `curve_fit`, `solve_ivp` and `NonlinearConstraint` give those
    of what has these names, `fit_summary` the standard errors of a result.

    The function is a plain NumPy function, or one of
    expressions, and is traced to a graph for each kind of derivative that a solver asks for; its
    argument may be a structure of arrays. See `gradops.scipy.solvers.SciPy`.

    >>> problem = sg.scipy(lambda x: np.sum((x - 1) ** 2), np.zeros(2), method="trust-ncg")
    >>> problem["fun"](np.zeros(2)), problem["hessp"](np.zeros(2), np.ones(2))
    ((2.0, array([-2., -2.])), array([2., 2.]))
    >>> from scipy.optimize import minimize
    >>> minimize(**problem).x
    array([1., 1.])
    """,
)
