"""Gradients through random numbers agree to the bit in both modes, to second order."""

import numpy as np
import pytest

import gradops as G

KEY = G.random_key(2)
DRAWS = {
    "gamma": lambda a: G.random_gamma(KEY, a, shape=(3, 4)),
    "loggamma": lambda a: G.random_loggamma(KEY, a),
    "beta": lambda a: G.random_beta(KEY, a, 2 * a),
    "dirichlet": lambda a: G.random_dirichlet(KEY, a, shape=(3,)),
    "student_t": lambda a: G.random_student_t(KEY, a, shape=(3, 4)),
    "poisson": lambda a: a * G.random_poisson(KEY, a),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", DRAWS)
def test_all_ways_agree(name, dtype, ways, same_bits):
    found = ways(DRAWS[name], [np.array([0.3, 1.0, 2.5, 30.0], dtype)], order=2)
    for way, values in found.items():
        same_bits(found["tape"], values, way)
