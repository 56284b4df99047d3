"""What is said to lie in C order does."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.ir.layouts.contiguity import in_c_order

SHAPE = (2, 3, 4, 3)


@pytest.mark.parametrize("f", [
    lambda x: x + 1, lambda x: ops.transpose(x) * 2, lambda x: ops.sum(x, axis=1),
    lambda x: ops.sum(ops.transpose(x), axis=1), lambda x: ops.max(ops.swapaxes(x, 0, 2), axis=-1),
    lambda x: ops.swapaxes(x, 0, 1) @ x[0, 0].T, lambda x: ops.mean(x, axis=(0, 2), keepdims=True),
    lambda x: x @ ops.swapaxes(x, -1, -2), lambda x: x[0, 0].T @ x[0, 0], lambda x: x[:, ::-1] * x,
    lambda x: ops.swapaxes(x @ x[0, 0].T, 0, 1) + ops.swapaxes(x @ x[0, 0].T, 0, 1),
    lambda x: ops.sum(x[..., :1] + x[0], axis=0), lambda x: ops.reshape(ops.transpose(x), (6, -1)),
])  # fmt: skip
def test_what_is_said_to_lie_in_c_order_does(f):
    graph = sg.trace(f, [np.ones(SHAPE)])
    said = in_c_order(graph)
    wrong = []

    def watch(e, value):
        if e in said and not np.asarray(value).flags.c_contiguous:
            wrong.append(e)

    sg.interpret(graph, [np.ones(SHAPE)], watch=watch)
    assert not wrong
