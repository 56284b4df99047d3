"""The Cholesky factorization.

Note [Hermitian]. Cholesky's and the symmetric eigenvalue ops read one triangle of a matrix and take
the other for its mirror image. So they are functions of Hermitian matrices: gradients are
Hermitian, and only the Hermitian part of a tangent counts. This is PyTorch's convention. The trait
`hermitian` says so to the tests.
"""


import math
from functools import partial

import numpy as np

from ...core import flops
from ...core.errors import LinAlgError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import cases
from ...core.traits import Trait
from ...core.types import ArrayType, shape_of, type_of
from ...kernels.linalg import cholesky as kernels
from ...kernels.linalg import linalg
from ...typing import AnyArray, Arrays, Attrs, Flags, Wanted
from ..elementwise.comparison import greater_equal, where
from ..index.diagonals import diag_embed, tril
from ..index.indexing import numbers
from ..shape.movement import expand_dims
from ..shape.rearrange import matrix_transpose
from .contraction import matmul, pad_rank
from .matrices import (
    adjoint,
    adjoint_rule,
    diagonal_of,
    hermitian,
    matrix_op,
    require_square,
    samplers,
    square_infer,
    times,
)
from .solve import equations_infer, not_square, regular, solve_triangular_op

__all__: list[str] = []

HERMITIAN = frozenset({Trait.HERMITIAN})


def with_spectrum(x: np.ndarray) -> np.ndarray:
    """Symmetric or Hermitian matrices with eigenvalues 1, 2, ..., and random eigenvectors."""
    q = np.linalg.qr(x)[0]
    return (q * np.arange(1.0, x.shape[-1] + 1)) @ q.conj().swapaxes(-1, -2)


positive_definite, positive_definite_complex = samplers(with_spectrum)


def lower_half(x: AnyArray) -> AnyArray:
    """The lower triangle, with half of the diagonal."""
    return tril(x, k=-1) + diag_embed(diagonal_of(x) / 2)


def hermitian_of_lower(x: AnyArray) -> AnyArray:
    """The Hermitian part of `lower_half(x)`."""
    if type_of(x).dtype.kind == "c":
        return hermitian(lower_half(x))
    below = greater_equal(expand_dims(numbers(x, -2), axis=-1), numbers(x, -1))
    return where(below, x, matrix_transpose(x)) / 2


def cholesky_cotangent(g: AnyArray, y: AnyArray, x: AnyArray, upper: bool) -> AnyArray:
    """The transpose of the tangent: two triangular solves, with a factor that is never singular."""
    l, gl = (adjoint(y), adjoint(g)) if upper else (y, g)
    if type_of(l).ndim == 2 and type_of(l).dtype.kind == "f":
        return cotangent_op(l, gl)
    right = adjoint(l)
    return between_inverses(l, hermitian_of_lower(times(right, gl)))


def between_inverses(l: AnyArray, x: AnyArray) -> AnyArray:
    """inv(L.H) @ x @ inv(L), for a Hermitian x."""
    right = adjoint(l)
    half = solve_triangular_op(right, x, lower=False, checked=False)
    return adjoint(solve_triangular_op(right, adjoint(half), lower=False, checked=False))


def cholesky_tangent(t: AnyArray, y: AnyArray, x: AnyArray, upper: bool) -> AnyArray:
    """L times the lower half of inv(L) @ t @ inv(L).H."""
    l = adjoint(y) if upper else y
    dl = times(l, whitened(l, hermitian(t)))
    return adjoint(dl) if upper else dl


def whitened(l: AnyArray, x: AnyArray) -> AnyArray:
    """The lower half of inv(L) @ x @ inv(L).H, for a Hermitian x."""
    half = solve_triangular_op(l, x, lower=True, checked=False)
    return lower_half(solve_triangular_op(l, adjoint(half), lower=True, checked=False))


def cotangent_tangent(t: AnyArray, y: AnyArray, l: AnyArray, g: AnyArray) -> AnyArray:
    """The tangent of the cotangent along one of the factor."""
    dl = tril(t)
    change = solve_triangular_op(adjoint(l), times(adjoint(dl), y), lower=False, checked=False)
    inner = hermitian_of_lower(times(adjoint(dl), tril(g)))
    return between_inverses(l, inner) - change - adjoint(change)


def cotangent_transpose(
    wanted: Wanted, ct: AnyArray, y: AnyArray, l: AnyArray, g: AnyArray
) -> Arrays:
    """The cotangents of the factor and of its cotangent."""
    ct = hermitian(ct)
    inner = whitened(l, ct)
    return [times(tril(l), inner) if i else factor_cotangent(ct, inner, y, l, g) for i in wanted]


def factor_cotangent(
    ct: AnyArray, inner: AnyArray, y: AnyArray, l: AnyArray, g: AnyArray
) -> AnyArray:
    """The part of the transpose that belongs to the factor; it alone reads the output."""
    change = solve_triangular_op(l, times(ct, y), lower=True, checked=False)
    return tril(times(tril(g), adjoint(inner)) - 2 * adjoint(change))


def cotangent_infer(l: ArrayType, g: ArrayType) -> ArrayType:
    """The type of a matrix from those of the factor and its cotangent."""
    result = equations_infer("cholesky_cotangent", l, g)
    require_square("cholesky_cotangent", g)
    return result


def cotangent_formula(l: AnyArray, g: AnyArray) -> AnyArray:
    l = tril(l)
    right = matrix_transpose(l)
    inner = matmul(right, tril(g))
    both = tril(inner) + matrix_transpose(tril(inner, k=-1))
    solved = partial(solve_triangular_op, right, lower=False, checked=False)
    return 0.5 * matrix_transpose(solved(matrix_transpose(solved(both))))


def cotangent_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch by making ranks equal."""
    ndim = max(len(shape_of(x)) - is_batched for x, is_batched in zip(xs, batched)) + 1
    return op(*[pad_rank(x, ndim) if is_batched else x for x, is_batched in zip(xs, batched)])


cotangent_op = Op(
    "cholesky_cotangent", kernels.cholesky_cotangent, arity=2, infer=cotangent_infer,
    formula=cotangent_formula,
    traits=[Trait.OF_LOWER],
    flops=flops.per_square((7, 2)),
    workspace=lambda y, l, g: 5 * math.prod(y.shape) * y.dtype.itemsize,
    vjp=JointVJP(cotangent_transpose),
    jvp=[cotangent_tangent, lambda t, y, l, g: cotangent_op(l, t)],
    batch=cotangent_batch,
    samples=cases(
        regular((3, 3), (3, 3)), regular((2, 2), (2, 2)), regular((1, 1), (1, 1)),
        regular((2, 6, 6), (6, 6)),
    ),
    doc="The cotangent of a real matrix from its Cholesky factor and that one's cotangent.",
)  # fmt: skip


cholesky = matrix_op(
    "cholesky", linalg.cholesky, infer=square_infer("cholesky"),
    flops=flops.per_square((1, 3)),
    vjp=[adjoint_rule(cholesky_cotangent)], jvp=[cholesky_tangent], traits=HERMITIAN,
    samples=cases(
        positive_definite((3, 3)), positive_definite((2, 2, 2), upper=True),
        positive_definite((1, 1)), positive_definite((2, 0, 0)),
        positive_definite_complex((3, 3)), positive_definite_complex((2, 2), upper=True),
    ),
    error_samples=[
        *not_square, ErrorSample([-np.eye(2)], {}, LinAlgError, "not positive definite"),
    ],
    doc="The Cholesky factor L of L @ L.H, or with `upper` U of U.H @ U; one triangle is read.",
)
