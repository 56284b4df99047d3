"""Profiles: the time, the bytes and the operations of a run, by node, scope and line.

Note [Profile]. The code that is measured is the generated code itself with a clock between its
lines, see Note [Clocks]. Bytes and operations follow from the types of operands and results; where
sizes are known only when the graph runs, it is run once more by the interpreter to see them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import ArrayType
from gradops.core.dims import product
from gradops.core.errors import OptionError
from gradops.core.flops import flops_of
from gradops.core.source_location import short
from gradops.core.traits import Trait
from gradops.core.types import type_of
from gradops.inspection.timeline.profile import Profile, ProfileRow, by_time

from ..codegen.instrumented.clocks import Clock, Cost, Meter, times, with_clocks
from ..codegen.load import load
from ..codegen.source import Source
from ..ir.expr import Expr, Kind, sequence
from ..ir.graph import FrozenGraph, inner_graphs
from .backends.interpreter import interpret
from .feeds import as_feed, sizes_of_feeds
from .generated import source_of

if TYPE_CHECKING:
    from .backends.native_executable import NativeExecutable
    from .executable import Executable

ENTRY = "(entry and return of {})"
Work = Mapping[Expr, tuple[int, int]]
"""The operations and the bytes of each expression in one run."""


def profiled(
    executable: "Executable", feeds: Any, repeat: int, clock: Clock = time.perf_counter_ns
) -> Profile:
    """The profile of an executable for feeds. See Note [Profile]."""
    if repeat < 1:
        raise OptionError("profile", [], f"repeat is at least 1, not {repeat}")
    args = arguments(executable, feeds)
    if any(a.ndim > 1 and not a.flags.c_contiguous for a in args) and not executable.any_layout:
        executable = executable.for_any_layout
    if executable.graph.lowering and fails(executable, args):
        executable = executable.on_arrays
    source, meter, cost = with_clocks(scoped(executable), clock)
    run = load(source)
    spent, plain = measured(executable, run, args, meter, cost, repeat)
    counts = dict(meter.counts)
    work = work_of(executable.graph, args, counts_by_graph(meter))
    total = sum(spent) or 1.0
    rows = by_time(
        row_of(i.e, i.function, counts[i.function], nanoseconds, total, work)
        for i, nanoseconds in zip(meter.intervals, spent, strict=True)
    )
    return Profile(joined(rows), plain * 1e-9, repeat)


def profiled_by_numpy(executable: "NativeExecutable", feeds: Any, repeat: int) -> Profile:
    """The profile of NumPy's code of a graph, beside the time of its machine code."""
    result = profiled(executable.by_numpy, feeds, repeat)
    args, times = arguments(executable, feeds), []
    executable(*args)
    for _ in range(repeat):
        start = time.perf_counter()
        executable(*args)
        times.append(time.perf_counter() - start)
    half = (repeat + 1) // 2
    return replace(result, native_seconds=sum(sorted(times)[:half]) / half)


def fails(executable: "Executable", args: Sequence[Any]) -> bool:
    """True if Python's floats raise for these values; then the code for arrays is run."""
    try:
        executable.run(*args)
    except (ArithmeticError, ValueError):
        return True
    return False


def arguments(executable: "Executable", feeds: Any) -> list[np.ndarray]:
    """The arrays of all inputs, from feeds in order or a mapping of names."""
    named = isinstance(feeds, Mapping)
    given = {getattr(k, "name", k): v for k, v in feeds.items()} if named else {}
    values = executable.bind(() if named else tuple(sequence(feeds)), given)
    inputs = executable.graph.inputs
    arrays = [as_feed(e, value) for e, value in zip(inputs, values, strict=True)]
    sizes_of_feeds(inputs, arrays)
    return arrays


def scoped(executable: "Executable") -> Source:
    """The source of an executable, with all that it refers to."""
    graph, form, any_layout = executable.graph, executable.form, executable.any_layout
    return source_of(graph, form, any_layout, has_loops=False)


