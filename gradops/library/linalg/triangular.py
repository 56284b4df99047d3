"""Equations with triangular matrices."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import LinAlgError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import beside, cases, reals
from ...core.types import shape_of
from ...kernels.linalg import triangular
from ..index.diagonals import tril, triu
from ..shape.movement import expand_dims, squeeze
from ..shape.rearrange import matrix_transpose
from .contraction import matmul
from .matrices import heeded
from .solve import equations_batch, equations_infer, regular, regular_complex

__all__: list[str] = []


def part(x: Any, lower: bool, unit_diagonal: bool) -> Any:
    """What is read of a matrix: one triangle, without a diagonal of ones."""
    k = 1 if unit_diagonal else 0
    return tril(x, k=-k) if lower else triu(x, k=k)


def solve_triangular_transpose(
    wanted: Sequence[int],
    g: Any, y: Any, a: Any, b: Any, lower: bool, unit_diagonal: bool, checked: bool,
) -> list[Any]:  # fmt: skip
    """Of b the solution with the transposed matrix; of a that times the solution."""
    ct = heeded(g, solve_triangular_op(
        matrix_transpose(a), g, lower=not lower, unit_diagonal=unit_diagonal, checked=False
    ))
    return [
        ct if i else -part(matmul(ct, matrix_transpose(y)), lower, unit_diagonal) for i in wanted
    ]


def solve_triangular_tangent(
    t: Any, y: Any, a: Any, b: Any, lower: bool, unit_diagonal: bool, checked: bool
) -> Any:
    """Of a tangent of the matrix."""
    right = -matmul(part(t, lower, unit_diagonal), y)
    return solve_triangular_op(a, right, lower=lower, unit_diagonal=unit_diagonal, checked=False)


solve_triangular_op = Op(
    "solve_triangular", triangular.solve_triangular, arity=2,
    infer=lambda a, b, **attrs: equations_infer("solve_triangular", a, b),
    vjp=JointVJP(solve_triangular_transpose),
    jvp=[solve_triangular_tangent,
         lambda t, y, a, b, **attrs: solve_triangular_op(a, t, **attrs)],
    batch=equations_batch,
    source="solve_triangular({0}, {1}, {lower}, {unit_diagonal}, {checked})",
    samples=cases(
        beside(regular((3, 3)), reals((3, 2), lower=True)),
        beside(regular((2, 3, 3)), reals((3, 1), lower=False)),
        beside(regular((3, 3)), reals((2, 3, 1), lower=False, unit_diagonal=True)),
        regular((0, 0), (0, 0), lower=True), regular_complex((2, 2), (2, 2), lower=True),
    ),
    error_samples=[
        ErrorSample([np.ones((2, 3)), np.ones((2, 1))], {"lower": True}, ShapeError, "not square"),
        ErrorSample([np.eye(2), np.ones((3, 1))], {"lower": True}, ShapeError, "the right side 3"),
        ErrorSample([np.diag([1.0, 0]), np.ones((2, 1))], {"lower": True}, LinAlgError, "singular"),
    ],
    doc="The solutions of linear equations of which only one triangle of the matrix is read.",
)


def solve_triangular(a: Any, b: Any, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """The solution x of a @ x = b, of which only one triangle of `a` is read.

    With `unit_diagonal` the diagonal is taken for ones. A `b` with one axis is one right side.
    Raises ShapeError where the shapes do not fit, LinAlgError where the diagonal has a zero.

    >>> solve_triangular(np.array([[2.0, 1.0], [0.0, 4.0]]), np.array([4.0, 4.0]))
    array([1.5, 1. ])
    """
    attrs = {"lower": lower, "unit_diagonal": unit_diagonal}
    if len(shape_of(b)) != 1:
        return solve_triangular_op(a, b, **attrs)
    return squeeze(solve_triangular_op(a, expand_dims(b, axis=-1), **attrs), axis=-1)
