"""The softmax family: softmax, its logarithm, and cross entropies."""

from collections.abc import Iterator
from functools import partial

from ..ir.scalars import Scalar, call_math, cast, constant
from ..ir.text import FunctionText, Index
from .kernel import Kernel, KernelText, Row
from .sums import maximum, sums


def exponential(x: Row, most: Scalar, j: Index) -> list[Scalar]:
    """exp(x - m) of an entry."""
    return [call_math("exp", [x[j] - most])]


def exponential_kept(x: Row, most: Scalar, y: Row, j: Index) -> list[Scalar]:
    """exp(x - m) of an entry, which is stored."""
    found = exponential(x, most, j)
    y[j] = found[0]
    return found


def divide(f: FunctionText, n: Index, y: Row, total: Scalar) -> None:
    """Divide the entries of a row."""
    for j in f.loop(n, True):
        y[j] = y[j] / total


def write_softmax(k: KernelText) -> None:
    """exp(x - m) over its sum, with m the largest entry."""
    n = k.sizes["n"]
    for i in k.passes():
        x, y = k.row("x", i, n), k.row("y", i, n)
        most = maximum(k.f, n, x)
        total = sums(k.f, n, k.dtype, partial(exponential_kept, x, most, y), 1)[0]
        divide(k.f, n, y, cast(total, k.dtype))


def write_log_softmax(k: KernelText) -> None:
    """(x - m) - log(sum(exp(x - m)))."""
    n = k.sizes["n"]
    for i in k.passes():
        x, y = k.row("x", i, n), k.row("y", i, n)
        most = maximum(k.f, n, x)
        total = sums(k.f, n, k.dtype, partial(exponential, x, most), 1)[0]
        log = call_math("log", [cast(total, k.dtype)])
        for j in k.f.loop(n, True):
            y[j] = (x[j] - most) - log


def entry(v: Row, j: Index) -> list[Scalar]:
    """An entry."""
    return [v[j]]


def product(v: Row, y: Row, j: Index) -> list[Scalar]:
    """The product of two entries."""
    return [v[j] * y[j]]


def write_softmax_slope(k: KernelText) -> None:
    """y (v - sum(v y))."""
    n = k.sizes["n"]
    for i in k.passes():
        v, y, z = (k.row(name, i, n) for name in "vyz")
        total = sums(k.f, n, k.dtype, partial(product, v, y), 1)[0]
        share = cast(total, k.dtype)
        for j in k.f.loop(n, True):
            z[j] = y[j] * (v[j] - share)


def write_log_softmax_slope(k: KernelText) -> None:
    """v - exp(y) sum(v)."""
    n = k.sizes["n"]
    for i in k.passes():
        v, y, z = (k.row(name, i, n) for name in "vyz")
        total = cast(sums(k.f, n, k.dtype, partial(entry, v), 1)[0], k.dtype)
        for j in k.f.loop(n, True):
            z[j] = v[j] - call_math("exp", [y[j]]) * total


def labelled_rows(k: KernelText) -> Iterator[tuple[Index, str]]:
    """Rows and their labels; at one that is none of the classes the kernel gives up."""
    for i in k.passes():
        label = k.arrays["labels"][i].name
        k.f.note(k.f.emit(f"icmp uge i64 {label}, {k.sizes['n']}"))
        with k.f.given(k.f.emit(f"icmp ult i64 {label}, {k.sizes['n']}")):
            yield i, label


def write_losses(k: KernelText, has_losses: bool = True, has_errors: bool = False) -> None:
    """log(sum(exp(x - m))) - (x - m) at the label; errors are softmax less 1 at the label."""
    f, n = k.f, k.sizes["n"]
    for i, label in labelled_rows(k):
        x = k.row("x", i, n)
        most = maximum(f, n, x)
        error = k.row("errors", i, n) if has_errors else None
        term = partial(exponential_kept, x, most, error) if error else partial(exponential, x, most)
        total = cast(sums(f, n, k.dtype, term, 1)[0], k.dtype)
        if has_losses:
            k.arrays["losses"][i] = call_math("log", [total]) - (x[label] - most)
        if error:
            divide(f, n, error, total)
            error[label] = error[label] - constant(f, 1.0, k.dtype)


def write_errors(k: KernelText) -> None:
    """softmax less 1 at the label."""
    write_losses(k, has_losses=False, has_errors=True)


def write_losses_and_errors(k: KernelText) -> None:
    """Losses and errors, which share the exponentials."""
    write_losses(k, has_errors=True)


LABELLED = "x[... n] labels@i8[...]"
KERNELS = [
    Kernel("softmax", "x[... n]", "y[... n]", write_softmax, cost=16),
    Kernel("log_softmax", "x[... n]", "y[... n]", write_log_softmax, cost=16),
    Kernel("softmax_slope", "v[... n] y[... n]", "z[... n]", write_softmax_slope, cost=4),
    Kernel("log_softmax_slope", "v[... n] y[... n]", "z[... n]", write_log_softmax_slope, cost=14),
    Kernel("class_losses", LABELLED, "losses[...]", write_losses, cost=16),
    Kernel("class_errors", LABELLED, "errors[... n]", write_errors, cost=16),
    Kernel("class_losses_and_errors", LABELLED, "losses[...] errors[... n]",
           write_losses_and_errors, cost=16),
]  # fmt: skip
