"""Linear algebra, by the names of NumPy's and the array API's `linalg`.

Matrices lie in the last two axes, stacks of them in those before. Everything has derivatives of any
order, in both packages.

>>> from gradops import linalg
>>> linalg.inv(np.array([[2.0, 0.0], [0.0, 4.0]]))
array([[0.5 , 0.  ],
       [0.  , 0.25]])
"""

from typing import Any

from .core.errors import LinAlgError
from .library.index import diagonals
from .library.linalg import products
from .library.linalg.cholesky import cholesky
from .library.linalg.contraction import matmul
from .library.linalg.determinants import SlogdetResult, det, logdet, slogdet
from .library.linalg.eigen import EighResult, EigResult, eig, eigh, eigvals, eigvalsh
from .library.linalg.inverses import LstsqResult, lstsq, matrix_rank, pinv
from .library.linalg.matrices import adjoint
from .library.linalg.matrix_functions import matrix_exp, matrix_power
from .library.linalg.norms import cond, matrix_norm, norm
from .library.linalg.products import cross, multi_dot, outer, tensordot, vecdot
from .library.linalg.qr import QRResult, qr
from .library.linalg.solve import (
    cholesky_inverse,
    cholesky_solve,
    inv,
    solve,
    solve_triangular,
    tensorinv,
    tensorsolve,
)
from .library.linalg.svd import SVDResult, svd, svdvals
from .library.reduce.statistics import vector_norm
from .library.shape.rearrange import matrix_transpose
from .typing import AnyArray, OperandLike


def diagonal(x: OperandLike, offset: int = 0) -> AnyArray:
    """The diagonals of matrices, which lie in the last two axes.

    >>> diagonal(np.ones((5, 2, 2))).shape
    (5, 2)
    """
    return diagonals.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: OperandLike, offset: int = 0) -> Any:
    """The sums of the diagonals of matrices, which lie in the last two axes.

    >>> trace(np.ones((5, 2, 2))).shape
    (5,)
    """
    return products.trace(x, offset, -2, -1)


__all__ = [
    "EigResult", "EighResult", "LinAlgError", "LstsqResult", "QRResult", "SVDResult",
    "SlogdetResult", "adjoint", "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "cross",
    "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "logdet", "lstsq", "matmul",
    "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot",
    "norm", "outer", "pinv", "qr", "slogdet", "solve", "solve_triangular", "svd", "svdvals",
    "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm",
]  # fmt: skip
