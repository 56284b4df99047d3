"""Logarithms of sums of exponentials, along the last axis and the first, and their derivatives."""

import math
from functools import partial

from ..ir.primitives import exp_difference
from ..ir.scalars import Scalar, call_math, cast, choose, constant
from ..ir.text import memory_type, plus, times
from .kernel import Kernel, KernelText, Row
from .softmax import exponential
from .sums import maximum, sums

COLUMNS = 64  # that are reduced at a time
BLOCK = 1024  # entries of a pass


def finite(x: Scalar) -> Scalar:
    """A number, or zero in place of what is not finite."""
    return choose(abs(x) < math.inf, x, 0.0)


def write_rows(k: KernelText) -> None:
    """log(sum(exp(x - m))) + m of each row, with m the largest entry if that is finite."""
    n = k.sizes["n"]
    for i in k.passes():
        x = k.row("x", i, n)
        top = finite(maximum(k.f, n, x))
        total = cast(sums(k.f, n, k.dtype, partial(exponential, x, top), 1)[0], k.dtype)
        k.arrays["y"][i] = call_math("log", [total]) + top


def write_columns(k: KernelText) -> None:
    """Log-sum-exp of each column, some of them side by side."""
    f, m, n = k.f, k.sizes["m"], k.sizes["n"]
    tops, totals = (Row(f, f.reserve(memory_type(k.dtype), COLUMNS), k.dtype) for _ in "mt")
    for first, count in k.blocks():
        for j in f.loop(count, True):
            tops[j] = constant(f, -math.inf, k.dtype)
            totals[j] = constant(f, 0.0, k.dtype)
        for i in f.loop(m):
            x = k.row("x", plus(f, times(f, i, n), first))
            for j in f.loop(count, True):
                tops[j] = choose(x[j] > tops[j], x[j], tops[j])
        for j in f.loop(count, True):
            tops[j] = finite(tops[j])
        for i in f.loop(m):
            x = k.row("x", plus(f, times(f, i, n), first))
            for j in f.loop(count, True):
                totals[j] = totals[j] + call_math("exp", [x[j] - tops[j]])
        y = k.row("y", first)
        for j in f.loop(count, True):
            y[j] = call_math("log", [totals[j]]) + tops[j]


def write_difference(k: KernelText) -> None:
    """exp(x - y) entry by entry."""
    x, y, z = (k.arrays[name] for name in "xyz")
    for j in k.entries():
        z[j] = exp_difference(x[j], y[j])


def write_difference_from_rows(k: KernelText) -> None:
    """exp(x - y) with one y for each row."""
    n = k.sizes["n"]
    for i in k.passes():
        x, z, y = k.row("x", i, n), k.row("z", i, n), k.arrays["y"][i]
        for j in k.f.loop(n, True):
            z[j] = exp_difference(x[j], y)


def write_difference_from_row(k: KernelText) -> None:
    """exp(x - y) with one y for each column."""
    n, y = k.sizes["n"], k.arrays["y"]
    for i in k.passes():
        x, z = k.row("x", i, n), k.row("z", i, n)
        for j in k.f.loop(n, True):
            z[j] = exp_difference(x[j], y[j])


KERNELS = [
    *[Kernel(f"logsumexp{end}", "x[... n]", y, write_rows, cost=12)
      for end, y in (("", "y[...]"), ("_kept", "y[... 1]"))],
    *[Kernel(f"logsumexp_first{end}", "x[m n]", y, write_columns, passes="n", block=COLUMNS,
             cost=12)
      for end, y in (("", "y[n]"), ("_kept", "y[1 n]"))],
    Kernel("exp_difference", "x[...] y[...]", "z[...]", write_difference, block=BLOCK, cost=12),
    Kernel("exp_difference_rows", "x[... n] y[... 1]", "z[... n]", write_difference_from_rows,
           cost=12),
    Kernel("exp_difference_row", "x[m n] y[n]", "z[m n]", write_difference_from_row, passes="m",
           cost=12),
]  # fmt: skip