def measured(
    executable: "Executable", run: Callable[..., Any], args: Sequence[Any], meter: Meter,
    cost: Cost, repeat: int,
) -> tuple[list[float], float]:  # fmt: skip
    """The nanoseconds of each interval, and of the code without clocks: means of faster halves."""
    results, plain = list[Sequence[float]](), list[float]()
    plain_run = load(scoped(executable))
    with np.errstate(all="ignore") if executable.silent else nullcontext():
        run(*args), plain_run(*args)  # the first run allocates buffers
        for _ in range(repeat):
            meter.clear()
            run(*args)
            results.append(times(meter, cost))
            start = time.perf_counter_ns()
            plain_run(*args)
            plain.append(time.perf_counter_ns() - start)
    half = (repeat + 1) // 2
    fastest = sorted(results, key=sum)[:half]
    return [sum(c) / half for c in zip(*fastest, strict=True)], sum(sorted(plain)[:half]) / half


def row_of(
    e: Expr | None, function: str, count: int, nanoseconds: float, total: float, work: Work
) -> ProfileRow:
    """The row of one interval."""
    seconds, share = nanoseconds * 1e-9, nanoseconds / total
    if e is None or e.kind is not Kind.OP or e.op is None:
        is_size = e is not None and e.kind is Kind.SIZE
        name = e.name if e is not None and is_size else ENTRY.format(function)
        return ProfileRow(name, count, seconds, share, 0, 0, function=function)
    flops, bytes = work.get(e, (0, 0))
    return ProfileRow(
        e.name, count, seconds, share, flops, bytes, e.op.name, str(e.type),
        e.name.rpartition("/")[0], "" if e.place is None else short(e.place), function,
    )  # fmt: skip


def joined(rows: Sequence[ProfileRow]) -> tuple[ProfileRow, ...]:
    """The rows, with one for all intervals of a function that compute nothing."""
    same: dict[tuple[str, str], list[ProfileRow]] = {}
    for row in rows:
        same.setdefault((row.name, row.function), []).append(row)
    several = (
        replace(rows[0], seconds=sum(r.seconds for r in rows), share=sum(r.share for r in rows))
        for rows in same.values()
    )
    return by_time(several)


def counts_by_graph(meter: Meter) -> dict[Expr, int]:
    """How often each expression was computed in one run."""
    return {i.e: meter.counts[i.function] for i in meter.intervals if i.e is not None}


def work_of(graph: FrozenGraph, args: Sequence[Any], counts: Mapping[Expr, int]) -> Work:
    """The operations and bytes of each expression, in one run."""
    every = [e for each in (graph, *inner_graphs(graph)) for e in each.order]
    if all(is_known(e.type) for e in every):
        return {e: scaled(work_in(e, e.type, [x.type for x in e.inputs]), counts.get(e, 0))
                for e in every}  # fmt: skip
    seen: dict[Expr, Any] = {}
    result: dict[Expr, tuple[int, int]] = {}

    def watch(e: Expr, value: Any) -> None:
        seen[e] = type_of(value) if type(e.type) is ArrayType else e.type
        flops, bytes = result.get(e, (0, 0))
        more_flops, more_bytes = work_in(e, seen[e], [seen[x] for x in e.inputs])
        result[e] = flops + more_flops, bytes + more_bytes

    interpret(graph, args, watch)
    return result


def is_known(type: ArrayType) -> bool:
    """True if a type has no unknown sizes, or is not of one array."""
    return isinstance(product(type.shape), int)


def scaled(work: tuple[int, int], count: int) -> tuple[int, int]:
    """The work of several computations."""
    return work[0] * count, work[1] * count


def work_in(e: Expr, result: Any, types: Sequence[Any]) -> tuple[int, int]:
    """The operations and bytes of one computation; views move nothing."""
    if e.op is None or any(type(t) is not ArrayType for t in (result, *types)):
        return 0, 0
    if Trait.CONTROL in e.op.traits:
        return 0, 0
    flops = flops_of(e.op, result, list(types), e.attrs)
    moved = 0 if Trait.VIEW in e.op.traits else sum(map(bytes_of, (result, *types)))
    return flops if isinstance(flops, int) else 0, moved


def bytes_of(type: ArrayType) -> int:
    """The bytes of an array whose sizes are known."""
    size = product(type.shape)
    return size * type.dtype.itemsize if isinstance(size, int) else 0
