"""Small matrices: Cholesky's factors and their derivative, triangles.

They compute in double precision, entry by entry in the order of the formulas, as
`gradops.kernels.linalg` does with Python's floats. Larger matrices, and those that are singular or
not positive definite, are left to LAPACK.
"""

from collections.abc import Iterator

from ..ir.scalars import BOOL, Scalar, call_math, cast, choose, constant
from ..ir.text import FunctionText, Index, minus, plus, times
from ..transcendental.floats import DOUBLE
from .kernel import Kernel, KernelText, Row
from .sums import Variable, variable
from .triangular import size_of

MOST = 16  # rows of a matrix


class Square:
    """A matrix of doubles in the function's frame."""

    def __init__(self, f: FunctionText) -> None:
        self.f, self.row = f, Row(f, f.reserve("double", MOST * MOST), DOUBLE)

    def place(self, i: Index, j: Index) -> Index:
        """The number of an entry."""
        return plus(self.f, times(self.f, i, MOST), j)

    def __getitem__(self, place: tuple[Index, Index]) -> Scalar:
        return self.row[self.place(*place)]

    def __setitem__(self, place: tuple[Index, Index], x: Scalar) -> None:
        self.row[self.place(*place)] = x


def from_last(f: FunctionText, n: Index) -> Iterator[Index]:
    """The numbers below `n`, from the last to the first."""
    for i in f.loop(n):
        yield minus(f, minus(f, n, i), 1)


def subtract(total: Variable, x: Scalar) -> None:
    """Subtract from a variable."""
    total.set(total.get() - x)


def write_factor(k: KernelText) -> None:
    """Row after row of the lower factor."""
    f, n, x, l = k.f, size_of(k, MOST), k.matrix("x"), Square(k.f)
    for i in f.loop(n):
        for j in f.loop(i):
            total = variable(cast(x[i, j], DOUBLE))
            for m in f.loop(j):
                subtract(total, l[i, m] * l[j, m])
            l[i, j] = total.get() / l[j, j]
        pivot = variable(cast(x[i, i], DOUBLE))
        for m in f.loop(i):
            subtract(pivot, l[i, m] * l[i, m])
        found = pivot.get()
        f.note(f.emit(f"fcmp ule double {found.name}, 0.0"))  # or no number
        f.note(f.emit(f"fcmp oeq double {found.name}, {constant(f, float('inf'), DOUBLE).name}"))
        l[i, i] = call_math("sqrt", [found])
    store_lower(k, n, l)


def store_lower(k: KernelText, n: Index, l: Square) -> None:
    """Write a lower triangle, and zeros above."""
    f, y = k.f, k.arrays["y"]
    for i in f.loop(n):
        for j in f.loop(n):
            zero = constant(f, 0.0, DOUBLE)
            y[plus(f, times(f, i, n), j)] = zero
        for j in f.loop(plus(f, i, 1)):
            y[plus(f, times(f, i, n), j)] = l[i, j]


def write_cotangent(k: KernelText) -> None:
    """Cholesky's algorithm backwards, line by line, as `cotangent_of_floats` does it."""
    f, n = k.f, size_of(k, MOST)
    l, g = Square(f), Square(f)
    for name, square in (("l", l), ("g", g)):
        given = k.matrix(name)
        for i in f.loop(n):
            for j in f.loop(plus(f, i, 1)):
                square[i, j] = cast(given[i, j], DOUBLE)
    for j in from_last(f, n):
        pivot = l[j, j]
        f.note(f.emit(f"fcmp oeq double {pivot.name}, 0.0"))
        for below in f.loop(minus(f, minus(f, n, j), 1)):
            i = plus(f, plus(f, j, below), 1)
            part = g[i, j] / pivot
            g[j, j] = g[j, j] - part * l[i, j]
            for m in f.loop(j):
                g[i, m] = g[i, m] - part * l[j, m]
                g[j, m] = g[j, m] - part * l[i, m]
            g[i, j] = part / 2.0
        found = g[j, j] / (pivot * 2.0)
        g[j, j] = found
        for m in f.loop(j):
            g[j, m] = g[j, m] - found * 2.0 * l[j, m]
    store_symmetric(k, n, g)


def store_symmetric(k: KernelText, n: Index, g: Square) -> None:
    """Write a lower triangle, and above it its mirror image."""
    f, y = k.f, k.arrays["y"]
    for i in f.loop(n):
        for j in f.loop(plus(f, i, 1)):
            for at in (plus(f, times(f, i, n), j), plus(f, times(f, j, n), i)):
                y[at] = g[i, j]


def write_triangle(k: KernelText) -> None:
    """The entries on one side of a diagonal, and zeros."""
    f, n, x, zero = k.f, k.sizes["n"], k.matrix("x"), constant(k.f, 0.0, k.dtype)
    is_lower = f.emit(f"icmp ne i64 {k.sizes['lower']}, 0")
    for i in k.passes():
        y, diagonal = k.row("y", i, n), plus(f, i, k.sizes["k"])
        for j in f.loop(n, True):
            below, above = (f.emit(f"icmp {test} i64 {j}, {diagonal}") for test in ("sle", "sge"))
            kept = f.emit(f"select i1 {is_lower}, i1 {below}, i1 {above}")
            y[j] = choose(Scalar(f, kept, BOOL), x[i, j], zero)


KERNELS = [
    Kernel("cholesky", "x~[n n]", "y[n n]", write_factor, passes=""),
    Kernel("cholesky_cotangent", "l~[n n] g~[n n]", "y[n n]", write_cotangent, passes=""),
    Kernel("triangle", "x~[m n]", "y[m n]", write_triangle, counts=("k", "lower"), passes="m"),
]  # fmt: skip
