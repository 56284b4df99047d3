"""Linear algebra, by the names of NumPy's and the array API's `linalg`.

Matrices lie in the last two axes, stacks of them in those before. Everything has derivatives of any
order, in both packages.

>>> from gradops import linalg
>>> linalg.inv(np.array([[2.0, 0.0], [0.0, 4.0]]))
array([[0.5 , 0.  ],
       [0.  , 0.25]])
"""

from .errors import LinAlgError
from .library.arranging import matrix_transpose
from .library.contraction import matmul
from .library.linalg_solving import SlogdetResult, det, inv, logdet, slogdet, solve
from .library.linalg_spectra import EighResult, cholesky, eigh, eigvalsh
from .library.linalg_triangular import solve_triangular
from .library.matrices import adjoint

__all__ = [
    "EighResult", "LinAlgError", "SlogdetResult", "adjoint", "cholesky", "det", "eigh", "eigvalsh",
    "inv", "logdet", "matmul", "matrix_transpose", "slogdet", "solve", "solve_triangular",
]  # fmt: skip
