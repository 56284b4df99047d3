"""Computation without NumPy's warnings about floats."""

import numpy as np
import pytest

from gradops.core import float_errors
from gradops.core.float_errors import without_float_errors


@pytest.fixture(params=["NumPy's variable", "np.errstate"])
def way(request, monkeypatch):
    if request.param == "np.errstate":
        monkeypatch.setattr(float_errors, "HANDLING", None)


def test_floats_may_overflow_and_divide_by_zero(way):
    with np.errstate(all="raise"):
        y = without_float_errors(lambda x: np.exp(x) / (x * 0), np.array([1000.0]))
        assert y[0] == np.inf
        with pytest.raises(FloatingPointError):
            np.array(1.0) / np.array(0.0)


def test_the_handling_before_is_restored_after_an_error(way):
    with np.errstate(divide="raise", over="warn"):
        before = np.geterr()
        with pytest.raises(ValueError, match="stop"):
            without_float_errors(fail)
        assert np.geterr() == before


def fail():
    raise ValueError("stop")


def test_this_numpy_has_the_variable():
    assert float_errors.HANDLING is not None


def test_warnings_of_callers_are_as_before(way):
    without_float_errors(np.exp, np.array([1000.0]))
    with pytest.warns(RuntimeWarning, match="overflow"):
        np.exp(np.array([1000.0]))
