"""Triangles that need not be cut out of a matrix, as only entries in them are read."""

from collections.abc import Sequence

from gradops import OPS
from gradops.core.traits import Trait

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass

TRIL = OPS["tril"]


class DropTriangles(Pass):
    """Drop `tril` where only ops that read lower triangles depend on it.

    The gradient of a triangular solve by its matrix is a triangle, which the derivative of
    `cholesky` reads: entries above the diagonal may be anything.
    """

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        if not any(e.op is not None and Trait.OF_LOWER in e.op.traits for e in graph.order):
            return graph
        whole = read_wholly(graph)

        def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
            is_needless = e.op is TRIL and e not in whole and e.attrs["k"] >= 0
            return inputs[0] if is_needless else intern.copy(e, inputs)

        return graph.remade(make)


def read_wholly(graph: FrozenGraph) -> set[Expr]:
    """The values whose entries above the diagonal are read."""
    result = {*graph.results, *graph.measured}
    for e in reversed(graph.order):
        result.update(x for x in e.inputs if not reads_lower(e, x, e in result))
    return result


def reads_lower(e: Expr, x: Expr, is_whole: bool) -> bool:
    """True if of `x` an op reads the lower triangle alone, as far as the op's own is read."""
    if e.op is None or len(x.shape) < 2:
        return False
    if Trait.OF_LOWER in e.op.traits or (e.op is TRIL and e.attrs["k"] <= 0):
        return True
    return not is_whole and Trait.ELEMENTWISE in e.op.traits and x.shape[-2:] == e.shape[-2:]
