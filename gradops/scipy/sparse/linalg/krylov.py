"""Linear equations solved by products alone: SciPy's Krylov methods, with derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ....core.op import PLAIN
from ....core.types import shape_of
from ....kernels.solvers.krylov import Method
from ....library.shape.movement import reshape
from ....transforms.closing import close, first_holder
from ...optimize.solving import solve
from ...optimize.unknowns import Unknowns, as_vector
from ..arrays import SparseArray
from .operators import LinearOperator, preconditioner, product

Function = Callable[..., Any]


def method(name: str, doc: str) -> Function:
    """A method by SciPy's name: (x, info) for A x = b."""

    def solve_by(
        A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, M: Any = None, callback: Any = None,
        **options: Any,
    ) -> tuple[Any, Any]:  # fmt: skip
        given = {"rtol": rtol, "callback": callback, **options}
        if is_plain(A, b):
            from scipy.sparse import linalg

            m = preconditioner(M, len(b))
            return getattr(linalg, name)(of_scipy(A, len(b)), b, x0, M=m, **given)
        known = {k: v for k, v in given.items() if v is not None}
        return solution(A, b, x0, Method(name, known, preconditioner(M, shape_of(b)[0])))

    solve_by.__name__ = solve_by.__qualname__ = name
    solve_by.__doc__ = f"""{doc}

    `A` is a matrix, a sparse array, a `LinearOperator`, or a function of a vector; the result is
    the solution and 0, or the number of iterations that were not enough, as of SciPy's `{name}`.
    The solution is a function of `b`, and of all that `A` reads, with derivatives of any order,
    which are solutions of the transposed equations by the same method, with the transposed
    preconditioner. One that did not converge warns when its derivative is taken.

    >>> x, info = {name}(np.diag([1.0, 2.0]), np.ones(2))
    >>> x.round(6), info
    (array([1. , 0.5]), 0)
    """
    return solve_by


def solution(a: Any, b: Any, x0: Any, how: Method) -> tuple[Any, Any]:
    """The solution and what SciPy says of it, as functions of all operands."""
    apply, shape = product(a, how.is_symmetric), shape_of(b)
    b = reshape(b, shape=(-1,)) if len(shape) != 1 else b
    start = np.zeros(shape_of(b)) if x0 is None else x0
    times: Function = lambda xs: as_vector(apply(xs[0]))
    residual: Function = lambda xs: times(xs) - b
    found = solve(
        "krylov", [times, residual], Unknowns([start]), (), lambda bodies: bodies,
        lambda bodies: bodies[1], {"method": how}, by=how,
    )  # fmt: skip
    x = found.structure[0]
    info = 1 - found.facts["success"] * 1 if found.report is None else found.report.info
    return (x if len(shape) == 1 else reshape(x, shape=shape)), info


def is_function(a: Any) -> bool:
    """True for a function that is no matrix and no operator."""
    return callable(a) and not hasattr(a, "shape")


def is_plain(a: Any, b: Any) -> bool:
    """True if SciPy can solve by itself: nothing is seen to have derivatives."""
    if not (type(b) in PLAIN or isinstance(b, list | tuple)):
        return False
    if is_function(a) or isinstance(a, LinearOperator):
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
