"""Sylvester's matrix equations, and the square roots and logarithms of matrices.

The derivative of a square root y solves y @ dy + dy @ y = dx; that of a logarithm is, as for the
exponential, a block of the logarithm of a matrix of twice the size.
"""

from functools import partial
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import product
from ...core.errors import LinAlgError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import beside, cases, reals
from ...core.types import ArrayType, broadcast_shapes, conflict, shape_of
from ...kernels.linalg import schur
from ...typing import AnyArray, Arrays, Attrs, Flags, Wanted
from ..shape.creation import stop_gradient, zeros_like
from ..shape.joining import concatenate
from ..shape.rearrange import matrix_transpose
from .contraction import matmul, pad_rank
from .matrices import (
    common_dtype,
    matrix_op,
    require_matrix,
    require_square,
    samplers,
    square_infer,
    zero_if_unused,
)
from .matrix_functions import matrix_size
from .solve import not_square

__all__: list[str] = []


def sylvester_infer(a: ArrayType, b: ArrayType, q: ArrayType, checked: bool) -> ArrayType:
    require_matrix("solve_sylvester", a, b, q)
    require_square("solve_sylvester", a, b, q)
    require_square("solve_sylvester", b, a, q)
    if conflict((a.shape[-1], b.shape[-1]), q.shape[-2:]):
        raise ShapeError(
            "solve_sylvester", [a, b, q],
            f"the right side has {a.shape[-1]} rows and {b.shape[-1]} columns,"
            f" not {q.shape[-2]} and {q.shape[-1]}",
        )  # fmt: skip
    stacks = [ArrayType(t.shape[:-2], t.dtype) for t in (a, b, q)]
    shape = (*broadcast_shapes("solve_sylvester", stacks), *q.shape[-2:])
    return ArrayType(shape, common_dtype("solve_sylvester", a, b, q))


def sylvester_cotangents(
    wanted: Wanted, g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray, q: AnyArray, checked: bool
) -> Arrays:
    """For q the solution with the transposed matrices; for these that times the solution."""
    ct = unchecked(matrix_transpose(a), matrix_transpose(b), g)
    across = lambda: matrix_transpose(y)  # not read for q
    found = [lambda: -matmul(ct, across()), lambda: -matmul(across(), ct), lambda: ct]
    return [found[i]() for i in wanted]


def sylvester_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch by making ranks equal."""
    ndim = max(len(shape_of(x)) - is_batched for x, is_batched in zip(xs, batched)) + 1
    xs = [pad_rank(x, ndim) if is_batched else x for x, is_batched in zip(xs, batched)]
    return op(*xs, **attrs)


def sylvester_flops(y: ArrayType, *types: ArrayType, **attrs: object) -> Any:
    """25 (m^3 + n^3) for the Schur forms, 5 m n (m + n) for the rest."""
    m, n = y.shape[-2:]
    return product(y.shape[:-2]) * (25 * (m * m * m + n * n * n) + 5 * m * n * (m + n))


# Matrices with eigenvalues to the right of the imaginary axis.
positive_spectrum, positive_spectrum_complex = samplers(
    lambda x: x + 3 * np.eye(*x.shape[-2:]), lambda r, s: r.uniform(-1, 1, s)
)

solve_sylvester = Op(
    "solve_sylvester", schur.solve_sylvester, arity=3, infer=sylvester_infer,
    flops=sylvester_flops,
    vjp=JointVJP(sylvester_cotangents),
    jvp=[
        lambda t, y, a, b, q, checked: -unchecked(a, b, matmul(t, y)),
        lambda t, y, a, b, q, checked: -unchecked(a, b, matmul(y, t)),
        lambda t, y, a, b, q, checked: unchecked(a, b, t),
    ],
    batch=sylvester_batch,
    samples=cases(
        beside(positive_spectrum((3, 3), (2, 2)), reals((3, 2))),
        beside(positive_spectrum((2, 2, 2), (1, 1)), reals((2, 1))),
        beside(positive_spectrum((0, 0), (2, 2)), reals((0, 2))),
        beside(positive_spectrum_complex((2, 2), (3, 3)), reals((2, 3))),
    ),
    error_samples=[
        ErrorSample([np.ones((2, 3)), np.eye(2), np.eye(2)], {}, ShapeError, "not square"),
        ErrorSample([np.eye(2), np.eye(2), np.ones((3, 2))], {}, ShapeError, "not 3 and 2"),
        ErrorSample([np.eye(2), -np.eye(2), np.eye(2)], {}, LinAlgError, "singular"),
    ],
    doc="The solutions x of a @ x + x @ b = q; NaN where there are none, or an error if `checked`.",
)  # fmt: skip
unchecked = partial(solve_sylvester, checked=False)


def root_derivative(y: AnyArray, t: AnyArray) -> AnyArray:
    """The derivative of the square root y in the direction t; zeros for a t of zeros."""
    return zero_if_unused(t, unchecked(y, y, t))


def log_derivative(x: AnyArray, t: AnyArray) -> AnyArray:
    """The derivative of the logarithm at x in the direction t, which is normalized first."""
    size = stop_gradient(matrix_size(t))
    n = shape_of(x)[-1]
    rows = [concatenate([x, t / size], axis=-1), concatenate([zeros_like(x), x], axis=-1)]
    return matrix_log(concatenate(rows, axis=-2))[..., :n, n:] * size


spectrum_cases = cases(
    positive_spectrum((3, 3)), positive_spectrum((2, 2, 2)), positive_spectrum((1, 1)),
    positive_spectrum((2, 0, 0)), positive_spectrum_complex((2, 2)),
)  # fmt: skip

matrix_sqrt = matrix_op(
    "matrix_sqrt", schur.matrix_sqrt, infer=square_infer("matrix_sqrt"),
    flops=flops.per_square((28, 3)),
    vjp=[lambda g, y, x: root_derivative(matrix_transpose(y), g)],
    jvp=[lambda t, y, x: root_derivative(y, t)],
    samples=spectrum_cases,
    error_samples=[*not_square, ErrorSample([-np.eye(2)], {}, LinAlgError, "is complex")],
    doc="The principal square root of each matrix: y @ y = x.",
)
matrix_log = matrix_op(
    "matrix_log", schur.matrix_log, infer=square_infer("matrix_log"),
    flops=flops.per_square((60, 3)),
    vjp=[lambda g, y, x: log_derivative(matrix_transpose(x), g)],
    jvp=[lambda t, y, x: log_derivative(x, t)],
    samples=spectrum_cases,
    error_samples=[*not_square, ErrorSample([-np.eye(2)], {}, LinAlgError, "is complex")],
    doc="The principal logarithm of each matrix.",
)
