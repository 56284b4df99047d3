"""Parts of joined values are read before these are joined.

Derivative rules of cells and of programs with stacked values join cotangents, which the rules of
what came before take apart.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, ClassVar

from gradops import OPS
from gradops.kernels.index.indexing import FULL

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass


class BypassJoins(Pass):
    """Replace slices of concatenations and stacks that are one of the operands by it.

    Values are the same, but lie in memory in other ways, so that sums may add in another order.
    """

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(part_or_slice, {OPS["slice"]})


def part_or_slice(e: Expr, intern: Interning) -> Expr:
    """The operand of a join that a slice is equal to, else the slice."""
    x = e.inputs[0]
    if x.op is None or x.op.name not in ("concatenate", "stack"):
        return e
    axis = x.attrs["axis"] % x.type.ndim
    entry = entry_along(e.attrs["index"], axis, x.type.ndim)
    parts = stacked_part if x.op.name == "stack" else concatenated_part
    part = parts(x, axis, entry)
    return part if part is not None and part.type == e.type else e


def entry_along(index: Sequence[Any], axis: int, rank: int) -> Any:
    """The entry of an index for one axis, if all of the others are taken whole; else None."""
    if None in index:
        return None
    if "..." in index:
        at, missing = list(index).index("..."), rank - len(index) + 1
        index = (*index[:at], *[FULL] * missing, *index[at + 1 :])
    entries = [*index, *[FULL] * (rank - len(index))]
    others = [k for k, entry in enumerate(entries) if entry != FULL and k != axis]
    return None if others else entries[axis]


def stacked_part(x: Expr, axis: int, entry: Any) -> Expr | None:
    """The operand of a stack that an integer takes."""
    return x.inputs[entry] if type(entry) is int else None


def concatenated_part(x: Expr, axis: int, entry: Any) -> Expr | None:
    """The operand of a concatenation that a slice takes."""
    sizes = [part.shape[axis] for part in x.inputs]
    if type(entry) is not tuple or not all(isinstance(n, int) for n in (*sizes, *bounds(entry))):
        return None
    start, stop, step = slice(*entry[1:]).indices(sum(sizes))
    begins = accumulate(sizes, initial=0)
    for part, begin, n in zip(x.inputs, begins, sizes, strict=False):
        if (start, stop, step) == (begin, begin + n, 1):
            return part
    return None


def bounds(entry: Sequence[Any]) -> list[Any]:
    """The bounds of a slice that are given."""
    return [b for b in entry[1:] if b is not None]
