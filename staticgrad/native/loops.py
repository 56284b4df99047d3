"""Loops of a graph as loops of machine code, with state in memory that stays where it is."""

from ..ir.expr import Expr
from ..ir.tuple_types import types_of_parts
from .lowering import WRITERS, GraphWriter
from .scalars import NotNative


def write_loop(w: GraphWriter, e: Expr) -> None:
    """Write a loop over lists. See Note [Native code]."""
    f, body, attrs = w.f, e.attrs["body"], e.attrs
    carries, lists = attrs["carries"], attrs["lists"]
    if attrs["cond"] is not None:
        raise NotNative("loops with a condition")
    given = [w.place(x) for x in e.inputs]
    types = types_of_parts(e)
    steps = given[carries].shape[0]
    state = [w.memory.array(t.shape, t.dtype) for t in types[:carries]]
    after = [w.memory.array(t.shape, t.dtype) for t in types[:carries]]
    kept = [w.memory.array(t.shape, t.dtype) for t in types[carries:]]
    w.parts[e] = [*state, *kept]
    for x, place in zip(given, state, strict=False):
        w.copy_place(x, place)
    with f.loop(steps) as i:
        at = f.emit(f"sub i64 {steps - 1}, {i}") if attrs["reverse"] and steps > 1 else i
        entries = [p.row(f, at) for p in given[carries : carries + lists]]
        inner = GraphWriter(f, w.memory, body)
        inner.write(
            [*state, *entries, *given[carries + lists :]], [*after, *(p.row(f, at) for p in kept)]
        )
        for new, old in zip(after, state, strict=True):
            w.copy_place(new, old)


WRITERS["loop"] = write_loop
