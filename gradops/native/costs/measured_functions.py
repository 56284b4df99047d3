"""The functions of machine code whose times are figures of the cost table."""

from collections.abc import Callable, Sequence

import numpy as np

from gradops.core.op import OPS

from ..ir.elementwise import apply
from ..ir.functions import declarations
from ..ir.modules import modules_in
from ..ir.places import Place, contiguous
from ..ir.scalars import Scalar, constant
from ..ir.text import ACCESS, METADATA, FunctionText, memory_type
from ..runtime import symbols
from ..runtime.blas import blas
from ..runtime.machine import Code, compiled_at_once
from ..runtime.modules import find

SINGLE, DOUBLE = np.dtype("f4"), np.dtype("f8")
ENTRIES = 4096  # of arrays that fit into the cache
LENGTH = 100  # lines of modules that are compiled at the same time
ROWS = 16  # of matrices that our loops multiply
SHARED = """
define internal i32 @nothing(ptr %env, i64 %begin, i64 %end, i64 %thread) { ret i32 0 }
define void @share() {
  %status = call i32 @run_parts(ptr @nothing, ptr null, i64 2, i64 2)
  ret void
}
"""


def compiled() -> Code:
    """The functions, compiled."""
    texts = [write(d) for d in (SINGLE, DOUBLE) for write in FUNCTIONS]
    lines, functions = declarations(dict.fromkeys((n for f in texts for n in f.used), 0))
    parts = [p.text() for p in (*functions, *texts)]
    text = "\n".join([*symbols.declared(), *lines, SHARED, *parts, METADATA])
    return Code.of(compiled_at_once(modules_in(text, LENGTH)), find=find)


def function(name: str, dtype: np.dtype, *operands: str) -> FunctionText:
    """The head of a function of addresses."""
    given = ", ".join(f"ptr noalias %{x}" for x in operands)
    return FunctionText(f"define void @{name}_{dtype.itemsize}({given})")


def array(name: str, dtype: np.dtype, *shape: int) -> Place:
    """An array at an address that a function is given."""
    return Place(f"%{name}", dtype, shape, contiguous(shape))


def entrywise(
    f: FunctionText, dtype: np.dtype, compute: Callable[[Scalar, Scalar], Scalar]
) -> FunctionText:
    """A loop that replaces y by a function of it and of x."""
    x, y = (array(name, dtype, ENTRIES) for name in "xy")
    for i in f.loop(ENTRIES, is_parallel=True):
        entries = [p.load(f, (i,), ACCESS) for p in (x, y)]
        y.store(f, (i,), compute(*entries), ACCESS)
    f.do("ret void")
    return f


def additions(dtype: np.dtype) -> FunctionText:
    """An addition for each entry."""
    return entrywise(function("add", dtype, "x", "y"), dtype, lambda x, y: y + x)


def exponentials(dtype: np.dtype) -> FunctionText:
    """An exponential for each entry."""
    f = function("exp", dtype, "x", "y")
    return entrywise(f, dtype, lambda x, y: apply(OPS["exp"], [x], {}, dtype))


def own_products(dtype: np.dtype) -> FunctionText:
    """Calls of our own product of square matrices; `sizes` holds their rows, and how many."""
    f = function("own", dtype, "sizes", "x", "y", "z")
    n = f.emit("load i64, ptr %sizes")
    given = f"i64 {n}, i64 {n}, i64 {n}, ptr %x, i64 {n}, i64 1, ptr %y, i64 {n}, i64 1, ptr %z"
    for _ in f.loop(calls(f)):
        f.do(f"call void @own_gemm_f{dtype.itemsize}({given}, i64 {n}, i1 false)")
    f.do("ret void")
    return f


def calls(f: FunctionText) -> str:
    """How often a function is to call what it measures."""
    return f.emit(f"load i64, ptr {f.emit('getelementptr i64, ptr %sizes, i64 1')}")


def products(dtype: np.dtype) -> FunctionText:
    """A product of matrices, row by row."""
    f = function("product", dtype, "x", "y")
    x, y = (array(name, dtype, ROWS, ROWS) for name in "xy")
    total = Place(f.reserve(memory_type(dtype), ROWS), dtype, (ROWS,), (1,))
    for i in f.loop(ROWS):
        for j in f.loop(ROWS):
            total.store(f, (j,), constant(f, 0, dtype))
        for k in f.loop(ROWS):
            a = x.load(f, (i, k))
            for j in f.loop(ROWS, is_parallel=True):
                term = a * x.load(f, (k, j), ACCESS)
                total.store(f, (j,), total.load(f, (j,), ACCESS) + term, ACCESS)
        for j in f.loop(ROWS):
            y.store(f, (i, j), total.load(f, (j,)))
    f.do("ret void")
    return f


def gemm(dtype: np.dtype) -> FunctionText:
    """Calls of BLAS of square matrices; `sizes` holds their rows, and how many."""
    f = function("gemm", dtype, "sizes", "x", "y", "z")
    one, zero = (stored(f, memory_type(dtype), constant(f, v, dtype).name) for v in (1, 0))
    turn, type = stored(f, "i8", str(ord("N"))), blas()[0]
    rows = f.emit("load i64, ptr %sizes")
    n = stored(f, type, rows if type == "i64" else f.emit(f"trunc i64 {rows} to i32"))
    given: Sequence[str] = [turn, turn, n, n, n, one, "%x", n, "%y", n, zero, "%z", n]
    kind = "s" if dtype.itemsize == 4 else "d"
    f.do("call void @blas_enter()")
    for _ in f.loop(calls(f)):
        f.do(f"call void @blas_{kind}gemm({', '.join(f'ptr {p}' for p in given)})")
    f.do("call void @blas_leave()")
    f.do("ret void")
    return f


def stored(f: FunctionText, type: str, value: str) -> str:
    """The address of a number."""
    pointer = f.reserve(type)
    f.do(f"store {type} {value}, ptr {pointer}")
    return pointer


FUNCTIONS = additions, exponentials, products, own_products, gemm
