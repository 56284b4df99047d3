"""Taylor mode: for every op, what nested forward mode gives; in time that is polynomial."""

import gc

import numpy as np
import pytest

import gradops
from gradops import OPS, TransformError, jet, jvp
from gradops.core.types import is_inexact
from gradops.testing.cases import cases, noise

CASES = [
    pytest.param(case, id=f"{case.op}-{case.number}")
    for op in [*OPS.values()]
    for case in cases(op)
    if any(is_inexact(x.dtype) for x in case.operands)
]


def nested(f, primals, directions, order):
    """The derivatives along directions by nested forward mode."""
    for _ in range(order):
        f = derived(f, directions)
    return f(*primals)


def derived(f, directions):
    return lambda *xs: jvp(f, xs, directions)[1]


@pytest.mark.parametrize("case", CASES)
def test_an_op_has_the_derivatives_that_nested_forward_mode_gives(case):
    moved = [i for i, x in enumerate(case.operands) if is_inexact(x.dtype)]
    primals = [case.operands[i] for i in moved]
    directions = [noise(x, i) for i, x in enumerate(primals)]

    def f(*xs):
        operands = list(case.operands)
        for i, x in zip(moved, xs, strict=True):
            operands[i] = x
        return case.op(*operands, **case.attrs)

    with np.errstate(all="ignore"):
        y, found = jet(f, primals, [[d, np.zeros_like(d), np.zeros_like(d)] for d in directions])
        np.testing.assert_array_equal(y, f(*primals))
        if not is_inexact(y.dtype):
            return
        for order, derivative in enumerate(found, 1):
            want = nested(f, primals, directions, order)
            np.testing.assert_allclose(derivative, want, rtol=1e-7, atol=1e-9)


def test_the_curve_may_bend():
    x, v, a = np.array(0.3), np.array(2.0), np.array(-1.5)
    y, (first, second) = jet(gradops.sin, [x], [[v, a]])
    assert float(y) == np.sin(0.3)
    np.testing.assert_allclose(first, np.cos(0.3) * v)
    np.testing.assert_allclose(second, -np.sin(0.3) * v * v + np.cos(0.3) * a)


def test_high_orders_take_polynomial_time():
    def f(x):
        return gradops.exp(gradops.sin(x)) / (1 + x * x)

    one = [np.array(1.0)] + [np.array(0.0)] * 19
    found = jet(f, [np.array(0.2)], [one])[1]
    assert len(found) == 20
    assert jet(gradops.exp, [np.array(0.0)], [one])[1] == pytest.approx([1.0] * 20)


def test_what_does_not_depend_on_the_curve_has_derivatives_of_zero():
    y, (d,) = jet(lambda x: (x * 2, np.ones(3)), [np.array(1.0)], [[np.array(1.0)]])
    assert float(d[0]) == 2
    assert d[1].tolist() == [0, 0, 0]
    assert y[1].tolist() == [1, 1, 1]


def test_series_of_different_lengths_are_refused():
    with pytest.raises(TransformError, match="all of one length"):
        jet(gradops.add, [1.0, 2.0], [[1.0], [1.0, 0.0]])


def test_nothing_is_left_behind():
    x = np.array(0.5)
    run = lambda: jet(gradops.tanh, [x], [[np.array(1.0), np.array(0.0)]])
    run()
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for _ in range(100):
            run()
        assert len(gc.get_objects()) - before < 50
    finally:
        gc.enable()
