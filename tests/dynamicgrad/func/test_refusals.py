"""Errors of transforms: they name the function that the user called, and the argument."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops import NotDifferentiableError, TransformError

CALLS = {
    "grad(f)(*args)": dg.grad,
    "value_and_grad(f)(*args)": dg.value_and_grad,
    "grad_and_value(f)(*args)": dg.func.grad_and_value,
}


@pytest.mark.parametrize("call", CALLS)
def test_an_error_names_the_function_that_was_called(call):
    with pytest.raises(TransformError) as caught:
        CALLS[call](lambda x: x * 2)(np.ones(3))
    assert str(caught.value).startswith(f"{call}: Expected")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("args", "argnums", "which"),
    [
        ((np.array([1, 2]), 1.0), 0, "argument 0 of the function, weights"),
        ((3, 1.0), 0, "argument 0 of the function, weights"),
        (([1.0, 2], 1.0), 0, "argument 0 of the function, weights"),
        ((np.ones(2), np.array([1, 2])), (0, 1), "argument 1 of the function, bias"),
        ((dg.ones(2), dg.tensor([1])), -1, "argument 1 of the function, bias"),
    ],
)
def test_an_argument_of_integers_is_named_with_the_way_out(call, args, argnums, which):
    def model(weights, bias):
        return weights * bias

    with pytest.raises(NotDifferentiableError) as caught:
        CALLS[call](model, argnums)(*args)
    said = str(caught.value)
    assert said.startswith(f"{call}: Only Tensors")
    assert which in said
    assert "hint: give floats: 3.0;" in said
    assert "a.astype(float)" in said


def test_a_function_without_names_has_numbers():
    with pytest.raises(NotDifferentiableError, match="argument 0 of the function"):
        dg.grad(np.sum)(np.array([1, 2]))


def test_a_check_speaks_of_no_other_library():
    with pytest.warns(gradops.DetachWarning), pytest.raises(TransformError) as caught:
        dg.check(lambda x: float(x.sum()), np.ones(3))
    assert str(caught.value).startswith("the function gives a plain number")
