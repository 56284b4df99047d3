"""`scipy.sparse` with entries that have derivatives, on fixed places.

SciPy's own sparse arrays take traced vectors, too: `A @ x`, `x @ A`.
"""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from .arrays import SparseArray, coo_array, csc_array, csr_array, diags_array, issparse

__all__ = [
    "SparseArray", "coo_array", "csc_array", "csr_array", "diags_array", "issparse", "linalg",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {"linalg": "linalg"}, missing_from(__name__))
