"""Linear equations solved by products alone: SciPy's Krylov methods, with derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ....core.levels import clock
from ....core.op import PLAIN
from ....core.types import shape_of
from ....library.shape.movement import reshape
from ....transforms.closing import first_holder
from ...optimize.solving import solve
from ...optimize.unknowns import Unknowns, as_vector
from ..arrays import SparseArray
from .operators import LinearOperator, product

Function = Callable[..., Any]


class Krylov:
    """A run of one of SciPy's methods, as the solver of an op: on arrays, with products of A."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name, self.options, self.number = name, options, next(clock)
        self.tol, self.info = 0.0, 0

    def __call__(self, f: Any, x: np.ndarray, others: Any) -> np.ndarray:
        """The solution of f(x) = 0 for a function that is linear but for a constant."""
        from scipy.sparse import linalg

        def at(v: np.ndarray) -> np.ndarray:
            return np.asarray(f(np.ravel(v), [], others))

        right = -at(np.zeros_like(x))
        operator = linalg.LinearOperator((x.size, x.size), lambda v: at(v) + right, dtype=float)
        found, self.info = getattr(linalg, self.name)(operator, right, x0=x, **self.options)
        sizes = [max(1.0, float(np.linalg.norm(v))) for v in (right, found)]
        self.tol = 10 * max(self.options.get("rtol", 1e-5), 1e-10) * sizes[0] / sizes[1]
        return np.asarray(found)

    def __repr__(self) -> str:
        return f"<{self.name}, call {self.number}>"


def method(name: str, doc: str) -> Function:
    """A method by SciPy's name: (x, info) for A x = b."""

    def solve_by(
        A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, M: Any = None, callback: Any = None,
        **options: Any,
    ) -> tuple[Any, Any]:  # fmt: skip
        if is_plain(A, b):
            from scipy.sparse import linalg

            a = of_scipy(A, len(b))
            return getattr(linalg, name)(a, b, x0, rtol=rtol, M=M, callback=callback, **options)
        apply, shape = product(A), shape_of(b)
        b = reshape(b, shape=(-1,)) if len(shape) != 1 else b
        given = {"rtol": rtol, "M": M, "callback": callback, **options}
        run = Krylov(name, {k: v for k, v in given.items() if v is not None})
        start = np.zeros(shape_of(b)) if x0 is None else x0
        found = solve(
            "custom", [lambda xs: as_vector(apply(xs[0])) - b], Unknowns([start]), (),
            lambda bodies: bodies[:1], lambda bodies: bodies[0], {"call": run}, by="products",
        )  # fmt: skip
        x = found.structure[0]
        info = run.info if found.report is not None else 1 - found.facts["success"] * 1
        return (x if len(shape) == 1 else reshape(x, shape=shape)), info

    solve_by.__name__ = solve_by.__qualname__ = name
    solve_by.__doc__ = f"""{doc}

    `A` is a matrix, a sparse array, a `LinearOperator`, or a function of a vector; the result is
    the solution and 0, or the number of iterations that were not enough, as of SciPy's `{name}`.
    The solution is a function of `b`, and of all that `A` reads, with derivatives of any order,
    which are solutions of the transposed equations by products alone.

    >>> x, info = {name}(np.diag([1.0, 2.0]), np.ones(2))
    >>> x.round(6), info
    (array([1. , 0.5]), 0)
    """
    return solve_by


def is_function(a: Any) -> bool:
    """True for a function that is no matrix and no operator."""
    return callable(a) and not hasattr(a, "shape")


def is_plain(a: Any, b: Any) -> bool:
    """True if SciPy can solve by itself: nothing is seen to have derivatives."""
    if not (type(b) in PLAIN or isinstance(b, list | tuple)):
        return False
    if is_function(a) or isinstance(a, LinearOperator):
        from ....transforms.closing import close

        apply = product(a)
        closed = close(lambda v: as_vector(apply(v)), (np.zeros(len(b)),))
        return first_holder(closed.operands) is None and all(
            type(x) in PLAIN for x in closed.operands
        )
    return not isinstance(a, SparseArray) and (type(a) in PLAIN or not hasattr(a, "gradop_level"))


def of_scipy(a: Any, n: int) -> Any:
    """What SciPy takes for a matrix, one of our operators, or a function."""
    if not (is_function(a) or isinstance(a, LinearOperator)):
        return a
    from scipy.sparse import linalg

    return linalg.LinearOperator((n, n), product(a), dtype=np.float64)


cg = method("cg", "Conjugate gradients, for a matrix that is symmetric and positive definite.")
gmres = method("gmres", "The generalised minimal residual method, for any matrix.")
bicgstab = method("bicgstab", "Stabilised biconjugate gradients, for any matrix.")
cgs = method("cgs", "Conjugate gradients squared, for any matrix.")
minres = method("minres", "The minimal residual method, for a symmetric matrix.")
lgmres = method("lgmres", "The generalised minimal residual method with vectors of former cycles.")
tfqmr = method("tfqmr", "The quasi-minimal residual method without the transposed matrix.")
