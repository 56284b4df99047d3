"""Linear equations, with square or triangular matrices or their Cholesky factors; inverses."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import product
from ...core.errors import DTypeError, LinAlgError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import beside, cases, reals
from ...core.traits import Trait
from ...core.types import ArrayType, broadcast_shapes, conflict, shape_of, type_of
from ...kernels.linalg import linalg, triangular
from ...kernels.native_kernels import run_for
from ...typing import AnyArray, Arrays, Attrs, Flags, OperandLike, Wanted
from ..elementwise.comparison import masked
from ..families import invalid
from ..index.diagonals import tril, triu
from ..nn.layer_product import layer_product
from ..shape.creation import ones_like
from ..shape.movement import expand_dims, moveaxis, reshape, squeeze, transpose
from ..shape.rearrange import matrix_transpose
from .contraction import matmul, pad_rank, product_of
from .matrices import (
    adjoint,
    common_dtype,
    matrix_op,
    on_diagonal,
    require_matrix,
    require_square,
    samplers,
    square_infer,
    times,
)

__all__: list[str] = []

not_square = [
    invalid((3,), says="two axes or more, not 1"), invalid((2, 3), says="2 rows and 3 columns"),
    ErrorSample([np.ones((2, 2), np.float16)], {}, DTypeError, "float16"),
]
is_singular = [
    invalid((2, 2), error=LinAlgError, says="the matrix is singular"),
    ErrorSample([np.stack([np.eye(2), np.zeros((2, 2))])], {}, LinAlgError, "number 1"),
]


# Square matrices far from singular, or others far from dependent columns.
regular, regular_complex = samplers(
    lambda x: x + 2 * np.eye(*x.shape[-2:]), lambda r, s: r.uniform(-1, 1, s)
)
squares = cases(
    regular((3, 3)), regular((2, 2, 2)), regular((1, 1)), regular((2, 0, 0)), regular((0, 2, 2)),
    regular_complex((3, 3)),
)


def inv_transpose(g: AnyArray, y: AnyArray, x: AnyArray, checked: bool) -> AnyArray:
    t = matrix_transpose(y)
    return -matmul(t, matmul(g, t))


inv = matrix_op(
    "inv", linalg.inv, infer=square_infer("inv"),
    flops=flops.per_square((2, 1)),
    vjp=[inv_transpose], jvp=[lambda t, y, x, checked: -matmul(y, matmul(t, y))], samples=squares,
    error_samples=[*not_square, *is_singular],
    doc="The inverse of each matrix; NaN for a singular one, or an error if `checked`.",
)


def equations_infer(op: str, a: ArrayType, b: ArrayType) -> ArrayType:
    """The type of the solutions of a @ x = b."""
    require_matrix(op, a, b)
    require_square(op, a, b)
    m, n = a.shape[-1], b.shape[-2]
    if conflict((m,), (n,)):
        raise ShapeError(
            op, [a, b], f"the matrix has {m} rows, the right side {n}",
            hint="the right sides are the columns of a matrix; only one may be a vector",
        )
    stacks = [ArrayType(t.shape[:-2], t.dtype) for t in (a, b)]
    shape = (*broadcast_shapes(op, stacks), n, b.shape[-1])
    return ArrayType(shape, common_dtype(op, a, b))


def solve_transpose(wanted: Wanted, g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray) -> Arrays:
    """For b a solve with the transposed matrix; for a that times the solution."""
    ct = solve_op(matrix_transpose(a), g)
    return [ct if i else -matmul(ct, matrix_transpose(y)) for i in wanted]


def equations_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch by making examples of one matrix more right sides; else make ranks equal."""
    a, b = xs
    if not batched[0] and len(shape_of(a)) == 2:
        columns = moveaxis(b, 0, -1)
        *shape, k, examples = shape_of(columns)
        y = op(a, reshape(columns, shape=(*shape, k * examples)), **attrs)
        return moveaxis(reshape(y, shape=(*shape_of(y)[:-1], k, examples)), -1, 0)
    ndim = max(len(shape_of(x)) - is_batched for x, is_batched in zip(xs, batched)) + 1
    xs = [pad_rank(x, ndim) if is_batched else x for x, is_batched in zip(xs, batched)]
    return op(*xs, **attrs)


