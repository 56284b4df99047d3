"""Discrete distributions: SciPy's values, and derivatives in the real parameters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import staticgrad as sg
from gradops.core.errors import OptionError
from gradops.scipy import stats

scipy_stats = pytest.importorskip("scipy.stats")

METHODS = ["logpmf", "pmf", "cdf", "sf", "logcdf", "logsf"]
CASES = [
    ("poisson", (3.2,)), ("poisson", (0.0,)), ("poisson", (-1.0,)), ("binom", (5, 0.3)),
    ("binom", (0, 0.3)), ("binom", (5, 0.0)), ("binom", (5, 1.0)), ("binom", (2.5, 0.3)),
    ("binom", (5, 1.2)), ("geom", (0.3,)), ("geom", (1.0,)), ("geom", (0.0,)),
    ("nbinom", (2.5, 0.4)), ("nbinom", (2.5, 1.0)), ("nbinom", (-1.0, 0.4)), ("bernoulli", (0.3,)),
    ("bernoulli", (0.0,)), ("bernoulli", (1.5,)),
]  # fmt: skip
K = np.array([-1.0, 0, 1, 2, 3, 4, 5, 6, 50, 0.5, -np.inf])
SLOPES = [("poisson", (3.2,), 0), ("binom", (5.0, 0.3), 1), ("geom", (0.3,), 0),
          ("nbinom", (2.5, 0.4), 1), ("bernoulli", (0.3,), 0)]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "shapes"), CASES)
def test_values_are_those_of_scipy(name, shapes, method):
    calls = [getattr(getattr(m, name), method) for m in (stats, scipy_stats)]
    for loc in (0, 2):
        with np.errstate(all="ignore"):
            got, want = (call(K, *shapes, loc) for call in calls)
        if np.isnan(want).any():  # of parameters that do not fit, where SciPy may still have zeros
            assert np.isnan(got).all()
        else:
            assert_allclose(got, want, rtol=1e-9, atol=1e-30)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "shapes", "i"), SLOPES)
def test_derivatives_are_those_of_differences_in_both_modes(name, shapes, i, method):
    call = getattr(getattr(stats, name), method)
    k = 0.0 if name == "bernoulli" else 1.0
    f = lambda v: call(k, *[v if j == i else s for j, s in enumerate(shapes)])
    x, h = shapes[i], 1e-3
    want = (f(x - 2 * h) - 8 * f(x - h) + 8 * f(x + h) - f(x + 2 * h)) / (12 * h)
    got = dg.grad(f)(x)
    assert_allclose(got, want, rtol=1e-7, atol=1e-9)
    with sg.Graph().as_default():
        p = sg.placeholder(np.float64, ())
        (g,) = sg.compile(sg.gradients(f(p), p), [p])(x)
    assert_allclose(g, got, rtol=1e-12)


def test_far_tails_have_their_logarithms():
    assert_allclose(stats.geom.logsf(1e6, 0.3), 1e6 * np.log1p(-0.3))


def test_a_number_of_trials_may_be_real_in_its_derivative():
    f = lambda n: stats.nbinom.logpmf(3.0, n, 0.4)
    assert_allclose(dg.grad(f)(2.5), (f(2.5 + 1e-6) - f(2.5 - 1e-6)) / 2e-6, rtol=1e-7)


def test_frozen_ones_hold_their_parameters():
    assert stats.binom(5, 0.3).pmf(2) == stats.binom.pmf(2, 5, 0.3)
    with pytest.raises(OptionError, match="the parameters are n, p, loc"):
        stats.binom.pmf(2, 5)
