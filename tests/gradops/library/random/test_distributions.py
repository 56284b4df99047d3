"""Random numbers with parameters: their distributions, and the gradients that pass through them."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops import random

KEY = G.random_key(7)
N = 20_000
special = pytest.importorskip("scipy.special")
DISTRIBUTIONS = {
    "gamma": (lambda a: G.random_gamma(KEY, a, (N,)), special.gammainc),
    "chisquare": (lambda a: G.random_chisquare(KEY, a, (N,)), special.chdtr),
    "student_t": (lambda a: G.random_student_t(KEY, a, (N,)), special.stdtr),
    "beta": (lambda a: G.random_beta(KEY, a, 2.0, (N,)), lambda a, x: special.betainc(a, 2, x)),
    "dirichlet": (
        lambda a: G.random_dirichlet(KEY, np.array([a, 0.5, 1.5]), (N,))[:, 0],
        lambda a, x: special.betainc(a, 2, x),
    ),
    "loggamma": (
        lambda a: G.random_loggamma(KEY, np.float64(a), (N,)),
        lambda a, x: special.gammainc(a, np.exp(x)),
    ),
}  # fmt: skip


def distance(shares):
    """Kolmogorov's distance of numbers from the uniform distribution."""
    shares, below = np.sort(shares), np.arange(N + 1) / N
    return max(np.max(below[1:] - shares), np.max(shares - below[:-1]))


@pytest.mark.parametrize("a", [0.1, 1.0, 7.5])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_numbers_have_their_distribution(name, a):
    draw, cdf = DISTRIBUTIONS[name]
    x = np.asarray(draw(np.float64(a)))
    assert x.shape == (N,)
    assert distance(cdf(a, x.astype(np.float64))) < 2 / np.sqrt(N)


@pytest.mark.parametrize("mean", [0.3, 4.0, 250.0])
def test_counts_have_their_mean_and_variance(mean):
    x = G.random_poisson(KEY, mean, (N,))
    assert x.dtype == np.int64
    assert abs(x.mean() - mean) < 5 * np.sqrt(mean / N)
    assert abs(x.var() / mean - 1) < 5 * np.sqrt((2 + 1 / mean) / N)


def test_vectors_have_their_covariance():
    mean, cov = np.array([1.0, -2.0]), np.array([[2.0, 0.6], [0.6, 0.5]])
    x = G.random_multivariate_normal(KEY, mean, cov, (N,))
    np.testing.assert_allclose(x.mean(axis=0), mean, atol=5 * np.sqrt(2 / N))
    np.testing.assert_allclose(np.cov(x.T), cov, atol=5 * 2 * np.sqrt(2 / N))


@pytest.mark.parametrize("a", [0.02, 0.7, 3.0, 40.0])
def test_the_gradient_of_gamma_numbers_is_how_their_quantiles_move(a):
    alpha = dg.full((30,), a, dtype="float64", requires_grad=True)
    x = G.random_gamma(KEY, alpha)
    x.sum().backward()
    p, h = special.gammainc(a, x.detach().numpy()), 1e-4 * a
    moved = (special.gammaincinv(a + h, p) - special.gammaincinv(a - h, p)) / (2 * h)
    np.testing.assert_allclose(alpha.grad.numpy(), moved, rtol=1e-4, atol=1e-300)