solve_op = Op(
    "solve", linalg.solve, arity=2, infer=lambda a, b: equations_infer("solve", a, b),
    flops=flops.solve,
    vjp=JointVJP(solve_transpose),
    jvp=[lambda t, y, a, b: -solve_op(a, matmul(t, y)), lambda t, y, a, b: solve_op(a, t)],
    batch=equations_batch,
    samples=cases(
        beside(regular((3, 3)), reals((3, 2))), beside(regular((3, 3)), reals((2, 3, 1))),
        beside(regular((2, 1, 2, 2)), reals((3, 2, 1))), beside(regular((2, 2, 2)), reals((2, 3))),
        beside(regular((3, 3)), reals((3, 0))), regular((0, 0), (0, 0)),
        beside(regular_complex((2, 2)), reals((2, 1))), regular_complex((2, 2), (2, 2)),
    ),
    error_samples=[
        invalid((2, 3), (2, 1), says="2 rows and 3 columns"),
        ErrorSample([np.eye(2), np.ones(2)], {}, ShapeError, "two axes or more, not 1"),
        ErrorSample([np.eye(2), np.ones((3, 1))], {}, ShapeError, "2 rows, the right side 3"),
        invalid((2, 2, 2), (3, 2, 1), says="2 against 3"),
        invalid((2, 2), (2, 1), error=LinAlgError, says="is singular"),
        ErrorSample([np.eye(2), np.ones((2, 1), np.float16)], {}, DTypeError, "float16"),
    ],
    doc="The solutions of linear equations; the columns of the second operand are right sides.",
)


