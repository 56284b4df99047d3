"""Random numbers are a function of their key, in every mode, and are distributed as they say."""

import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops import random

KEY = G.random_key(0)
DRAWS = {
    "uniform": partial(G.random_uniform, shape=(3, 4), low=-1.0, high=2.0),
    "normal": partial(G.random_normal, shape=(3, 4), dtype="float64"),
    "truncated": partial(G.truncated_normal, shape=(3, 4)),
    "gumbel": partial(G.random_gumbel, shape=(3, 4)),
    "bernoulli": partial(G.random_bernoulli, shape=(300,), p=0.3),
    "integers": partial(G.random_integers, shape=(3, 4), low=0, high=2**40),
    "permutation": partial(G.random_permutation, n=30),
    "fold_in": lambda key: G.fold_in(key, np.arange(5)),
    "categorical": partial(G.random_categorical, logits=np.zeros((30, 9))),
    "number": G.random_uniform,
    "exponential": partial(G.random_exponential, shape=(3, 4)),
    "cauchy": partial(G.random_cauchy, shape=(3, 4)),
    "split": partial(G.random_split, n=3),
    "gamma": partial(G.random_gamma, alpha=np.array([0.5, 3.0]), shape=(5, 2)),
    "loggamma": partial(G.random_loggamma, alpha=0.3, shape=(5,)),
    "poisson": partial(G.random_poisson, mean=np.array([0.5, 3.0, 1e6])),
    "beta": partial(G.random_beta, a=np.array([0.5, 3.0]), b=2.0),
    "dirichlet": partial(G.random_dirichlet, alpha=np.array([0.5, 3.0]), shape=(4,)),
    "student_t": partial(G.random_student_t, df=3.0, shape=(4,)),
    "multivariate normal": partial(
        G.random_multivariate_normal, mean=np.zeros(2), cov=np.diag([2.0, 3.0]), shape=(4,)
    ),
    "choice": partial(G.random_choice, a=np.arange(50), shape=(4,), p=np.full(50, 0.02)),
    "choice of different ones": partial(G.random_choice, a=50, shape=(4,), replace=False),
    "shuffle": partial(G.random_shuffle, x=np.arange(30.0).reshape(10, 3)),
    "truncated elsewhere": partial(random.truncated_normal, lower=0.5, upper=3.0, shape=(4,)),
}
every_draw = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)


def bits(x):
    return G.type_of(x), np.asarray(x).tobytes()


def digests():
    """The entries of every draw, as text."""
    return json.dumps([np.asarray(draw(KEY)).tolist() for draw in DRAWS.values()])


@every_draw
def test_equal_keys_give_equal_numbers_and_others_give_others(draw):
    first, other = draw(KEY), draw(G.random_key(1))
    assert bits(draw(KEY.copy())) == bits(first)
    assert bits(other) != bits(first)


def test_the_numbers_are_those_of_philox():
    for key in (KEY, np.array([0, 2**64 - 1], np.uint64)):
        generator = np.random.Generator(np.random.Philox(key=key))
        want = generator.random((5, 3), np.float32)
        assert bits(G.random_uniform(key, shape=(5, 3))) == bits(want)


def test_what_was_drawn_before_does_not_matter():
    want = G.random_integers(KEY, shape=(4,), low=0, high=9, dtype="int8")
    G.random_integers(G.random_key(1), shape=(1,), low=0, high=9, dtype="int32")  # half a word
    with pytest.raises(G.OptionError):
        G.random_normal(KEY, shape=(-1,))
    assert bits(G.random_integers(KEY, shape=(4,), low=0, high=9, dtype="int8")) == bits(want)


def test_threads_draw_what_one_thread_draws():
    keys = G.fold_in(KEY, np.arange(200))
    draw = partial(G.random_normal, shape=(2000,))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(draw, keys))
    assert [bits(x) for x in found] == [bits(draw(key)) for key in keys]


