"""The way in which each op becomes machine code: the column `native` of the op table."""

from gradops import Op
from gradops.native.ir.primitives import PRIMITIVES

from .lowering import TABLES
from .planning.kinds import MOVES, OF_LISTS, REDUCTIONS, TRIANGLES, VIEWS, looks_at_memory
from .templates.table import is_written

__all__ = ["ENTRYWISE", "TABLES", "lowering_of"]

ENTRYWISE = REDUCTIONS | VIEWS | OF_LISTS | TRIANGLES | MOVES.keys() | {"astype", "full_like"}
"""Ops that nests of loops compute, add up or look at, entry by entry."""


def lowering_of(op: Op) -> str:
    """Native, formula, template and NumPy, as the op's declaration and the tables say.

    >>> from gradops import OPS
    >>> [lowering_of(OPS[name]) for name in ("tanh", "gelu", "cholesky", "svd")]
    ['native', 'formula', 'template', 'NumPy']
    """
    is_scalar = op.name in PRIMITIVES or bool(op.scalar and not op.params)
    if op.name in ENTRYWISE or looks_at_memory(op) or is_scalar:
        return "native"
    if is_written(op.name):
        return "template"
    return "NumPy" if op.formula is None else "formula"
