"""Random programs: tape, interpreter, generated and optimised code agree to the bit."""

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import gradops as ops


def picked(x):
    """Rows by an index array; only the data tell that an empty axis has none of them."""
    rows = np.array([0, 0, -1] if ops.type_of(x).shape[0] else [], int)
    return x[rows]


def definite(x):
    """A positive definite matrix, or a stack of them."""
    return x @ ops.swapaxes(x, -1, -2) + ops.diag_embed(ops.ones_like(x[..., 0]))


def frequencies(x):
    """Parts of a Fourier transform, as real numbers."""
    y = ops.fft.rfft(x)
    return ops.real(y) + 2 * ops.imag(y) + ops.abs(y)


UNARY = [
    ops.tanh, ops.exp, ops.sigmoid, ops.relu, ops.abs, ops.neg, ops.square, ops.softplus,
    ops.sin, lambda x: x * 0.5, lambda x: 1 - x, lambda x: x / 2, lambda x: x**2,
    lambda x: ops.log(ops.square(x) + 1), lambda x: ops.sqrt(ops.abs(x) + 1),
    lambda x: ops.clip(x, -1, 1), lambda x: ops.stop_gradient(x) * x, ops.atan, ops.sinc,
    ops.gelu, ops.silu, ops.hardswish, ops.elu, ops.softsign, ops.mish, ops.leaky_relu, ops.cbrt,
    ops.expm1, ops.exp2, lambda x: ops.log1p(ops.abs(x)), ops.erf, ops.erfc, ops.gammaln, ops.i0e,
    ops.digamma, ops.log_ndtr, ops.nan_to_num, ops.round, ops.sign, ops.floor, ops.reciprocal,
    lambda x: ops.astype(x > 0, dtype=x.dtype), lambda x: ops.where(x > 0, ops.log(x), -x),
]  # fmt: skip
BINARY = [
    ops.add, ops.sub, ops.mul, ops.maximum, ops.minimum, lambda a, b: a / (ops.abs(b) + 1),
    lambda a, b: ops.where(a > b, a, b * 2), lambda a, b: ops.concatenate([a, b], axis=0),
    lambda a, b: ops.stack([a, b], axis=-1), lambda a, b: ops.where(b > 0, ops.sqrt(b), a),
    ops.hypot, ops.atan2, ops.logaddexp, ops.copysign, ops.xlogy, ops.remainder, ops.fmod,
    ops.floor_divide, ops.power, ops.fmax, ops.fmin, ops.matmul, ops.outer, ops.kron,
    lambda a, b: ops.tensordot(a, b, 1), lambda a, b: ops.at(a)[0].set(b),
    lambda a, b: ops.at(a)[..., -1].add(b), lambda a, b: ops.at(a)[[0, 0]].multiply(b),
    lambda a, b: ops.at(a)[::2].max(b), lambda a, b: ops.linalg.solve(definite(a), b),
    lambda a, b: ops.hstack([a, b]),
]  # fmt: skip
SHAPING = [
    ops.transpose, lambda x: ops.reshape(x, shape=(-1,)), lambda x: ops.flip(x),
    lambda x: ops.expand_dims(x, axis=0), lambda x: x[0], lambda x: x[..., -1:],
    lambda x: x[::-1], lambda x: picked(x), lambda x: ops.pad(x, 1),
    lambda x: ops.swapaxes(x, 0, -1),
    lambda x: ops.broadcast_to(x, shape=(2, *ops.core.types.shape_of(x))),
    lambda x: ops.roll(x, 1), lambda x: ops.roll(x, 2, 0), lambda x: ops.tile(x, (2, 1)),
    lambda x: ops.repeat(x, 2, axis=-1), lambda x: ops.diagonal(x), ops.tril, ops.triu,
    lambda x: ops.moveaxis(x, 0, -1), ops.rot90, lambda x: ops.squeeze(x), ops.ravel,
    lambda x: ops.pad(x, 1, mode="reflect"), lambda x: ops.diff(x, axis=0), ops.diagflat,
    lambda x: ops.take(x, np.array([0, -1]), axis=-1), lambda x: x[1:, None],
    lambda x: ops.sliding_window_view(x, 2, axis=-1), lambda x: x[..., [0, -1], :],
    lambda x: ops.sort(x, axis=-1), lambda x: ops.sort(x, axis=0, descending=True),
    lambda x: ops.take_along_axis(x, ops.argsort(x, axis=0), axis=0),
    lambda x: ops.topk(x, 1, axis=-1)[0],
]  # fmt: skip
REDUCING = [
    ops.sum, ops.mean, lambda x: ops.sum(x, axis=-1), lambda x: ops.max(x, axis=0),
    lambda x: ops.logsumexp(x, axis=-1), lambda x: ops.softmax(x, axis=0),
    lambda x: ops.mean(x, axis=0, keepdims=True), lambda x: ops.prod(x, axis=0),
    lambda x: ops.log_softmax(x, axis=-1), lambda x: x @ ops.transpose(x),
    lambda x: x @ ops.swapaxes(x, -1, -2), lambda x: ops.einsum("i...,i...->...", x, x),
    lambda x: ops.sum(x, axis=1), lambda x: ops.min(x, axis=-1), lambda x: ops.argmax(x, axis=0),
    lambda x: ops.cumsum(x, axis=0), lambda x: ops.cumprod(x, axis=-1),
    lambda x: ops.std(x, axis=0), lambda x: ops.logcumsumexp(x, axis=0), ops.var,
    lambda x: ops.cummax(x, axis=-1),
    lambda x: ops.vector_norm(x, axis=-1), lambda x: ops.median(x, axis=0), ops.vector_norm,
    lambda x: ops.quantile(x, 0.3, axis=-1), ops.nanmedian, lambda x: ops.nanquantile(x, 0.7),
    lambda x: ops.layer_norm(x, ops.core.types.shape_of(x)[-1:]), ops.trace, frequencies,
    lambda x: ops.linalg.det(definite(x)), lambda x: ops.linalg.inv(definite(x)),
    lambda x: ops.linalg.cholesky(definite(x)), lambda x: ops.linalg.slogdet(definite(x))[1],
    lambda x: ops.linalg.eigvalsh(definite(x)), lambda x: ops.linalg.svdvals(x),
    lambda x: ops.cummin(x, axis=0), lambda x: ops.vector_norm(x, ord=1, axis=0),
    lambda x: ops.count_nonzero(x > 0, axis=0) * 1.0, lambda x: ops.any(x > 1, axis=0) * x,
]  # fmt: skip
STEPS = [*UNARY, *UNARY, *BINARY, *SHAPING, *REDUCING]
SHAPES = [(), (1,), (3,), (2, 3), (3, 3), (1, 3), (0, 3), (2, 1, 3), (2, 3, 2, 2)]

