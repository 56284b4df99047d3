"""Matrices of a special form made of vectors and blocks, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.tracer_protocol import held
from ...core.types import shape_of, type_of
from ...library.elementwise.arithmetic import abs
from ...library.elementwise.comparison import where
from ...library.index.indexing import take
from ...library.linalg.matrices import conjugate
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims, reshape
from ...library.shape.padding import pad
from ...typing import AnyArray
from .operands import size_of

__all__ = [
    "block_diag", "circulant", "companion", "convolution_matrix", "fiedler", "fiedler_companion",
    "hankel", "khatri_rao", "leslie", "toeplitz",
]  # fmt: skip


def vector(x: Any) -> Any:
    """`x` as an operand of at least one axis."""
    x = np.asarray(x) if isinstance(x, list | tuple | int | float | complex) else x
    return x if shape_of(x) else reshape(x, shape=(1,))


def require_vector(call: str, *xs: AnyArray) -> None:
    """Raise a ShapeError for operands with more axes than one."""
    if any(len(shape_of(x)) != 1 for x in xs):
        raise ShapeError(call, map(type_of, xs), "it takes vectors, with one axis")


def toeplitz(c: Any, r: Any = None) -> Any:
    """The matrix with constant diagonals: `c` is its first column, `r` its first row.

    The first entry of `r` is ignored. Without `r` it is the conjugate of `c`.

    >>> toeplitz([1, 2, 3], [1, 4])
    array([[1, 4],
           [2, 1],
           [3, 2]])
    """
    c = vector(c)
    r = conjugate(c) if r is None else vector(r)
    require_vector("toeplitz", c, r)
    m, n = size_of(c, 0), size_of(r, 0)
    if not m or not n:
        return reshape(c[:0] + r[:0], shape=(m, n))
    places = np.arange(n - 1, n - 1 + m)[:, None] - np.arange(n)
    return take(concatenate([r[:0:-1], c]), places, axis=0)


def circulant(c: Any) -> Any:
    """The matrix whose columns are `c`, each moved down by one from the one before.

    >>> circulant([1, 2, 3])
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    c = vector(c)
    n = size_of(c)
    if not n:
        return reshape(c, shape=(*shape_of(c), 0))
    return take(c, (np.arange(n)[:, None] - np.arange(n)) % n, axis=-1)


def hankel(c: Any, r: Any = None) -> Any:
    """The matrix with constant antidiagonals: `c` is its first column, `r` its last row.

    The first entry of `r` is ignored. Without `r` it is zero.

    >>> hankel([1, 2, 3], [3, 4])
    array([[1, 2],
           [2, 3],
           [3, 4]])
    """
    c = vector(c)
    r = zeros_like(c) if r is None else vector(r)
    require_vector("hankel", c, r)
    m, n = size_of(c, 0), size_of(r, 0)
    if not m or not n:
        return reshape(c[:0] + r[:0], shape=(m, n))
    return take(concatenate([c, r[1:]]), np.arange(m)[:, None] + np.arange(n), axis=0)


def companion(a: Any) -> Any:
    """The matrix whose eigenvalues are the roots of a polynomial, the leading coefficient first.

    Raises ShapeError for fewer than two coefficients, OptionError for a leading zero.

    >>> companion([1.0, -10.0, 31.0])
    array([[ 10., -31.],
           [  1.,   0.]])
    """
    a = vector(a)
    n = size_of(a)
    if n < 2:
        raise ShapeError("companion", [type_of(a)], f"it takes two coefficients or more, not {n}")
    leading = held(a[..., 0])
    if isinstance(leading, np.ndarray | np.generic) and np.any(leading == 0):
        raise OptionError("companion", [type_of(a)], "the leading coefficient must not be zero")
    first = expand_dims(-a[..., 1:] / (1.0 * a[..., :1]), axis=-2)
    below = zeros_like(first) + np.eye(n - 2, n - 1, dtype=type_of(first).dtype)
    return concatenate([first, below], axis=-2)


def block_diag(*arrs: Any) -> Any:
    """The matrix with these matrices along its diagonal; a vector is a row, a number a matrix.

    >>> block_diag([[1, 2]], 3)
    array([[1, 2, 0],
           [0, 0, 3]])
    """
    blocks = [vector(x) for x in arrs] or [np.zeros((1, 0))]
    blocks = [expand_dims(x, axis=0) if len(shape_of(x)) == 1 else x for x in blocks]
    if any(len(shape_of(x)) != 2 for x in blocks):
        raise ShapeError("block_diag", map(type_of, blocks), "a block has two axes at most")
    sizes: Any = [shape_of(x) for x in blocks]
    before = np.cumsum([(0, 0), *sizes], axis=0).tolist()
    columns = before[-1][1]
    widths = [
        ((0, 0), (j, columns - j - n)) for (_, j), (_, n) in zip(before[:-1], sizes, strict=True)
    ]
    return concatenate([pad(x, w) for x, w in zip(blocks, widths, strict=True)], axis=0)


