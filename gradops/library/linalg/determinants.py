"""Determinants, with derivatives that are exact for singular matrices, too.

The determinant is a polynomial of the entries. `cofactors` are its first derivatives, and
`second_of_det` the second derivatives in one direction; both are symmetric in the directions, so
the same op serves tangents and cotangents.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core import flops
from ...core.errors import ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases
from ...core.types import ArrayType, broadcast_shapes, shape_of, type_of
from ...kernels.linalg import determinants
from ...typing import AnyArray, OperandLike
from ..elementwise.arithmetic import strong_product
from ..elementwise.comparison import where
from ..elementwise.complexes import complex, imag, real
from ..elementwise.exponential import log
from ..families import batch_elementwise, invalid, zeros_like
from ..reduce.reduction import sum
from ..shape.joining import stack
from ..shape.movement import reshape
from ..shape.rearrange import matrix_transpose
from .contraction import matmul
from .matrices import (
    common_dtype,
    diagonal_of,
    matrix_op,
    on_diagonal,
    require_square,
    square_infer,
    zero_if_unused,
)
from .solve import inv, not_square, regular, regular_complex, squares

__all__: list[str] = []


def per_matrix(v: AnyArray) -> AnyArray:
    """Numbers per matrix, reshaped to broadcast with the matrices."""
    return reshape(v, shape=(*shape_of(v), 1, 1))


def scalar_infer(op: str) -> Callable[[ArrayType], ArrayType]:
    """Type inference of an op from square matrices to numbers."""

    def infer(x: ArrayType) -> ArrayType:
        require_square(op, x)
        return ArrayType(x.shape[:-2], common_dtype(op, x))

    return infer


def inner_product(c: AnyArray, t: AnyArray) -> AnyArray:
    """The inner product of two matrices."""
    return sum(c * t, axis=(-2, -1))


det = matrix_op(
    "det", determinants.det, infer=scalar_infer("det"),
    flops=flops.per_square((2, 3)),
    vjp=[lambda g, y, x: strong_product(per_matrix(g), cofactors(x))],
    jvp=[lambda t, y, x: inner_product(cofactors(x), t)], samples=squares, error_samples=not_square,
    onnx="Det",
    doc="The determinant of each matrix; its derivative is exact also for singular ones.",
)


def third_of_det(x: AnyArray, a: AnyArray, b: AnyArray) -> AnyArray:
    """The third derivative of the determinant in two directions, a matrix."""
    inverse = inv(x, checked=False)
    a, b = matmul(inverse, a), matmul(inverse, b)
    trace_a, trace_b = (per_matrix(sum(diagonal_of(m), axis=-1)) for m in (a, b))
    ab, ba = matmul(a, b), matmul(b, a)
    alone = trace_a * trace_b - per_matrix(sum(diagonal_of(ab), axis=-1))
    inner = where(on_diagonal(ab), alone, 0) - trace_a * b - trace_b * a + ab + ba
    return per_matrix(det(x)) * matrix_transpose(matmul(inner, inverse))


def second_infer(x: ArrayType, t: ArrayType) -> ArrayType:
    require_square("second_of_det", x, t)
    dtype = common_dtype("second_of_det", x, t)
    return ArrayType(broadcast_shapes("second_of_det", [x, t]), dtype)


second_of_det = Op(
    "second_of_det", determinants.second_of_det, arity=2, infer=second_infer,
    flops=flops.per_square((8, 1)),
    vjp=[
        lambda g, y, x, t: zero_if_unused(g, third_of_det(x, t, g)),
        lambda g, y, x, t: second_of_det(x, g),
    ],
    jvp=[lambda v, y, x, t: third_of_det(x, t, v), lambda v, y, x, t: second_of_det(x, v)],
    batch=batch_elementwise,
    samples=cases(
        regular((4, 4), (4, 4)), regular((2, 4, 4), (2, 4, 4)), regular((2, 0, 0), (2, 0, 0)),
        regular_complex((4, 4), (4, 4)),
    ),
    error_samples=[
        invalid((2, 3), (2, 3), says="2 rows and 3 columns"),
        ErrorSample([np.eye(2), np.eye(3)], {}, ShapeError, "2 against 3"),
    ],
    doc="The second derivative of the determinant in one direction; also of singular matrices.",
)
cofactors = matrix_op(
    "cofactors", determinants.cofactors, infer=square_infer("cofactors"),
    flops=flops.per_square((8, 3)),
    vjp=[lambda g, y, x: second_of_det(x, g)], jvp=[lambda t, y, x: second_of_det(x, t)],
    samples=cases(regular((3, 3)), regular((2, 4, 4)), regular((2, 0, 0)), regular_complex((3, 3))),
    error_samples=not_square,
    doc="The derivative of the determinant by each entry; also of singular matrices.",
)


def slogdet_infer(x: ArrayType) -> ArrayType:
    require_square("slogdet", x)
    return ArrayType((*x.shape[:-2], 2), common_dtype("slogdet", x))


def slogdet_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    """The logarithm's cotangent times inv(x).T; a complex sign contributes the imaginary part."""
    weight = g[..., 1]
    if type_of(x).dtype.kind == "c":
        weight = complex(real(weight), imag(g[..., 0] * y[..., 0]))
    return strong_product(per_matrix(weight), matrix_transpose(inv(x, checked=False)))


def slogdet_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    rate = inner_product(matrix_transpose(inv(x, checked=False)), t)
    if type_of(x).dtype.kind != "c":
        return stack([zeros_like(rate), rate], axis=-1)
    size, turn = real(rate), imag(rate)
    return stack([1j * y[..., 0] * turn, complex(size, zeros_like(size))], axis=-1)


slogdet_op = matrix_op(
    "slogdet", determinants.slogdet, infer=slogdet_infer,
    flops=flops.per_square((2, 3)),
    vjp=[slogdet_cotangent], jvp=[slogdet_tangent], samples=squares, error_samples=not_square,
    doc="The sign and the logarithm of the absolute value of each determinant, side by side.",
)


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: AnyArray
    logabsdet: AnyArray


def slogdet(x: OperandLike) -> SlogdetResult:
    """The sign of the determinant of each matrix, and the logarithm of its absolute value.

    For a singular matrix these are 0 and minus infinity. Raises ShapeError for matrices that are
    not square.

    >>> sign, log = slogdet(np.diag([2.0, -2.0]))
    >>> float(sign), round(float(log), 4)
    (-1.0, 1.3863)
    """
    y = slogdet_op(x)
    return SlogdetResult(y[..., 0], real(y[..., 1]) if y.dtype.kind == "c" else y[..., 1])


def logdet(x: OperandLike) -> Any:
    """The logarithm of the determinant of each matrix, NaN where that is negative.

    >>> round(float(logdet(np.diag([2.0, 2.0]))), 4)
    1.3863
    """
    sign, size = slogdet(x)
    return size + log(sign)
