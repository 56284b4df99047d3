"""Functions in the form that SciPy's solvers take, with derivatives. SciPy is not imported.

Note [One vector]. SciPy's solvers work on one vector of float64. `Packing` converts between the
vector and the structure that the user's function takes: arrays in lists, tuples, dicts and the
like, with tensors where `x0` has tensors. Derivatives are with respect to the vector.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import DTypeError, OptionError, ShapeError, TransformError
from ..core.op import PLAIN
from ..core.source_location import describe
from ..core.tracer_protocol import held
from ..core.tree import flatten, leaves_of, tree_map
from ..core.types import shape_of, type_of
from ..library.index.indexing import index
from ..library.reduce.reduction import sum
from ..library.shape.joining import concatenate
from ..library.shape.movement import reshape
from ..numpy_api.detach_checks import recording_detached
from ..typing import OperandLike

Function = Callable[..., Any]
CONSTANTS = (bool, int, float, np.number, np.bool_, np.ndarray)

GRADIENTS = {None, "cg", "bfgs", "l-bfgs-b", "tnc", "slsqp"}
PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}
HESSIANS = {"dogleg", "trust-exact"}
"""The methods of `minimize` by the derivatives they use: gradients, Hessian products, Hessians."""

ROOTS = {None, "hybr", "lm"}
"""The methods of `root` that use a Jacobian."""


@dataclass(frozen=True)
class Derivatives:
    """A package's transforms of functions of a vector: to run them, and to differentiate them.

    The transformed functions map arrays to arrays: `value(f)(x, *args)`, and likewise for the value
    with its gradient, the Hessian and the Jacobian; `product(f)(x, v, *args)` is the Hessian times
    `v`.
    """

    value: Callable[[Function], Function]
    value_and_gradient: Callable[[Function], Function]
    product: Callable[[Function], Function]
    hessian: Callable[[Function], Function]
    jacobian: Callable[[Function], Function]


class Packing:
    """A structure of arrays as one vector of float64. See Note [One vector]."""

    def __init__(self, x0: Any) -> None:
        if callable(x0):
            raise OptionError("scipy", [], "the function comes first, and then where to start")
        if isinstance(x0, list | tuple) and all(type(x) in PLAIN for x in leaves_of(x0)):
            x0 = np.asarray(x0) if not any(np.ndim(x) for x in leaves_of(x0)) else x0
        leaves, self.rebuild = flatten(x0)
        self.alike = [getattr(x, "__gradop_like__", as_it_is) for x in leaves]
        arrays = [np.asarray(held(x)) for x in leaves]
        for a in arrays:
            if a.dtype.kind not in "biuf":
                parts = "real and imaginary parts as two arrays"
                hint = parts if a.dtype.kind == "c" else "arrays, or lists, tuples, dicts of them"
                raise DTypeError("scipy", [type_of(a)], "SciPy's solvers move real numbers",
                                 hint=f"give {hint}")  # fmt: skip
        self.shapes = [a.shape for a in arrays]
        ends = np.cumsum([a.size for a in arrays])
        self.parts = [slice(int(n - a.size), int(n)) for n, a in zip(ends, arrays, strict=True)]
        flat = [np.ravel(a).astype(np.float64) for a in arrays]
        self.vector = np.concatenate(flat) if flat else np.empty(0)

    def unpack(self, x: Any) -> Any:
        """The vector `x` unpacked into the structure of the start point."""
        if self.shapes == [shape_of(x)]:
            return self.rebuild([self.alike[0](x)])
        pieces = zip(self.parts, self.shapes, self.alike, strict=True)
        return self.rebuild(
            [alike(reshape(index(x, part), shape=shape)) for part, shape, alike in pieces]
        )


def as_it_is(x: object) -> Any:
    """`x` itself: the pieces of a user's array stay arrays."""
    return x


