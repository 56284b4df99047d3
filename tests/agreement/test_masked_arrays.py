"""No way into the library takes a masked array: its mask would be lost without a word."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

M = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
ROWS = np.ma.masked_array(np.eye(3), np.eye(3) > 0)


def of_rows(data):
    """The loss of data in blocks."""
    f = sg.distributed.value_and_grad(lambda w, x: np.mean(x @ w), np.zeros(3), data)
    return f(np.zeros(3))


WAYS = {
    "dg.tensor": lambda: dg.tensor(M), "dg.array": lambda: dg.array(M),
    "dg.as_tensor": lambda: dg.as_tensor(M), "dg.from_numpy": lambda: dg.from_numpy(M),
    "dg.nn.Parameter": lambda: dg.nn.Parameter(M), "a list": lambda: dg.tensor([M, M]),
    "copy_": lambda: dg.zeros(3).copy_(M), "an entry": lambda: dg.zeros(3).__setitem__(..., M),
    "an operand": lambda: gradops.sum(M), "beside a tensor": lambda: dg.ones(3) + M,
    "beside an array": lambda: np.maximum(dg.array(np.ones(3)), M),
    "beside a placeholder": lambda: sg.placeholder("float64", [3]) * M,
    "beside a tensor with a history": lambda: M * dg.ones(3, requires_grad=True),
    "a transform": lambda: dg.grad(np.sum)(M), "a tangent": lambda: gradops.jvp(np.sum, [M], [M]),
    "a cotangent": lambda: (dg.ones(3, requires_grad=True) * 1).backward(M),
    "sg.constant": lambda: sg.constant(M), "sg.Variable": lambda: sg.Variable(M),
    "a feed": lambda: sg.compile(x := sg.placeholder("float64", [3]), [x])(M),
    "a traced function": lambda: sg.function(lambda x: x * 2)(M),
    "rows": lambda: of_rows(ROWS), "blocks": lambda: of_rows([ROWS, np.eye(3)]),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_masked_array_is_refused(way):
    with pytest.raises((TypeError, ValueError, gradops.GradError)) as caught:
        WAYS[way]()
    assert "mask" in str(caught.value) or "history" in way