def test_another_process_draws_the_same():
    code = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_random as t"
    found = subprocess.check_output(
        [sys.executable, "-c", f"{code}; print(t.digests())"],
        env={**os.environ, "PYTHONHASHSEED": "12345"}, text=True,
    )  # fmt: skip
    assert found.strip() == digests()


@every_draw
def test_a_tensor_of_a_key_gives_the_same_bits(draw):
    found = draw(dg.tensor(KEY))
    assert isinstance(found, dg.Tensor)
    assert not found.requires_grad
    assert bits(found.value) == bits(draw(KEY))


@every_draw
@pytest.mark.parametrize("optimize", [0, 1])
def test_a_graph_gives_the_same_bits(draw, optimize):
    graph = sg.trace(draw, [KEY])
    assert bits(sg.compile(graph, optimize=optimize)(KEY)[0]) == bits(draw(KEY))
    assert bits(sg.interpret(sg.parse(str(graph)), [KEY])[0]) == bits(draw(KEY))


@every_draw
def test_a_constant_key_gives_the_same_bits(draw):
    with sg.Graph().as_default():
        found = sg.compile(draw(sg.constant(KEY)), [])()
    assert bits(found) == bits(draw(KEY))


def test_a_traced_program_of_tensors_draws_the_same():
    def step(key, x):
        kept = G.random_bernoulli(key, shape=x.shape, p=0.5)
        loss = (dg.where(kept, x, 0.0) * G.random_normal(G.fold_in(key, 1), shape=x.shape)).sum()
        return dg.autograd.grad(loss, [x])[0]

    x = dg.ones(50, requires_grad=True)
    graph = sg.trace(step, [dg.tensor(KEY), x])
    found = sg.compile(graph)(KEY, x.detach().numpy())[0]
    assert bits(found) == bits(step(dg.tensor(KEY), x).value)


def test_sizes_may_be_known_only_when_the_graph_runs():
    x = sg.placeholder("float32", ["n", 3], name="x")
    key = sg.placeholder("uint64", [2], name="key")
    (n, _), row = x.shape, x[:, 0]
    order = G.random_permutation(key, n=n)
    f = sg.compile(
        [
            G.random_uniform(key, shape=x.shape), row[order],
            G.random_integers(key, shape=(7,), low=0, high=n), G.random_categorical(key, x),
        ],
        [x, key],
    )  # fmt: skip
    assert order.type == G.ArrayType((n,), np.int64)
    for size in (2, 5):
        value = np.arange(size * 3, dtype=np.float32).reshape(size, 3)
        noise, shuffled, places, chosen = f(value, KEY)
        assert bits(noise) == bits(G.random_uniform(KEY, shape=(size, 3)))
        assert bits(shuffled) == bits(value[G.random_permutation(KEY, n=size), 0])
        assert bits(places) == bits(G.random_integers(KEY, shape=(7,), low=0, high=size))
        assert bits(chosen) == bits(G.random_categorical(KEY, value))


@every_draw
def test_each_key_of_a_stack_draws_for_itself(draw):
    keys = G.fold_in(KEY, np.arange(4))
    want = np.stack([draw(key) for key in keys])
    assert bits(G.vmap(draw)(keys)) == bits(want)
    assert bits(dg.vmap(draw)(dg.tensor(keys)).value) == bits(want)
    with sg.Graph().as_default():
        feed = sg.placeholder("uint64", ["n", 2])
        assert bits(sg.compile(G.vmap(draw)(feed), [feed])(keys)) == bits(want)


def test_keys_and_data_broadcast():
    keys, data = G.fold_in(KEY, np.arange(3)), np.arange(8).reshape(4, 2, 1)
    found = G.fold_in(keys, data)
    assert found.shape == (4, 2, 3, 2)
    assert bits(found[3, 1, 2]) == bits(G.fold_in(keys[2], data[3, 1, 0]))
    batched = G.vmap(G.fold_in)(np.stack([keys, keys]), np.stack([data, data + 1]))
    assert bits(batched) == bits(np.stack([found, G.fold_in(keys, data + 1)]))


