"""Rows less their mean, over their standard deviation, or over their root mean square.

Arrays are taken as `b` stacks of `c` rows of `n` entries, of which the rows of one number are
standardized together, in all stacks. For norms of the last axes there is one stack; for those of
channels, one for each example.
"""

from collections.abc import Callable, Iterator
from functools import partial

from ..ir.scalars import Scalar, call_math, cast, constant
from ..ir.text import Index, plus, times
from ..transcendental.floats import DOUBLE
from .kernel import Kernel, KernelText, Row
from .sums import sums, variable

Terms = Callable[[list[Row], Index], list[Scalar]]


def stacked(k: KernelText, i: Index, names: str) -> Iterator[list[Row]]:
    """The rows of number `i` of some arrays, in each of the stacks."""
    n = k.sizes["n"]
    for s in k.f.loop(k.sizes.get("b", 1)):
        at = plus(k.f, times(k.f, s, k.sizes.get("c", 0)), i)
        yield [k.row(name, at, n) for name in names]


def means(k: KernelText, i: Index, names: str, count: int, terms: Terms) -> list[Scalar]:
    """The means of some terms of the entries."""
    n = k.sizes["n"]
    totals = [variable(constant(k.f, 0.0, DOUBLE)) for _ in range(count)]
    for rows in stacked(k, i, names):
        found = sums(k.f, n, k.dtype, partial(terms, rows), count)
        for total, x in zip(totals, found, strict=True):
            total.set(total.get() + x)
    whole = times(k.f, n, k.sizes.get("b", 1))
    size = Scalar(k.f, k.f.emit(f"sitofp i64 {whole} to double"), DOUBLE)
    return [cast(total.get() / size, k.dtype) for total in totals]


def entry_of(rows: list[Row], j: Index) -> list[Scalar]:
    """An entry of the only row."""
    return [rows[0][j]]


def squared(mean: Scalar, rows: list[Row], j: Index) -> list[Scalar]:
    """The square of the distance from the mean."""
    d = rows[0][j] - mean
    return [d * d]


def products(mean: Scalar, scale: Scalar, rows: list[Row], j: Index) -> list[Scalar]:
    """v and v y, with y = (x - mean) scale."""
    x, v = rows[0][j], rows[1][j]
    return [v, v * ((x - mean) * scale)]


def scale_of(k: KernelText, variance: Scalar) -> Scalar:
    """1 over the root of the variance and epsilon."""
    return 1.0 / call_math("sqrt", [variance + k.number("epsilon")])


def write_standardize(k: KernelText) -> None:
    """(x - mean) scale."""
    for i in k.passes():
        (mean,) = means(k, i, "x", 1, entry_of)
        scale = scale_of(k, means(k, i, "x", 1, partial(squared, mean))[0])
        for x, y in stacked(k, i, "xy"):
            for j in k.f.loop(k.sizes["n"], True):
                y[j] = (x[j] - mean) * scale


def write_inverse_spread(k: KernelText) -> None:
    """1 over the standard deviation."""
    for i in k.passes():
        (mean,) = means(k, i, "x", 1, entry_of)
        k.arrays["y"][i] = scale_of(k, means(k, i, "x", 1, partial(squared, mean))[0])


def write_slope(k: KernelText) -> None:
    """scale (v - mean(v) - y mean(v y)), with y the standardized x."""
    for i in k.passes():
        (mean,) = means(k, i, "x", 1, entry_of)
        scale = scale_of(k, means(k, i, "x", 1, partial(squared, mean))[0])
        of_v, share = means(k, i, "xv", 2, partial(products, mean, scale))
        for v, x, y in stacked(k, i, "vxy"):
            for j in k.f.loop(k.sizes["n"], True):
                y[j] = (v[j] - of_v - (x[j] - mean) * scale * share) * scale


def square(rows: list[Row], j: Index) -> list[Scalar]:
    """The square of an entry."""
    x = rows[0][j]
    return [x * x]


def write_divide_by_rms(k: KernelText) -> None:
    """x / r, with r the root of the mean of squares and epsilon."""
    for i in k.passes():
        root = call_math("sqrt", [means(k, i, "x", 1, square)[0] + k.number("epsilon")])
        for x, y in stacked(k, i, "xy"):
            for j in k.f.loop(k.sizes["n"], True):
                y[j] = x[j] / root


def product(root: Scalar, rows: list[Row], j: Index) -> list[Scalar]:
    """v y, with y = x / r."""
    return [rows[1][j] * (rows[0][j] / root)]


def write_divide_by_rms_slope(k: KernelText) -> None:
    """(v - y mean(v y)) / r, with y = x / r."""
    for i in k.passes():
        root = call_math("sqrt", [means(k, i, "x", 1, square)[0] + k.number("epsilon")])
        share = means(k, i, "xv", 1, partial(product, root))[0]
        for v, x, y in stacked(k, i, "vxy"):
            for j in k.f.loop(k.sizes["n"], True):
                y[j] = (v[j] - x[j] / root * share) / root


ROWS, STACKS = "... n", "b c n"
KERNELS = [
    Kernel(f"{name}{of}", " ".join(f"{a}[{sizes}]" for a in given), f"y[{result}]", write,
           numbers=("epsilon",), passes=passes, cost=cost)
    for of, sizes, ones, passes in (("", ROWS, "... 1", "rows"), ("_stacks", STACKS, "1 c 1", "c"))
    for name, given, result, write, cost in (
        ("standardize", "x", sizes, write_standardize, 4),
        ("inverse_spread", "x", ones, write_inverse_spread, 3),
        ("standardize_slope", "vx", sizes, write_slope, 6),
        ("divide_by_rms", "x", sizes, write_divide_by_rms, 3),
        ("divide_by_rms_slope", "vx", sizes, write_divide_by_rms_slope, 6),
    )
]  # fmt: skip
