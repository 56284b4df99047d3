"""Products, factorisations and Fourier transforms."""

from typing import Any

import numpy as np
import scipy.linalg

from .operands import Call, square, x, y, z

definite = (square @ square.T + 128 * np.eye(128)).astype(np.float32)
symmetric = (square + square.T).astype(np.float32)
triangle = np.tril(definite)


def solved(a: Any, b: Any) -> Any:
    """Of a lower triangle."""
    return np.linalg.solve(a, b)


CALLS: dict[str, Call] = {
    "matmul": ([square, square], {}, np.matmul),
    "einsum": ([x, y], {"subscripts": "ij,ij->i"}, lambda x, y: np.einsum("ij,ij->i", x, y)),
    "inv": ([definite], {}, np.linalg.inv),
    "det": ([definite], {}, np.linalg.det),
    "solve": ([definite, square], {}, np.linalg.solve),
    "slogdet": ([definite], {}, np.linalg.slogdet),
    "solve_triangular": ([triangle, square], {"lower": True}, solved),
    "cholesky": ([definite], {}, np.linalg.cholesky),
    "eigh": ([symmetric], {}, np.linalg.eigh),
    "eigvalsh": ([symmetric], {}, np.linalg.eigvalsh),
    "eig": ([square], {}, np.linalg.eig),
    "eigvals": ([square], {}, np.linalg.eigvals),
    "svd": ([square], {}, np.linalg.svd),
    "svdvals": ([square], {}, np.linalg.svdvals),
    "pinv": ([square], {}, np.linalg.pinv),
    "qr": ([square], {}, np.linalg.qr),
    "matrix_rank": ([square], {}, np.linalg.matrix_rank),
    "lstsq": ([square, square], {}, lambda a, b: np.linalg.lstsq(a, b)[0]),
    "matrix_exp": ([definite / 100], {}, lambda a: scipy.linalg.expm(a)),
    "fft": ([z], {"axes": (1,)}, np.fft.fft),
    "rfft": ([x], {"axis": 1}, np.fft.rfft),
    "irfft": ([z], {"n": 98, "axis": 1}, lambda z: np.fft.irfft(z, 98)),
}  # fmt: skip
