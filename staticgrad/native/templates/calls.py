"""Ops without machine code: calls of NumPy's kernels from it.

Note [Calls of kernels]. Operands and results of such an op lie in memory of the code. For a call
they get headers of arrays, and a function of Python computes the kernel and copies what it gives.
If it raises, the code gives up: NumPy runs the graph, and raises with the user's line. What is not
an error, as KeyboardInterrupt, is raised here, without the frames that know of the code's memory.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradops.core.traits import Trait
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import NotNative
from gradops.native.ir.text import FunctionText

from ...ir.expr import Expr
from ...ir.tuple_types import TupleType, types_of_parts
from ..kernel_calls import kernel_into

if TYPE_CHECKING:
    from ..lowering import GraphWriter

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
    done = f.reserve("ptr")
    f.do(f"store ptr null, ptr {done}")
    with f.given(all_are_there(f, arrays)):
        shown = ", ".join(f"ptr {x}" for x in [function, *arrays, "null"])
        found = f.emit(f"call ptr (ptr, ...) @PyObject_CallFunctionObjArgs({shown})")
        f.do(f"store ptr {found}, ptr {done}")
    outcome = f.emit(f"load ptr, ptr {done}")
    for x in [*arrays, outcome]:
        f.do(f"call void @Py_DecRef(ptr {x})")
    require_true(f, outcome)


def all_are_there(f: FunctionText, pointers: Sequence[str]) -> str:
    """A test that no pointer is null."""
    test = "true"
    for pointer in pointers:
        test = f.emit(f"and i1 {test}, {f.emit(f'icmp ne ptr {pointer}, null')}")
    return test


def require_true(f: FunctionText, outcome: str) -> None:
    """Go on if a call gave True; give up at False, and pass on what was raised."""
    failed, good = f.fresh("failed"), f.fresh("good")
    f.branch(f.emit(f"icmp eq ptr {outcome}, @true"), good, failed)
    f.start(failed)
    raised = f.emit(f"icmp eq ptr {outcome}, null")
    f.do(f"ret i32 {f.emit(f'select i1 {raised}, i32 2, i32 1')}")
    f.start(good)


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
