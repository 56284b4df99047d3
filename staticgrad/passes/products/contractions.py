"""Sums of products along one axis, and products with one column, as those of matrix and vector.

BLAS reads the matrix once and makes no array of products. A step of a recurrence over a few states
is mostly such sums, and each call less counts there.
"""

from typing import ClassVar

from gradops import OPS
from gradops.core.dims import Size

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass
from ..rules.strength import FEW

RESHAPE = OPS["reshape"]
SUMS = frozenset({OPS["sum"], OPS["sum_to"]})


class ContractSums(Pass):
    """Compute sums of a matrix times a vector, along the vector, as their product by BLAS.

    A product with a matrix of one column or row, of which a vector is made, is one with a vector.
    BLAS adds the terms in another order: of so few, as accurately as NumPy's sum. Where terms
    overflow to infinities of both signs, it may give one of these for NaN.
    """

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(contracted, {*SUMS, RESHAPE})


def contracted(e: Expr, intern: Interning) -> Expr:
    """A sum of products, or a vector made of a product, as the product with a vector."""
    return as_product_with_vector(e, intern) if e.op is RESHAPE else as_product(e, intern)


def as_product_with_vector(e: Expr, intern: Interning) -> Expr:
    """The only column or row of a product of matrices as the product with a vector."""
    (x,) = e.inputs
    if x.op is not OPS["matmul"] or len(e.shape) != 1 or len(x.shape) != 2:
        return e
    a, b = x.inputs
    n = a.shape[-1]
    if len(a.shape) != 2 or len(b.shape) != 2 or x.dtype.char not in "fd" or not is_few(n):
        return e
    if (b.shape[1], a.shape[0]) == (1, e.shape[0]):
        return intern.apply("matmul", a, intern.reshape(b, (n,), like=e), like=e)
    if (a.shape[0], b.shape[1]) == (1, e.shape[0]):
        return intern.apply("matmul", intern.reshape(a, (n,), like=e), b, like=e)
    return e


def as_product(e: Expr, intern: Interning) -> Expr:
    """A sum of products as the product of a matrix and a vector; other sums as they are."""
    (x,) = e.inputs
    if x.op is None or x.op.name != "mul" or len(x.shape) != 2 or x.dtype.char not in "fd":
        return e
    axis = reduced_axis(e)
    for matrix, vector in (x.inputs, x.inputs[::-1]):
        if axis is not None and is_contraction(x, matrix, vector, axis):
            v = intern.reshape(vector, (x.shape[axis],), like=e)
            factors = (matrix, v) if axis == 1 else (v, matrix)
            return intern.reshape(intern.apply("matmul", *factors, like=e), e.shape, like=e)
    return e


def reduced_axis(e: Expr) -> int | None:
    """The one axis of a matrix along which an expression is its sum; None if it is otherwise."""
    (x,) = e.inputs
    if e.op is OPS["sum"]:
        axes = e.attrs["axis"]
        listed = axes if isinstance(axes, tuple) else (axes,)
        return listed[0] % 2 if len(listed) == 1 and listed[0] is not None else None
    kept = (*[1] * (2 - len(e.shape)), *e.shape)
    changed = [i for i in (0, 1) if kept[i] != x.shape[i]]
    return changed[0] if [kept[i] for i in changed] == [1] else None  # a name may be any size


def is_few(n: Size) -> bool:
    """True for a known number of terms of which BLAS adds few one after another."""
    return isinstance(n, int) and 1 < n <= FEW


def is_contraction(x: Expr, matrix: Expr, vector: Expr, axis: int) -> bool:
    """True if `x` is a matrix times a vector of few entries, which lies along an axis."""
    n = x.shape[axis]
    along = ((n,), (1, n)) if axis == 1 else ((n, 1),)
    return is_few(n) and matrix.type == x.type and vector.dtype == x.dtype and vector.shape in along
