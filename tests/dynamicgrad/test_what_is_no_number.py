"""Arguments that are neither tensors nor numbers: no function computes with them."""

import re

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import GradError

from .calls import CALLS, operands, results

ARGUMENT = re.compile(r"(?<=[(,\[])(?:x|v|i)(?=[,)\]])")


def spoilt(call):
    """The call with each of its arguments in turn replaced by text, and by an object."""
    for place in ARGUMENT.finditer(call):
        for other in ("'a'", "object()"):
            yield call[: place.start()] + other + call[place.end() :]


SPOILT = sorted({c for calls in CALLS.values() for call in calls for c in spoilt(call)})


@pytest.mark.parametrize("call", SPOILT)
def test_what_is_no_number_is_refused(call):
    with pytest.raises((GradError, TypeError, AttributeError)):
        results(call, operands(dg))


@pytest.mark.parametrize(("call", "says"), [
    ("dg.where(x > 0, x, None)", r"tensor\(NoneType\): the entries of a tensor must be numbers"),
    ("dg.sum(None)", r"tensor\(NoneType\)"),
    ("dg.cat([x, None])", r"tensor\(NoneType\)"),
    ("dg.exp(np.array(['a']))", r"tensor\(<U1\)"),
    ("x.copy_(None)", r"tensor\(NoneType\)"),
    ("x.__setitem__(0, None)", r"tensor\(NoneType\)"),
    ("dg.maximum(x, None)", "NoneType is neither an array nor a number"),
    ("x + None", "NoneType is neither an array nor a number"),
    ("None + x", "NoneType is neither an array nor a number"),
    ("dg.add(x, None, alpha=2)", "NoneType is neither a tensor nor a number"),
    ("dg.full((2,), None)", "None is not a number"),
    ("x.fill_('a')", "'a' is not a number"),
    ("x.masked_fill(x > 0, None)", "None is not a number"),
    ("dg.cat(x, x)", r"cat\(\): tensors are a list or a tuple, not Tensor"),
    ("dg.stack(0, [x, x])", r"stack\(\): tensors are a list or a tuple, not int"),
])  # fmt: skip
def test_an_error_says_what_is_no_number(call, says):
    with pytest.raises(TypeError, match=says):
        eval(call, {"dg": dg, "np": np, "x": dg.ones(3)})


def test_a_tensor_differs_from_what_is_no_number():
    assert (dg.ones(2) == None) is False  # noqa: E711
    assert (dg.ones(2) != "a") is True
