"""Matrices by their sizes: SciPy's own."""

from ..plain_functions import of_scipy

__all__ = ["dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"]

dft, hadamard, helmert, hilbert, invhilbert, invpascal, pascal = (
    of_scipy("scipy.linalg", name) for name in __all__
)
