"""How costs grow: microseconds per operation in chains of growing length, and what imports take.

make bench-scale
"""

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import dynamicgrad as dg
import staticgrad as sg

LENGTHS = {"dynamicgrad": (10_000, 100_000, 1_000_000), "staticgrad": (10_000, 100_000, 300_000)}
Stages = Iterator[tuple[str, float]]


def timed(name: str, run: Callable[[], Any]) -> tuple[tuple[str, float], Any]:
    """How long a stage took, under its name, and what it gave."""
    start = time.perf_counter()
    found = run()
    return (name, time.perf_counter() - start), found


def chain(x: Any, length: int) -> Any:
    """`length` operations, each on the result of the one before."""
    for _ in range(length // 2):
        x = x * 1.0000001 + 0.5
    return x


def tape(length: int) -> Stages:
    """Record, differentiate and free a chain of tensors."""
    x = dg.ones(3, requires_grad=True)
    stage, y = timed("forward", lambda: chain(x, length).sum())
    yield stage
    yield timed("backward", y.backward)[0]
    held = [y]
    del y
    yield timed("free", held.clear)[0]


def graph(length: int) -> Stages:
    """Build, differentiate, freeze and compile a chain of expressions; run it once."""
    x = sg.placeholder("float32", [3])
    stage, y = timed("build", lambda: chain(x, length))
    yield stage
    stage, (g,) = timed("gradients", lambda: sg.gradients(y, x))
    yield stage
    stage, frozen = timed("freeze", lambda: sg.freeze([y, g], [x]))
    yield stage
    stage, run = timed("compile", lambda: sg.compile(frozen))
    yield stage
    yield timed("run", lambda: run([1.0, 2.0, 3.0]))[0]


def rows(stages: Callable[[int], Stages], lengths: tuple[int, ...]) -> Iterator[list[str]]:
    """A row for each stage: its name, and microseconds per operation at each length."""
    columns = []
    for length in lengths:
        gc.collect()
        columns.append({name: f"{took / length * 1e6:.2f}" for name, took in stages(length)})
    for name in columns[0]:
        yield [name, *(column[name] for column in columns)]


def import_times(modules: list[str], rounds: int = 11) -> dict[str, float]:
    """Milliseconds that a new process takes to import each module and to end, medians."""
    times: dict[str, list[float]] = {m: [] for m in modules}
    for _ in range(rounds):
        for module in modules:
            command = [sys.executable, "-c", f"import {module}"]
            times[module].append(timed(module, lambda c=command: subprocess.run(c))[0][1] * 1e3)
    return {m: statistics.median(found) for m, found in times.items()}


def main() -> None:
    """Print the tables as Markdown."""
    for package, stages in {"dynamicgrad": tape, "staticgrad": graph}.items():
        lengths = LENGTHS[package]
        titles = [f"{package}, us per operation", *(f"{n:,}" for n in lengths)]
        print(f"\n| {' | '.join(titles)} |\n|---|{'--:|' * len(lengths)}")
        for row in rows(stages, lengths):
            print(f"| {' | '.join(row)} |")
    print("\n| import | ms |\n|---|--:|")
    for module, took in import_times(["numpy", "dynamicgrad", "staticgrad"]).items():
        print(f"| {module} | {took:.0f} |")


if __name__ == "__main__":
    main()