def khatri_rao(a: Any, b: Any) -> Any:
    """The Kronecker products of the columns of two matrices.

    Raises ShapeError unless they have as many columns.

    >>> khatri_rao([[1, 2]], [[1, 1], [2, 3]])
    array([[1, 2],
           [2, 6]])
    """
    a, b = vector(a), vector(b)
    m: Any = shape_of(a)
    n: Any = shape_of(b)
    if len(m) != 2 or len(n) != 2 or m[1] != n[1]:
        raise ShapeError(
            "khatri_rao", [type_of(a), type_of(b)], "it takes two matrices with as many columns"
        )
    products = expand_dims(a, axis=1) * expand_dims(b, axis=0)
    return reshape(products, shape=(m[0] * n[0], m[1]))


def leslie(f: Any, s: Any) -> Any:
    """Leslie's matrix of a population: fecundities as its first row, survival below the diagonal.

    Raises ShapeError unless there is one survival rate less.

    >>> leslie([0.1, 2.0], [0.5])
    array([[0.1, 2. ],
           [0.5, 0. ]])
    """
    f, s = vector(f), vector(s)
    if size_of(f) != size_of(s) + 1:
        raise ShapeError("leslie", [type_of(f), type_of(s)], "s has one entry less than f")
    rows = expand_dims(s, axis=-1) * np.eye(size_of(s), size_of(f))
    return concatenate([expand_dims(f, axis=-2), rows], axis=-2)


def fiedler(a: Any) -> Any:
    """Fiedler's symmetric matrix of the distances of numbers.

    >>> fiedler([1, 4])
    array([[0, 3],
           [3, 0]])
    """
    a = vector(a)
    return abs(expand_dims(a, axis=-1) - expand_dims(a, axis=-2))


def fiedler_companion(a: Any) -> Any:
    """Fiedler's companion matrix, with five diagonals, of a polynomial, the leading one first.

    >>> fiedler_companion([1.0, -10.0, 31.0])
    array([[ 10., -31.],
           [  1.,   0.]])
    """
    a = vector(a)
    require_vector("fiedler_companion", a)
    n = size_of(a) - 1
    if n < 1:
        return a[:0]
    a = a / (1.0 * a[0])
    if n == 1:
        return reshape(-a[1:], shape=(1, 1))
    entries = concatenate([0 * a[:1], -a[1:], 0 * a[:1] + 1])
    return take(entries, places_in_fiedler(n), axis=0)


def places_in_fiedler(n: int) -> np.ndarray:
    """For each entry of the matrix the number of the coefficient, 0 for zero, n + 1 for one."""
    found = np.zeros((n, n), np.intp)
    for k in range(1, n + 1):
        found[(0, 0) if k == 1 else (k - 2, k - 1) if k % 2 == 0 else (k - 1, k - 2)] = k
    found[1, 0] = n + 1
    found[range(3, n, 2), range(1, n - 2, 2)] = n + 1
    found[range(0, n - 2, 2), range(2, n, 2)] = n + 1
    return found


def convolution_matrix(a: Any, n: int, mode: str = "full") -> Any:
    """The matrix whose product with a vector of `n` entries is its convolution with `a`.

    `mode` is "full", "same" or "valid"; see `numpy.convolve`.

    >>> convolution_matrix([1, 2], 2)
    array([[1, 0],
           [2, 1],
           [0, 2]])
    """
    a = vector(a)
    require_vector("convolution_matrix", a)
    m = size_of(a)
    if n < 1 or not m:
        raise ShapeError("convolution_matrix", [type_of(a)], f"there are {m} and {n} entries")
    if mode not in ("full", "same", "valid"):
        raise OptionError(
            "convolution_matrix", [type_of(a)], f"mode is full, valid or same, not {mode!r}"
        )
    places = np.arange(m + n - 1)[:, None] - np.arange(n)
    inside = (places >= 0) & (places < m)
    whole = where(inside, take(a, np.clip(places, 0, m - 1), axis=0), 0)
    if mode == "full":
        return whole
    size = max(m, n) if mode == "same" else max(m, n) - min(m, n) + 1
    start = (min(m, n) - 1) // 2 if mode == "same" else min(m, n) - 1
    return whole[start : start + size]
