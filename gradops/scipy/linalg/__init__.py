"""Linear algebra by the names of `scipy.linalg`, for every operand, with derivatives.

Matrices lie in the last two axes. Arguments `overwrite_*` and the choice of a driver are accepted
and change nothing. `check_finite` checks what is known when a function is called: not the values
of a graph.

>>> from gradops.scipy import linalg
>>> linalg.cho_solve(linalg.cho_factor(np.diag([4.0, 2.0])), np.array([4.0, 4.0]))
array([1., 2.])
"""

from ...core.errors import LinAlgError
from ...core.lazy_import import lazily
from ..missing_names import missing_from
from .decompositions import (
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    norm,
    pinv,
    pinvh,
    qr,
    svd,
    svdvals,
)
from .equations import cho_factor, cho_solve, cholesky, inv, solve, solve_triangular
from .matrix_functions import (
    expm,
    expm_frechet,
    logm,
    solve_continuous_lyapunov,
    solve_discrete_lyapunov,
    solve_lyapunov,
    solve_sylvester,
    sqrtm,
)
from .special_matrices import block_diag, circulant, companion, hankel, khatri_rao, toeplitz

__all__ = [
    "LinAlgError", "block_diag", "cho_factor", "cho_solve", "cholesky", "circulant", "companion",
    "det", "eig", "eigh", "eigvals", "eigvalsh", "expm", "expm_frechet", "hankel", "inv",
    "khatri_rao", "logm", "norm", "pinv", "pinvh", "qr", "solve", "solve_continuous_lyapunov",
    "solve_discrete_lyapunov", "solve_lyapunov", "solve_sylvester", "solve_triangular", "sqrtm",
    "svd", "svdvals", "toeplitz",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
