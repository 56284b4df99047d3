"""One executable with loops and branches, called from many threads at once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.testing import assert_array_equal

import staticgrad as sg


def test_sixteen_threads_share_an_executable():
    x = sg.placeholder("float64", ["n", 40], name="x")
    steps = sg.placeholder("int64", [], name="steps")

    def step(i, s):
        return sg.cond(sg.reduce_sum(s) > 0, lambda: sg.tanh(s * 1.1 - x), lambda: s + x * x)

    y = sg.reduce_sum(sg.fori(0, steps, step, x) ** 2)
    f = sg.compile([y, *sg.gradients(y, x)], [x, steps])
    rng = np.random.default_rng(0)
    cases = [(rng.normal(size=(i % 5 + 1, 40)), i % 7) for i in range(64)]
    wanted = [f(*case) for case in cases]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda case: f(*case), cases * 8))
    for got, want in zip(found, wanted * 8, strict=True):
        assert got[0] == want[0]
        assert_array_equal(got[1], want[1])
