"""Random programs: tape, interpreter, generated and optimised code agree to the bit."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradops as ops


def picked(x):
    """Rows by an index array; only the data tell that an empty axis has none of them."""
    rows = np.array([0, 0, -1] if ops.type_of(x).shape[0] else [], int)
    return x[rows]


UNARY = [
    ops.tanh, ops.exp, ops.sigmoid, ops.relu, ops.abs, ops.neg, ops.square, ops.softplus,
    ops.sin, lambda x: x * 0.5, lambda x: 1 - x, lambda x: x / 2, lambda x: x**2,
    lambda x: ops.log(ops.square(x) + 1), lambda x: ops.sqrt(ops.abs(x) + 1),
    lambda x: ops.clip(x, -1, 1), lambda x: ops.stop_gradient(x) * x,
]  # fmt: skip
BINARY = [
    ops.add, ops.sub, ops.mul, ops.maximum, ops.minimum, lambda a, b: a / (ops.abs(b) + 1),
    lambda a, b: ops.where(a > b, a, b * 2), lambda a, b: ops.concatenate([a, b], axis=0),
    lambda a, b: ops.stack([a, b], axis=-1), lambda a, b: ops.where(b > 0, ops.sqrt(b), a),
]  # fmt: skip
SHAPING = [
    ops.transpose, lambda x: ops.reshape(x, shape=(-1,)), lambda x: ops.flip(x),
    lambda x: ops.expand_dims(x, axis=0), lambda x: x[0], lambda x: x[..., -1:],
    lambda x: x[::-1], lambda x: picked(x), lambda x: ops.pad(x, 1),
]  # fmt: skip
REDUCING = [
    ops.sum, ops.mean, lambda x: ops.sum(x, axis=-1), lambda x: ops.max(x, axis=0),
    lambda x: ops.logsumexp(x, axis=-1), lambda x: ops.softmax(x, axis=0),
    lambda x: ops.mean(x, axis=0, keepdims=True), lambda x: ops.prod(x, axis=0),
    lambda x: ops.log_softmax(x, axis=-1), lambda x: x @ ops.transpose(x),
]  # fmt: skip
STEPS = [*UNARY, *UNARY, *BINARY, *SHAPING, *REDUCING]
SHAPES = [(), (1,), (3,), (2, 3), (3, 3), (1, 3), (0, 3), (2, 1, 3)]

programs = st.lists(
    st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 99), st.integers(0, 99)),
    min_size=1, max_size=10,
)  # fmt: skip


def run(program, *xs):
    """The sum of what the steps of a program give, those left out that do not fit."""
    values = list(xs)
    for number, i, j in program:
        step = STEPS[number]
        operands = [values[i % len(values)]]
        if step in BINARY:
            operands.append(values[j % len(values)])
        try:
            y = step(*operands)
        except (ops.GradError, TypeError, IndexError, ValueError):
            continue
        if len(ops.type_of(y).shape) <= 4 and ops.type_of(y).size <= 500:
            values.append(y)
    return sum_of(values)


def sum_of(values):
    total = ops.sum(values[0])
    for v in values[1:]:
        total = total + ops.sum(v)
    return total


@settings(
    max_examples=500, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(
    program=programs, shapes=st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3),
    dtype=st.sampled_from([np.float32, np.float64]), seed=st.integers(0, 9),
)  # fmt: skip
def test_all_ways_agree(program, shapes, dtype, seed, ways, same_bits):
    rng = np.random.default_rng(seed)
    xs = [rng.uniform(-2, 2, s).astype(dtype) for s in shapes]
    found = ways(lambda *xs: run(program, *xs), xs, order=2)
    with np.errstate(all="ignore"):
        same_bits([run(program, *xs)], found["tape"], "NumPy")
    for name, values in found.items():
        same_bits(found["tape"], values, name)