@pytest.mark.parametrize("dtype", np.typecodes["AllInteger"])
def test_the_dtype_of_data_does_not_matter(dtype):
    for n in (0, 1, 127):
        assert bits(G.fold_in(KEY, np.dtype(dtype).type(n))) == bits(G.fold_in(KEY, n))
    assert bits(G.fold_in(KEY, np.array([2, 3], dtype))[1]) == bits(G.fold_in(KEY, 3))


def test_negative_data_count_from_the_end():
    last = G.fold_in(KEY, np.uint64(2**64 - 1))
    assert bits(last) == bits(G.fold_in(KEY, -1)) == bits(G.fold_in(KEY, np.int8([-1]))[0])
    assert bits(last) == bits(G.random_key(0, -1)) == bits(G.random_key(0, 2**64 - 1))


def test_words_of_a_key_are_folded_in_in_their_order():
    key = G.random_key(5, 6, 7)
    assert bits(key) == bits(G.fold_in(G.fold_in(G.random_key(5), 6), 7))
    assert bits(key) != bits(G.random_key(5, 7, 6))
    assert bits(G.random_key(0)) != bits(G.random_key(0, 0))


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_of_more_than_64_bits_is_refused(seed):
    with pytest.raises(G.OptionError, match=f"{seed} has more than 64 bits"):
        G.random_key(1, seed)


def test_many_seeds_and_data_give_as_many_keys():
    data = np.arange(-50_000, 50_000)
    words = G.fold_in(np.stack([KEY, G.random_key(1)])[:, None], data).reshape(-1, 2)
    for column in (words[:, 0], words[:, 1]):
        assert len(np.unique(column)) == len(words)


