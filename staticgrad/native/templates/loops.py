"""Loops of a graph as loops of machine code, with state in memory that stays where it is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gradops.native.ir.copies import copy
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import BOOL, NotNative, cast, choose, constant
from gradops.native.ir.text import CARRYING, minus, plus, times
from gradops.native.runtime.interrupts import OFTEN, check_now_and_then

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.tuple_types import types_of_parts
from ..parts import shared
from ..planning.kinds import name_of
from ..planning.work import work_of, work_of_expression
from ..shapes import known
from .rows import body_by_rows, operand_axes, result_axes, rows_of_places
from .table import WRITERS

if TYPE_CHECKING:
    from ..lowering import GraphWriter

LEAST = 64  # operations that a turn of a loop without end takes
Places = Sequence[Place]


def write_loop(w: "GraphWriter", e: Expr) -> None:
    """Write a loop over lists, or one that ends by a condition."""
    carries = e.attrs["carries"]
    if e.attrs["cond"] is not None and e.attrs["gives"]:
        raise NotNative(f"{e.label} gives lists of unknown length")
    given = [w.place(x) for x in e.inputs]
    made = w.parts[e] = [w.memory.array(known(t), t.dtype) for t in types_of_parts(e)]
    for x, place in zip(given, made[:carries], strict=False):
        copy(w.f, x, place)
    if e.attrs["cond"] is None:
        write_steps(w, e, in_order(w, e, given), made)
    else:
        write_while(w, e, given, made)


def write_steps(w: "GraphWriter", e: Expr, given: Places, made: Places) -> None:
    """Write the loop over lists, by blocks of rows if these do not meet."""
    body = body_by_rows(e) if is_long(w, e) else None
    if body is None:
        steps(w, e, e.attrs["body"], given, made)
        return
    count, size = made[0].shape[0], body.inputs[0].shape[0]
    of_given, of_made = operand_axes(e, body), result_axes(e, len(made))
    for begin, end in shared(w, count // size, work_of_expression(e)):
        for i in w.f.loop(minus(w.f, end, begin)):
            some = times(w.f, plus(w.f, begin, i), size), size
            steps(w, e, body, rows_of_places(w.f, given, of_given, some),
                  rows_of_places(w.f, made, of_made, some))  # fmt: skip


def is_long(w: "GraphWriter", e: Expr) -> bool:
    """True for a loop with enough work for threads, if this is not a part of one."""
    return not w.f.outer and work_of_expression(e) >= w.table.worth


def steps(w: "GraphWriter", e: Expr, body: FrozenGraph, given: Places, made: Places) -> None:
    """Write the loop over lists, whose state is at the beginning of `made`, then lists."""
    f, carries = w.f, e.attrs["carries"]
    end, count, work = carries + e.attrs["lists"], given[carries].shape[0], work_of(body)
    after = [w.memory.array(p.shape, p.dtype) for p in made[:carries]]
    for i in f.carrying_loop(count):
        at = minus(f, count - 1, i) if e.attrs["reverse"] else i
        entries = [p.row(f, at) for p in given[carries:end]]
        kept = [p.row(f, at) for p in made[carries:]]
        w.inside(body, [*made[:carries], *entries, *given[end:]], [*after, *kept])
        for new, old in zip(after, made, strict=False):
            copy(f, new, old)
        if work * count > OFTEN:
            check_now_and_then(f, i, work)
    for place in after:
        w.memory.release(place)


def in_order(w: "GraphWriter", e: Expr, given: Places) -> Places:
    """Operands that all steps share, copied if products would have to bring them in order."""
    body, first = e.attrs["body"], e.attrs["carries"] + e.attrs["lists"]
    factors = {x.inputs[1] for x in body.order if name_of(x) == "matmul"}
    return [
        ordered_copy(w, p) if i >= first and x in factors and p.strides[-1] != 1 else p
        for i, (x, p) in enumerate(zip(body.inputs, given, strict=True))
    ]


def ordered_copy(w: "GraphWriter", p: Place) -> Place:
    """An array in the order of C."""
    compact = w.memory.array(p.shape, p.dtype)
    copy(w.f, p, compact)
    return compact


def write_while(w: "GraphWriter", e: Expr, given: Places, made: Places) -> None:
    """Write the loop that goes on while a graph of its state says so."""
    f, operands = w.f, [*made, *given[len(made) :]]
    after = [w.memory.array(p.shape, p.dtype) for p in made]
    test, (head, body, end) = w.memory.array((), BOOL), (f.fresh("while") for _ in range(3))
    f.jump(head)
    f.start(head)
    w.inside(e.attrs["cond"], operands, [test])
    f.branch(test.load(f, ()).name, body, end)
    f.start(body)
    w.inside(e.attrs["body"], operands, after)
    for new, old in zip(after, made, strict=True):
        copy(w.f, new, old)
    check_signals(w, work_of(e.attrs["body"]))
    f.do(f"br label %{head}, !llvm.loop !{CARRYING}")
    f.start(end)


def check_signals(w: "GraphWriter", work: int) -> None:
    """Check for signals after some turns of so many operations: a loop may never end."""
    f, count = w.f, w.f.reserve("i64")
    f.frame.append(f"  store i64 0, ptr {count}")
    turn = f.emit(f"load i64, ptr {count}")
    f.do(f"store i64 {f.emit(f'add i64 {turn}, 1')}, ptr {count}")
    check_now_and_then(f, turn, max(work, LEAST))


def write_case(w: "GraphWriter", e: Expr) -> None:
    """Write branches, of which that with the number of the first operand is run, or the last."""
    f, branches = w.f, e.attrs["branches"]
    number, *given = [w.place(x) for x in e.inputs]
    made = w.parts[e] = [w.memory.array(known(t), t.dtype) for t in types_of_parts(e)]
    i, last = cast(number.load(f, ()), np.dtype("i8")), len(branches) - 1
    i = choose(i < 0, constant(f, last, i.dtype), choose(i > last, constant(f, last, i.dtype), i))
    for k, branch in enumerate(branches):
        with f.given(f.emit(f"icmp eq {i.typed}, {k}")):
            w.inside(branch, given, made)


def write_function(w: "GraphWriter", e: Expr) -> None:
    """Write the code of a function where it is called."""
    given = [w.place(x) for x in e.inputs]
    made = w.parts[e] = [w.memory.array(known(t), t.dtype) for t in types_of_parts(e)]
    w.inside(e.attrs["function"], given, made)


WRITERS |= {"loop": write_loop, "case": write_case, "call": write_function}
