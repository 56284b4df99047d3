"""Random numbers of SciPy's."""

import copy

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops.scipy import stats

scipy_stats = pytest.importorskip("scipy.stats")

GIVEN = {
    "poisson": (3.0,), "binom": (5, 0.3), "geom": (0.4,), "nbinom": (3, 0.5), "bernoulli": (0.2,),
    "dirichlet": ([1.0, 2.0],), "multinomial": (4, [0.2, 0.8]), "wishart": (3, np.eye(2)),
    "multivariate_t": ([0.0, 1.0], np.eye(2), 3.0),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_draws_are_scipys(name):
    ours, theirs = getattr(stats, name), getattr(scipy_stats, name)
    args, seed = GIVEN[name], np.random.default_rng
    want = theirs.rvs(*args, size=4, random_state=seed(7))
    np.testing.assert_array_equal(ours.rvs(*args, size=4, random_state=seed(7)), want)
    np.testing.assert_array_equal(ours.rvs(*args, size=4, random_state=7), want)
    np.testing.assert_array_equal(ours(*args).rvs(size=4, random_state=7), want)
    key = gradops.random.key(3)
    first, again = (ours.rvs(*args, size=4, random_state=k) for k in (key, dg.tensor(key)))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("name", GIVEN)
def test_a_frozen_distribution_draws_as_many_as_scipys(name):
    args = GIVEN[name]
    held = copy.deepcopy(getattr(stats, name)(*args))
    want = getattr(scipy_stats, name)(*args).rvs(random_state=np.random.RandomState(3))
    np.testing.assert_array_equal(held.rvs(random_state=np.random.RandomState(3)), want)


@pytest.mark.parametrize("name", ["poisson", "wishart"])
def test_parameters_with_derivatives_are_refused(name):
    args = [dg.tensor(np.asarray(x, float), requires_grad=True) for x in GIVEN[name]]
    with pytest.raises(gradops.MissingRuleError, match="without derivatives"):
        getattr(stats, name).rvs(*args, size=2, random_state=0)


def test_parameters_with_derivatives_are_refused_in_a_list():
    with pytest.raises(gradops.MissingRuleError, match="without derivatives"):
        stats.dirichlet.rvs([dg.tensor(1.0, requires_grad=True), 2.0])
