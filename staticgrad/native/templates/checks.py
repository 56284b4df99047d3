"""Checks: where one fails the code gives up, and NumPy's raises, with the values and the line."""

from typing import TYPE_CHECKING

from gradops.native.ir.copies import copy
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import BOOL, cast
from gradops.native.ir.text import Index

from ...ir.expr import Expr
from .table import WRITERS

if TYPE_CHECKING:
    from ..lowering import GraphWriter


def write_check(w: "GraphWriter", e: Expr) -> None:
    """Go on if all entries of a condition hold, and return the token."""
    token, condition, *_ = [w.place(x) for x in e.inputs]
    require_all(w, condition, ())
    copy(w.f, token, w.place_for(e))


def require_all(w: "GraphWriter", p: Place, index: tuple[Index, ...]) -> None:
    """Go on if all entries that begin with an index hold."""
    if len(index) == len(p.shape):
        w.give_up_unless(cast(p.load(w.f, index), BOOL))
        return
    for i in w.f.loop(p.shape[len(index)]):
        require_all(w, p, (*index, i))


WRITERS["check"] = write_check