class Arguments(dict[str, Any]):
    """Keyword arguments for one of SciPy's functions: `minimize(**arguments)`."""

    def __init__(self, packing: Packing, given: dict[str, Any]) -> None:
        super().__init__(given)
        self.packing = packing

    def unflatten(self, x: object) -> Any:
        """The structure, like `x0`, of the arrays in a vector such as `result.x`."""
        return tree_map(lambda a: a[()], self.packing.unpack(np.array(x, np.float64)))


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
        **others: object,
    ) -> Arguments:  # fmt: skip
        """The keyword arguments of `scipy.optimize.minimize`.

        The value comes with its gradient, in one pass. What of second derivatives the method uses
        comes too: `hessp`, or all of `hess`, which `hess=True` asks for where there is a choice.
        Without a method it then is trust-exact, or trust-constr where there are bounds.
        """
        packing = Packing(x0)
        if isinstance(others.get("bounds"), dict):
            raise OptionError(
                "scipy", [], "bounds are pairs for the entries of one vector, not a dict",
                hint="Bounds(0, 1) bounds all entries; pairs come in the order of the structure",
            )  # fmt: skip
        if hess and method is None:
            bounded = any(others.get(k) is not None for k in ("bounds", "constraints"))
            method = "trust-constr" if bounded else "trust-exact"
        one = scalar_valued(function_of_vector(f, packing))
        found = self.objective(one, method.lower() if isinstance(method, str) else method, hess)
        return Arguments(packing, found | solver_arguments(packing, args, method) | others)

    minimize = __call__

    def objective(self, f: Function, method: object, hess: bool) -> dict[str, Any]:
        """The function and the derivatives that a method of `minimize` uses."""
        d = self.derivatives
        second = method in PRODUCTS | HESSIANS or callable(method)
        if not second and method not in GRADIENTS:
            return {"fun": returning_float(d.value(f))}
        found = {"fun": returning_float_and_gradient(d.value_and_gradient(f)), "jac": True}
        if second and (hess or method in HESSIANS):
            return found | {"hess": returning_copy(d.hessian(f))}
        return found | {"hessp": directional_copy(d.product(f))} if second else found

    def least_squares(
        self, f: Function, x0: object, args: object = (), **others: object
    ) -> Arguments:
        """The keyword arguments of `scipy.optimize.least_squares`, for `f` that gives residuals."""
        packing = Packing(x0)
        found = self.residuals(vector_valued(function_of_vector(f, packing)))
        return Arguments(packing, found | solver_arguments(packing, args) | others)

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
        hess: bool = True, **others: object,
    ) -> Arguments:  # fmt: skip
        """The keyword arguments of `scipy.optimize.NonlinearConstraint`: lb <= f(x) <= ub.

        `x0` says what structure `f` takes. SLSQP and others do without `hess`.
        """
        packing = Packing(x0)
        bare = vector_valued(function_of_vector(f, packing))

        def bound(x: Any) -> Any:  # a constraint is given no arguments
            return bare(x, *args)

        found = self.residuals(bound) | {"lb": lb, "ub": ub}
        if hess:
            found["hess"] = directional_copy(
                self.derivatives.hessian(lambda x, v: sum(bound(x) * v))
            )
        return Arguments(packing, found | others)

    def residuals(self, f: Function) -> dict[str, Any]:
        """A function that gives a vector, and its Jacobian."""
        d = self.derivatives
        return {"fun": returning_copy(d.value(f)), "jac": returning_copy(d.jacobian(f))}

    def __repr__(self) -> str:
        return "<arguments for the solvers of scipy.optimize>"


def solver_arguments(packing: Packing, args: object, method: object = None) -> dict[str, Any]:
    """The start point of a solver and the arguments passed through to it."""
    found: dict[str, Any] = {"x0": packing.vector}
    args = args if isinstance(args, tuple) else (args,)
    return found | ({"args": args} if args else {}) | ({"method": method} if method else {})


def function_of_vector(f: Function, packing: Packing) -> Function:
    """`f` as a function of its first argument packed into one vector.

    Raises TransformError if `f` returns a plain number converted from a traced value: its gradient
    would be zero, and the solver would stop at its start point.
    """

    def call(x: object, *args: object) -> Any:
        with recording_detached() as cuts:
            found = f(packing.unpack(x), *args)
        if cuts and any(isinstance(y, CONSTANTS) for y in leaves_of(found)):
            raise TransformError(
                "the function gives a plain number, made of what is being differentiated at"
                f" {describe(cuts[0])}: its gradient would be zero"
                "\n  hint: return what functions of NumPy give, without float() or those of math"
            )
        return found

    return call


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
