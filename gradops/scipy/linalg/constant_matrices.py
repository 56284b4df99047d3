"""Matrices of numbers that are known: SciPy's own, which is imported when one is called."""

from collections.abc import Callable
from typing import Any

from ...kernels.linalg.schur import scipy_linalg

__all__ = ["dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"]


def of_scipy(name: str, doc: str) -> Callable[..., Any]:
    """The function of a name of `scipy.linalg`."""

    def call(*args: Any, **options: Any) -> Any:
        return getattr(scipy_linalg(name), name)(*args, **options)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{doc}: `scipy.linalg.{name}`."
    return call


dft = of_scipy("dft", "The matrix of the discrete Fourier transform")
hadamard = of_scipy("hadamard", "A matrix of signs with orthogonal columns")
helmert = of_scipy("helmert", "Helmert's matrix of contrasts")
hilbert = of_scipy("hilbert", "Hilbert's matrix, of entries 1 / (i + j + 1)")
invhilbert = of_scipy("invhilbert", "The inverse of Hilbert's matrix")
invpascal = of_scipy("invpascal", "The inverse of Pascal's matrix")
pascal = of_scipy("pascal", "Pascal's matrix of binomial coefficients")
