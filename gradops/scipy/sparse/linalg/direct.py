"""Linear equations with sparse matrices, solved by factors."""

from typing import Any

import numpy as np

from ....core.op import PLAIN
from ....core.types import shape_of
from ....library.shape.movement import reshape
from ....library.sparse.products import is_sparse, sparse_solve
from ..arrays import SparseArray, as_sparse


def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """The solution of A x = b for a sparse matrix: as `scipy.sparse.linalg.spsolve`.

    With derivatives by `b` and by the entries of `A`, on its places alone. Where nothing has a
    derivative, it is SciPy's own. Raises LinAlgError for a singular matrix.

    >>> from gradops.scipy import sparse
    >>> data = dg.tensor([2.0, 4.0], dtype=dg.float64, requires_grad=True)
    >>> x = spsolve(sparse.csr_array((data, ([0, 1], [0, 1]))), np.ones(2))
    >>> dg.autograd.grad(x.sum(), data)
    (tensor([-0.2500, -0.0625], dtype=float64),)
    """
    b = np.asarray(b) if isinstance(b, list | tuple) else b
    if type(b) in PLAIN and not isinstance(A, SparseArray):
        from scipy.sparse import linalg

        return linalg.spsolve(A, b, permc_spec, use_umfpack)
    a = as_sparse(A)
    shape = shape_of(b)
    column = len(shape) == 2 and shape[1] == 1
    y = sparse_solve(a.data, reshape(b, shape=(-1,)) if column else b, pattern=a.pattern)
    return y


def factorized(A: Any) -> Any:
    """The function that solves equations with a sparse matrix, as SciPy's `factorized`.

    >>> from scipy import sparse
    >>> factorized(sparse.csc_array(np.diag([1.0, 2.0])))(np.ones(2))
    array([1. , 0.5])
    """
    return splu(A).solve


def splu(A: Any, **options: Any) -> Any:
    """The factors of a sparse matrix, as SciPy's `splu`: `solve(b, trans="N")`.

    With derivatives by `b` and the entries. Each call with traced operands factors anew.
    """
    return Factors(A, options)


class Factors:
    """A sparse matrix whose equations are solved."""

    def __init__(self, A: Any, options: dict[str, Any]) -> None:
        self.matrix, self.shape = A, A.shape
        self.own: Any = None
        if is_sparse(A):
            from scipy.sparse import linalg

            self.own = linalg.splu(A.tocsc(), **options)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """The solution for a right side; of the transposed equations with `trans="T"`."""
        if self.own is not None and type(rhs) in PLAIN:
            return self.own.solve(rhs, trans)
        a = as_sparse(self.matrix)
        return spsolve(a if trans == "N" else a.T, rhs)
