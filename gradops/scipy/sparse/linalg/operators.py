"""Linear operators: matrices, sparse ones, functions of vectors, on all operands."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ....core.errors import OptionError, ShapeError
from ....core.op import PLAIN
from ....core.types import shape_of
from ....library.linalg.contraction import matmul
from ....library.sparse.operators import operator_product
from ....library.sparse.products import is_sparse, of_scipy, sparse_matmul
from ....transforms.layers import constant
from ..arrays import SparseArray

Function = Callable[..., Any]


class LinearOperator:
    """A linear map of vectors, by a function of any operands: as SciPy's class of this name.

    `matvec` may read tensors or expressions, by which solutions then have derivatives.

    >>> double = LinearOperator((2, 2), matvec=lambda v: 2.0 * v)
    >>> double @ np.ones(2)
    array([2., 2.])
    """

    def __init__(
        self, shape: tuple[int, int], matvec: Function, rmatvec: Function | None = None,
        matmat: Function | None = None, dtype: Any = None, rmatmat: Function | None = None,
    ) -> None:  # fmt: skip
        self.shape, self.matvec, self.rmatvec, self.dtype = tuple(shape), matvec, rmatvec, dtype

    def __matmul__(self, x: Any) -> Any:
        return self.matvec(x)

    dot = __call__ = __matmul__

    def __repr__(self) -> str:
        return f"<linear operator of {self.shape[0]} x {self.shape[1]}>"


def product(a: Any, is_symmetric: bool = False) -> Function:
    """The function x -> A x of a matrix, a sparse array, an operator, or a function."""
    if isinstance(a, LinearOperator):
        return a.matvec
    if isinstance(a, SparseArray):
        return lambda x: a @ x
    if is_sparse(a):
        return sparse_product(a)
    if is_of_scipy(a):
        return lambda x: operator_product(x, operator=a, is_symmetric=is_symmetric)
    if callable(a) and not hasattr(a, "shape"):
        return a
    matrix = np.asarray(a) if type(a) in PLAIN or isinstance(a, list | tuple) else a
    if len(shape_of(matrix)) != 2:
        raise ShapeError("linear solve", [str(shape_of(matrix))], "A is a matrix or an operator")
    return lambda x: matmul(matrix, x)


def sparse_product(a: Any) -> Function:
    """The function x -> A x of one of SciPy's sparse arrays."""
    data, pattern = of_scipy(a)
    return lambda x: a @ x if type(x) in PLAIN else sparse_matmul(data, x, pattern=pattern)


def preconditioner(m: Any, n: Any) -> Any:
    """A preconditioner as SciPy takes it: of operands with derivatives their values alone."""
    if m is None or is_sparse(m) or is_of_scipy(m) or type(m) in PLAIN:
        return m
    from scipy.sparse import linalg

    if isinstance(m, SparseArray):
        return m.pattern.matrix(known(m.data))
    if hasattr(m, "gradop_level"):
        return known(m)
    back = m.rmatvec if isinstance(m, LinearOperator) else None
    forth, back = (f and on_arrays(f) for f in (product(m), back))
    return linalg.LinearOperator((n, n), forth, back, dtype=np.float64)


def on_arrays(f: Function) -> Function:
    """A function of vectors on arrays of any shape."""
    return lambda v: known(f(np.ravel(v)))


def known(x: Any) -> np.ndarray:
    """The value of an operand; raises OptionError for an expression."""
    x = constant(x)
    if type(x) in PLAIN:
        return np.asarray(x)
    raise OptionError(
        "linear solve", [], "a preconditioner has values that are known when the graph is built",
        hint="make it of arrays: it changes how fast the solution is found, and not the solution",
    )  # fmt: skip


def is_of_scipy(a: Any) -> bool:
    """True for SciPy's linear operators."""
    return hasattr(a, "matvec") and type(a).__module__.startswith("scipy")


def aslinearoperator(a: Any) -> LinearOperator:
    """A matrix, a sparse array or an operator as a `LinearOperator`.

    >>> aslinearoperator(np.eye(2)).shape
    (2, 2)
    """
    return a if isinstance(a, LinearOperator) else LinearOperator(a.shape, product(a))
