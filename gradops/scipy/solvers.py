"""Functions in the form that SciPy's solvers take, with derivatives. SciPy is not imported.

See Note [One vector] in `arguments.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from ..core.errors import OptionError, ShapeError
from ..core.tree import leaves_of
from ..core.types import shape_of, type_of
from ..library.elementwise.arithmetic import square
from ..library.index.indexing import index
from ..library.reduce.reduction import sum
from ..library.shape.joining import concatenate
from ..library.shape.movement import reshape
from ..typing import OperandLike
from .arguments import Arguments, Packing
from .fits import FitSummary, band, fit_summary
from .plain_numbers import CONSTANTS, require_no_plain_numbers

Function = Callable[..., Any]
GRADIENTS = {None, "cg", "bfgs", "l-bfgs-b", "tnc", "slsqp"}
PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}
HESSIANS = {"dogleg", "trust-exact"}
"""The methods of `minimize` by the derivatives they use: gradients, Hessian products, Hessians."""

ROOTS = {None, "hybr", "lm"}
"""The methods of `root` that use a Jacobian."""

SPARSE = {"Radau", "BDF"}
STIFF = SPARSE | {"LSODA"}
"""The methods of `solve_ivp` that use a Jacobian, and those of which it may be sparse."""


@dataclass(frozen=True)
class Derivatives:
    """A package's transforms of functions of a vector: to run them, and to differentiate them.

    The transformed functions map arrays to arrays: `value(f)(x, *args)`, and likewise for the value
    with its gradient, the Hessian and the Jacobian; `product(f)(x, v, *args)` is the Hessian times
    `v`. `sparse_hessian` and `sparse_jacobian` give SciPy's CSR arrays.
    """

    value: Callable[[Function], Function]
    value_and_gradient: Callable[[Function], Function]
    product: Callable[[Function], Function]
    hessian: Callable[[Function], Function]
    jacobian: Callable[[Function], Function]
    sparse_hessian: Callable[[Function], Function]
    sparse_jacobian: Callable[[Function], Function]


class SciPy:
    """Arguments for SciPy's solvers, from a function; called itself, for `scipy.optimize.minimize`.

    In all of its methods `f` takes (x, *args), where x has the structure of `x0`: an array, or
    lists, tuples and dicts of arrays. It is a plain NumPy function, or one of this package. What
    the solvers see is one vector of float64; `unflatten(result.x)` of the arguments gives it back
    in the form of `x0`. Other keyword arguments are handed on.
    """

    def __init__(self, derivatives: Derivatives, doc: str) -> None:
        self.derivatives, self.__doc__ = derivatives, doc

    def __call__(
        self, f: Function, x0: object, args: object = (), method: object = None, hess: bool = False,
        sparse: bool = False, **others: object,
    ) -> Arguments:  # fmt: skip
        """The keyword arguments of `scipy.optimize.minimize`.

        The value comes with its gradient, in one pass. What of second derivatives the method uses
        comes too: `hessp`, or all of `hess`, which `hess=True` asks for where there is a choice.
        Without a method it then is trust-exact, or trust-constr where there are bounds. An
        objective with `__gradop_derivatives__`, such as that of `sg.distributed.value_and_grad`,
        computes its derivatives itself.
        `sparse=True` is for trust-constr, with a Hessian that is a CSR array.
        """
        packing = Packing(x0)
        if sparse:
            hess, method = True, method or "trust-constr"
            if str(method).lower() != "trust-constr":
                raise OptionError("scipy", [], f"{method!r} takes no sparse Hessian",
                                  hint="trust-constr does")  # fmt: skip
        if "backend" in others:
            raise OptionError("scipy", [], "SciPy's solvers take no backend",
                              hint="sg.set_default_backend('auto') before this call")  # fmt: skip
        if isinstance(others.get("bounds"), dict):
            raise OptionError(
                "scipy", [], "bounds are pairs for the entries of one vector, not a dict",
                hint="Bounds(0, 1) bounds all entries; pairs come in the order of the structure",
            )  # fmt: skip
        if hess and method is None:
            bounded = any(others.get(k) is not None for k in ("bounds", "constraints"))
            method = "trust-constr" if bounded else "trust-exact"
        one, solvers = scalar_valued(function_of_vector(f, packing)), self
        if (own := getattr(f, "__gradop_derivatives__", None)) is not None:
            one, solvers = f, SciPy(own(packing), "")
        name = method.lower() if isinstance(method, str) else method
        found = solvers.objective(one, name, hess, sparse)
        given = found | solver_arguments(packing, args, method) | others
        return Arguments(packing, given, returning_copy(solvers.derivatives.hessian(one)))

    minimize = __call__

    def objective(
        self, f: Function, method: object, hess: bool, sparse: bool = False
    ) -> dict[str, Any]:
        """The function and the derivatives that a method of `minimize` uses."""
        d = self.derivatives
        second = method in PRODUCTS | HESSIANS or callable(method)
        if not second and method not in GRADIENTS:
            return {"fun": returning_float(d.value(f))}
        found = {"fun": returning_float_and_gradient(d.value_and_gradient(f)), "jac": True}
        if sparse:
            return found | {"hess": at_double(d.sparse_hessian(f))}
        if second and (hess or method in HESSIANS):
            return found | {"hess": returning_copy(d.hessian(f))}
        return found | {"hessp": directional_copy(d.product(f))} if second else found

    def least_squares(
        self, f: Function, x0: object, args: object = (), sparse: bool = False, **others: object
    ) -> Arguments:
        """The keyword arguments of `scipy.optimize.least_squares`, for `f` that gives residuals.

        With `sparse=True` the Jacobian is a CSR array.
        """
        packing = Packing(x0)
        vector = vector_valued(function_of_vector(f, packing))
        given = self.residuals(vector, sparse) | solver_arguments(packing, args) | others
        half = self.derivatives.hessian(lambda x, *more: sum(square(vector(x, *more))) / 2)
        return Arguments(packing, given, returning_copy(half))

    def curve_fit(
        self, f: Function, xdata: Any, ydata: Any, p0: Any = None, **others: object
    ) -> "CurveFit":
        """The keyword arguments of `scipy.optimize.curve_fit`, for a model f(x, *parameters).

        Their `band(x, popt, pcov)` is the confidence band of the curve. `p0` is by default ones, as
        for SciPy.

        >>> from scipy.optimize import curve_fit
        >>> x = np.linspace(0, 1, 5)
        >>> problem = dg.scipy.curve_fit(lambda x, a, k: a * np.exp(-k * x), x, 2 * np.exp(-3 * x))
        >>> popt, pcov = curve_fit(**problem)
        >>> popt.round(6)
        array([2., 3.])
        >>> lower, upper = problem.band(x, popt, pcov)
        """
        count = parameters_of(f) if p0 is None else np.size(p0)
        packing = Packing(np.ones(count) if p0 is None else np.asarray(p0, np.float64))
        model = lambda p, x: f(x, *[index(p, k) for k in range(count)])
        curve = vector_valued(function_of_vector(model, packing))
        d = self.derivatives
        values, jacobian = returning_copy(d.value(curve)), returning_copy(d.jacobian(curve))
        given = {
            "f": lambda x, *p: values(p, x), "jac": lambda x, *p: jacobian(p, x),
            "xdata": xdata, "ydata": ydata, "p0": packing.vector,
        }  # fmt: skip
        return CurveFit(packing, given | others, values, jacobian)

    def solve_ivp(
        self, f: Function, t_span: Any, y0: object, method: Any = "RK45", args: object = (),
        sparse: bool = False, **others: object,
    ) -> Arguments:  # fmt: skip
        """The keyword arguments of `scipy.integrate.solve_ivp`, for y' = f(t, y, *args).

        The exact Jacobian by y comes with methods that use one, with `sparse=True` as a CSR array.
        `unflatten(result.y[:, -1])` has the structure of `y0`. To differentiate the solution, use
        `gradops.scipy.integrate.solve_ivp`.

        >>> problem = dg.scipy.solve_ivp(lambda t, y: -50 * y * y, (0, 1), [1.0], "Radau")
        >>> problem["jac"](0.0, [1.0])
        array([[-100.]])
        """
        packing = Packing(y0)
        of_state = vector_valued(function_of_vector(lambda y, t, *more: f(t, y, *more), packing))
        found = self.residuals(of_state, sparse)
        names = class_names(method)
        if sparse and not names & SPARSE:
            raise OptionError("scipy.solve_ivp", [], f"{method} takes no sparse Jacobian",
                              hint="Radau and BDF do")  # fmt: skip
        given = {"fun": swapped(found["fun"]), "t_span": t_span, "y0": packing.vector,
                 "method": method}  # fmt: skip
        if names & STIFF:
            given["jac"] = swapped(found["jac"])
        rest = solver_arguments(packing, args)
        del rest["x0"]
        return Arguments(packing, given | rest | others)

    def root(
        self, f: Function, x0: object, args: object = (), method: object = None, **others: object
    ) -> Any:
        """The keyword arguments of `scipy.optimize.root`, to find where `f` is zero."""
        packing = Packing(x0)
        found = self.residuals(vector_valued(function_of_vector(f, packing)))
        if (method.lower() if isinstance(method, str) else method) not in ROOTS:
            del found["jac"]
        return Arguments(packing, found | solver_arguments(packing, args, method) | others)

    def constraint(
        self, f: Function, x0: object, lb: OperandLike, ub: OperandLike, args: Any = (),
        hess: bool = True, sparse: bool = False, **others: object,
    ) -> Arguments:  # fmt: skip
        """The keyword arguments of `scipy.optimize.NonlinearConstraint`: lb <= f(x) <= ub.

        `x0` says what structure `f` takes. SLSQP and others do without `hess`. With `sparse=True`
        Jacobian and Hessian are CSR arrays.
        """
        packing = Packing(x0)
        bare = vector_valued(function_of_vector(f, packing))

        def bound(x: Any) -> Any:  # a constraint is given no arguments
            return bare(x, *args)

        found = self.residuals(bound, sparse) | {"lb": lb, "ub": ub}
        if hess:
            weighted = lambda x, v: sum(bound(x) * v)
            d = self.derivatives
            found["hess"] = (
                at_double(d.sparse_hessian(weighted)) if sparse
                else directional_copy(d.hessian(weighted))
            )  # fmt: skip
        return Arguments(packing, found | others)

    NonlinearConstraint = constraint

    @staticmethod
    def fit_summary(result: Any, problem: Arguments | None = None) -> FitSummary:
        """See `gradops.scipy.fits.fit_summary`."""
        return fit_summary(result, problem)

    def residuals(self, f: Function, sparse: bool = False) -> dict[str, Any]:
        """A function that gives a vector, and its Jacobian."""
        d = self.derivatives
        jacobian = at_double(d.sparse_jacobian(f)) if sparse else returning_copy(d.jacobian(f))
        return {"fun": returning_copy(d.value(f)), "jac": jacobian}

    def __repr__(self) -> str:
        return "<arguments for the solvers of scipy.optimize>"


def parameters_of(f: Function) -> int:
    """The number of parameters of a model f(x, *parameters); OptionError if it does not tell."""
    found = list(signature(f).parameters.values())[1:]
    if not found or any(p.kind is p.VAR_POSITIONAL for p in found):
        raise OptionError("curve_fit", [], "how many parameters there are is not known",
                          hint="give p0")  # fmt: skip
    return len(found)


class CurveFit(Arguments):
    """The keyword arguments of `scipy.optimize.curve_fit`, and bands around what it finds."""

    def __init__(
        self, packing: Packing, given: dict[str, Any], values: Function, jacobian: Function
    ) -> None:
        super().__init__(packing, given)
        self.values_at, self.jacobian_at = values, jacobian

    def band(
        self, x: Any, popt: Any, pcov: Any, level: float = 0.95
    ) -> tuple[np.ndarray, np.ndarray]:
        """The lower and upper ends of the curve's confidence band at `x`, by the delta method.

        It is that of the curve, not of new observations. Raises OptionError for a level that is not
        between 0 and 1.
        """
        values, slopes = self.values_at(popt, x), self.jacobian_at(popt, x)
        return band(values, slopes, pcov, level)


def class_names(method: Any) -> set[str]:
    """The name of a method of `solve_ivp`, or those of a class and of what it is derived from."""
    return {method} if isinstance(method, str) else {c.__name__ for c in method.__mro__}


def swapped(f: Function) -> Function:
    """A function of state and time, as one of time and state."""
    return lambda t, y, *args: f(y, t, *args)


def at_double(f: Function) -> Function:
    """`f` at vectors in float64, with what it gives as it is."""
    return lambda x, *args: f(double(x), *map(np.asarray, args))


def solver_arguments(packing: Packing, args: object, method: object = None) -> dict[str, Any]:
    """The start point of a solver and the arguments passed through to it."""
    found: dict[str, Any] = {"x0": packing.vector}
    args = args if isinstance(args, tuple) else (args,)
    return found | ({"args": args} if args else {}) | ({"method": method} if method else {})


def function_of_vector(f: Function, packing: Packing) -> Function:
    """`f` as a function of its first argument packed into one vector.

    Raises TransformError if the result is or depends on a plain number converted from a traced
    value: its gradient would be zero, and the solver would stop at a wrong point.
    """
    harmless: set[Any] = set()
    bare = lambda x, *args: f(packing.unpack(x), *args)
    return lambda x, *args: require_no_plain_numbers(bare, harmless, x, *args)


def scalar_valued(f: Function) -> Function:
    """`f` with a scalar result; an array of one entry is reshaped. Raises ShapeError for others."""

    def call(x: object, *args: object) -> Any:
        y = connect_to_input(f(x, *args), x)
        shape = shape_of(y)
        if any(n != 1 for n in shape):
            raise ShapeError(
                "minimize", [type_of(y)], "the function returned more than one number",
                hint="sum it, or give residuals to scipy.least_squares(f, x0)",
            )  # fmt: skip
        return reshape(y, shape=()) if shape else y

    return call


def connect_to_input(y: Any, x: Any) -> Any:
    """`y` as a function of `x` with gradient zero, if it is a constant."""
    return y + sum(index(x, slice(0, 0))) if isinstance(y, CONSTANTS) else y


def vector_valued(f: Function) -> Function:
    """`f` with the leaves of its result concatenated into one vector."""

    def call(x: object, *args: object) -> Any:
        found = [reshape(connect_to_input(y, x), shape=(-1,)) for y in leaves_of(f(x, *args))]
        return found[0] if len(found) == 1 else concatenate(found)

    return call


def returning_copy(f: Function) -> Function:
    """`f` with a float64 copy of its result, because solvers write into the arrays they get."""
    return lambda x, *args: np.array(f(double(x), *args), np.float64)


def directional_copy(f: Function) -> Function:
    """`returning_copy` for a function of two vectors."""
    return lambda x, v, *args: np.array(f(double(x), double(v), *args), np.float64)


def double(x: object) -> Any:
    """`x` in float64, because SciPy probes functions with integers."""
    return np.asarray(x, np.float64)


def returning_float(f: Function) -> Function:
    """`f` with its result converted to a Python float."""
    return lambda x, *args: float(f(double(x), *args))


def returning_float_and_gradient(f: Function) -> Function:
    """`f`, which returns a value and a gradient, with a Python float and a float64 copy."""

    def call(x: object, *args: object) -> tuple[float, Any]:
        value, gradient = f(double(x), *args)
        return float(value), np.array(gradient, np.float64)

    return call
