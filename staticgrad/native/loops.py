"""Loops of a graph as loops of machine code, with state in memory that stays where it is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gradops import ArrayType
from gradops.native.copies import copy
from gradops.native.places import Place
from gradops.native.scalars import BOOL, NotNative, cast, choose, constant
from gradops.native.text import minus

from ..ir.expr import Expr
from ..ir.tuple_types import types_of_parts
from .writers import WRITERS

if TYPE_CHECKING:
    from .lowering import GraphWriter

OFTEN = 256  # steps after which a loop without end lets go
Places = Sequence[Place]


def write_loop(w: "GraphWriter", e: Expr) -> None:
    """Write a loop over lists, or one that ends by a condition."""
    carries = e.attrs["carries"]
    if e.attrs["cond"] is not None and e.attrs["gives"]:
        raise NotNative(f"{e.label} gives lists of unknown length")
    given = [w.place(x) for x in e.inputs]
    made = w.parts[e] = [w.memory.array(known(t), t.dtype) for t in types_of_parts(e)]
    after = [w.memory.array(p.shape, p.dtype) for p in made[:carries]]
    for x, place in zip(given, made[:carries], strict=False):
        copy(w.f, x, place)
    write = write_steps if e.attrs["cond"] is None else write_while
    write(w, e, given, made, after)
    for place in after:
        w.memory.release(place)


def write_steps(w: "GraphWriter", e: Expr, given: Places, made: Places, after: Places) -> None:
    """Write the loop over lists, whose state is at the beginning of `made`, then lists."""
    f, carries, end = w.f, len(after), len(after) + e.attrs["lists"]
    steps = given[carries].shape[0]
    for i in f.loop(steps):
        at = minus(f, steps - 1, i) if e.attrs["reverse"] else i
        entries = [p.row(f, at) for p in given[carries:end]]
        kept = [p.row(f, at) for p in made[carries:]]
        w.inside(e.attrs["body"], [*made[:carries], *entries, *given[end:]], [*after, *kept])
        for new, old in zip(after, made, strict=False):
            copy(w.f, new, old)


def write_while(w: "GraphWriter", e: Expr, given: Places, made: Places, after: Places) -> None:
    """Write the loop that goes on while a graph of its state says so."""
    f, operands = w.f, [*made, *given[len(after) :]]
    test, (head, body, end) = w.memory.array((), BOOL), (f.fresh("while") for _ in range(3))
    f.jump(head)
    f.start(head)
    w.inside(e.attrs["cond"], operands, [test])
    f.branch(test.load(f, ()).name, body, end)
    f.start(body)
    w.inside(e.attrs["body"], operands, after)
    for new, old in zip(after, made, strict=True):
        copy(w.f, new, old)
    check_signals(w)
    f.jump(head)
    f.start(end)


def check_signals(w: "GraphWriter") -> None:
    """Now and then, let other threads run and Python handle signals: a loop may never end."""
    f, count = w.f, w.f.reserve("i32")
    w.memory.calls_python = True
    f.frame.append(f"  store i32 0, ptr {count}")
    after = f.emit(f"add i32 {f.emit(f'load i32, ptr {count}')}, 1")
    f.do(f"store i32 {after}, ptr {count}")
    with f.given(f.emit(f"icmp eq i32 {f.emit(f'and i32 {after}, {OFTEN - 1}')}, 0")):
        state = f.emit("call ptr @PyEval_SaveThread()")
        f.do(f"call void @PyEval_RestoreThread(ptr {state})")
        go_on, stop = f.fresh("go"), f.fresh("stop")
        f.branch(f.emit(f"icmp eq i32 {f.emit('call i32 @PyErr_CheckSignals()')}, 0"), go_on, stop)
        f.start(stop)
        f.do("ret i32 2")
        f.start(go_on)


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


def known(type: ArrayType) -> tuple[int, ...]:
    """The shape of a type, of which all sizes are known."""
    return tuple([int(n) for n in type.shape])


WRITERS |= {"loop": write_loop, "case": write_case, "call": write_function}
