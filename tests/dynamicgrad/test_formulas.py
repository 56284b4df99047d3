"""What counts entries, and what is refused."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import OptionError, TapeError


def test_entries_are_counted_in_bins():
    x = dg.tensor([1.0, 2.0, 1.0, 5.0], requires_grad=True)
    assert dg.histc(x, bins=4, min=0, max=4).tolist() == [0, 2, 1, 0]
    assert dg.histc(x, bins=2).tolist() == [3, 1]
    assert dg.histc(dg.zeros(0), bins=2).tolist() == [0, 0]
    assert not dg.histc(x).requires_grad


def test_weights_are_added_up_and_have_gradients():
    w = dg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = dg.bincount(dg.tensor([2, 0, 2]), w, minlength=4)
    assert y.tolist() == [2, 0, 4, 0]
    (y * y).sum().backward()
    assert w.grad.tolist() == [8, 4, 8]


def test_a_rounding_that_does_not_exist_is_refused():
    with pytest.raises(OptionError, match="rounding_mode is 'floor' or 'trunc', not up"):
        dg.div(dg.ones(2), 2, rounding_mode="up")


def test_a_formula_in_place_keeps_to_the_rules_of_writes():
    x = dg.ones(2, requires_grad=True)
    with pytest.raises(TapeError):
        x.lerp_(dg.zeros(2), 0.5)
    with dg.no_grad():
        assert x.lerp_(dg.zeros(2), 0.5) is x
    np.testing.assert_array_equal(x.detach().numpy(), [0.5, 0.5])
