"""Loops of a graph as loops of machine code, with state in memory that stays where it is."""

from typing import TYPE_CHECKING

from gradops import ArrayType

from ..ir.expr import Expr
from ..ir.tuple_types import types_of_parts
from .scalars import NotNative
from .writers import WRITERS

if TYPE_CHECKING:
    from .lowering import GraphWriter


def write_loop(w: "GraphWriter", e: Expr) -> None:
    """Write a loop over lists."""
    f, body, attrs = w.f, e.attrs["body"], e.attrs
    carries, lists = attrs["carries"], attrs["lists"]
    if attrs["cond"] is not None:
        raise NotNative(f"{e.label} ends by a condition")
    given = [w.place(x) for x in e.inputs]
    made = [w.memory.array(known(t), t.dtype) for t in types_of_parts(e)]
    state, kept = made[:carries], made[carries:]
    after = [w.memory.array(p.shape, p.dtype) for p in state]
    w.parts[e] = made
    for x, place in zip(given, state, strict=False):
        w.copy(x, place)
    steps = given[carries].shape[0]
    with f.loop(steps) as i:
        at = f.emit(f"sub i64 {steps - 1}, {i}") if attrs["reverse"] and steps > 1 else i
        entries = [p.row(f, at) for p in given[carries : carries + lists]]
        operands = [*state, *entries, *given[carries + lists :]]
        type(w)(f, w.memory, body).write(operands, [*after, *(p.row(f, at) for p in kept)])
        for new, old in zip(after, state, strict=True):
            w.copy(new, old)
    for place in after:
        w.memory.release(place)


def known(type: ArrayType) -> tuple[int, ...]:
    """The shape of a type, of which all sizes are known."""
    return tuple([int(n) for n in type.shape])


WRITERS["loop"] = write_loop
