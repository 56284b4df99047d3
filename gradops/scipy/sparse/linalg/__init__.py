"""`scipy.sparse.linalg` for every operand, with derivatives of solutions."""

from ....core.lazy_import import lazily
from ...missing_names import missing_from
from .direct import factorized, splu, spsolve
from .krylov import bicgstab, cg, cgs, gmres, lgmres, minres, tfqmr
from .operators import LinearOperator, aslinearoperator

__all__ = [
    "LinearOperator", "aslinearoperator", "bicgstab", "cg", "cgs", "factorized", "gmres",
    "lgmres", "minres", "splu", "spsolve", "tfqmr",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
