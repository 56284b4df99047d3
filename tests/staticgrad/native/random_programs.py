"""Random graphs for machine code: with more loops, branches, indices, dtypes, and larger arrays."""

import numpy as np

import gradops
import staticgrad as sg

from ..passes.random_graphs import (
    NAMED,
    SHAPES,
    body,
    has_more_rows,
    one_of,
    random_graph,
    recent,
)
from .random_layouts import laid_out_anyhow

INTS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")
LARGE = ((50,), (1, 50), (50, 1), (40, 50), (50, 40), (50, 50), (33, 3), (3, 41, 7), (2, 40, 50),
         (3, 300, 200), (2, 70_000))  # fmt: skip
ROWS = 60  # up to which programs go row by row


def random_program(seed):
    """A graph and feeds. One in four has unknown sizes, one in four large arrays."""
    rng = np.random.default_rng([seed, 1])
    shapes = one_of(rng, [SHAPES, SHAPES, NAMED, LARGE])
    steps = [stopped, switched, indexed, indexed, counted, twice, checked, recurrent]
    steps = [few_rows(step) for step in steps]
    made = random_graph(seed, shapes, [*steps, few_rows(nested), few_rows(factored)], ROWS)
    made.feeds = laid_out_anyhow(rng, made.feeds)
    return made


def few_rows(step):
    """A step that is refused for arrays of many rows: each is a turn of a loop."""

    def of_few(rng, pool):
        if any(has_more_rows(e, ROWS) for e in pool):
            raise ValueError("there are many rows")
        return step(rng, pool)

    return of_few


def stopped(rng, pool):
    """A loop that ends when its state is large, or after some steps."""
    x, f = recent(rng, pool), body(rng, pool)

    def goes_on(i, s):
        return sg.logical_and(sg.reduce_sum(sg.abs(sg.cast(s, "float64"))) < 30.0, i < 9)

    return sg.while_loop(goes_on, lambda i, s: (i + 1, f(s)), [0, x])


def nested(rng, pool):
    """A loop of loops, whose bounds and steps the state or another value may choose."""
    x, f, g = recent(rng, pool), body(rng, pool), body(rng, pool)
    count = sg.reduce_sum(numbers(rng, pool, (2,)) % 3)
    inner = one_of(rng, [
        lambda s: sg.fori(0, sg.cast(count, "int64"), lambda i, t: f(t), s),
        lambda s: sg.scan(lambda t, e: g(t) + sg.cast(e, t.dtype), sg.range(3), s)[-1],
        lambda s: sg.cond(sg.cast(count, "int64") > 2, lambda: f(s), lambda: g(s)),
    ])  # fmt: skip
    return sg.fori(0, int(rng.integers(4)), lambda i, s: inner(s), x)


def switched(rng, pool):
    """A branch with a number, which may be none of the branches'."""
    x, f, g = recent(rng, pool), body(rng, pool), body(rng, pool)
    return sg.switch_case(numbers(rng, pool, ()), [lambda: f(x), lambda: x, lambda: g(x)])


def indexed(rng, pool):
    """Entries with some numbers along an axis, of which some are out of range."""
    x, count = recent(rng, pool), int(rng.integers(4))
    axis = int(rng.integers(len(x.shape)))
    i = numbers(rng, pool, one_of(rng, [(), (count,), (2, count)]))
    if rng.random() < 0.8:
        i = i % max(1, x.shape[axis])
    return x[(slice(None),) * axis + (i,)]


def counted(rng, pool):
    """Integers of any width and sign."""
    x = recent(rng, pool)
    return sg.cast(sg.cast(x, "float64") > 0.3, one_of(rng, INTS)) * int(rng.integers(100))


def checked(rng, pool):
    """A value after a check, which may fail."""
    x = recent(rng, pool)
    holds = sg.abs(sg.cast(x, "float64")) < one_of(rng, [3.0, 1e3])
    with sg.control_dependencies([sg.Assert(holds, [], "large")]):
        return sg.identity(x)


def twice(rng, pool):
    """The gradient of a gradient, with respect to a value on the way."""
    x, f, g = recent(rng, pool), body(rng, pool), body(rng, pool)
    x = sg.cast(x, one_of(rng, ["float64", "float32"]))
    first = sg.gradients(sg.reduce_sum(sg.cast(f(x), x.dtype) * sg.sin(x)), [x])[0]
    return sg.gradients(sg.reduce_sum(sg.cast(g(first), x.dtype) * first), [x])


def recurrent(rng, pool):
    """A network of layers of several widths, whose rows threads may share, or its gradient."""
    dtype = one_of(rng, ["float32", "float64"])
    x = sg.reduce_sum(sg.sin(sg.cast(recent(rng, pool), dtype)))
    rows, n = 8 * int(rng.integers(1, 6)), one_of(rng, [3, 24, 70])
    widths = rng.integers(1, 200, rng.integers(1, 4))
    pairs = [(weights(rng, n, m, dtype), weights(rng, m, n, dtype)) for m in widths]

    def step(h, entry):
        for there, back in pairs:
            h = sg.tanh(sg.tanh(h @ there) @ back)
        return h + entry

    entries = sg.constant(weights(rng, 3 * rows, n, dtype).reshape(3, rows, n)) * x
    y = sg.scan(step, entries, sg.zeros((rows, n), dtype))
    return y[-1] if rng.random() < 0.5 else sg.gradients(sg.reduce_sum(y * y), [x])


def weights(rng, rows, columns, dtype):
    """A matrix that changes the size of vectors little."""
    return (rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(dtype)


def factored(rng, pool):
    """A factor, an inverse or a determinant of a matrix that is positive definite, or is not."""
    x = recent(rng, pool)
    n = int(rng.integers(1, 5))
    a = sg.reshape(sg.cast(x, "float64") + sg.zeros((n, n), "float64"), (n, n))
    a = sg.matmul(a, sg.transpose(a)) + one_of(rng, [1.0, -1.0]) * sg.eye(n, dtype="float64")
    f = one_of(rng, [sg.linalg.cholesky, sg.linalg.inv, sg.linalg.det, sg.linalg.slogdet])
    return f(a)


def numbers(rng, pool, shape):
    """Integers of a shape: those that an expression gives, or a constant."""
    kind = one_of(rng, INTS)
    found = [e for e in pool if type(e.type) is gradops.ArrayType and e.shape == shape]
    if found and rng.random() < 0.5:
        return sg.cast(one_of(rng, found) > 0, kind)
    least = -1 if kind.startswith("i") else 0
    return sg.constant(np.asarray(rng.integers(least, 4, shape)).astype(kind))