programs = st.lists(
    st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 99), st.integers(0, 99)),
    min_size=1, max_size=12,
)  # fmt: skip


def applied(program, *xs):
    """The values of the steps of a program, and which steps fit their operands."""
    values, fitting = list(xs), []
    for step in program:
        try:
            y = apply(step, values)
        except (ops.GradError, TypeError, IndexError, ValueError):
            continue
        if np.ndim(y) <= 4 and np.size(y) <= 500:
            values.append(y)
            fitting.append(step)
    return fitting


def apply(step, values):
    """What one step makes of the values so far."""
    number, i, j = step
    operands = [values[i % len(values)]]
    if STEPS[number] in BINARY:
        operands.append(values[j % len(values)])
    return STEPS[number](*operands)


def run(steps, *xs):
    """The sum of all that a program computes."""
    values = list(xs)
    for step in steps:
        values.append(apply(step, values))
    total = ops.sum(values[0])
    for v in values[1:]:
        total = total + ops.sum(v)
    return total


def operands(shapes, dtype, seed):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, s).astype(dtype) for s in shapes]


def thorough(count):
    return settings(
        max_examples=count, deadline=None, derandomize=True,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
    )  # fmt: skip


seeds = st.integers(0, 9)
dtypes = st.sampled_from([np.float32, np.float64])
some_shapes = st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)


@thorough(400)
@given(program=programs, shapes=some_shapes, dtype=dtypes, seed=seeds)
def test_all_ways_agree(program, shapes, dtype, seed, ways, same_bits):
    xs = operands(shapes, dtype, seed)
    with np.errstate(all="ignore"):
        steps = applied(program, *xs)
        found = ways(lambda *xs: run(steps, *xs), xs, order=2)
        same_bits([run(steps, *xs)], found["tape"][:1], "NumPy")
    for name, values in found.items():
        same_bits(found["tape"], values, name)


@thorough(200)
@given(program=programs, shapes=some_shapes, dtype=dtypes, seed=seeds)
def test_all_ways_agree_on_sizes_that_are_not_known(program, shapes, dtype, seed, ways, same_bits):
    xs = operands(shapes, dtype, seed)
    sizes = [tuple(n if n == 1 else f"n{n}" for n in shape) for shape in shapes]
    with np.errstate(all="ignore"):
        steps = applied(program, *xs)
        try:
            found = ways(lambda *xs: run(steps, *xs), xs, order=1, sizes=sizes)
        except ops.GradError as error:
            assume("size" not in str(error))  # a step that has to know one, or found an axis empty
            raise
    for name, values in found.items():
        same_bits(found["tape"], values, name)
