"""Distributions of vectors and matrices: SciPy's values, and derivatives by all parameters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import LinAlgError, ShapeError
from gradops.scipy import stats
from gradops.testing.finite_differences import derivative

scipy_stats = pytest.importorskip("scipy.stats")

rng = np.random.default_rng(0)
ROOT = rng.normal(size=(3, 3))
COV, MEAN, X = ROOT @ ROOT.T + np.eye(3), rng.normal(size=3), rng.normal(size=(4, 3))
SHARES, ALPHA = np.array([0.2, 0.3, 0.5]), np.array([1.5, 2.0, 0.7])
CALLS = {
    "multivariate_normal": ("logpdf", [X, MEAN, COV]),
    "multivariate_t": ("logpdf", [X, MEAN, COV, 3.5]),
    "dirichlet": ("logpdf", [SHARES, ALPHA]), "wishart": ("logpdf", [COV, 5.5, COV + 1]),
    "multinomial": ("logpmf", [np.array([1.0, 2, 3]), 6.0, SHARES]),
}  # fmt: skip
HELD = {("dirichlet", 0), ("multinomial", 0), ("multinomial", 1), ("multinomial", 2)}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_those_of_scipy(name):
    method, args = CALLS[name]
    ours, theirs = getattr(stats, name), getattr(scipy_stats, name)
    assert_allclose(getattr(ours, method)(*args), getattr(theirs, method)(*args), rtol=1e-12)
    plain = method.removeprefix("log")
    assert_allclose(getattr(ours, plain)(*args), getattr(theirs, plain)(*args), rtol=1e-11)
    frozen = getattr(ours(*args[1:]), method)(args[0])
    assert_allclose(frozen, getattr(theirs, method)(*args), rtol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_are_those_of_differences_in_both_modes(name):
    method, args = CALLS[name]
    for i, x in enumerate(args):
        if (name, i) in HELD:
            continue
        t = np.cos(np.arange(np.size(x))).reshape(np.shape(x))
        t = t + t.T if np.ndim(x) == 2 and x is not X else t
        call = getattr(getattr(stats, name), method)
        f = lambda v, i=i, call=call: gradops.sum(call(*args[:i], v, *args[i + 1 :]))
        want, _ = derivative(lambda h, x=x, t=t, f=f: float(f(x + h.real * t)))
        leaf = dg.tensor(x, dtype=dg.float64, requires_grad=True)
        (grad,) = dg.autograd.grad(f(leaf), leaf)
        assert_allclose((grad.numpy() * t).sum(), want, rtol=1e-8, atol=1e-9)
        with sg.Graph().as_default():
            p = sg.placeholder(np.float64, np.shape(x))
            (g,) = sg.compile(sg.gradients(f(p), p), [p])(x)
        assert_allclose(g, grad.numpy(), rtol=1e-10, atol=1e-12)


def test_covariances_may_be_numbers_or_variances():
    for cov in (2.0, [1.0, 2.0, 3.0]):
        got, want = (m.multivariate_normal.logpdf(X, MEAN, cov) for m in (stats, scipy_stats))
        assert_allclose(got, want, rtol=1e-13)
    for x in (0.3, [0.3, 0.5]):
        got, want = (m.multivariate_normal.logpdf(x) for m in (stats, scipy_stats))
        assert_allclose(got, want, rtol=1e-13)


def test_dirichlet_takes_columns_of_shares():
    x = np.stack([SHARES, SHARES[::-1]], axis=1)
    assert_allclose(stats.dirichlet.logpdf(x, ALPHA), scipy_stats.dirichlet.logpdf(x, ALPHA))


def test_samples_have_their_moments_and_derivatives():
    x = stats.multivariate_normal.rvs(MEAN, COV, size=5000, random_state=0)
    assert_allclose(np.cov(x.T), COV, atol=0.35)
    grad = dg.grad(lambda m: stats.multivariate_normal.rvs(m, COV, size=2, random_state=0).sum())(
        MEAN
    )
    assert_allclose(grad, 2)


def test_what_does_not_fit_has_no_probability():
    mass = stats.multinomial.logpmf
    assert mass([1, 2], 4, [0.4, 0.6]) == mass([1.5, 2.5], 4, [0.4, 0.6]) == -np.inf
    for p in ([0.4, 0.4], [0.8, 0.8], [1.4, -0.4]):
        assert np.isnan(mass([1, 3], 4, p))
    assert np.isnan(stats.dirichlet.logpdf([0.5, 0.6], [1.0, 2.0]))
    assert np.isnan(stats.dirichlet.logpdf([0.5, 0.5], [1.0, -2.0]))
    assert np.isnan(stats.wishart.logpdf(np.eye(2), 0.5, np.eye(2)))


def test_frozen_ones_draw_too():
    d = stats.multivariate_normal(MEAN, COV)
    assert d.rvs(size=np.int64(3), random_state=0).shape == (3, 3)
    assert d.rvs(2).shape == (2, 3)


def test_errors_say_what_is_wrong():
    with pytest.raises(LinAlgError):
        stats.multivariate_normal.logpdf(X, MEAN, np.ones((3, 3)) - 2 * np.eye(3))
    with pytest.raises(ShapeError, match="3 x 3"):
        stats.multivariate_normal.logpdf(X, MEAN, np.eye(2))
