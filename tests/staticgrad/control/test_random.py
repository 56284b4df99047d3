"""Random programs of loops and branches in one another, beside the same run by Python."""

import numpy as np
import pytest

import gradops as ops

from .programs import Program, eager_values, graph_values
from .test_derivatives import assert_close, runs

UNARY = [ops.sin, ops.tanh, lambda x: x * 0.5, lambda x: x[::-1], lambda x: x - ops.sum(x) / 3]
BINARY = [ops.add, ops.sub, ops.mul, ops.maximum, lambda a, b: ops.where(a > b, a, b * b)]
SEEDS = range(40)


def random_block(rng, depth):
    """Some steps, each on what came before; the last gives the result."""
    return [random_step(rng, depth) for _ in range(rng.integers(1, 4))]


def random_step(rng, depth):
    """What a step does, which values it takes, and the blocks inside it."""
    kinds = ["unary", "binary", "cond", "fori", "while", "scan", "switch"]
    kind = str(rng.choice(kinds[: None if depth else 2]))
    count = {"cond": 2, "switch": 3}.get(kind, int(kind in ("fori", "while", "scan")))
    blocks = [random_block(rng, depth - 1) for _ in range(count)]
    return kind, *map(int, rng.integers(0, 99, 3)), blocks


def computed(t, block, values):
    """The result of a block that sees these values; `t` is staticgrad or Python's twin of it."""
    for step in block:
        values = [*values, stepped(t, step, values)]
    return values[-1]


def stepped(t, step, values):
    """What a step gives."""
    kind, number, i, j, blocks = step
    x, y = values[i % len(values)], values[j % len(values)]
    inner = [lambda *more, b=b: computed(t, b, [*values, *more]) for b in blocks]
    mode = {"residuals": ("stack", "recompute")[number % 2]}
    match kind:
        case "unary":
            return UNARY[number % len(UNARY)](x)
        case "binary":
            return BINARY[number % len(BINARY)](x, y)
        case "cond":
            return t.cond(ops.sum(x) > ops.sum(y) / 2, *inner)
        case "switch":
            return t.switch(ops.astype(ops.sum(x * x), dtype="int64"), inner)
        case "fori":
            return t.fori(0, number % 4, lambda k, s: inner[0](s) * 0.9, x, **mode)
        case "while":
            turn = lambda k, s: (k + 1, ops.tanh(inner[0](s)) + x / 2)
            test = lambda k, s: ops.logical_and(ops.sum(s * s) < 4.0, k < 3)
            return t.while_loop(test, turn, [0, x], **mode)[1]
    turn = lambda s, e: ops.tanh(inner[0](s, e))
    states = t.scan(turn, ops.stack([x, y, x * y]), y, reverse=bool(number % 3), **mode)
    return ops.sum(states, axis=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_is_what_python_makes_of_it(seed):
    rng = np.random.default_rng(seed)
    block = random_block(rng, 3)
    data = {name: rng.normal(size=3) for name in "ab"}
    program = Program(lambda t, a, b: computed(t, block, [a, b]), data, "random")
    wanted = eager_values(program)
    found, *others = runs(graph_values(program, known=bool(seed % 2)), program)
    assert np.array_equal(found[0], wanted[0])  # the value to the bit
    scale = [np.maximum(1, np.abs(y).max()) for y in wanted]
    assert_close(program, [y / s for y, s in zip(found, scale, strict=True)],
                 [y / s for y, s in zip(wanted, scale, strict=True)])  # fmt: skip
    for other in others:
        assert [np.asarray(y).tobytes() for y in other] == [np.asarray(y).tobytes() for y in found]
