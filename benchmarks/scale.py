"""Costs for chains of growing length, and the cost of calls and imports.

make bench-scale
"""

import gc
import io
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import dynamicgrad as dg
import staticgrad as sg

LENGTHS = (10_000, 100_000, 1_000_000)
Stages = Iterator[tuple[str, float, int]]


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """The processor's seconds that something took, and what it gave.

    They grow less than the clock's with what else the machine does.
    """
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def chain(x: Any, length: int) -> Any:
    """A chain of `length` operations."""
    for _ in range(length // 2):
        x = x * 1.0000001 + 0.5
    return x


def tape(length: int) -> Stages:
    """Record, differentiate and free a chain of tensors; the time of each, and the operations."""
    x = dg.ones(3, requires_grad=True)
    took, y = timed(lambda: chain(x, length).sum())
    yield "forward", took, length
    yield "backward", timed(y.backward)[0], length
    held = [y]
    del y
    yield "free", timed(held.clear)[0], length


def graph(length: int) -> Stages:
    """The stages of a graph of about that many expressions: the time and expressions of each."""
    with sg.Graph().as_default() as g:
        x = sg.placeholder("float32", [3])
        took, y = timed(lambda: chain(x, length // 4))  # the numbers and gradients count as well
        built = len(g)
        yield "build", took, built
        took, (gradient,) = timed(lambda: sg.gradients(y, x))
        yield "gradients", took, len(g) - built
        took, frozen = timed(lambda: sg.freeze([y, gradient], [x]))
        took_too, size = timed(lambda: len(frozen))
        yield "freeze", took + took_too, size
        took, run = timed(lambda: sg.compile(frozen))
        yield "compile", took, size
        source = run.source
        yield "of that, Python's compile()", timed(lambda: compile(source, "", "exec"))[0], size
        yield "run", timed(lambda: run([1.0, 2.0, 3.0]))[0], size
        file = io.BytesIO()
        yield "save", timed(lambda: sg.save(frozen, file))[0], size
        yield "load", timed(lambda: sg.load(file, limit=1 << 30))[0], size


def rows(stages: Callable[[int], Stages], lengths: tuple[int, ...]) -> Iterator[list[str]]:
    """A row for each stage: its name, and microseconds per operation or expression."""
    columns = []
    for length in lengths:
        gc.collect()
        found = stages(length)
        columns.append({name: f"{took / count * 1e6:.2f}" for name, took, count in found})
    for name in columns[0]:
        yield [name, *(column[name] for column in columns)]


def calls(rounds: int = 41, repeats: int = 500) -> dict[str, float]:
    """Median microseconds of each way to run one small graph, interleaved."""
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["n"], name="x")
        y = sg.exp(x)
        session, value = sg.Session(), np.ones(3, np.float32)
        compiled, callable_ = sg.compile(y, [x]), session.make_callable(y, [x])
        ways = {
            "compiled function": lambda: compiled(value),
            "make_callable": lambda: callable_(value),
            "Session.run": lambda: session.run(y, {x: value}),
            "Session.run of a list": lambda: session.run([y], {x: value}),
            "Session.run of a dict": lambda: session.run({"y": y}, {x: value}),
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                took = timed(lambda way=way: [way() for _ in range(repeats)])[0]
                times[name].append(took / repeats * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


IMPORT = "import numpy, time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def import_times(modules: list[str], rounds: int = 15) -> dict[str, float]:
    """Median milliseconds of importing each module after NumPy in a new process.

    The first round compiles the modules and is discarded.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times: dict[str, list[float]] = {m: [] for m in modules}
    for _ in range(rounds + 1):
        for module in modules:
            program = [sys.executable, "-c", IMPORT.format(module)]
            took = subprocess.check_output(program, env=environment, text=True)
            times[module].append(float(took) * 1e3)
    return {m: statistics.median(found[1:]) for m, found in times.items()}


def table(title: str, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Print a table as Markdown."""
    print(f"\n| {' | '.join([title, *columns])} |\n|---|{'--:|' * len(columns)}")
    for line in lines:
        print(f"| {' | '.join(line)} |")


def main() -> None:
    """Print the tables."""
    lengths = [f"{n:,}" for n in LENGTHS]
    table("dynamicgrad, us per operation", lengths, rows(tape, LENGTHS))
    table("staticgrad, us per expression", lengths, rows(graph, LENGTHS))
    table("a call", ["us"], [[way, f"{took:.2f}"] for way, took in calls().items()])
    imports = import_times(["gradops", "dynamicgrad", "staticgrad"]).items()
    table("import, after NumPy", ["ms"], [[module, f"{took:.0f}"] for module, took in imports])


if __name__ == "__main__":
    main()
