"""Gates and states of recurrent cells."""

from collections.abc import Iterator

from ..elementwise import sigmoid
from ..scalars import Scalar, call_math
from ..text import Index, minus, times
from .kernel import Kernel, KernelText, Row

CELL = 2  # the gate of an LSTM that is no sigmoid


def gates_of(k: KernelText, count: int, name: str = "m") -> Index:
    """The size of a gate; the kernel gives up if it is no whole number."""
    f, size = k.f, k.sizes[name]
    n = f.emit(f"sdiv i64 {size}, {count}", "n")
    k.f.note(f.emit(f"icmp ne i64 {minus(f, size, times(f, n, count))}, 0"))
    return n


def rows_of(k: KernelText, name: str, i: Index, n: Index, count: int) -> list[Row]:
    """The gates of a row of an array."""
    row = k.row(name, i, k.sizes["m"])
    return [row.after(times(k.f, n, g)) for g in range(count)]


def write_lstm_gates(k: KernelText) -> None:
    """tanh of the third quarter of x + h, sigmoid of the others."""
    n = gates_of(k, 4)
    for i in k.passes():
        for g, (x, h, y) in enumerate(zip(*[rows_of(k, a, i, n, 4) for a in "xhy"], strict=True)):
            for j in k.f.loop(n, True):
                z = x[j] + h[j]
                y[j] = call_math("tanh", [z]) if g == CELL else sigmoid(z)


def write_gru_gates(k: KernelText) -> None:
    """sigmoid of x + h, for the first two thirds, and tanh(x + r h)."""
    n = gates_of(k, 3)
    for i in k.passes():
        x, h, y = (rows_of(k, a, i, n, 3) for a in "xhy")
        for j in k.f.loop(n, True):
            r = sigmoid(x[0][j] + h[0][j])
            new = call_math("tanh", [x[2][j] + r * h[2][j]])
            y[0][j], y[1][j], y[2][j] = r, sigmoid(x[1][j] + h[1][j]), new


def states(k: KernelText, count: int) -> Iterator[tuple[list[Row], Row, Row, Index]]:
    """For each entry of a state: the gates of its row, the rows of old and new state, its place."""
    f, n = k.f, k.sizes["n"]
    k.f.note(f.emit(f"icmp ne i64 {times(f, n, count)}, {k.sizes['m']}"))
    for i in k.passes():
        gates, old, new = rows_of(k, "a", i, n, count), k.row("s", i, n), k.row("y", i, n)
        for j in f.loop(n, True):
            yield gates, old, new, j


def write_lstm_memory(k: KernelText) -> None:
    """i g + f c."""
    for a, c, y, j in states(k, 4):
        y[j] = a[1][j] * c[j] + a[0][j] * a[2][j]


def write_lstm_hidden(k: KernelText) -> None:
    """o tanh(c)."""
    for a, c, y, j in states(k, 4):
        y[j] = call_math("tanh", [c[j]]) * a[3][j]


def write_gru_state(k: KernelText) -> None:
    """n + z (h - n)."""
    for a, h, y, j in states(k, 3):
        new: Scalar = a[2][j]
        y[j] = (h[j] - new) * a[1][j] + new


GATES, STATES = "x[... m] h[... m]", "a[... m] s[... n]"
KERNELS = [
    Kernel("lstm_gates", GATES, "y[... m]", write_lstm_gates, cost=24),
    Kernel("gru_gates", GATES, "y[... m]", write_gru_gates, cost=24),
    Kernel("lstm_memory", STATES, "y[... n]", write_lstm_memory),
    Kernel("lstm_hidden", STATES, "y[... n]", write_lstm_hidden, cost=8),
    Kernel("gru_state", STATES, "y[... n]", write_gru_state),
]
