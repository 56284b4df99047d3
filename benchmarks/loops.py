"""The overhead of loops and branches over their bodies, in microseconds per step, and Python's.

make bench-loops
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dynamicgrad as dg
import gradops as ops
import staticgrad as sg

STEPS = 2_000
BODY = 5  # operations in the body
SIZES = ((), (100,))


def body(y: Any, x: Any) -> Any:
    """The work of one step."""
    for _ in range(BODY // 2):
        y = y * x + x
    return ops.tanh(y)


def while_loop(x: Any) -> Any:
    """The initial state: a count and a value."""
    step = lambda i, y: (i + 1, body(y, x))
    return sg.while_loop(lambda i, y: i < STEPS, step, [0, x])[1]


def fori(x: Any) -> Any:
    """The condition for a number of steps."""
    return sg.fori(0, STEPS, lambda i, y: body(y, x), x)


def scan(x: Any) -> Any:
    """The states of all steps."""
    entries = np.ones((STEPS, 1), "float32") * np.ones(x.shape, "float32").reshape(1, -1)
    return sg.scan(lambda y, e: body(y, x), entries.reshape(STEPS, *x.shape), x)[-1]


def branches(x: Any) -> Any:
    """A branch in each step."""
    turn = lambda y: sg.cond(ops.sum(y) > 1e9, lambda: y * 2, lambda: body(y, x))
    return sg.fori(0, STEPS, lambda i, y: turn(y), x)


def unrolled(x: Any) -> Any:
    """The work without a loop."""
    y = x
    for _ in range(STEPS // 10):
        y = body(y, x)
    return y


def best(run: Callable[[], Any], rounds: int = 7) -> float:
    """The minimum of several times, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def per_step(build: Callable[[Any], Any], shape: tuple[int, ...], steps: int) -> tuple[float, ...]:
    """Microseconds per step of the value, and of value and gradient together."""
    with sg.Graph().as_default():
        x = sg.placeholder("float32", shape)
        y = ops.sum(build(x))
        runs = [sg.compile(y, [x]), sg.compile([y, *sg.gradients(y, x)], [x])]
        feed = np.full(shape, 0.5, "float32")
        return tuple(best(lambda run=run: run(feed)) / steps * 1e6 for run in runs)


def eager(shape: tuple[int, ...]) -> tuple[float, float]:
    """The times of a Python loop with tensors."""
    x = dg.tensor(np.full(shape, 0.5, "float32"), requires_grad=True)

    def value() -> Any:
        y = x
        for _ in range(STEPS):
            y = body(y, x)
        return y.sum()

    both = lambda: value().backward()
    return best(value, 3) / STEPS * 1e6, best(both, 3) / STEPS * 1e6


def rows(shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[float, ...], bool]]:
    """Name, times, and whether to print the difference to the work alone."""
    yield "the work alone", per_step(unrolled, shape, STEPS // 10), False
    for build in (fori, while_loop, scan, branches):
        yield build.__name__, per_step(build, shape, STEPS), True
    yield "tensors in Python", eager(shape), False


def main() -> None:
    """Print the tables as Markdown."""
    for shape in SIZES:
        print(f"\n| us per step of {BODY} operations on {shape} | value | above the work |"
              " and gradient | above the work |\n|---|--:|--:|--:|--:|")  # fmt: skip
        alone: tuple[float, ...] = (0.0, 0.0)
        for name, times, is_loop in rows(shape):
            alone = times if name == "the work alone" else alone
            above = [f"{t - a:.2f}" if is_loop else "" for t, a in zip(times, alone, strict=True)]
            print(f"| {name} | {times[0]:.2f} | {above[0]} | {times[1]:.2f} | {above[1]} |")


if __name__ == "__main__":
    main()