@pytest.mark.parametrize("which", ["key", "data"])
def test_each_bit_changes_half_of_the_bits_of_the_key(which):
    n, rng = 2000, np.random.default_rng(0)
    keys, data = rng.integers(0, 2**64, (n, 2), np.uint64), np.arange(n, dtype=np.uint64)
    for bit in range(128 if which == "key" else 64):
        flip = np.zeros(2, np.uint64)
        flip[bit // 64] = 1 << bit % 64
        other = (keys ^ flip, data) if which == "key" else (keys, data ^ flip[0])
        changed = np.unpackbits((G.fold_in(keys, data) ^ G.fold_in(*other)).view(np.uint8), axis=-1)
        share = changed.reshape(n, 128).mean(axis=0)
        assert np.abs(share - 0.5).max() < 6 * 0.5 / math.sqrt(n)  # six standard deviations


def erf(x):
    return np.asarray(G.erf(x))


def normal_cdf(x):
    return (1 + erf(x / math.sqrt(2))) / 2


CONTINUOUS = {
    "uniform": (G.random_uniform, lambda x: x),
    "bounds": (partial(G.random_uniform, low=-3, high=5), lambda x: (x + 3) / 8),
    "normal": (G.random_normal, normal_cdf),
    "truncated": (
        G.truncated_normal,
        lambda x: (normal_cdf(x) - normal_cdf(-2.0)) / (normal_cdf(2.0) - normal_cdf(-2.0)),
    ),
    "gumbel": (G.random_gumbel, lambda x: np.exp(-np.exp(-x))),
    "exponential": (G.random_exponential, lambda x: -np.expm1(-x)),
    "laplace": (G.random_laplace, lambda x: np.where(x < 0, np.exp(x), 2 - np.exp(-x)) / 2),
    "logistic": (G.random_logistic, G.sigmoid),
    "cauchy": (G.random_cauchy, lambda x: 0.5 + np.arctan(x) / np.pi),
}


def distance(x, cdf):
    """Kolmogorov's: of the shares of entries below each number from those that a CDF tells."""
    expected = cdf(np.sort(x.astype(np.float64).ravel()))
    below = np.arange(expected.size + 1) / expected.size
    return max(np.max(below[1:] - expected), np.max(expected - below[:-1]))


@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_have_their_distribution_within_a_key_and_across_keys(name, dtype):
    draw, cdf = CONTINUOUS[name]
    n = 50_000
    within = draw(KEY, shape=(n,), dtype=dtype)
    across = draw(G.fold_in(KEY, np.arange(4000)), dtype=dtype)
    assert within.dtype == dtype
    for x in (within, across):
        assert distance(x, cdf) < 2 / math.sqrt(x.size)  # beyond which is one of 1500 samples
    for lag in (1, 2):
        assert abs(np.corrcoef(across[lag:], across[:-lag])[0, 1]) < 5 / math.sqrt(across.size)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_half_floats_are_those_of_float32_rounded(name):
    draw, _ = CONTINUOUS[name]
    half, single = (draw(KEY, shape=(1000,), dtype=d) for d in ("float16", "float32"))
    np.testing.assert_allclose(half, single, rtol=1e-3, atol=4e-3)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_upper_bound_is_never_drawn(dtype):
    for low, high in ((0.0, 1.0), (1000.0, 1001.0), (-1.0, -0.999)):
        x = G.random_uniform(KEY, shape=(100_000,), low=low, high=high, dtype=dtype)
        assert np.dtype(dtype).type(low) <= x.min()
        assert x.max() < np.dtype(dtype).type(high)


def test_truncated_numbers_lie_within_2():
    for dtype in ("float16", "float32", "float64"):
        x = G.truncated_normal(KEY, shape=(100_000,), dtype=dtype)
        assert 1.99 < np.abs(x).max() <= 2


def test_truth_values_have_their_probability():
    n = 1_000_001
    for p in (0.001, 0.3, 0.5):
        found = G.random_bernoulli(KEY, shape=(n,), p=p).mean()
        assert abs(found - p) < 5 * math.sqrt(p * (1 - p) / n)
    assert not G.random_bernoulli(KEY, shape=(n,), p=0).any()
    assert G.random_bernoulli(KEY, shape=(n,), p=1).all()
    assert 0 < G.random_bernoulli(KEY, shape=(9,), p=np.float16(0.5)).sum() < 9


def test_integers_are_equally_frequent():
    found = np.bincount(G.random_integers(KEY, shape=(70_000,), low=0, high=7), minlength=7)
    assert np.abs(found - 10_000).max() < 5 * math.sqrt(10_000)
    whole = G.random_integers(KEY, shape=(1000,), low=-(2**63), high=2**63)
    assert whole.min() < -(2**62) < 2**62 < whole.max()


def test_each_order_of_a_permutation_is_equally_frequent():
    orders = G.random_permutation(G.fold_in(KEY, np.arange(24_000)), n=4)
    assert np.array_equal(np.sort(orders, axis=1), np.broadcast_to(np.arange(4), orders.shape))
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 24
    assert np.abs(counts - 1000).max() < 5 * math.sqrt(1000)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_categories_have_the_probabilities_of_softmax(dtype):
    p = np.array([[0.5, 0.3, 0.2, 0.0], [1e-3, 0.0, 0.0, 0.999]])
    with np.errstate(divide="ignore"):
        logits = np.log(p).astype(dtype) + np.array([[3], [-7]], dtype)
    n = 50_000
    found = G.random_categorical(KEY, logits, shape=n)
    assert found.shape == (n, 2)
    assert G.random_categorical(KEY, logits).shape == (2,)
    for row, expected in zip(found.T, p, strict=True):
        share = np.bincount(row, minlength=4) / n
        assert np.all(np.abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / n))


def test_rows_of_a_batch_that_share_a_key_share_the_noise():
    logits = np.zeros((5, 100))
    assert len(set(G.vmap(G.random_categorical, in_axes=(None, 0))(KEY, logits).tolist())) == 1
    assert len(set(G.random_categorical(KEY, logits).tolist())) > 1
