"""Products of matrices by our own function, of which threads share the rows.

An entry has the same bits in whichever block of rows it is computed, see `matmul/gemm.py`.
"""

from dataclasses import dataclass

from ..ir.text import FunctionText, Index, ceil_div, least, minus, plus, times
from ..matmul.gemm import FRAME, symbol_of
from .kernel import Kernel, KernelText, Row

TALL, TALLEST = 32, 128  # rows of a result that a pass computes: of one product, and of a stack
HEIGHT = 256  # rows to which a bias is added at a time
FRAMES = FRAME + 4096  # bytes of stack


@dataclass(frozen=True)
class Operand:
    """A matrix in memory: where it begins, and the steps between rows and columns."""

    row: Row
    down: Index
    right: Index = 1

    def after(self, f: FunctionText, i: Index) -> "Operand":
        """The rows from one on."""
        return Operand(self.row.after(times(f, i, self.down)), self.down, self.right)


def product(
    k: KernelText, sizes: tuple[Index, Index, Index], a: Operand, b: Operand, to: Operand,
    add: str = "false",
) -> None:  # fmt: skip
    """Write to = a @ b, of sizes (m, n, k), or to + a @ b."""
    given = [f"i64 {n}" for n in sizes]
    for p in (a, b):
        given += [f"ptr {p.row.pointer}", f"i64 {p.down}", f"i64 {p.right}"]
    given += [f"ptr {to.row.pointer}", f"i64 {to.down}", f"i1 {add}"]
    k.f.do(f"call void @{symbol_of(to.row.dtype)}({', '.join(given)})")


def block(k: KernelText, size: int, name: str) -> tuple[Index, Index]:
    """The first row of the range of passes, and the number of rows."""
    first, end = times(k.f, k.begin, size), times(k.f, k.end, size)
    return first, minus(k.f, least(k.f, end, k.sizes[name]), first)


def strided(k: KernelText, name: str, first: Index = 0) -> Operand:
    """A matrix that is a strided operand, from a row on."""
    size = k.dtype.itemsize
    down, right = (k.f.emit(f"sdiv exact i64 {step}, {size}", "n") for step in k.matrix(name).steps)
    return Operand(k.row(name, first, down), down, right)


def write_product(k: KernelText) -> None:
    """a @ b."""
    n, inner = k.sizes["n"], k.sizes["k"]
    first, count = block(k, TALL, "m")
    to = Operand(k.row("y", first, n), n)
    product(k, (count, n, inner), strided(k, "a", first), strided(k, "b"), to)


def write_stack(k: KernelText) -> None:
    """a @ b for the matrices of two stacks; a pass is some rows of one of the products."""
    f, (q, m, n, inner) = k.f, (k.sizes[name] for name in ("q", "m", "n", "k"))
    blocks = ceil_div(f, m, TALLEST)
    for p in k.passes():
        i, block = divided(f, p, blocks)
        first = times(f, block, TALLEST)
        height, places = least(f, minus(f, m, first), TALLEST), divided(f, i, q)
        a, b = matrix_in(k, "a", places), matrix_in(k, "b", places)
        a = a.after(f, first)
        to = Operand(k.row("y", plus(f, times(f, i, m), first), n), n)
        product(k, (height, n, inner), a, b, to)


def divided(f: FunctionText, i: Index, by: Index) -> tuple[Index, Index]:
    """A quotient, and what is left."""
    quotient = f.emit(f"sdiv i64 {i}, {by}", "n")
    return quotient, minus(f, i, times(f, quotient, by))


def matrix_in(k: KernelText, name: str, places: tuple[Index, Index]) -> Operand:
    """A matrix of a strided stack with two axes."""
    f, size = k.f, k.dtype.itemsize
    steps = [k.f.emit(f"sdiv exact i64 {step}, {size}", "n") for step in k.steps(name)]
    first = plus(f, *[times(f, i, step) for i, step in zip(places, steps, strict=False)])
    return Operand(k.row(name, first), *steps[2:])


def write_linear(k: KernelText) -> None:
    """x @ w.T + b; the bias is added while the rows of a range are in the cache."""
    f, n, inner = k.f, k.sizes["n"], k.sizes["k"]
    first, count = block(k, TALL, "rows")
    w = strided(k, "w")
    turned = Operand(w.row, w.right, w.down)
    of_blocks = ceil_div(f, count, HEIGHT)
    for i in f.counted(of_blocks, 3):
        done = times(f, i, HEIGHT)
        top, height = plus(f, first, done), least(f, minus(f, count, done), HEIGHT)
        rows, x = k.row("y", top, n), Operand(k.row("x", top, inner), inner)
        product(k, (height, n, inner), x, turned, Operand(rows, n))
        for j in f.counted(height, 3):
            y, b = rows.after(times(f, j, n)), k.arrays["b"]
            for c in f.loop(n, True):
                y[c] = y[c] + b[c]


KERNELS = [
    Kernel("layer_product", "a~[m k] b~[k n]", "y[m n]", write_product, passes="m", block=TALL,
           cost=64, stack=FRAMES),
    Kernel("stack_product", "a~[p q m k] b~[p q k n]", "y[p q m n]", write_stack, passes="p q m",
           block=TALLEST, cost=64, stack=FRAMES),
    Kernel("linear", "x[... k] w~[n k] b[n]", "y[... n]", write_linear, block=TALL, cost=64,
           stack=FRAMES),
]  # fmt: skip
