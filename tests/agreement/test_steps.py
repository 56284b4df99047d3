"""Functions that are constant in steps: their gradient is zero, in both modes."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

STEPS = {
    "floor": dg.floor, "ceil": dg.ceil, "round": dg.round, "sign": dg.sign,
    "floor_divide": lambda x: dg.floor_divide(x, 2), "//": lambda x: x // 2,
    "// reflected": lambda x: 2 // x, "// itself": lambda x: x // x,
}  # fmt: skip
COMPARISONS = [dg.isnan, dg.isfinite, dg.logical_not, lambda x: x > 1, lambda x: x == x]


@pytest.mark.parametrize("f", STEPS.values(), ids=STEPS)
def test_a_step_function_takes_part_and_its_gradient_is_zero(f):
    x = dg.tensor([1.5, -2.5], requires_grad=True)
    y = f(x)
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("f", COMPARISONS)
def test_what_is_no_float_takes_no_part(f):
    assert not f(dg.tensor([1.5, -2.5], requires_grad=True)).requires_grad


def test_a_graph_has_the_same_zeros():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", (2,))
        found = [sg.gradients(f(x), x)[0] for f in (gradops.floor, lambda x: x // 2)]
        for g in sg.compile(found, [x])(np.array([1.5, -2.5], np.float32)):
            assert g.tolist() == [0.0, 0.0]
