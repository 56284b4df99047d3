"""Times a call of `sg.function` against the compiled code that it runs.

make bench-calls
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import dynamicgrad as dg
import staticgrad as sg
from benchmarks.measure.timing import microseconds

TURNS = 300  # of which the shortest counts: what is left of noise would hide the difference


def total(*xs: Any) -> Any:
    """The sum of several operands."""
    found = xs[0]
    for x in xs[1:]:
        found = found + x
    return found


def above(f: Any, args: Sequence[Any], fed: Sequence[Any]) -> str:
    """The overhead of a call over the generated code, in microseconds."""
    f(*args)
    run = f.executable(*args).run
    assert run(*fed) is not NotImplemented
    turns = [(microseconds(lambda: f(*args), 200), microseconds(lambda: run(*fed), 200))
             for _ in range(TURNS)]  # fmt: skip
    call, code = map(min, zip(*turns, strict=True))
    return f"{call - code:.2f}"


def with_arrays(count: int) -> str:
    """A call with arrays, without captured tensors."""
    xs = [np.ones(4, np.float32) for _ in range(count)]
    return above(sg.function(lambda *xs: total(*xs) * 2), xs, xs)


def with_tensors(count: int) -> str:
    """A call with tensors that require no gradient."""
    xs = [dg.ones(4) for _ in range(count)]
    return above(sg.function(lambda *xs: total(*xs) * 2), xs, [x.value for x in xs])


def with_captures(count: int, requires_grad: bool = False) -> str:
    """A call with one array, and captured tensors."""
    ws = [dg.ones(4, requires_grad=requires_grad) for _ in range(count)]
    x = np.ones(4, np.float32)
    return above(sg.function(lambda x: total(x, *ws)), [x], [x, *(w.value for w in ws)])


ROWS: dict[str, Callable[[], str]] = {
    "1 array": lambda: with_arrays(1),
    "4 arrays": lambda: with_arrays(4),
    "1 tensor": lambda: with_tensors(1),
    "4 tensors": lambda: with_tensors(4),
    "1 array, 1 tensor captured": lambda: with_captures(1),
    "1 array, 10 tensors captured": lambda: with_captures(10),
    "1 array, 100 tensors captured": lambda: with_captures(100),
    "1 array, 1 weight captured, on the tape": lambda: with_captures(1, True),
    "1 array, 100 weights captured, on the tape": lambda: with_captures(100, True),
}


def main() -> None:
    """Print the table as Markdown."""
    print("| call of `sg.function` | above the compiled code, us |\n|---|--:|")
    for title, row in ROWS.items():
        print(f"| {title} | {row()} |")


if __name__ == "__main__":
    main()
