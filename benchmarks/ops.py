"""A row per op: its time against that of an optimized NumPy expression.

make bench-ops
"""

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import gradops
from benchmarks.expressions import CALLS, NOT_COMPARED
from benchmarks.measure.timing import microseconds, repetitions
from gradops import Op
from gradops.testing.op_properties import NOT_OF_ARRAYS

LIMIT, WORST, ROUNDS = 1.2, 10, 25
CALL = 1.0  # microseconds that a call of an op may take above that of NumPy: views cost no more
Row = tuple[float, str, float, float]
Pair = tuple[Callable[[], Any], Callable[[], Any]]


def pair(op: Op) -> Pair | None:
    """The op and the NumPy expression, each as a call on the same operands; None for no row."""
    if op.name in CALLS:
        operands, attrs, expression = CALLS[op.name]
        return lambda: op(*operands, **attrs), lambda: expression(*operands)
    operands, attrs = default_operands(op)
    template = op.template([gradops.type_of(x) for x in operands], attrs)
    if not template.startswith("np."):
        return None
    names = [f"x{i}" for i in range(len(operands))]
    shown = {k: repr(v) for k, v in attrs.items()}
    source = template.format(*names, operands=", ".join(names), out="", fresh="_", **shown)
    code = compile(source, op.name, "eval")
    scope = {"np": np, "dtype": np.dtype, **dict(zip(names, operands, strict=True))}
    return lambda: op(*operands, **attrs), lambda: eval(code, scope)


def default_operands(op: Op) -> tuple[list[Any], dict[str, Any]]:
    """Operands of 100,000 entries of the dtypes of the first sample, and its attributes."""
    operands, attrs = next(iter(op.samples(np.random.default_rng(0))))
    arrays = [np.asarray(x) for x in operands]
    rank = max((x.ndim for x in arrays), default=0)
    return [large(x, rank) for x in arrays], op.bind(operands, attrs)[1]


def large(x: Any, rank: int) -> Any:
    """The entries of a small operand, repeated in a larger array with the same number of axes."""
    sizes = (100_000,) if rank == 1 else (*(1,) * (rank - 2), 1000, 100)
    like = np.float32 if x.dtype == np.float64 else x.dtype
    return np.resize(x.astype(like), sizes[rank - x.ndim :] if x.ndim else ())


def rows() -> list[Row]:
    """The ratio, the op's name, and the times of the op and of NumPy in microseconds."""
    found = []
    for op in gradops.OPS.values():
        if op.traits & NOT_OF_ARRAYS or op.family == "drawing" or op.name in NOT_COMPARED:
            continue  # what is drawn follows from a key, which NumPy has not
        if (calls := pair(op)) is None:
            raise SystemExit(f"{op.name} has no row: say in expressions what it computes")
        with np.errstate(all="ignore"):
            found.append(row(op.name, *calls))
    return sorted(found, reverse=True)


def row(name: str, ours: Callable[[], Any], numpys: Callable[[], Any]) -> Row:
    """The minimum times of both, measured interleaved to exclude noise."""
    m, n = repetitions(ours), repetitions(numpys)
    pairs = [(microseconds(ours, m), microseconds(numpys, n)) for _ in range(ROUNDS)]
    a, b = (min(times) for times in zip(*pairs, strict=True))
    return a / b, name, a, b


def main() -> None:
    """Print all rows, the slowest first, then the number of rows over the limit."""
    table = rows()
    print("| op | us | NumPy, us | ratio |\n|---|--:|--:|--:|")
    for ratio, name, ours, numpy in table:
        print(f"| {name} | {ours:.1f} | {numpy:.1f} | {ratio:.2f} |")
    over = [name for ratio, name, a, b in table if ratio > LIMIT and a - b > CALL]
    print(f"\n{len(table)} ops, {len(over)} of them over {LIMIT}: {', '.join(over) or 'none'}")
    print("worst:", ", ".join(f"{name} {ratio:.2f}" for ratio, name, *_ in table[:WORST]))


if __name__ == "__main__":
    main()
