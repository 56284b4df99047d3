"""Matrices, which lie in the last two axes: their transposes, diagonals and triangles.

Note [Factors]. A factorisation holds all its parts in one array (docs/decisions/0020), from which
the public function takes them as views. Its rules get one cotangent, zero for what nobody reads.

Note [Adjoints]. A rule between two conjugations (Note [Complex] in `reverse.py`) serves what is
analytic. An adjoint that is found for real and imaginary parts together is turned into such a rule
by conjugations of its own.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.dims import Size
from ...core.errors import DTypeError, NoKernelError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.types import ArrayType, shape_of, type_of
from ...kernels.linalg import linalg
from ...typing import AnyArray, Attrs, Operand, OperandLike
from ..elementwise.comparison import equal, masked, not_equal
from ..elementwise.complexes import conj
from ..index.diagonals import diagonal
from ..index.indexing import numbers
from ..reduce.reduction import any
from ..shape.movement import expand_dims
from ..shape.rearrange import matrix_transpose
from .contraction import matmul

__all__: list[str] = []

no_matrix = [
    ErrorSample([np.ones(3)], {}, ShapeError, "two axes or more, not 1"),
    ErrorSample([np.ones((2, 2), np.float16)], {}, DTypeError, "float16"),
]


def adjoint(x: OperandLike) -> Any:
    """`x` with its last two axes exchanged, conjugated.

    >>> adjoint(np.array([[1j, 2]]))
    array([[0.-1.j],
           [2.-0.j]])
    """
    return conjugate(matrix_transpose(x))


def conjugate(x: Any) -> Operand:
    """The conjugate, of real numbers they themselves."""
    return conj(x) if type_of(x).dtype.kind == "c" else x


def adjoint_rule(rule: Callable[..., Any]) -> Callable[..., Any]:
    """An adjoint as a rule that is called between two conjugations. See Note [Adjoints]."""

    def call(g: AnyArray, *args: Any, **attrs: object) -> Operand:
        return conjugate(rule(conjugate(g), *args, **attrs))

    return call


def hermitian(x: AnyArray) -> AnyArray:
    """The Hermitian part of square matrices."""
    return (x + adjoint(x)) / 2


def on_diagonal(x: Any) -> AnyArray:
    """Where `x` has its diagonal."""
    return equal(expand_dims(numbers(x, -2), axis=-1), numbers(x, -1))


def diagonal_of(x: AnyArray) -> AnyArray:
    """The diagonals of square matrices."""
    return diagonal(x, axis1=-2, axis2=-1)


def heeded(g: Operand, ct: AnyArray) -> AnyArray:
    """A cotangent, but zero for each matrix whose result has the cotangent `g` of zeros.

    So a matrix of which nothing was used gets no NaN, whatever its singularities.
    """
    return masked(any(not_equal(g, 0), axis=(-2, -1), keepdims=True), ct)


def require_matrix(op: str, *types: ArrayType) -> None:
    """Refuse operands with fewer than two axes."""
    for x in types:
        if x.ndim < 2:
            raise ShapeError(
                op, types, f"a matrix has two axes or more, not {x.ndim}",
                hint="matrices lie in the last two axes, stacks of them in those before",
            )


def require_square(op: str, x: ArrayType, *others: ArrayType) -> None:
    """Refuse matrices that have not as many rows as columns."""
    require_matrix(op, x)
    m, n = x.shape[-2:]
    if m != n and isinstance(m, int) and isinstance(n, int):
        raise ShapeError(
            op, [x, *others], f"the matrix is not square: {m} rows and {n} columns",
            hint="lstsq, pinv, svd and qr take any",
        )


def common_dtype(op: str, *types: ArrayType) -> np.dtype:
    """The dtype of a result, or a DTypeError for operands that LAPACK does not know."""
    try:
        return linalg.common_dtype(*(x.dtype for x in types))
    except TypeError as error:
        raise NoKernelError(op, types, str(error)) from error


def smaller(op: str, x: ArrayType) -> Size:
    """The smaller size of a matrix, which must be known."""
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
    """Inference of an op from square matrices to as many and as large ones."""

    def infer(x: ArrayType, **attrs: object) -> ArrayType:
        require_square(op, x)
        return ArrayType(x.shape, common_dtype(op, x))

    return infer


def stacked(op: Op, xs: Sequence[AnyArray], batched: Sequence[bool], attrs: Attrs) -> AnyArray:
    """Batch an op of one operand, which takes stacks of matrices anyway."""
    return op(xs[0], **attrs)


def times(a: Any, *others: Any) -> Any:
    """The product of matrices, multiplied from the left on."""
    for b in others:
        a = matmul(a, b)
    return a


def columns_times(x: AnyArray, v: AnyArray) -> AnyArray:
    """Matrices with each column times the entry of a vector."""
    return x * expand_dims(v, axis=-2)


def rows_times(v: AnyArray, x: AnyArray) -> AnyArray:
    """Matrices with each row times the entry of a vector."""
    return expand_dims(v, axis=-1) * x


def sizes(x: Any) -> tuple[Any, Any]:
    """How many rows and columns there are."""
    m, n = shape_of(x)[-2:]
    return m, n
