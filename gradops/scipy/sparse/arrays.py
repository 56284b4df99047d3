"""Sparse arrays whose entries have derivatives; where none have, SciPy's own."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.op import PLAIN
from ...core.tree import leaves_of
from ...core.types import shape_of, type_of
from ...kernels.sparse.patterns import Pattern
from ...library.index.indexing import index
from ...library.reduce.reduction import sum
from ...library.shape.joining import concatenate
from ...library.shape.movement import reshape
from ...library.sparse.products import is_sparse, of_scipy, sparse_matmul


class SparseArray:
    """A sparse matrix of fixed places, whose entries `data` are a tensor or an expression.

    It has `@` with vectors and matrices, from both sides, `T`, `+`, `-`, products with numbers,
    `multiply`, `diagonal`, `sum`, `toarray`. Entries are in the order of CSR, those of one place
    added up.
    """

    __array_ufunc__ = None  # so that NumPy's arrays leave operators to it
    ndim = 2
    format = "csr"

    def __init__(self, data: Any, pattern: Pattern) -> None:
        self.data, self.pattern = data, pattern

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.pattern.shape

    @property
    def nnz(self) -> int:
        """The number of entries."""
        return len(self.pattern.indices)

    @property
    def dtype(self) -> Any:
        """The dtype of the entries."""
        return type_of(self.data).dtype

    @property
    def T(self) -> "SparseArray":
        """The transposed matrix."""
        pattern, order = self.pattern.transposed
        return SparseArray(index(self.data, order), pattern)

    def transpose(self) -> "SparseArray":
        """The transposed matrix."""
        return self.T

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, SparseArray) or is_sparse(x):
            raise OptionError("@", [], "a product of two sparse matrices has places of its own",
                              hint="multiply by a vector at a time: A @ (B @ x)")  # fmt: skip
        x = np.asarray(x) if type(x) in PLAIN or isinstance(x, list | tuple) else x
        return sparse_matmul(self.data, x, pattern=self.pattern)

    dot = __matmul__

    def __rmatmul__(self, x: Any) -> Any:
        x = np.asarray(x) if type(x) in PLAIN or isinstance(x, list | tuple) else x
        return self.T @ x if len(shape_of(x)) == 1 else (self.T @ x.T).T

    def __mul__(self, c: Any) -> "SparseArray":
        if np.ndim(c) if type(c) in PLAIN else shape_of(c):
            raise ShapeError("*", [type_of(c)], "a sparse matrix is multiplied by a number",
                             hint="multiply(x) goes entry by entry")  # fmt: skip
        return SparseArray(self.data * c, self.pattern)

    __rmul__ = __mul__

    def __truediv__(self, c: Any) -> "SparseArray":
        return self * (1.0 / c)

    def __neg__(self) -> "SparseArray":
        return SparseArray(-self.data, self.pattern)

    def __add__(self, other: Any) -> "SparseArray":
        other = as_sparse(other)
        if self.pattern == other.pattern:
            return SparseArray(self.data + other.data, self.pattern)
        rows = np.concatenate([self.pattern.rows, other.pattern.rows])
        columns = np.concatenate([self.pattern.indices, other.pattern.indices])
        return placed(concatenate([self.data, other.data]), rows, columns, self.shape)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "SparseArray":
        return self + -as_sparse(other)

    def __rsub__(self, other: Any) -> "SparseArray":
        return -self + other

    def multiply(self, other: Any) -> "SparseArray":
        """The products with a dense matrix of the same shape, entry by entry."""
        at = index(other, (self.pattern.rows, np.asarray(self.pattern.indices)))
        return SparseArray(self.data * at, self.pattern)

    def diagonal(self) -> Any:
        """The entries on the diagonal."""
        rows, n = self.pattern.rows, min(self.shape)
        on = np.flatnonzero(rows == self.pattern.indices)
        return sums_at(index(self.data, on), rows[on], n)

    def sum(self, axis: int | None = None) -> Any:
        """The sum of all entries, or those along an axis."""
        if axis is None:
            return sum(self.data)
        ones = np.ones(self.shape[axis], self.dtype)
        return self @ ones if axis in (1, -1) else self.T @ ones

    def toarray(self) -> Any:
        """The matrix with its zeros."""
        m, n = self.shape
        flat = self.pattern.rows * n + self.pattern.indices
        return reshape(sums_at(self.data, flat, m * n), shape=(m, n))

    def tocsr(self) -> "SparseArray":
        """The matrix itself."""
        return self

    tocsc = tocoo = copy = tocsr

    def __repr__(self) -> str:
        m, n = self.shape
        return f"<sparse array of {m} x {n} with {self.nnz} entries, {self.data!r}>"


def sums_at(data: Any, places: np.ndarray, size: int) -> Any:
    """A vector with the entries of another one added up at places."""
    counts = np.bincount(places, minlength=size)
    order = np.argsort(places, kind="stable")
    pattern = Pattern(np.concatenate([[0], np.cumsum(counts)]), order, (size, len(places)))
    return sparse_matmul(np.ones(len(places), type_of(data).dtype), data, pattern=pattern)


def as_sparse(a: Any) -> SparseArray:
    """A sparse array of ours, of one of SciPy's or of ours."""
    if isinstance(a, SparseArray):
        return a
    if not is_sparse(a):
        raise OptionError("sparse array", [], f"{type(a).__name__} is no sparse array")
    return SparseArray(*of_scipy(a))


