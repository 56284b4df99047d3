"""PyTorch's matrix functions outside of `linalg`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops import linalg
from gradops.core.types import shape_of
from gradops.typing import Number

from ..dispatch.fast_path import binary, operand
from ..dispatch.wrapping import Functions, by_name, set_name
from ..engine.tensor import Tensor, as_tensor
from ..linalg import OFFERED, of_operands


def require(op: str, x: Tensor, ndim: int) -> Tensor:
    """`x` as a tensor; raises ShapeError unless it has `ndim` dimensions."""
    x = operand(x)
    if len(shape_of(x)) != ndim:
        raise ops.ShapeError(op, [x.type], f"it needs {ndim} dimensions, not {len(shape_of(x))}")
    return x


def trace(x: Tensor) -> Tensor:
    """The sum of the diagonal entries of a matrix.

    >>> dg.trace(dg.eye(3))
    tensor(3.)
    """
    return linalg.trace(require("trace", x, 2))


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two vectors.

    >>> dg.outer(dg.ones(2), dg.ones(3)).shape
    (2, 3)
    """
    return ops.outer(require("outer", input, 1), require("outer", vec2, 1))


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The dot product of two vectors, the first conjugated.

    >>> dg.vdot(dg.ones(2), dg.ones(2))
    tensor(2.)
    """
    return ops.vecdot(require("vdot", input, 1), require("vdot", other, 1))


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The product summed over the last `dims` dimensions of `a` and the first of `b`, or two lists.

    >>> dg.tensordot(dg.ones(2, 3), dg.ones(3, 4), 1).shape
    (2, 4)
    """
    return ops.tensordot(operand(a), operand(b), dims)


def cross(input: Tensor, other: Tensor | Number, dim: int | None = None) -> Tensor:
    """The cross product along a dimension, by default the first of size 3.

    >>> dg.cross(dg.ones(3, 2), dg.ones(3, 2)).shape
    (3, 2)
    """
    x, y = operand(input), operand(other)
    if dim is None:
        dim = shape_of(x).index(3) if 3 in shape_of(x) else -1
    return ops.cross(x, y, axis=dim)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudoinverse; singular values below `rcond` times the largest count as zero.

    >>> dg.pinverse(dg.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return linalg.pinv(operand(input), rtol=rcond)


def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of matrices, in the order of fewest multiplications.

    >>> dg.chain_matmul(dg.ones(2, 3), dg.ones(3, 4), dg.ones(4, 5)).shape
    (2, 5)
    """
    return linalg.multi_dot([operand(x) for x in matrices])


def adjoint(x: Tensor) -> Tensor:
    """The conjugate transpose of the last two dimensions.

    >>> dg.adjoint(dg.tensor([[1j]]))
    tensor([[0.-1.j]])
    """
    return linalg.adjoint(operand(x))


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of the entries of a vector as columns, descending unless `increasing`.

    >>> dg.vander(dg.tensor([2.0, 3.0]), 3)
    tensor([[4., 2., 1.],
            [9., 3., 1.]])
    """
    powers = OFFERED["vander"](require("vander", x, 1), N)
    return powers if increasing else ops.flip(powers, axis=-1)


class SVD(NamedTuple):
    """Left singular vectors U, singular values S, and right singular vectors V, as columns."""

    U: Tensor
    S: Tensor
    V: Tensor


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> SVD:
    """Factors U @ diag(S) @ V.H of matrices; `linalg.svd` returns V.H.

    >>> dg.svd(dg.ones(4, 2)).V.shape
    (2, 2)
    """
    x = operand(input)
    if compute_uv:
        u, s, vh = linalg.svd(x, full_matrices=not some)
        return SVD(u, s, linalg.adjoint(vh))
    m, n = shape_of(x)[-2:]
    empty = [ops.zeros_like(x[..., :1, :1]) * np.zeros((k, k), x.dtype) for k in (m, n)]
    return SVD(empty[0], linalg.svdvals(x), empty[1])


def qr(input: Tensor, some: bool = True) -> linalg.QRResult:
    """Factors Q @ R of matrices, Q with orthonormal columns, R upper triangular.

    >>> dg.qr(dg.ones(4, 2)).Q.shape
    (4, 2)
    """
    return linalg.qr(operand(input), mode="reduced" if some else "complete")


def sum_of_products(a: Tensor, b: Tensor) -> Tensor:
    """The sum of the products of two batches of matrices."""
    return ops.sum(ops.matmul(a, b), axis=0)


def plus_product(name: str, product: Callable[[Any, Any], Any], doc: str) -> Callable[..., Tensor]:
    """PyTorch's `beta * input + alpha * product`."""

    def call(
        input: Tensor, a: Tensor, b: Tensor, *, beta: Tensor | Number = 1,
        alpha: Tensor | Number = 1,
    ) -> Tensor:  # fmt: skip
        y = product(operand(a), operand(b))
        y = y if alpha == 1 else y * alpha
        if beta == 0:  # then a NaN in the input is ignored
            return y
        return (input if beta == 1 else input * beta) + y

    return set_name(call, name, f"`beta * input + alpha * {doc}`.")


matmul = binary(ops.matmul)


def product(name: str, left: int, right: int) -> Callable[[Any, Any], Any]:
    """The matrix product of operands with `left` and `right` dimensions."""

    def call(x: Tensor, other: Tensor | Number) -> Tensor:
        if (len(shape_of(x)), len(shape_of(other))) != (left, right):
            raise ops.ShapeError(
                name, [ops.type_of(x), ops.type_of(other)],
                f"{name} takes operands with {left} and {right} dimensions",
                hint="matmul, or x @ y, takes operands with any number of them",
            )  # fmt: skip
        return matmul(x, other)

    doc = f"The matrix product of operands with {left} and {right} dimensions."
    return set_name(call, name, doc)


def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Products summed by an equation of index labels; the operands may be one list.

    >>> dg.einsum("ij,j->i", dg.ones(2, 3), dg.ones(3))
    tensor([3., 3.])
    """
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    return ops.einsum(equation, *map(as_tensor, operands))


SHARED: Functions = {
    **{name: OFFERED[name] for name in ("det", "slogdet", "matrix_exp", "matrix_power")},
    "logdet": of_operands(linalg.logdet), "inverse": OFFERED["inv"],
    "cholesky": OFFERED["cholesky"], "cholesky_inverse": of_operands(linalg.cholesky_inverse),
    "cholesky_solve": of_operands(linalg.cholesky_solve, 2), "kron": of_operands(ops.kron, 2),
    "trace": trace, "outer": outer, "ger": outer, "inner": of_operands(ops.inner, 2),
    "vdot": vdot, "cross": cross, "pinverse": pinverse, "adjoint": adjoint,
    **{name: plus_product(name, ops.matmul, "a @ b") for name in ("addmm", "addmv", "baddbmm")},
    "svd": svd, "qr": qr, "addbmm": plus_product("addbmm", sum_of_products, "sum(a @ b)"),
    "addr": plus_product("addr", ops.outer, "outer(a, b)"),
    "mm": product("mm", 2, 2), "bmm": product("bmm", 3, 3), "mv": product("mv", 2, 1),
    "dot": product("dot", 1, 1),
}  # fmt: skip
FUNCTIONS = by_name(chain_matmul, einsum, tensordot, vander)
PROPERTIES = {
    "mH": property(lambda x: adjoint(x) if shape_of(x) else x.conj()),
    "mT": property(lambda x: ops.swapaxes(x, -1, -2) if shape_of(x) else x),
    "H": property(lambda x: adjoint(x) if shape_of(x) else x.conj()),
}
