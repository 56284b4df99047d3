"""Ops without machine code: calls of NumPy's kernels from it.

Note [Calls of kernels]. Operands and results of such an op lie in memory of the code. For a call
they get headers of arrays, and a function of Python computes the kernel and copies what it gives.
If it raises, the code gives up: NumPy runs the graph, and raises with the user's line.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops.core.traits import Trait
from gradops.native.places import Place
from gradops.native.scalars import NotNative
from gradops.native.text import FunctionText

from ..ir.expr import Expr
from ..ir.replay import compute_with
from ..ir.tuple_types import TupleType, types_of_parts

if TYPE_CHECKING:
    from .lowering import GraphWriter

READ_ONLY, WRITABLE = 0x0100, 0x0500  # flags of an array: aligned, and writeable


def write_call(w: "GraphWriter", e: Expr) -> None:
    """Call the kernel of an op. See Note [Calls of kernels]."""
    assert e.op is not None
    if not e.op.traits.isdisjoint({Trait.CONTROL, Trait.EFFECT, Trait.CHECKING}):
        raise NotNative(f"{e.label}: {e.op.name} has no machine code")
    given = [w.place(x) for x in e.inputs]
    if isinstance(e.type, TupleType):
        types = types_of_parts(e)
        made = w.parts[e] = [w.memory.array(tuple(map(int, t.shape)), t.dtype) for t in types]
    else:
        made = [w.place_for(e)]
    function = w.memory.keep(kernel_into(e, len(made)), (e, len(made)))
    f, memory = w.f, w.memory
    arrays = [header(f, memory.numbers, p, WRITABLE) for p in made]
    arrays += [header(f, memory.numbers, p, READ_ONLY) for p in given]
    shown = ", ".join(f"ptr {x}" for x in [function, *arrays, "null"])
    done = f.emit(f"call ptr (ptr, ...) @PyObject_CallFunctionObjArgs({shown})")
    for x in [*arrays, done]:
        f.do(f"call void @Py_DecRef(ptr {x})")
    failed, good = f.fresh("failed"), f.fresh("good")
    f.branch(f.emit(f"icmp eq ptr {done}, null"), failed, good)
    f.start(failed)
    f.do("call void @PyErr_Clear()")
    f.do("ret i32 1")
    f.start(good)


def kernel_into(e: Expr, count: int) -> Callable[..., None]:
    """A function of `count` arrays for the results, and of operands, that fills the former."""

    def call(*arrays: Any) -> None:
        with np.errstate(all="ignore"):
            found = compute_with(e, [x[()] for x in arrays[count:]], e.attrs)
        for to, y in zip(arrays, found if count > 1 else (found,), strict=False):
            np.copyto(to, y)

    return call


def header(f: FunctionText, numbers: Callable[[Sequence[int]], str], p: Place, flags: int) -> str:
    """An array of NumPy's that lies at a place."""
    sizes = numbers(p.shape)
    steps = numbers([s * p.dtype.itemsize for s in p.strides])
    data = p.address(f, [0] * len(p.shape))
    given = (
        f"ptr @ndarray, i32 {len(p.shape)}, ptr {sizes}, i32 {p.dtype.num}, ptr {steps},"
        f" ptr {data}, i32 0, i32 {flags}, ptr null"
    )
    return f.emit(f"call ptr @PyArray_New({given})")
