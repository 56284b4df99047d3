"""Helpers for matrices, which are the last two axes: transposes, diagonals, checks, batching.

Note [Factors]. A factorization stores all its parts in one array (docs/decisions/0020), from which
the public function takes them as views. Its rules get one cotangent, with zeros for parts that
are not used.

Note [Adjoints]. A rule between two conjugations (Note [Complex] in `reverse.py`) serves analytic
functions. An adjoint that is derived for real and imaginary parts together becomes such a rule by
conjugations of its own.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core.dims import Size
from ...core.errors import DTypeError, NoKernelError, ShapeError
from ...core.op import ErrorSample, Op, Samples
from ...core.samples import drawn
from ...core.types import ArrayType, shape_of, type_of
from ...kernels.linalg import linalg
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand, OperandLike
from ..elementwise.comparison import equal, masked, not_equal
from ..elementwise.complexes import conj
from ..elementwise.logic import isfinite, logical_or
from ..families import invalid
from ..index.diagonals import diagonal
from ..index.indexing import numbers
from ..reduce.reduction import any
from ..shape.movement import astype, expand_dims
from ..shape.rearrange import matrix_transpose
from .contraction import matmul

__all__: list[str] = []

Sampler = Callable[..., Samples]

no_matrix = [
    invalid((3,), says="two axes or more, not 1"),
    ErrorSample([np.ones((2, 2), np.float16)], {}, DTypeError, "float16"),
]


def adjoint(x: OperandLike) -> Any:
    """The conjugate transpose: the last two axes exchanged, entries conjugated.

    >>> adjoint(np.array([[1j, 2]]))
    array([[0.-1.j],
           [2.-0.j]])
    """
    return conjugate(matrix_transpose(x))


def conjugate(x: Any) -> Operand:
    """The complex conjugate; real operands are returned unchanged."""
    dtype = x.dtype if type(x) is np.ndarray else type_of(x).dtype
    return conj(x) if dtype.kind == "c" else x


def adjoint_rule(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps an adjoint as a rule that is called between two conjugations. See Note [Adjoints]."""

    def call(g: AnyArray, *args: Any, **attrs: object) -> Operand:
        return conjugate(rule(conjugate(g), *args, **attrs))

    return call


def hermitian(x: AnyArray) -> AnyArray:
    """The Hermitian part of square matrices."""
    return (x + adjoint(x)) / 2


def on_diagonal(x: Any) -> AnyArray:
    """A mask of the diagonal of matrices like `x`."""
    return equal(expand_dims(numbers(x, -2), axis=-1), numbers(x, -1))


def identity_like(x: AnyArray) -> Any:
    """Matrices of the type of `x` with ones on their diagonals and zeros elsewhere."""
    return astype(on_diagonal(x), dtype=type_of(x).dtype)


def diagonal_of(x: AnyArray) -> AnyArray:
    """The diagonals of square matrices."""
    return diagonal(x, axis1=-2, axis2=-1)


def zero_if_unused(g: Operand, ct: AnyArray) -> AnyArray:
    """A cotangent, without NaN and infinities for each matrix whose result has a `g` of zeros.

    So matrices whose results are not used get no NaN from singularities. What is finite is not
    masked: it is zero by itself, and its derivative by `g`, which second derivatives need, is not.
    """
    is_used = any(not_equal(g, 0), axis=(-2, -1), keepdims=True)
    return masked(logical_or(is_used, isfinite(ct)), ct)


def require_matrix(op: str, *types: ArrayType) -> None:
    """Raise a ShapeError for operands with fewer than two axes."""
    for x in types:
        if x.ndim < 2:
            raise ShapeError(
                op, types, f"a matrix has two axes or more, not {x.ndim}",
                hint="matrices lie in the last two axes, stacks of them in those before",
            )


def require_square(op: str, x: ArrayType, *others: ArrayType) -> None:
    """Raise a ShapeError unless matrices have as many rows as columns."""
    require_matrix(op, x)
    m, n = x.shape[-2:]
    if m != n and isinstance(m, int) and isinstance(n, int):
        raise ShapeError(
            op, [x, *others], f"the matrix is not square: {m} rows and {n} columns",
            hint="lstsq, pinv, svd and qr take any",
        )


def common_dtype(op: str, *types: ArrayType) -> np.dtype:
    """The dtype of a result, or a NoKernelError for operands that LAPACK does not support."""
    try:
        return linalg.common_dtype(*(x.dtype for x in types))
    except TypeError as error:
        raise NoKernelError(op, types, str(error)) from error


def smaller_size(op: str, x: ArrayType) -> Size:
    """The smaller size of a matrix, or a ShapeError if it is unknown."""
    m, n = x.shape[-2:]
    if isinstance(m, int) and isinstance(n, int):
        return min(m, n)
    if m == n:
        return m
    raise ShapeError(
        op, [x], f"which of the sizes {m} and {n} is the smaller is not known",
        hint="give the axes sizes: ensure_shape(x, shape)",
    )


def square_infer(op: str) -> Callable[..., ArrayType]:
    """Type inference of an op from square matrices to matrices of the same sizes."""

    def infer(x: ArrayType, **attrs: object) -> ArrayType:
        require_square(op, x)
        return ArrayType(x.shape, common_dtype(op, x))

    return infer


def matrix_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch an op of one operand that accepts stacks of matrices."""
    return op(xs[0], **attrs)


# An op of one operand, on the matrices in its last two axes.
matrix_op = partial(Op, batch=matrix_batch)


def times(a: Any, *others: Any) -> Any:
    """The product of matrices, multiplied from left to right."""
    for b in others:
        a = matmul(a, b)
    return a


def columns_times(x: AnyArray, v: AnyArray) -> AnyArray:
    """Matrices with column j multiplied by v[j]."""
    return x * expand_dims(v, axis=-2)


def rows_times(v: AnyArray, x: AnyArray) -> AnyArray:
    """Matrices with row i multiplied by v[i]."""
    return expand_dims(v, axis=-1) * x


def sizes(x: Any) -> tuple[Any, Any]:
    """The numbers of rows and columns."""
    m, n = shape_of(x)[-2:]
    return m, n


normal = lambda r, s: r.normal(size=s)


def samplers(
    of: Callable[[np.ndarray], np.ndarray], draw: Callable[..., np.ndarray] = normal
) -> tuple[Sampler, Sampler]:
    """Samples of real and of complex matrices: `of` matrices with random parts."""

    def reals(*shapes: tuple[int, ...], **attrs: object) -> Samples:
        return drawn(lambda r, s: of(draw(r, s)), shapes, **attrs)

    def complexes(*shapes: tuple[int, ...], **attrs: object) -> Samples:
        return drawn(lambda r, s: of(draw(r, s) + 1j * draw(r, s)), shapes, **attrs)

    return reals, complexes
