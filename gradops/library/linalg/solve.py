"""Linear equations, inverses and determinants."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import DTypeError, LinAlgError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import beside, cases, drawn, reals
from ...core.types import ArrayType, broadcast_shapes, conflict, shape_of
from ...kernels.linalg import linalg
from ..shape.movement import expand_dims, moveaxis, reshape, squeeze
from ..shape.rearrange import matrix_transpose
from .contraction import lead, matmul
from .matrices import common_dtype, require_matrix, require_square, square_infer, stacked

__all__: list[str] = []

not_square = [
    ErrorSample([np.ones(3)], {}, ShapeError, "two axes or more, not 1"),
    ErrorSample([np.ones((2, 3))], {}, ShapeError, "2 rows and 3 columns"),
    ErrorSample([np.ones((2, 2), np.float16)], {}, DTypeError, "float16"),
]
is_singular = [
    ErrorSample([np.ones((2, 2))], {}, LinAlgError, "the matrix is singular"),
    ErrorSample([np.stack([np.eye(2), np.zeros((2, 2))])], {}, LinAlgError, "number 1"),
]


def regular(*shapes: Any, **attrs: Any) -> Any:
    """Square matrices that are far from singular."""
    return drawn(lambda r, s: r.uniform(-1, 1, s) + 2 * np.eye(s[-1]), shapes, **attrs)


def regular_complex(*shapes: Any, **attrs: Any) -> Any:
    """The same, of complex numbers."""
    draw = lambda r, s: r.uniform(-1, 1, s) + 1j * r.uniform(-1, 1, s) + 2 * np.eye(s[-1])
    return drawn(draw, shapes, **attrs)


squares = cases(
    regular((3, 3)), regular((2, 2, 2)), regular((1, 1)), regular((2, 0, 0)), regular((0, 2, 2)),
    regular_complex((3, 3)),
)


def inv_transpose(g: Any, y: Any, x: Any, checked: bool) -> Any:
    t = matrix_transpose(y)
    return -matmul(t, matmul(g, t))


inv = Op(
    "inv", linalg.inv,
    infer=square_infer("inv"),
    vjp=[inv_transpose],
    jvp=[lambda t, y, x, checked: -matmul(y, matmul(t, y))],
    batch=stacked,
    source="inv({0}, {checked})",
    samples=squares,
    error_samples=[*not_square, *is_singular],
    doc="The inverse of each matrix; NaN of a singular one, unless that is checked for.",
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
            known_as=f"Incompatible shapes of A and B for the equation AX = B ({m}x{m} and"
            f" {n}x{b.shape[-1]})",
        )
    stacks = [ArrayType(t.shape[:-2], t.dtype) for t in (a, b)]
    shape = (*broadcast_shapes(op, stacks), n, b.shape[-1])
    return ArrayType(shape, common_dtype(op, a, b))


def solve_transpose(wanted: Sequence[int], g: Any, y: Any, a: Any, b: Any) -> list[Any]:
    """Of b the solution with the transposed matrix; of a that times the solution."""
    ct = solve_op(matrix_transpose(a), g)
    return [ct if i else -matmul(ct, matrix_transpose(y)) for i in wanted]


def equations_batch(op: Op, xs: Any, batched: Sequence[bool], attrs: dict[str, Any]) -> Any:
    """Examples with one matrix are so many more right sides; else stacks get equal rank."""
    a, b = xs
    if not batched[0] and len(shape_of(a)) == 2:
        columns = moveaxis(b, 0, -1)
        *shape, k, examples = shape_of(columns)
        y = op(a, reshape(columns, shape=(*shape, k * examples)), **attrs)
        return moveaxis(reshape(y, shape=(*shape_of(y)[:-1], k, examples)), -1, 0)
    ndim = max(len(shape_of(x)) - is_batched for x, is_batched in zip(xs, batched)) + 1
    xs = [lead(x, ndim) if is_batched else x for x, is_batched in zip(xs, batched)]
    return op(*xs, **attrs)


solve_op = Op(
    "solve", linalg.solve, arity=2,
    infer=lambda a, b: equations_infer("solve", a, b),
    vjp=JointVJP(solve_transpose),
    jvp=[lambda t, y, a, b: -solve_op(a, matmul(t, y)), lambda t, y, a, b: solve_op(a, t)],
    batch=equations_batch,
    source="solve({0}, {1})",
    samples=cases(
        beside(regular((3, 3)), reals((3, 2))), beside(regular((3, 3)), reals((2, 3, 1))),
        beside(regular((2, 1, 2, 2)), reals((3, 2, 1))), beside(regular((2, 2, 2)), reals((2, 3))),
        beside(regular((3, 3)), reals((3, 0))), regular((0, 0), (0, 0)),
        beside(regular_complex((2, 2)), reals((2, 1))), regular_complex((2, 2), (2, 2)),
    ),
    error_samples=[
        ErrorSample([np.ones((2, 3)), np.ones((2, 1))], {}, ShapeError, "2 rows and 3 columns"),
        ErrorSample([np.eye(2), np.ones(2)], {}, ShapeError, "two axes or more, not 1"),
        ErrorSample([np.eye(2), np.ones((3, 1))], {}, ShapeError, "2 rows, the right side 3"),
        ErrorSample([np.ones((2, 2, 2)), np.ones((3, 2, 1))], {}, ShapeError, "2 against 3"),
        ErrorSample([np.ones((2, 2)), np.ones((2, 1))], {}, LinAlgError, "is singular"),
        ErrorSample([np.eye(2), np.ones((2, 1), np.float16)], {}, DTypeError, "float16"),
    ],
    doc="The solutions of linear equations, whose right sides are the columns of the second.",
)


def solve(a: Any, b: Any) -> Any:
    """The solution x of a @ x = b for square matrices `a`; stacks of them broadcast.

    A `b` with one axis is one right side, and so is the result; else the columns of `b` are right
    sides. Raises ShapeError where the shapes do not fit, LinAlgError for a singular matrix.

    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    if len(shape_of(b)) != 1:
        return solve_op(a, b)
    return squeeze(solve_op(a, expand_dims(b, axis=-1)), axis=-1)