# What expectations are by formulas: the mean of gradients must be the gradient of the mean.
MEANS = {
    "gamma": (lambda a: G.random_gamma(KEY, a, (N,)), 1.0),
    "loggamma": (lambda a: G.random_loggamma(KEY, a, (N,)), special.polygamma(1, 1.7)),
    "beta": (lambda a: G.random_beta(KEY, a, 2.0, (N,)), 2 / 3.7**2),
    "beta, second": (lambda a: G.random_beta(KEY, 2.0, a, (N,)), -2 / 3.7**2),
    "dirichlet": (
        lambda a: G.random_dirichlet(KEY, G.stack([a, 2.0 + 0 * a]), (N,))[:, 0], 2 / 3.7**2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANS)
def test_the_mean_of_gradients_is_the_gradient_of_the_mean(name):
    draw, slope = MEANS[name]
    _, t = G.jvp(draw, [np.array(1.7)], [np.array(1.0)])
    assert abs(t.mean() - slope) < 5 * t.std() / np.sqrt(N)


def test_gradients_pass_to_the_parameters_of_a_normal_distribution():
    cov = dg.tensor([[2.0, 0.6], [0.6, 0.5]], requires_grad=True)
    mean = dg.zeros(2, requires_grad=True)
    x = random.multivariate_normal(dg.random.key(1), mean, cov, (N,))
    (x[:, 0] * x[:, 1]).mean().backward()
    np.testing.assert_allclose(cov.grad.sum().item(), 1.0, atol=0.1)  # of cov[0, 1] by itself
    np.testing.assert_allclose(mean.grad, 0, atol=0.1)


def test_small_parameters_underflow_in_gamma_and_not_in_its_logarithm():
    alpha = dg.tensor([1e-4, 1e-12], requires_grad=True, dtype="float64")
    x, logx = G.random_gamma(KEY, alpha), G.random_loggamma(KEY, alpha)
    assert x.tolist() == [0, 0]
    assert np.isfinite(logx.tolist()).all()
    (g,) = dg.autograd.grad(logx.sum(), alpha)
    np.testing.assert_allclose(g, -logx.detach() / alpha.detach(), rtol=1e-2)
    x.sum().backward()
    assert alpha.grad.tolist() == [0, 0]
    assert np.isfinite(G.random_dirichlet(KEY, np.full((9, 3), 1e-5))).all()


def test_dtypes_are_those_of_parameters():
    assert G.random_gamma(KEY, 1.0).dtype == np.float32
    assert G.random_gamma(KEY, 2, dtype="float64").dtype == np.float64
    assert G.random_beta(KEY, np.float16(1), np.float16(2)).dtype == np.float16
    assert G.random_gamma(KEY, np.arange(1, 3)).dtype == np.float64
    assert G.random_gamma(KEY, np.ones(2, np.float32), dtype="float64").dtype == np.float64


def test_choices_have_their_probabilities():
    p = np.array([0.5, 0.0, 0.3, 0.2])
    found = np.bincount(G.random_choice(KEY, 4, (N,), p=p), minlength=4) / N
    assert np.all(np.abs(found - p) <= 5 * np.sqrt(p * (1 - p) / N))
    pairs = np.array([G.random_choice(G.fold_in(KEY, i), 3, (2,), replace=False, p=[0.1, 0.3, 0.6])
                      for i in range(2000)])  # fmt: skip
    assert np.all(pairs[:, 0] != pairs[:, 1])
    first = np.bincount(pairs[:, 0], minlength=3) / 2000
    np.testing.assert_allclose(first, [0.1, 0.3, 0.6], atol=5 * 0.5 / np.sqrt(2000))


@pytest.mark.parametrize(("wrong", "said"), [
    (lambda: G.random_gamma(KEY, -1.0), "not -1.0"),
    (lambda: G.random_gamma(KEY, np.array([1, np.nan])), "not nan"),
    (lambda: G.random_poisson(KEY, np.inf), "not inf"),
    (lambda: G.random_poisson(KEY, 1e30), "not 1.0"),
    (lambda: G.random_choice(KEY, 3, (4,), replace=False), "4 of 3 cannot be drawn"),
    (lambda: G.random_choice(KEY, np.float64(1)), "no axis 0"),
    (lambda: G.random_shuffle(KEY, np.ones(2), axis=2), "no axis 2"),
    (lambda: G.random_dirichlet(KEY, 1.0), "no axis of parameters"),
    (lambda: G.random_multivariate_normal(KEY, np.ones(2), np.ones(2)), "a matrix"),
    (lambda: random.truncated_normal(KEY, 2.0, 1.0), "not in this order"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused(wrong, said):
    with pytest.raises(G.GradError, match=said):
        wrong()


def test_bounds_and_probabilities_may_be_tensors():
    low = dg.tensor(2.0, requires_grad=True)
    key = dg.random.key(0)
    x = dg.random.uniform(key, (N,), minval=low, maxval=3.0)
    assert 2 <= x.min().item() <= x.max().item() <= 3
    x.mean().backward()
    assert abs(low.grad.item() - 0.5) < 0.02
    found = dg.random.bernoulli(key, dg.tensor([0.1, 0.9]), (N, 2))
    np.testing.assert_allclose(found.numpy().mean(axis=0), [0.1, 0.9], atol=0.02)


@pytest.mark.parametrize("bounds", [(-1, 0.5), (2.5, 3), (-np.inf, -3), (-8, 9)])
def test_truncated_numbers_have_their_distribution(bounds):
    low, high = special.ndtr(bounds)
    x = random.truncated_normal(KEY, *bounds, shape=(N,), dtype="float64")
    assert bounds[0] <= x.min() <= x.max() <= bounds[1]
    assert distance((special.ndtr(x) - low) / (high - low)) < 2 / np.sqrt(N)


KEYED = {
    "normal": lambda r, k: r.normal(k, (3,)),
    "uniform": lambda r, k: r.uniform(k, (3,), minval=-1.0),
    "truncated_normal": lambda r, k: r.truncated_normal(k, 0.0, 1.0, (3,)),
    "randint": lambda r, k: r.randint(k, (3,), 0, 100),
    "bernoulli": lambda r, k: r.bernoulli(k, 0.5, (30,)),
    "categorical": lambda r, k: r.categorical(k, np.zeros((5, 4)), axis=0),
    "categorical of a shape": lambda r, k: r.categorical(k, np.zeros((5, 4)), shape=(3, 5)),
    "permutation": lambda r, k: r.permutation(k, 20),
    "shuffle": lambda r, k: r.permutation(k, np.eye(6), axis=1),
    "choice": lambda r, k: r.choice(k, 9, (3,)),
    "gamma": lambda r, k: r.gamma(k, 2.0, (3,)),
    "split": lambda r, k: r.normal(r.split(k)[1], (3,)),
    "fold_in": lambda r, k: r.gumbel(r.fold_in(k, 5), (3,)),
    "t": lambda r, k: r.t(k, 5.0, (3,)),
}


@pytest.mark.parametrize("name", KEYED)
def test_a_keyed_program_gives_the_same_bits_in_both_packages(name):
    program = KEYED[name]
    array = np.asarray(program(random, random.key(3)))
    tensor = program(dg.random, dg.random.key(3))
    with sg.Graph().as_default():
        value = sg.Session().run(program(sg.random, sg.random.key(3)))
    assert isinstance(tensor, dg.Tensor)
    assert array.tobytes() == tensor.numpy().tobytes() == np.asarray(value).tobytes()
    assert array.dtype == tensor.dtype == np.asarray(value).dtype


def test_sizes_may_be_known_only_when_the_graph_runs():
    alpha = sg.placeholder("float64", ["n", 2], name="alpha")
    draws = [
        G.random_gamma, G.random_poisson, G.random_student_t, G.random_dirichlet, G.random_shuffle,
        lambda key, a: G.random_beta(key, a, 2.0), random.bernoulli,
    ]  # fmt: skip
    key = sg.constant(KEY)
    run = sg.compile([draw(key, alpha) for draw in draws], [alpha])
    for n in (1, 5):
        value = np.linspace(0.5, 4, 2 * n).reshape(n, 2)
        for found, draw in zip(run(value), draws, strict=True):
            assert np.array_equal(found, draw(KEY, value))


def test_keys_that_are_split_are_those_that_are_folded_in():
    keys = G.random_split(KEY, 4)
    assert np.array_equal(keys, G.fold_in(KEY, np.arange(4)))
    again = G.random_split(keys, 3)
    assert again.shape == (4, 3, 2)
    assert np.array_equal(again[2], G.random_split(keys[2], 3))


def test_each_example_of_a_batch_has_its_own_parameter():
    keys, alpha = G.random_split(KEY, 3), np.array([0.5, 2.0, 9.0])
    draw = lambda key, a: G.random_gamma(key, a, (4, 2))
    want = np.stack([draw(key, a) for key, a in zip(keys, alpha, strict=True)])
    assert np.array_equal(G.vmap(draw)(keys, alpha), want)
    shared = np.stack([draw(KEY, a) for a in alpha])
    assert np.array_equal(G.vmap(draw, in_axes=(None, 0))(KEY, alpha), shared)
