"""Gates and states of recurrent cells."""

from collections.abc import Iterator, Sequence

from ..ir.primitives import sigmoid
from ..ir.scalars import Scalar, call_math
from ..ir.text import Index, times
from .kernel import Kernel, KernelText, Row

CELL = 2  # the gate of an LSTM that is no sigmoid
Gates = Sequence[Row]
"""The parts of a row, one for each gate."""


def gates_of(k: KernelText, count: int) -> Index:
    """The size of a gate; 0, and the kernel gives up, unless it is a whole number and a state's."""
    f, size = k.f, k.sizes["m"]
    n = k.sizes.get("n") or f.emit(f"sdiv i64 {size}, {count}", "n")
    differs = f.emit(f"icmp ne i64 {times(f, n, count)}, {size}")
    f.note(differs)
    return f.emit(f"select i1 {differs}, i64 0, i64 {n}", "n")


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
                y[j] = lstm_gate(g, z)


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
    n = gates_of(k, count)
    for i in k.passes():
        gates, old, new = rows_of(k, "a", i, n, count), k.row("s", i, n), k.row("y", i, n)
        for j in k.f.loop(n, True):
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


def write_lstm_step(k: KernelText) -> None:
    """The gates of x + z, the memory and the output, with the bits of the kernels of each."""
    n = gates_of(k, 4)
    for i in k.passes():
        x, z, gates = (rows_of(k, name, i, n, 4) for name in ("x", "z", "gates"))
        lstm_row(n, (x, z), gates, [k.row(name, i, n) for name in ("c", "memory", "hidden")])


def lstm_row(n: Index, sums: Sequence[Gates], gates: Gates, states: Sequence[Row]) -> None:
    """The gates of the sums of two rows, and the rows of the memory and the output."""
    (x, z), (c, memory, hidden) = sums, states
    for j in c.f.loop(n, True):
        a = [lstm_gate(g, x[g][j] + z[g][j]) for g in range(4)]
        new = a[1] * c[j] + a[0] * a[2]
        for g in range(4):
            gates[g][j] = a[g]
        memory[j], hidden[j] = new, call_math("tanh", [new]) * a[3]


def lstm_gate(g: int, z: Scalar) -> Scalar:
    """The activation of a gate by its number."""
    return call_math("tanh", [z]) if g == CELL else sigmoid(z)


def write_lstm_step_back(k: KernelText) -> None:
    """The cotangents of x + z and of the memory before, in the order in which the tape adds up.

    It adds zeros to the cotangents of gates that one user of two does not read.
    """
    n = gates_of(k, 4)
    for i in k.passes():
        a, d = (rows_of(k, name, i, n, 4) for name in ("gates", "d"))
        lstm_row_back(n, a, d, [k.row(x, i, n) for x in ("c", "t", "g", "r", "of_c", "before")])


def lstm_row_back(n: Index, a: Gates, d: Gates, rows: Sequence[Row]) -> None:
    """`write_lstm_step_back` for a row."""
    c, t, g, r, of_c, before = rows
    for j in c.f.loop(n, True):
        gates = [row[j] for row in a]
        dh, u = g[j] + r[j], t[j]
        dc = dh * gates[3] * (1.0 - u * u) + of_c[j]
        found = (dc * gates[2], dc * c[j], dc * gates[0], dh * u)
        for row, y, v, shift in zip(d, gates, found, (0.0, 0.0, 1.0, 0.0), strict=True):
            row[j] = (v + 0.0) * ((1.0 - y) * (y + shift))
        before[j] = dc * gates[1]


def write_gru_step(k: KernelText) -> None:
    """Gates and new state, with the bits of the kernels of each; z = y + b is kept."""
    n = gates_of(k, 3)
    for i in k.passes():
        x, y, z, gates = (rows_of(k, name, i, n, 3) for name in ("x", "y", "z", "gates"))
        gru_row(n, (x, y, bias_of(k, n)), (z, gates), (k.row("h", i, n), k.row("new", i, n)))


def bias_of(k: KernelText, n: Index) -> Gates:
    """The parts of the bias of a GRU."""
    return [k.arrays["b"].after(times(k.f, n, g)) for g in range(3)]


def gru_row(
    n: Index, terms: Sequence[Gates], results: Sequence[Gates], states: Sequence[Row]
) -> None:
    """The sums y + b, the gates and the new state of a row."""
    (x, y, b), (z, gates), (h, new) = terms, results, states
    for j in h.f.loop(n, True):
        s = [y[g][j] + b[g][j] for g in range(3)]
        reset, update = (sigmoid(x[g][j] + s[g]) for g in range(2))
        proposed = call_math("tanh", [x[2][j] + reset * s[2]])
        for g, a in enumerate((reset, update, proposed)):
            z[g][j], gates[g][j] = s[g], a
        new[j] = (h[j] - proposed) * update + proposed


def write_gru_step_back(k: KernelText) -> None:
    """The cotangents of x, of z and, without its product, of the state before.

    That of the new state is g + (r + q); see `write_lstm_step_back` for the zeros.
    """
    n = gates_of(k, 3)
    for i in k.passes():
        parts = [rows_of(k, name, i, n, 3) for name in ("gates", "z", "d", "e")]
        gru_row_back(n, parts, [k.row(name, i, n) for name in ("h", "g", "r", "q", "before")])


def gru_row_back(n: Index, parts: Sequence[Gates], rows: Sequence[Row]) -> None:
    """`write_gru_step_back` for a row."""
    (a, z, d, e), (h, g, r, q, before) = parts, rows
    for j in h.f.loop(n, True):
        reset, update, new = (row[j] for row in a)
        v = g[j] + (r[j] + q[j])
        dn = v * (1.0 - update) * (1.0 - new * new)
        dz = v * (h[j] - new) * (update * (1.0 - update))
        dr = (dn * z[2][j] + 0.0) * (reset * (1.0 - reset))
        d[0][j], d[1][j], d[2][j] = dr, dz, dn
        e[0][j], e[1][j], e[2][j] = dr, dz, dn * reset
        before[j] = v * update


GATES, STATES = "x[... m] h[... m]", "a[... m] s[... n]"
KERNELS = [
    Kernel("lstm_gates", GATES, "y[... m]", write_lstm_gates, cost=24),
    Kernel("gru_gates", GATES, "y[... m]", write_gru_gates, cost=24),
    Kernel("lstm_memory", STATES, "y[... n]", write_lstm_memory),
    Kernel("lstm_hidden", STATES, "y[... n]", write_lstm_hidden, cost=8),
    Kernel("lstm_step", "x[... m] z[... m] c[... n]", "gates[... m] memory[... n] hidden[... n]",
           write_lstm_step, cost=24),
    Kernel("lstm_step_back", "gates[... m] c[... n] t[... n] g[... n] r[... n] of_c[... n]",
           "d[... m] before[... n]", write_lstm_step_back, cost=6),
    Kernel("gru_step", "x[... m] y[... m] b[m] h[... n]", "z[... m] gates[... m] new[... n]",
           write_gru_step, cost=24),
    Kernel("gru_step_back", "gates[... m] z[... m] h[... n] g[... n] r[... n] q[... n]",
           "d[... m] e[... m] before[... n]", write_gru_step_back, cost=6),
    Kernel("gru_state", STATES, "y[... n]", write_gru_state),
]  # fmt: skip
