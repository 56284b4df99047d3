"""Triangular systems: rows are substituted one after another for some right sides at a time.

They are solved in double precision. Of large matrices, the rows that are known are multiplied by
the factors of the next few rows at once. Singular ones are left to NumPy's kernel.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ...kernels.linalg.triangular import LARGEST
from ..ir.scalars import cast, constant
from ..ir.text import Index, ceil_div, least, minus, plus, times
from ..matmul.gemm import FRAME
from ..transcendental.floats import DOUBLE
from .kernel import Kernel, KernelText, Matrix, Row
from .products import Operand, divided, product

SMALL = 16  # rows of one matrix at any steps
FEW, SIDES = 32, 128  # right sides that are solved for at a time, in a matrix and in a stack
ROWS = 8  # rows that are substituted between products


class System(NamedTuple):
    """A triangular system with some right sides of its own memory, the first of which is known."""

    k: KernelText
    n: Index
    a: Matrix
    b: Matrix
    y: Row
    x: Row  # the right sides, and then the solutions
    width: int  # the entries of a row of `x`
    first: Index
    is_lower: str
    is_unit: str

    @property
    def sides(self) -> Index:
        """The number of right sides."""
        return least(self.k.f, minus(self.k.f, self.k.sizes["k"], self.first), self.width)

    def row(self, i: Index) -> Row:
        """A row of the right sides or solutions."""
        return self.x.after(times(self.k.f, i, self.width))

    def choose(self, lower: Index, upper: Index) -> Index:
        """One of two numbers: for a lower triangle, and for an upper one."""
        return self.k.f.emit(f"select i1 {self.is_lower}, i64 {lower}, i64 {upper}", "n")


def write_solution(k: KernelText) -> None:
    """The solution of one system."""
    f, n = k.f, size_of(k, SMALL)
    x = Row(f, f.reserve("double", SMALL * FEW), DOUBLE)
    a, b = k.matrix("a"), k.matrix("b")
    require_pivots(k, a, n)
    for block in f.loop(ceil_div(f, k.sizes["k"], FEW)):
        first = times(f, block, FEW)
        s = System(k, n, a, b, k.arrays["y"], x, FEW, first, *flags(k))
        load(s)
        substitute(s, 0, n)


def write_solutions(k: KernelText) -> None:
    """The solutions of the systems of a stack; a pass is some right sides of one of them."""
    f, n, sides = k.f, size_of(k, LARGEST), k.sizes["k"]
    x = Row(f, f.reserve("double", LARGEST * SIDES), DOUBLE)
    factors = Row(f, f.reserve("double", ROWS * LARGEST), DOUBLE)
    blocks = ceil_div(f, sides, SIDES)
    for p in k.passes():
        i, block = divided(f, p, blocks)
        first = times(f, block, SIDES)
        a, b = matrix_of(k, "a", i, n), matrix_of(k, "b", i, sides)
        a = turned(k, a)
        y = k.row("y", i, times(f, n, sides))
        require_pivots(k, a, n)
        solve(System(k, n, a, b, y, x, SIDES, first, *flags(k)), factors)


def size_of(k: KernelText, most: int) -> Index:
    """The number of rows; 0 of a matrix that is too large, at which the kernel gives up."""
    n = k.sizes["n"]
    large = k.f.emit(f"icmp sgt i64 {n}, {most}")
    k.f.note(large)
    return k.f.emit(f"select i1 {large}, i64 0, i64 {n}", "n")


def flags(k: KernelText) -> Iterator[str]:
    """True if the triangle is the lower one, and if its diagonal counts as ones."""
    for name in ("lower", "unit"):
        yield k.f.emit(f"icmp ne i64 {k.sizes[name]}, 0")


def matrix_of(k: KernelText, name: str, i: Index, columns: Index) -> Matrix:
    """One of the matrices of a stack in the order of C."""
    f, size = k.f, k.arrays[name].dtype.itemsize
    row = k.row(name, i, times(f, k.sizes["n"], columns))
    return Matrix(f, row.pointer, row.dtype, (times(f, columns, size), size))


def turned(k: KernelText, a: Matrix) -> Matrix:
    """The matrix, or its transpose, as a flag says."""
    is_turned = k.f.emit(f"icmp ne i64 {k.sizes['turned']}, 0")
    ways = a.steps, a.steps[::-1]
    down, right = (k.f.emit(f"select i1 {is_turned}, i64 {turned}, i64 {usual}", "n")
                   for usual, turned in zip(*ways, strict=True))  # fmt: skip
    return Matrix(k.f, a.pointer, a.dtype, (down, right))


def require_pivots(k: KernelText, a: Matrix, n: Index) -> None:
    """Give up if an entry of the diagonal is zero."""
    f, (_, is_unit) = k.f, flags(k)
    for i in f.loop(n):
        is_zero = f.emit(f"fcmp oeq double {cast(a[i, i], DOUBLE).name}, 0.0")
        f.note(f.emit(f"select i1 {is_unit}, i1 false, i1 {is_zero}"))


def load(s: System) -> None:
    """Copy the right sides."""
    f = s.k.f
    for i in f.loop(s.n):
        row = s.row(i)
        for column in f.loop(s.sides, True):
            row[column] = cast(s.b[i, plus(f, s.first, column)], DOUBLE)


def solve(s: System, factors: Row) -> None:
    """Substitute a few rows at a time, between products by the rows that are known."""
    f = s.k.f
    load(s)
    blocks = ceil_div(f, s.n, ROWS)
    for step in f.loop(blocks):
        block = s.choose(step, minus(f, minus(f, blocks, step), 1))
        start = times(f, block, ROWS)
        stop = least(f, plus(f, start, ROWS), s.n)
        known = s.choose(0, stop), s.choose(start, minus(f, s.n, stop))
        with f.given(f.emit(f"icmp sgt i64 {known[1]}, 0")):
            subtract_known(s, factors, (start, stop), known)
        substitute(s, start, stop)


def subtract_known(
    s: System, factors: Row, rows: tuple[Index, Index], known: tuple[Index, Index]
) -> None:
    """Subtract the products by known rows, a first one and so many, from a few rows."""
    f, (start, stop), (first, many) = s.k.f, rows, known
    height = minus(f, stop, start)
    for i in f.loop(height):
        row = factors.after(times(f, i, LARGEST))
        for j in f.loop(many, True):
            row[j] = -cast(s.a[plus(f, start, i), plus(f, first, j)], DOUBLE)
    a, b = Operand(factors, LARGEST), Operand(s.row(first), s.width)
    product(s.k, (height, s.sides, many), a, b, Operand(s.row(start), s.width), "true")


def substitute(s: System, start: Index, stop: Index) -> None:
    """Solve for some rows, where the products by all others have been subtracted."""
    f = s.k.f
    for step in f.loop(minus(f, stop, start)):
        i = s.choose(plus(f, start, step), minus(f, minus(f, stop, step), 1))
        eliminate(s, i, s.choose(start, plus(f, i, 1)), step)
        store(s, i)


def eliminate(s: System, i: Index, first: Index, many: Index) -> None:
    """Subtract the products by so many known rows from row `i`."""
    f, row, count = s.k.f, s.row(i), s.sides
    for j in f.loop(many):
        j = plus(f, first, j)
        other, factor = s.row(j), cast(s.a[i, j], DOUBLE)
        for column in f.loop(count, True):
            row[column] = row[column] - factor * other[column]


def store(s: System, i: Index) -> None:
    """Divide row `i` by its pivot, and write it."""
    f, row = s.k.f, s.row(i)
    one, diagonal = constant(f, 1.0, DOUBLE), cast(s.a[i, i], DOUBLE)
    pivot = diagonal.then(f"select i1 {s.is_unit}, {one.typed}, {diagonal.typed}")
    y = s.y.after(plus(f, times(f, i, s.k.sizes["k"]), s.first))
    for column in f.loop(s.sides, True):
        found = row[column] / pivot
        row[column] = found
        y[column] = found


KERNELS = [
    Kernel("solve_triangular", "a~[n n] b~[n k]", "y[n k]", write_solution,
           counts=("lower", "unit"), passes=""),
    Kernel("solve_triangular_stack", "b[... n k] a[... n n]", "y[... n k]", write_solutions,
           counts=("lower", "unit", "turned"), passes="rows k", block=SIDES, cost=32,
           stack=8 * LARGEST * (SIDES + ROWS) + FRAME + 4096),
]  # fmt: skip
