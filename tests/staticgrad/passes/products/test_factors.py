"""Constant factors meet, and powers and quotients by numbers are products, within rounding."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.passes import CollectFactors, Fold, Pipeline, ReduceStrength

EAGER = Pipeline([ReduceStrength(), Fold(), CollectFactors(), Fold()])
N, D = 6, 4


def ops(graph):
    return [e.op.name for e in graph.order if e.op is not None]


def compiled(fetches, feeds):
    """The graph after the passes, of which the values are those of the graph as written."""
    graph = sg.freeze(fetches, feeds)
    done = EAGER(graph)
    sg.verify(done)
    rng = np.random.default_rng(0)
    values = [rng.normal(size=[3 if n is None else n for n in e.shape]) for e in feeds]
    values = [np.asarray(v, e.dtype) for v, e in zip(values, feeds, strict=True)]
    for got, want in zip(sg.interpret(done, values), sg.interpret(graph, values), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-5 if got.dtype.char == "f" else 1e-13)
    return done


def feed(*shape, dtype="float64"):
    return sg.placeholder(dtype, shape)


SCALED = {
    "products": lambda x, y: 2.0 * (x * 3.0) * 5.0,
    "signs": lambda x, y: -(2.0 * -x),
    "a sum with itself": lambda x, y: (x * 3.0) + (x * 3.0),
    "a matrix product": lambda x, y: 0.1 * sg.matmul(x * 2.0, y * 3.0),
    "a transpose": lambda x, y: 0.1 * sg.transpose(x * 2.0),
    "a reshape": lambda x, y: 0.1 * sg.reshape(x * 2.0, [D, N]),
    "a sum": lambda x, y: 0.1 * sg.reduce_sum(x * 2.0, axis=0),
    "a slice": lambda x, y: 0.1 * (x * 2.0)[1:],
    "a running sum": lambda x, y: 0.1 * sg.cumsum(x * 2.0),
    "a mean": lambda x, y: 0.1 * sg.reduce_mean(x * 2.0, axis=0),
    "quotients": lambda x, y: x / 3.0 / 7.0,
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SCALED)
def test_factors_meet_in_one_product(name, dtype):
    x, y = feed(N, D, dtype=dtype), feed(D, N, dtype=dtype)
    done = ops(compiled([SCALED[name](x, y)], [x, y]))
    assert done.count("mul") + done.count("div") + done.count("neg") + done.count("add") == 1


def test_a_learning_rate_meets_the_factors_of_a_loss():
    x, w, y = feed(64, 8), feed(8, 1), feed(64, 1)
    loss = sg.reduce_mean(sg.square(sg.matmul(x, w) - y))
    run = sg.compile([w - 0.1 * sg.gradients(loss, [w])[0]], [x, w, y])
    assert ops(run.graph).count("mul") == 1


def test_a_factor_of_what_others_read_stays():
    x, y = feed(N, D), feed(D, N)
    z = sg.matmul(x * 2.0, y)
    done = ops(compiled([z, z * 3.0], [x, y]))
    assert done.count("matmul") == 1
    half = x * 0.5
    assert ops(compiled([half, half * 3.0], [x])).count("mul") == 2


@pytest.mark.parametrize("factor", [0.0, np.inf, np.nan, 1e200, 1e-200])
def test_factors_that_lose_a_value_stay(factor):
    x = feed(N)
    with np.errstate(all="ignore"):
        graph = sg.freeze([(x * factor) * factor], [x])
        assert ops(CollectFactors()(graph)).count("mul") == 2


@pytest.mark.parametrize("dtype", ["int64", "float16", "complex128"])
def test_other_dtypes_stay(dtype):
    x = sg.placeholder(dtype, [N])
    two, three = (sg.constant(np.array(n, dtype)) for n in (2, 3))
    graph = sg.freeze([x * two * three], [x])
    assert CollectFactors()(graph) is graph


@pytest.mark.parametrize("n", [-1, 0, 1, 2, 3, 4, 0.5, -0.5])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_are_products_also_for_numbers_that_are_not_finite(n, dtype):
    x = sg.placeholder(dtype, [9])
    y = x**n
    graph = sg.freeze([y, *sg.gradients(sg.reduce_sum(y), [x])], [x])
    value = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e-3, 40], dtype)
    with np.errstate(all="ignore"):
        got, want = (sg.interpret(g, [value]) for g in (EAGER(graph), graph))
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6 if dtype == "float32" else 1e-14)
    assert ("power" in ops(EAGER(graph))) == (n in (0, 1, 4, 0.5, -0.5))


def test_the_shares_of_a_mean_over_a_batch_are_scaled_once():
    x = sg.placeholder("float64", [None, D])
    y = sg.reduce_mean(sg.square(x))
    run = sg.compile(sg.gradients(y, [x]), [x])
    arrays = [e for e in run.graph.order if e.op is not None and e.op.name == "mul" and e.shape]
    assert len(arrays) == 1


def test_filled_arrays_are_numbers():
    x = sg.placeholder("float64", [None, D])
    run = sg.compile([sg.ones_like(x) * x + sg.zeros_like(x), sg.ones_like(x) - x], [x], optimize=1)
    assert "full_like" not in ops(run.graph)


def test_a_cotangent_without_zeros_is_multiplied_plainly():
    x = sg.placeholder("float64", [D])
    run = sg.compile(sg.gradients(sg.reduce_sum(sg.sqrt(x)), [x]), [x])
    assert "strong_product" not in ops(run.graph)
    assert run(np.array([0.0, 1.0, 4.0, np.inf]))[0].tolist() == [np.inf, 0.5, 0.25, 0.0]


def test_numbers_whose_product_overflows_are_multiplied_one_by_one():
    x, s = sg.placeholder("float32", [3]), sg.placeholder("float32", [])
    value = np.array([0.0, 1e-30, -1e-25], np.float32)
    for y in (x * 1e29 * 1e29, x * 1e29 * s, x * 1e-29 * 1e-29):
        got, want = (sg.compile(y, [x, s], optimize=o)(value, np.float32(1e20)) for o in (2, 0))
        np.testing.assert_allclose(got, want, rtol=1e-6)


INSIDE = {
    "a product with a broadcast array": lambda w, x: 2.0 * ((0.5 * w)[:, None] * x * 3.0),
    "an array and itself": lambda w, x: (y := (w * 3.0)[:, None] * x) + y,
    "a repeated array": lambda w, x: 2.0 * sg.broadcast_to((w * 3.0)[:, None], [N, D]),
    "a matrix product": lambda w, x: 2.0 * sg.matmul(3.0 * w[None, :2], x[:2]),
}


@pytest.mark.parametrize("name", INSIDE)
def test_factors_that_met_scale_the_smallest_array(name):
    w, x = feed(N), feed(N, D)
    done = compiled([INSIDE[name](w, x)], [w, x])
    scaled = [e for e in done if e.op is not None and any(
        y.kind.name == "CONSTANT" and not y.shape for y in e.inputs)]  # fmt: skip
    assert all(np.prod(e.shape) <= N for e in scaled)
    assert len(scaled) <= 1
    assert not {"neg", "add"} & set(ops(done))


def test_long_chains_of_products_are_no_recursion():
    x, y = feed(N), feed(N, dtype="float64")
    z = x * 2.0
    for i in range(5000):
        z = z * y if i % 2 else -z
    CollectFactors()(sg.freeze([3.0 * z], [x, y]))
