"""SciPy's functions for every operand, by SciPy's names, with derivatives. SciPy is not imported.

A program changes `from scipy import linalg` to `from gradops.scipy import linalg`.
"""

from ..core.lazy_import import lazily
from .missing_names import missing_from

__all__ = ["integrate", "interpolate", "linalg", "optimize", "signal", "sparse", "spatial",
           "special", "stats"]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {name: name for name in __all__}, missing_from(__name__))
