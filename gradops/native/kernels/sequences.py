"""Recurrent layers at all steps: products of states and matrices, cells, and their derivatives.

Note [Rows of sequences]. Rows of a batch never meet but in the gradients of weights. So a pass of
these kernels takes some rows through all steps, and threads are called once. Products are our own,
whose bits depend on neither rows nor threads: they are those of `layer_product` in each step, and
the functions of gates are those of the kernels of a step. A state is where its step wrote it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.text import Index, minus, plus, times
from ..matmul.gemm import DEPTH
from .gates import bias_of, gru_row, gru_row_back, lstm_row, lstm_row_back
from .kernel import Kernel, KernelText, Row
from .products import FRAMES, TALL, Operand, block, product

ROWS = 8  # of a pass: one tile of our product


@dataclass(frozen=True)
class Step:
    """A step of a sequence: its number, that of the one before, and if it is the first."""

    at: str
    before: str
    is_first: str


def steps(k: KernelText, gates: int, backwards: bool = False) -> Iterator[Step]:
    """A loop over all steps, in the order of a run or in that of its backward pass.

    The kernel gives up, without any step, if a row of so many gates does not fit the states.
    """
    f, count = k.f, k.sizes["t"]
    f.note(f.emit(f"icmp slt i64 {count}, 1"))
    if gates:
        differs = f.emit(f"icmp ne i64 {times(f, k.sizes['n'], gates)}, {k.sizes['m']}")
        f.note(differs)
        count = f.emit(f"select i1 {differs}, i64 0, i64 {count}", "n")
    test = "eq" if backwards else "ne"
    falls = f.emit(f"icmp {test} i64 {k.sizes['reverse']}, 0")
    for i in f.counted(count, 3):
        last = minus(f, minus(f, count, 1), i)
        at = f.emit(f"select i1 {falls}, i64 {last}, i64 {i}", "n")
        shift = f.emit(f"select i1 {falls}, i64 1, i64 -1", "n")
        yield Step(at, f.emit(f"add i64 {at}, {shift}", "n"), f.emit(f"icmp eq i64 {i}, 0"))


def states_of_run(k: KernelText, step: Step, test: str) -> Step:
    """For a step of a backward pass: the step that ran before it, if it is not the first one."""
    f, shift = k.f, f"select i1 {test}, i64 1, i64 -1"
    before = f.emit(f"add i64 {step.at}, {f.emit(shift, 'n')}", "n")
    last = minus(f, k.sizes["t"], 1)
    end = f.emit(f"select i1 {test}, i64 {last}, i64 0", "n")
    return Step(step.at, before, f.emit(f"icmp eq i64 {step.at}, {end}"))


@dataclass(frozen=True)
class Rows:
    """Some rows of a batch, from `first` on."""

    k: KernelText
    first: Index
    count: Index

    def of(self, name: str, size: Index, step: str | None = None) -> Row:
        """These rows of an array, at a step if it has several."""
        f, at = self.k.f, self.first
        if step is not None:
            at = plus(f, times(f, step, self.k.sizes["r"]), at)
        return self.k.row(name, at, size)

    def either(self, test: str, a: Row, b: Row) -> Row:
        """The rows `a` if a test holds, else `b`."""
        f = self.k.f
        return Row(f, f.emit(f"select i1 {test}, ptr {a.pointer}, ptr {b.pointer}"), a.dtype)

    def before(self, step: Step, start: str, states: str, size: Index) -> Row:
        """The rows of a state before a step."""
        return self.either(step.is_first, self.of(start, size), self.of(states, size, step.before))


def rows(k: KernelText) -> Rows:
    """The rows of the range of passes."""
    return Rows(k, *block(k, ROWS, "r"))


def parts(k: KernelText, row: Row, i: Index, gates: int) -> list[Row]:
    """The gates of a row of several."""
    n, own = k.sizes["n"], row.after(times(k.f, i, k.sizes["m"]))
    return [own.after(times(k.f, n, g)) for g in range(gates)]


def write_lstm(k: KernelText) -> None:
    """The gates, memories and outputs at all steps."""
    n, m, some = k.sizes["n"], k.sizes["m"], rows(k)
    u = Operand(k.arrays["u"], m)
    for step in steps(k, 4):
        x, gates = (some.of(name, m, step.at) for name in ("x", "gates"))
        h, c = some.before(step, "h", "hidden", n), some.before(step, "c", "memory", n)
        memory, hidden = (some.of(name, n, step.at) for name in ("memory", "hidden"))
        product(k, (some.count, m, n), Operand(h, n), u, Operand(gates, m))
        for i in k.f.counted(some.count, 3):
            a, z = parts(k, x, i, 4), parts(k, gates, i, 4)
            lstm_row(n, (a, z), z, [s.after(times(k.f, i, n)) for s in (c, memory, hidden)])


def write_lstm_back(k: KernelText) -> None:
    """The cotangents of the contributions of inputs at all steps, and of the first states."""
    n, m, some = k.sizes["n"], k.sizes["m"], rows(k)
    w, was_reversed = Operand(k.arrays["w"], n), reversed_test(k)
    for step in steps(k, 4, backwards=True):
        run = states_of_run(k, step, was_reversed)
        gates, d = (some.of(name, m, step.at) for name in ("gates", "d"))
        c = some.before(run, "c", "memory", n)
        t, g = (some.of(name, n, step.at) for name in ("tanh", "g"))
        of_h, of_c = some.of("of_h", n), some.of("of_c", n)
        r = some.either(step.is_first, some.of("g_h", n), of_h)
        s = some.either(step.is_first, some.of("g_c", n), of_c)
        for i in k.f.counted(some.count, 3):
            own = [row.after(times(k.f, i, n)) for row in (c, t, g, r, s, of_c)]
            lstm_row_back(n, parts(k, gates, i, 4), parts(k, d, i, 4), own)
        product(k, (some.count, n, m), Operand(d, m), w, Operand(of_h, n))


def reversed_test(k: KernelText) -> str:
    """True if the run went from the last step to the first."""
    return k.f.emit(f"icmp ne i64 {k.sizes['reverse']}, 0")


def write_gru(k: KernelText) -> None:
    """The sums of products and bias, the gates and the states at all steps."""
    n, m, some = k.sizes["n"], k.sizes["m"], rows(k)
    u, b = Operand(k.arrays["u"], m), bias_of(k, n)
    for step in steps(k, 3):
        x, z, gates = (some.of(name, m, step.at) for name in ("x", "z", "gates"))
        h, new = some.before(step, "h", "states", n), some.of("states", n, step.at)
        product(k, (some.count, m, n), Operand(h, n), u, Operand(z, m))
        for i in k.f.counted(some.count, 3):
            of_x, of_z, a = (parts(k, row, i, 3) for row in (x, z, gates))
            own = [row.after(times(k.f, i, n)) for row in (h, new)]
            gru_row(n, (of_x, of_z, b), (of_z, a), own)


def write_gru_back(k: KernelText) -> None:
    """The cotangents of inputs and sums at all steps, and the two parts of that of the state."""
    n, m, some = k.sizes["n"], k.sizes["m"], rows(k)
    w, was_reversed = Operand(k.arrays["w"], n), reversed_test(k)
    for step in steps(k, 3, backwards=True):
        run = states_of_run(k, step, was_reversed)
        given = [some.of(name, m, step.at) for name in ("gates", "z", "d", "e")]
        h, g = some.before(run, "h", "states", n), some.of("g", n, step.at)
        before, of_z = some.of("before", n), some.of("of_z", n)
        r = some.either(step.is_first, some.of("g_h", n), before)
        q = some.either(step.is_first, some.of("none", n), of_z)
        for i in k.f.counted(some.count, 3):
            own = [row.after(times(k.f, i, n)) for row in (h, g, r, q, before)]
            gru_row_back(n, [parts(k, row, i, 3) for row in given], own)
        product(k, (some.count, n, m), Operand(given[-1], m), w, Operand(of_z, n))


def write_sum_of_products(k: KernelText) -> None:
    """The sum of the products of transposed states and cotangents, from the last step that ran.

    It gives up where a product is a sum of several blocks: the sum over the steps is of products.
    """
    f, n, m, r = k.f, k.sizes["n"], k.sizes["m"], k.sizes["r"]
    f.note(f.emit(f"icmp sgt i64 {r}, {DEPTH}"))
    first, count = block(k, TALL, "n")
    test, to = reversed_test(k), Operand(k.row("y", first, m), m)
    for step in steps(k, 0, backwards=True):
        run = states_of_run(k, step, test)
        start, others = k.arrays["h"], k.row("states", times(f, run.before, r), n)
        state = Rows(k, 0, r).either(run.is_first, start, others).after(first)
        d = k.row("d", times(f, step.at, r), m)
        add = f.emit(f"xor i1 {step.is_first}, true")
        product(k, (count, m, r), Operand(state, 1, n), Operand(d, m), to, add)


KERNELS = [
    Kernel("lstm_sequence", "x[t r m] u[n m] h[r n] c[r n]",
           "gates[t r m] memory[t r n] hidden[t r n]", write_lstm, counts=("reverse",),
           passes="r", block=ROWS, cost=48, stack=FRAMES),
    Kernel("lstm_sequence_back",
           "gates[t r m] memory[t r n] c[r n] tanh[t r n] g[t r n] w[m n] g_h[r n] g_c[r n]",
           "d[t r m] of_h[r n] of_c[r n]", write_lstm_back, counts=("reverse",),
           passes="r", block=ROWS, cost=24, stack=FRAMES),
    Kernel("gru_sequence", "x[t r m] u[n m] b[m] h[r n]",
           "z[t r m] gates[t r m] states[t r n]", write_gru, counts=("reverse",),
           passes="r", block=ROWS, cost=48, stack=FRAMES),
    Kernel("gru_sequence_back",
           "gates[t r m] z[t r m] states[t r n] h[r n] g[t r n] w[m n] g_h[r n] none[r n]",
           "d[t r m] e[t r m] before[r n] of_z[r n]", write_gru_back, counts=("reverse",),
           passes="r", block=ROWS, cost=24, stack=FRAMES),
    Kernel("sum_of_products", "states[t r n] h[r n] d[t r m]", "y[n m]", write_sum_of_products,
           counts=("reverse",), passes="n", block=TALL, cost=64, stack=FRAMES),
]  # fmt: skip
