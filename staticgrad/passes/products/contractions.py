"""Sums of products along one axis as products of a matrix and a vector.

BLAS reads the matrix once and makes no array of products. A step of a recurrence over a few states
is mostly such sums, and each call less counts there.
"""

from dataclasses import dataclass
from typing import ClassVar

from gradops import OPS

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass
from ..rules.strength import FEW

SUMS = frozenset({OPS["sum"], OPS["sum_to"]})


@dataclass(frozen=True)
class ContractSums(Pass):
    """Compute sums of a matrix times a vector, along the vector, as their product by BLAS.

    BLAS adds the terms in another order: of so few, as accurately as NumPy's sum.
    """

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(as_product, SUMS)


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
    return changed[0] if len(changed) == 1 else None


def is_contraction(x: Expr, matrix: Expr, vector: Expr, axis: int) -> bool:
    """True if `x` is a matrix times a vector of few entries, which lies along an axis."""
    n = x.shape[axis]
    along = ((n,), (1, n)) if axis == 1 else ((n, 1),)
    few = isinstance(n, int) and 1 < n <= FEW
    return few and matrix.type == x.type and vector.dtype == x.dtype and vector.shape in along
