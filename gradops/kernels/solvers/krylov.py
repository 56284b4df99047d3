"""Linear equations by products alone: SciPy's Krylov methods."""

from collections.abc import Callable, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.levels import clock
from .running import Found

Times = Callable[[np.ndarray], np.ndarray]
SYMMETRIC = ("cg", "minres")
"""The methods for symmetric matrices, which are their own transposed ones."""


class Method:
    """One of the methods, with its options and a preconditioner."""

    def __init__(self, name: str, options: dict[str, Any], preconditioner: Any = None) -> None:
        self.name, self.options, self.preconditioner = name, options, preconditioner
        self.number = next(clock)

    @property
    def is_symmetric(self) -> bool:
        """True if the matrix has to be symmetric."""
        return self.name in SYMMETRIC

    @cached_property
    def transposed(self) -> "Method":
        """The method for the transposed matrix, with the transposed preconditioner."""
        options = {k: v for k, v in self.options.items() if k != "callback"}
        m = self.preconditioner
        return Method(self.name, options, m if m is None or self.is_symmetric else m.T)

    def solve(self, times: Times, b: np.ndarray, x: np.ndarray | None = None) -> tuple[Any, int]:
        """The solution of A x = b, where `times` is the product with A, and 0 if it converged."""
        from scipy.sparse import linalg

        a = linalg.LinearOperator((b.size, b.size), times, dtype=np.float64)
        found: tuple[Any, int] = getattr(linalg, self.name)(
            a, b, x0=x, M=self.preconditioner, **self.options
        )
        return found

    def __repr__(self) -> str:
        return f"<{self.name}, call {self.number}>"


def krylov(x: np.ndarray, functions: Sequence[Any], method: Method) -> Found:
    """The solution of linear equations, of which functions give the product and the residual."""
    product, residual = functions

    def times(v: np.ndarray) -> np.ndarray:  # a method may write into v, and keeps the result
        y = np.asarray(product.f(v, *product.others)[0])
        return y.copy() if np.may_share_memory(y, v) else y

    b = -residual(np.zeros_like(x))
    found, info = method.solve(times, b, x if x.any() else None)
    found = np.asarray(found)
    size = float(np.linalg.norm(times(found) - b))
    fine = info == 0 and size <= np.linalg.norm(b)  # an estimate of a method's may be far off
    return found, bool(fine), size, SimpleNamespace(info=info, success=fine)
