"""Quantiles and samples: SciPy's values, derivatives of two orders by all arguments."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.scipy import stats
from gradops.scipy.stats.families import Continuous

from .parameters import usual

scipy_stats = pytest.importorskip("scipy.stats")

NAMES = [n for n in stats.__all__ if isinstance(getattr(stats, n), Continuous)]
Q = np.array([-0.1, 0.0, 1e-8, 0.3, 0.5, 0.999, 1.0, 1.1, np.nan])


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_scipy(name):
    ours, theirs = getattr(stats, name), getattr(scipy_stats, name)
    shapes = usual(name)
    for method in ("ppf", "isf"):
        got, want = (getattr(d, method)(Q, *shapes, 0.1, 2.0) for d in (ours, theirs))
        assert_allclose(got, want, rtol=1e-12)
        assert np.isnan(getattr(ours, method)(0.5, *shapes, 0.0, -1.0))
    assert_allclose(ours(*shapes).median(), theirs(*shapes).median(), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_those_of_the_inverse(name):
    d = getattr(stats, name)
    fixed = [0.3, *usual(name), 0.1, 1.3]
    for i, x in enumerate(fixed):
        for method in ("ppf", "isf"):
            f = lambda v, i=i, m=method: getattr(d, m)(
                *[v if k == i else y for k, y in enumerate(fixed)]
            )
            first, second = dg.grad(f)(x), dg.grad(dg.grad(f))(x)
            h = 1e-3
            ends = [f(x + k * h) for k in (-2, -1, 0, 1, 2)]
            slope = (ends[0] - 8 * ends[1] + 8 * ends[3] - ends[4]) / (12 * h)
            bend = (-ends[0] + 16 * ends[1] - 30 * ends[2] + 16 * ends[3] - ends[4]) / (12 * h * h)
            assert_allclose(first, slope, rtol=1e-6, atol=1e-7)
            assert_allclose(second, bend, rtol=1e-4, atol=1e-4)


def test_graph_and_tape_agree():
    f = lambda a: stats.gamma.ppf(0.3, a) * stats.norm.isf(0.2, scale=a)
    with sg.Graph().as_default():
        a = sg.placeholder(np.float64, ())
        (g,) = sg.gradients(f(a), a)
        run = sg.compile([f(a), g, *sg.gradients(g, a)], [a])
    assert_allclose(run(1.7), [f(1.7), dg.grad(f)(1.7), dg.grad(dg.grad(f))(1.7)], rtol=1e-12)


def test_samples_have_their_distribution_and_derivatives():
    x = stats.gamma.rvs(2.0, scale=3.0, size=4000, random_state=0)
    assert abs(x.mean() - 6) < 0.2
    assert np.array_equal(x, stats.gamma(2.0, scale=3.0).rvs(4000, np.random.default_rng(0)))
    grad = dg.grad(lambda s: stats.norm.rvs(1.0, s, size=5, random_state=1).sum())(2.0)
    assert_allclose(grad, (stats.norm.rvs(1.0, 2.0, size=5, random_state=1) - 1).sum() / 2)
    assert stats.norm.rvs([1.0, 2.0], random_state=0).shape == (2,)
    assert stats.norm.rvs(0.0, 1.0, 4, 0).shape == (4,)
    key = gradops.random.key(0)
    assert_allclose(
        stats.expon.rvs(size=3, random_state=key), stats.expon.rvs(size=3, random_state=key)
    )


def test_gradients_are_zero_beside_the_probabilities():
    assert dg.grad(lambda q: stats.uniform.ppf(q))(0.5) == 1
    assert dg.grad(lambda q: stats.norm.ppf(q))(1.0) == 0
