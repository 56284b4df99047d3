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
from .bands import (
    cho_solve_banded,
    cholesky_banded,
    eig_banded,
    eigh_tridiagonal,
    eigvals_banded,
    eigvalsh_tridiagonal,
    solve_banded,
    solveh_banded,
)
from .constant_matrices import dft, hadamard, helmert, hilbert, invhilbert, invpascal, pascal
from .decompositions import (
    det,
    diagsvd,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    norm,
    pinv,
    pinvh,
    svd,
    svdvals,
)
from .equations import cho_factor, cho_solve, cholesky, inv, lstsq, solve, solve_triangular
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
from .matrix_trigonometry import (
    coshm,
    cosm,
    fractional_matrix_power,
    signm,
    sinhm,
    sinm,
    tanhm,
    tanm,
)
from .orthogonal_factors import orthogonal_procrustes, polar, qr, qr_multiply, rq
from .riccati import solve_continuous_are, solve_discrete_are
from .special_matrices import (
    block_diag,
    circulant,
    companion,
    convolution_matrix,
    fiedler,
    fiedler_companion,
    hankel,
    khatri_rao,
    leslie,
    toeplitz,
)
from .structured_equations import matmul_toeplitz, solve_circulant, solve_toeplitz
from .subspaces import null_space, orth, subspace_angles
from .triangular_factors import lu, lu_factor, lu_solve

__all__ = [
    "LinAlgError", "block_diag", "cho_factor", "cho_solve", "cho_solve_banded", "cholesky",
    "cholesky_banded", "circulant", "companion", "convolution_matrix", "coshm", "cosm", "det",
    "dft", "diagsvd", "eig", "eig_banded", "eigh", "eigh_tridiagonal", "eigvals", "eigvals_banded",
    "eigvalsh", "eigvalsh_tridiagonal", "expm", "expm_frechet", "fiedler", "fiedler_companion",
    "fractional_matrix_power", "hadamard", "hankel", "helmert", "hilbert", "inv", "invhilbert",
    "invpascal", "khatri_rao", "leslie", "logm", "lstsq", "lu", "lu_factor", "lu_solve",
    "matmul_toeplitz", "norm", "null_space", "orth", "orthogonal_procrustes", "pascal", "pinv",
    "pinvh", "polar", "qr", "qr_multiply", "rq", "signm", "sinhm", "sinm", "solve", "solve_banded",
    "solve_circulant", "solve_continuous_are", "solve_continuous_lyapunov", "solve_discrete_are",
    "solve_discrete_lyapunov", "solve_lyapunov", "solve_sylvester", "solve_toeplitz",
    "solve_triangular", "solveh_banded", "sqrtm", "subspace_angles", "svd", "svdvals", "tanhm",
    "tanm", "toeplitz",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
