"""Sums of small arrays, with the bits of `np.add.reduce`.

NumPy adds up to eight entries in order, and up to 128 in eight lanes, which it then adds in pairs;
rows along the first axis one by one. Each total begins with 0. Longer rows are left to it.
"""

from ..ir.scalars import Scalar, constant
from ..ir.text import Index, minus, plus, times
from .kernel import Kernel, KernelText, Row
from .sums import Variable, variable

LANES, MOST = 8, 128  # entries
COLUMNS = 256  # of a pass


def total_of(k: KernelText, x: Row, n: Index) -> Scalar:
    """The sum of a row as NumPy adds it up."""
    f = k.f
    result = variable(constant(f, 0.0, k.dtype))
    is_long = f.emit(f"icmp sgt i64 {n}, {MOST}")
    f.note(is_long)
    n = f.emit(f"select i1 {is_long}, i64 0, i64 {n}", "n")  # NumPy adds it up
    few = f.emit(f"icmp slt i64 {n}, {LANES}")
    with f.given(few):
        in_order(k, x, 0, n, result)
    with f.given(f.emit(f"xor i1 {few}, true")):
        lanes = [variable(x[i]) for i in range(LANES)]
        whole = f.emit(f"sdiv i64 {n}, {LANES}", "n")
        for b in f.loop(minus(f, whole, 1)):
            first = plus(f, times(f, b, LANES), LANES)
            for i, lane in enumerate(lanes):
                lane.set(lane.get() + x[plus(f, first, i)])
        a = [lane.get() for lane in lanes]
        while len(a) > 1:
            a = [p + q for p, q in zip(a[::2], a[1::2], strict=True)]
        result.set(a[0])
        in_order(k, x, times(f, whole, LANES), n, result)
    return result.get() + 0.0


def in_order(k: KernelText, x: Row, first: Index, n: Index, result: Variable) -> None:
    """Add the entries from one on, one by one."""
    for i in k.f.loop(minus(k.f, n, first)):
        result.set(result.get() + x[plus(k.f, first, i)])


def write_rows(k: KernelText) -> None:
    """The sum of each row."""
    n = k.sizes["n"]
    for i in k.passes():
        k.arrays["y"][i] = total_of(k, k.row("x", i, n), n)


def write_whole(k: KernelText) -> None:
    """The sum of all entries."""
    k.arrays["y"][0] = total_of(k, k.arrays["x"], k.sizes["rows"])


def write_columns(k: KernelText) -> None:
    """The sum of all rows, one by one."""
    f, m, n, y = k.f, k.sizes["m"], k.sizes["n"], k.arrays["y"]
    for first, count in k.blocks():
        sums = y.after(first)
        for j in f.loop(count, True):
            sums[j] = constant(f, 0.0, k.dtype)
        for i in f.loop(m):
            x = k.row("x", plus(f, times(f, i, n), first))
            for j in f.loop(count, True):
                sums[j] = sums[j] + x[j]


KERNELS = [
    Kernel("sum_last", "x[... n]", "y[...]", write_rows),
    Kernel("sum_all", "x[...]", "y[]", write_whole, passes=""),
    Kernel("sum_first", "x[m n]", "y[n]", write_columns, passes="n", block=COLUMNS),
]
