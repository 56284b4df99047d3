"""Patterns of sparse matrices, as attributes of ops; their entries are operands."""

from functools import cached_property
from typing import Any

import numpy as np

from ...core.errors import LinAlgError


class Pattern:
    """The places of the entries of a matrix in CSR order; equal patterns have equal places."""

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, shape: tuple[int, int]) -> None:
        self.indptr, self.indices, self.shape = indptr, indices, (int(shape[0]), int(shape[1]))

    @classmethod
    def checked(cls, indptr: np.ndarray, indices: np.ndarray, shape: tuple[int, int]) -> "Pattern":
        """A pattern of places that are not trusted; raises ValueError unless they are in order."""
        counts = np.diff(indptr)
        if indptr[0] != 0 or indptr[-1] != len(indices) or np.any(counts < 0):
            raise ValueError("rows do not begin where those before them end")
        if np.any((indices < 0) | (indices >= shape[1])):
            raise ValueError(f"an entry is in none of the {shape[1]} columns")
        result = cls(indptr, indices, shape)
        if np.any((np.diff(indices) <= 0) & (np.diff(result.rows) == 0)):
            raise ValueError("the entries of a row are not in the order of their columns")
        return result

    @cached_property
    def digest(self) -> str:
        """A hash of the places."""
        from hashlib import blake2b

        parts = (np.asarray(x, np.int64).tobytes() for x in (self.indptr, self.indices, self.shape))
        return blake2b(b"".join(parts), digest_size=12).hexdigest()

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Pattern)
        return self is other or (same and self.digest == other.digest)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        m, n = self.shape
        return f"<pattern of {m} x {n} with {len(self.indices)} entries, {self.digest}>"

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    @cached_property
    def transposed(self) -> tuple["Pattern", np.ndarray]:
        """The pattern of the transposed matrix, and which entries are its entries, in order."""
        order = np.lexsort((self.rows, self.indices))
        counts = np.bincount(self.indices, minlength=self.shape[1])
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(self.indptr.dtype)
        return Pattern(indptr, self.rows[order], (self.shape[1], self.shape[0])), order

    def matrix(self, data: Any) -> Any:
        """SciPy's CSR array with these entries."""
        from scipy.sparse import csr_array

        return csr_array((np.atleast_1d(data), self.indices, self.indptr), self.shape)


def product(data: np.ndarray, x: np.ndarray, pattern: Pattern) -> np.ndarray:
    """A sparse matrix times a vector, or the columns of a matrix."""
    result: np.ndarray = pattern.matrix(data) @ x
    return result


def solution(data: np.ndarray, b: np.ndarray, pattern: Pattern) -> np.ndarray:
    """The solution of equations with a sparse matrix; raises LinAlgError for a singular one."""
    from scipy.sparse.linalg import splu

    dtype = np.result_type(data, b, np.float32)
    try:
        factors = splu(pattern.matrix(np.asarray(data, dtype)).tocsc())
    except RuntimeError as error:
        raise LinAlgError(
            "sparse_solve", [repr(pattern)], "the matrix is singular",
            hint="lsqr of SciPy, or a small number added to the diagonal, gives a solution",
        ) from error  # fmt: skip
    return np.ascontiguousarray(factors.solve(np.ascontiguousarray(b, dtype)))