def placed(data: Any, rows: Any, columns: Any, shape: Any = None) -> SparseArray:
    """The matrix with entries at places, in any order; those of one place are added up."""
    rows, columns = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
    if shape is None:
        shape = (int(rows.max(initial=-1)) + 1, int(columns.max(initial=-1)) + 1)
    m, n = shape
    if rows.size and not (rows.min() >= 0 and rows.max() < m and columns.min() >= 0
                          and columns.max() < n):  # fmt: skip
        raise ShapeError("sparse array", [type_of(data)], f"an entry lies outside of {m} x {n}")
    flat, back = np.unique(rows * n + columns, return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(flat // max(n, 1), minlength=m))])
    pattern = Pattern(indptr, flat % max(n, 1), (m, n))
    if len(flat) == rows.size:
        order = np.empty(rows.size, np.int64)
        order[back] = np.arange(rows.size)
        return SparseArray(index(data, order), pattern)
    return SparseArray(sums_at(data, back, len(flat)), pattern)


def is_plain(arg: Any) -> bool:
    """True if nothing in the arguments of a constructor has derivatives."""
    return all(not hasattr(x, "gradop_level") for x in leaves_of(arg))


def constructor(name: str, of_compressed: Callable[[Any, Any, Any, Any], SparseArray]) -> Any:
    """A constructor by SciPy's name, of (data, places) and a shape."""

    def make(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Any:
        if isinstance(arg1, SparseArray):
            return arg1
        if is_plain(arg1):
            from scipy import sparse

            return getattr(sparse, name)(arg1, shape, dtype, copy)
        if isinstance(arg1, tuple) and len(arg1) == 2 and isinstance(arg1[1], tuple | list):
            data, (rows, columns) = arg1
            return placed(data, rows, columns, shape)
        if isinstance(arg1, tuple) and len(arg1) == 3:
            return of_compressed(*arg1, shape)
        raise OptionError(
            name, [], "entries with derivatives need places",
            hint=f"{name}((data, (rows, columns)), shape)",
        )  # fmt: skip

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"""A sparse array, as SciPy's `{name}`; its entries may have derivatives.

    Places are plain arrays. Without derivatives, the result is SciPy's.
    """
    return make


def of_rows(data: Any, indices: Any, indptr: Any, shape: Any) -> SparseArray:
    """The matrix of CSR's three arrays."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return placed(data, rows, indices, shape or (len(indptr) - 1, int(np.max(indices)) + 1))


def of_columns(data: Any, indices: Any, indptr: Any, shape: Any) -> SparseArray:
    """The matrix of CSC's three arrays."""
    columns = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return placed(data, indices, columns, shape or (int(np.max(indices)) + 1, len(indptr) - 1))


csr_array = constructor("csr_array", of_rows)
csc_array = constructor("csc_array", of_columns)
coo_array = constructor("coo_array", of_rows)


def diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None
) -> Any:
    """A sparse array from its diagonals, as SciPy's `diags_array`, which may have derivatives.

    >>> a = diags_array([dg.tensor([1.0, 2.0], requires_grad=True), [3.0]], offsets=[0, 1])
    >>> a.toarray()
    tensor([[1., 3.],
            [0., 2.]], dtype=float64, grad_fn=<ViewBackward0>)
    """
    if is_plain(diagonals):
        from scipy import sparse

        return sparse.diags_array(diagonals, offsets=offsets, shape=shape, format=format,
                                  dtype=dtype)  # fmt: skip
    single = np.ndim(offsets) == 0
    each, places = ([diagonals], [offsets]) if single else (list(diagonals), list(offsets))
    each = [np.asarray(d) if type(d) in PLAIN or isinstance(d, list) else d for d in each]
    if shape is None:
        n = shape_of(each[0])[0] + abs(places[0])
        shape = (n, n)
    parts, rows, columns = [], [], []
    for d, k in zip(each, places, strict=True):
        count = min(shape[0] + min(k, 0), shape[1] - max(k, 0))
        if shape_of(d) not in ((count,), (1,), ()):
            raise ShapeError("diags_array", [type_of(d)], f"the diagonal {k} has {count} entries")
        parts.append(d if shape_of(d) == (count,) else d * np.ones(count))
        rows.append(np.arange(count) + max(-k, 0))
        columns.append(np.arange(count) + max(k, 0))
    return placed(concatenate(parts), np.concatenate(rows), np.concatenate(columns), shape)


def issparse(x: Any) -> bool:
    """True for sparse arrays, SciPy's and ours.

    >>> issparse(np.eye(2))
    False
    """
    return isinstance(x, SparseArray) or is_sparse(x)
