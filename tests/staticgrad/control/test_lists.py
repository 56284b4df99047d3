"""Ops on lists, whose entries generated code may keep as the rows of an array."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from staticgrad.codegen.loops.row_lists import RowList
from staticgrad.control import stacks

OPS = {
    "summed": lambda xs: stacks.summed.kernel(xs, xs),
    "zeroed": stacks.zeroed.kernel,
    "repeated": lambda xs: stacks.repeated.kernel(xs, size=3),
    "totalled": stacks.totalled.kernel,
}


@pytest.mark.parametrize("name", OPS)
def test_rows_of_an_array_are_a_list(name):
    rows = np.arange(24.0).reshape(3, 2, 4)
    want, nested = OPS[name](list(rows)), OPS[name](([*rows], (rows[0],)))
    for got in (OPS[name](RowList(rows)), OPS[name]((RowList(rows), (rows[0],)))[0]):
        assert isinstance(got, list)
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(nested[1][0], want[0])


@pytest.mark.parametrize("backend", ["numpy", "interpreter", "auto"])
def test_the_third_derivative_of_a_loop_over_large_rows(backend):
    """Its lists are added up: as rows of arrays, they were joined instead."""
    rng = np.random.default_rng(0)
    there, back = rng.standard_normal((70, 176)) / 9, rng.standard_normal((176, 70)) / 14
    entries = rng.standard_normal((3, 32, 70))

    def third(package, x, fold):
        step = lambda h, e: package.tanh(package.tanh(h @ there) @ back) + e * x
        y = fold(step)
        for _ in range(3):
            y = (sg.reduce_sum if package is sg else dg.sum)(y * y) if y.ndim else y * y * 1e-6
            y = derivative(package, y, x)
        return y

    def derivative(package, y, x):
        if package is sg:
            return sg.gradients(y, [x])[0]
        return dg.autograd.grad(y, x, create_graph=True)[0]

    def eagerly(step):
        states = [dg.zeros(32, 70, dtype=dg.float64)]
        for e in entries:
            states.append(step(states[-1], dg.tensor(e)))
        return dg.stack(states[1:])

    x = dg.tensor(0.5, dtype=dg.float64, requires_grad=True)
    there, back = dg.tensor(there), dg.tensor(back)
    want = third(dg, x, eagerly).item()
    there, back = there.numpy(), back.numpy()
    x = sg.placeholder("float64", [])
    y = third(sg, x, lambda step: sg.scan(step, entries, sg.zeros((32, 70), "float64")))
    np.testing.assert_allclose(sg.compile(y, [x], backend=backend)(0.5), want, rtol=1e-9)
