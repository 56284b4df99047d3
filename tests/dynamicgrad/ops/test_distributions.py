"""Random numbers whose distributions tensors tell, as PyTorch draws them."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import GradError, TransformError

N = 20_000


@pytest.fixture(autouse=True)
def seeded():
    dg.manual_seed(3)


def test_truth_values_have_the_probabilities_of_entries():
    p = dg.tensor([[0.0, 0.2, 1.0]], requires_grad=True)
    found = dg.bernoulli(p.expand(N, 3))
    assert (found.dtype, found.requires_grad) == (dg.float32, False)
    np.testing.assert_allclose(found.numpy().mean(axis=0), [0, 0.2, 1], atol=0.02)
    assert abs(dg.zeros(N).bernoulli(0.3).mean().item() - 0.3) < 0.02
    assert abs(dg.zeros(N, dtype=dg.int64).bernoulli_(0.3).numpy().mean() - 0.3) < 0.02
    assert dg.zeros(2).bernoulli_(dg.tensor([0.0, 1.0])).tolist() == [0, 1]


def test_counts_and_normal_numbers_have_the_means_of_entries():
    found = dg.poisson(dg.tensor([0.0, 3.0]).expand(N, 2)).numpy()
    np.testing.assert_allclose(found.mean(axis=0), [0, 3], atol=0.1)
    x = dg.normal(dg.tensor([0.0, 5.0]).expand(N, 2), dg.tensor([1.0, 0.1])).numpy()
    np.testing.assert_allclose(x.mean(axis=0), [0, 5], atol=0.05)
    np.testing.assert_allclose(x.std(axis=0), [1, 0.1], rtol=0.05)
    assert dg.normal(2.0, 0.0, size=(2,)).tolist() == [2, 2]
    assert dg.normal(dg.zeros(2, dtype=dg.float64), 1.0).dtype == dg.float64
    assert dg.normal(0.0, 1.0, (2,), requires_grad=True).requires_grad


@pytest.mark.parametrize("replacement", [True, False])
def test_indices_have_the_probabilities_of_weights(replacement):
    weights = dg.tensor([0.0, 1.0, 3.0])
    found = dg.multinomial(weights.expand(N, 3), 1, replacement).numpy()
    assert found.shape == (N, 1)
    np.testing.assert_allclose(np.bincount(found[:, 0]) / N, [0, 0.25, 0.75], atol=0.02)
    assert sorted(dg.multinomial(weights, 2).tolist()) == [1, 2]
    assert weights.multinomial(5, replacement=True).shape == (5,)


FILLED = {
    "uniform_": ((2.0, 4.0), 3.0), "normal_": ((1.0, 0.5), 1.0), "exponential_": ((4.0,), 0.25),
    "geometric_": ((0.25,), 4.0), "log_normal_": ((0.0, 0.5), np.exp(0.125)),
    "random_": ((2, 5), 3.0),
}  # fmt: skip


@pytest.mark.parametrize("name", FILLED)
def test_tensors_are_filled_in_place(name):
    args, mean = FILLED[name]
    t = dg.zeros(N)
    version = t._version
    assert getattr(t, name)(*args) is t
    assert abs(t.mean().item() - mean) < 0.05 * max(1, mean)
    assert t._version > version
    dg.manual_seed(3)
    assert dg.equal(getattr(dg.zeros(N), name)(*args), t)


def test_a_fill_by_keyword_and_by_a_generator():
    first, second = (
        dg.zeros(3).normal_(std=2.0, generator=np.random.default_rng(1)) for _ in range(2)
    )
    assert dg.equal(first, second)
    assert abs(np.median(dg.zeros(N).cauchy_(median=3.0).numpy()) - 3) < 0.05
    assert dg.zeros(9).uniform_(2, to=3).min().item() >= 2
    with pytest.raises(TypeError, match="mean, std"):
        dg.zeros(3).normal_(sigma=2.0)


@pytest.mark.parametrize(("dtype", "most"), [
    ("float16", 2**11), ("float32", 2**24), ("float64", 2**53), ("int8", 2**7), ("uint8", 2**8),
    ("int64", 2**63),
])  # fmt: skip
def test_integers_without_bounds_are_those_that_the_dtype_has(dtype, most):
    t = dg.zeros(N, dtype=dtype).random_()
    assert t.dtype == dtype
    assert 0.99 < float(t.max()) / most <= 1
    assert 0 <= float(t.min()) < 0.01 * most


def test_a_leaf_that_requires_gradients_is_filled_only_without_recording():
    w = dg.zeros(3, requires_grad=True)
    with pytest.raises(GradError):
        w.normal_()
    with dg.no_grad():
        w.uniform_(1, 2)
    assert w.min().item() >= 1


@pytest.mark.parametrize("wrong", [
    lambda: dg.bernoulli(dg.tensor([1.5])), lambda: dg.poisson(dg.tensor([-1.0])),
    lambda: dg.normal(0.0, -1.0, (2,)), lambda: dg.multinomial(dg.tensor([1.0, 0.0]), 2),
    lambda: dg.multinomial(dg.tensor([-1.0, 1.0]), 1), lambda: dg.multinomial(dg.ones(2, 2, 2), 1),
    lambda: dg.multinomial(dg.ones(2), 0), lambda: dg.zeros(2).bernoulli_(2.0),
])  # fmt: skip
def test_what_is_no_distribution_is_refused(wrong):
    with pytest.raises(GradError):
        wrong()


def test_examples_of_a_batch_share_numbers_or_have_their_own():
    draw = lambda p: dg.bernoulli(p)
    p = dg.full((4, 50), 0.5)
    with pytest.raises(TransformError, match="randomness"):
        dg.vmap(draw)(p)
    same = dg.vmap(draw, randomness="same")(p)
    assert (same == same[0]).all()
    assert not (lambda d: (d == d[0]).all())(dg.vmap(draw, randomness="different")(p))
