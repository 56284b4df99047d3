"""Functions that run as graphs, and what they keep from call to call."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import TransformError


def test_variables_made_in_a_function_last_and_random_numbers_are_new():
    @sg.function
    def f(x):
        count = sg.Variable(0.0, trainable=False)
        count.assign_add(1.0)
        return count + x, sg.random_uniform([])

    one = np.array(1, np.float32)
    (a, u), (b, v) = f(one), f(one)
    assert (a, b, f.traces) == (2, 3, 1)
    assert u != v


def test_a_failed_call_leaves_variables_as_they_were():
    @sg.function
    def f(x):
        count = sg.Variable(0.0)
        count.assign_add(1.0)
        sg.Assert(x > 0)
        return count * 1

    assert f(np.array(1.0)) == 1
    with pytest.raises(AssertionError):
        f(np.array(-1.0))
    assert f(np.array(1.0)) == 2


def test_random_numbers_of_the_eager_side_are_refused_while_tracing():
    drop = dg.nn.Dropout(0.5)
    for draw in (lambda x: x + dg.randn(3), drop):
        with pytest.raises(TransformError, match="same in every call"):
            sg.function(draw)(dg.ones(3))
        with pytest.raises(TransformError, match=r"sg\.trace"):
            sg.trace(draw, [dg.ones(3)])
    assert dg.randn(3).shape == (3,)
