"""Products of products, in the order that takes the least work.

Note [Association]. The gradient of a likelihood multiplies the inverse of a factor with a wide
matrix, a column for each point, and the result with another wide one, or sums its columns. The two
wide matrices are multiplied first: what is left for the inverse is small.
"""

from collections.abc import Sequence
from typing import ClassVar

from gradops import OPS
from gradops.library.nn.layer_product import layer_product

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass
from ..subgraphs import readers
from .inverses import solve_by_inverse

CALL = 10_000  # multiplications that take as long as one more call
PRODUCTS = frozenset({OPS["matmul"], layer_product})
"""Ops that multiply matrices."""
LINEAR = PRODUCTS | {OPS["solve"], OPS["solve_triangular"], solve_by_inverse}
"""Ops that give, by a matrix, a linear combination of the rows of their last operand."""


class AssociateProducts(Pass):
    """Compute a @ (b @ c) for (a @ b) @ c where that is less work. See Note [Association].

    In the place of `a @` may be a solve with `a`, and in that of `@ c` a sum of columns.
    """

    bound: ClassVar[float] = 64.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        given = {*graph.results, *graph.measured}
        wide = [e for e in graph.order if e not in given and is_of_matrices(e) and saves(e, [1])]
        read = readers(graph) if wide else {}
        inner = {e for e in wide if is_worth(e, read[e])}
        return graph.remade(Associating(inner).make) if inner else graph


def is_worth(e: Expr, users: Sequence[Expr]) -> bool:
    """True for a product all of whose readers take less work if they come before it."""
    if not all(is_product_of(e, user) or sums_columns(e, user) for user in users):
        return False
    return saves(e, [user.shape[-1] for user in users])


def saves(e: Expr, columns: Sequence[int]) -> bool:
    """True if products with `columns` and sums of columns take less work before `e` than after."""
    (m, k), n = e.inputs[0].shape[-2:], e.shape[-1]
    before = m * k * n + sum([m * n * q + CALL for q in columns])
    after = sum([k * n * q + m * k * q + 2 * CALL for q in columns])
    return after < before


def is_of_matrices(e: Expr) -> bool:
    """True for the product of matrices, or stacks of as many, of floats and known sizes."""
    if e.op not in LINEAR:
        return False
    a, b = e.inputs[0], e.inputs[-1]
    if e.dtype.char not in "fd" or not a.dtype == b.dtype == e.dtype or len(a.shape) < 2:
        return False
    sizes = (*a.shape, *b.shape)
    return (
        0 not in e.shape
        and all(type(n) is int for n in sizes)
        and a.shape[:-2] == b.shape[:-2] == e.shape[:-2]
    )


def is_product_of(e: Expr, user: Expr) -> bool:
    """True for a product of `e` with as many matrices."""
    if user.op not in PRODUCTS or user.inputs[0] is not e or user.inputs[1] is e:
        return False
    return user.inputs[1].shape[:-2] == e.shape[:-2] and len(user.shape) == len(e.shape)


def sums_columns(e: Expr, user: Expr) -> bool:
    """True for the sum of the columns of `e` as one column."""
    return user.op is OPS["sum_to"] and user.shape == (*e.shape[:-1], 1)


class Associating:
    """Makes a graph in which the products `inner` are computed after what reads them."""

    def __init__(self, inner: set[Expr]) -> None:
        self.inner = inner
        self.operands: dict[Expr, Sequence[Expr]] = {}

    def make(self, e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        """An expression on new inputs; what reads an inner product as that of what it reads."""
        if e in self.inner:
            self.operands[e] = inputs
        if not e.inputs or e.inputs[0] not in self.inner:
            return intern.copy(e, inputs)
        outer = e.inputs[0]
        *by, b = self.operands[outer]
        first = intern.apply(e.what, b, *inputs[1:], like=e, **self.attrs_for(e, b))
        return intern.apply(outer.what, *by, first, like=e, **outer.attrs)

    def attrs_for(self, e: Expr, b: Expr) -> dict[str, object]:
        """The attributes of a reader that is applied to the second operand of a product."""
        return {"shape": (*b.shape[:-1], 1)} if e.op is OPS["sum_to"] else dict(e.attrs)