def solve(a: OperandLike, b: OperandLike) -> Any:
    """The solution x of a @ x = b for square matrices `a`; stacks of them broadcast.

    A `b` with one axis is one right side, and so is the result; else the columns of `b` are right
    sides. Raises ShapeError where the shapes do not fit, LinAlgError for a singular matrix.

    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    if len(shape_of(b)) != 1:
        return solve_op(a, b)
    return squeeze(solve_op(a, expand_dims(b, axis=-1)), axis=-1)


def read_triangle(x: AnyArray, lower: bool, unit_diagonal: bool) -> AnyArray:
    """The triangle that is read, without the diagonal if that is ones."""
    k = 1 if unit_diagonal else 0
    return tril(x, k=-k) if lower else triu(x, k=k)


def solve_triangular_transpose(
    wanted: Wanted, g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray, lower: bool,
    unit_diagonal: bool, checked: bool,
) -> Arrays:
    """For b a solve with the transposed matrix; for a that times the solution."""
    ct = solve_triangular_op(
        matrix_transpose(a), g, lower=not lower, unit_diagonal=unit_diagonal, checked=False
    )
    times = product_of if len(shape_of(a)) == 2 else layer_product
    return [
        ct if i else -read_triangle(times(ct, matrix_transpose(y)), lower, unit_diagonal)
        for i in wanted
    ]


def solve_triangular_tangent(
    t: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray, lower: bool, unit_diagonal: bool,
    checked: bool,
) -> AnyArray:
    """The tangent along one of the matrix."""
    right = -matmul(read_triangle(t, lower, unit_diagonal), y)
    return solve_triangular_op(a, right, lower=lower, unit_diagonal=unit_diagonal, checked=False)


def solve_triangular_workspace(y: Any, a: Any, b: Any, **attrs: object) -> int:
    """The bytes of rows and their products, and of the solution before it is single precision."""
    if run_for(y.dtype) and triangular.is_for_machine_code(a, b):
        return 0
    wide, entries = 16 if y.dtype.kind == "c" else 8, math.prod(y.shape)
    sides = math.prod(y.shape[:-2]) * y.shape[-1]
    rows = min(triangular.ROWS, a.shape[-1]) if sides >= triangular.MANY else 0
    between = rows * (sides * wide + math.prod(a.shape[:-1]) * a.dtype.itemsize)
    if y.dtype.itemsize == wide:
        return between
    return max(entries * wide, entries * (wide - y.dtype.itemsize) + between)


solve_triangular_op = Op(
    "solve_triangular", triangular.solve_triangular, arity=2,
    traits=[Trait.C_CONTIGUOUS, Trait.OF_MATRICES],
    flops=flops.solve_triangular, workspace=solve_triangular_workspace,
    infer=lambda a, b, **attrs: equations_infer("solve_triangular", a, b),
    vjp=JointVJP(solve_triangular_transpose),
    jvp=[solve_triangular_tangent, lambda t, y, a, b, **attrs: solve_triangular_op(a, t, **attrs)],
    batch=equations_batch,
    samples=cases(
        beside(regular((3, 3)), reals((3, 2), lower=True)),
        beside(regular((2, 3, 3)), reals((3, 1), lower=False)),
        beside(regular((3, 3)), reals((2, 3, 1), lower=False, unit_diagonal=True)),
        regular((0, 0), (0, 0), lower=True), regular_complex((2, 2), (2, 2), lower=True),
    ),
    error_samples=[
        invalid((2, 3), (2, 1), lower=True, says="not square"),
        ErrorSample([np.eye(2), np.ones((3, 1))], {"lower": True}, ShapeError, "the right side 3"),
        ErrorSample([np.diag([1.0, 0]), np.ones((2, 1))], {"lower": True}, LinAlgError, "singular"),
    ],
    doc="The solutions of linear equations with triangular matrices.",
)


def solve_triangular(
    a: OperandLike, b: OperandLike, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """The solution x of a @ x = b, where only one triangle of `a` is read.

    With `unit_diagonal` the diagonal counts as ones. A `b` with one axis is one right side. Raises
    ShapeError where the shapes do not fit, LinAlgError where the diagonal has a zero.

    >>> solve_triangular(np.array([[2.0, 1.0], [0.0, 4.0]]), np.array([4.0, 4.0]))
    array([1.5, 1. ])
    """
    attrs = {"lower": lower, "unit_diagonal": unit_diagonal}
    if len(shape_of(b)) != 1:
        return solve_triangular_op(a, b, **attrs)
    return squeeze(solve_triangular_op(a, expand_dims(b, axis=-1), **attrs), axis=-1)


def cholesky_solve(b: OperandLike, factor: OperandLike, upper: bool = False) -> Any:
    """The solution x of a @ x = b, from the Cholesky factor L of `a`, a = L @ L.H.

    With `upper` the factor is U, and a = U.H @ U. Raises ShapeError where the shapes do not fit,
    LinAlgError for a factor with a zero on its diagonal.

    >>> cholesky_solve(np.array([[4.0], [9.0]]), np.diag([2.0, 3.0]))
    array([[1.],
           [1.]])
    """
    require_square("cholesky_solve", type_of(factor))
    first, last = (adjoint(factor), factor) if upper else (factor, adjoint(factor))
    return solve_triangular(last, solve_triangular(first, b, lower=True), lower=False)


def cholesky_inverse(factor: OperandLike, upper: bool = False) -> Any:
    """The inverse of a matrix from its Cholesky factor; see `cholesky_solve`.

    >>> cholesky_inverse(np.diag([2.0, 1.0]))
    array([[0.25, 0.  ],
           [0.  , 1.  ]])
    """
    require_square("cholesky_inverse", type_of(factor))
    one = masked(on_diagonal(factor), ones_like(factor))
    first = adjoint(factor) if upper else factor
    half = solve_triangular(first, one, lower=True)
    return times(adjoint(half), half)


def tensorsolve(a: OperandLike, b: OperandLike, axes: Sequence[int] | None = None) -> Any:
    """The solution x of tensordot(a, x, x.ndim) = b; `axes` of `a` are moved to the end first.

    Raises ShapeError unless `b` has as many entries as x.

    >>> tensorsolve(np.eye(4).reshape(2, 2, 4), np.ones((2, 2)))
    array([1., 1., 1., 1.])
    """
    if axes is not None:
        ndim = len(shape_of(a))
        last = [i % ndim for i in axes]
        a = transpose(a, axes=(*(i for i in range(ndim) if i not in last), *last))
    unknown = shape_of(a)[len(shape_of(b)) :]
    n = product(unknown)
    if product(shape_of(a)) != n * n:
        raise ShapeError(
            "tensorsolve", [type_of(a), type_of(b)], f"there are not {n} equations for {n} unknowns"
        )
    return reshape(solve(reshape(a, shape=(n, n)), reshape(b, shape=(n,))), shape=unknown)


def tensorinv(a: OperandLike, ind: int = 2) -> Any:
    """The inverse of tensordot(a, x, ind), for an x with `ind` axes.

    Raises ShapeError unless the first `ind` axes of `a` have as many entries as the others.

    >>> tensorinv(np.eye(4).reshape(2, 2, 4), 2).shape
    (4, 2, 2)
    """
    shape = shape_of(a)
    rows, columns = product(shape[:ind]), product(shape[ind:])
    if ind <= 0 or rows != columns:
        raise ShapeError(
            "tensorinv", [type_of(a)], f"{ind} axes have {rows} entries, the others {columns}"
        )
    return reshape(inv(reshape(a, shape=(rows, columns))), shape=(*shape[ind:], *shape[:ind]))
