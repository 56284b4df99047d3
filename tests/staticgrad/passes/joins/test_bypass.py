"""What is joined and taken apart again is read before it is joined."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.passes import BypassJoins

READ = {
    "first part": (lambda x, y: sg.concat([x, y], 1)[:, :3], True),
    "last part": (lambda x, y: sg.concat([x, y, x], -1)[..., -3:], True),
    "a middle part": (lambda x, y: sg.concat([x, y, x], 1)[:, 3:6], True),
    "rows": (lambda x, y: sg.concat([x, y], 0)[2:], True),
    "a stacked value": (lambda x, y: sg.stack([x, y])[1], True),
    "along another axis": (lambda x, y: sg.stack([x, y], axis=2)[..., -1], True),
    "across parts": (lambda x, y: sg.concat([x, y], 1)[:, 2:4], False),
    "a part of a part": (lambda x, y: sg.concat([x, y], 1)[:, :2], False),
    "reversed": (lambda x, y: sg.concat([x, y], 1)[:, 2::-1], False),
    "rows of columns": (lambda x, y: sg.concat([x, y], 1)[:1, :3], False),
    "a new axis": (lambda x, y: sg.concat([x, y], 1)[:, None, :3], False),
    "a slice of a stack": (lambda x, y: sg.stack([x, y])[:1], False),
}


@pytest.mark.parametrize("rows", [2, "n"])
@pytest.mark.parametrize("name", READ)
def test_parts_are_read_before_they_are_joined(name, rows):
    form, is_bypassed = READ[name]
    with sg.Graph().as_default():
        x, y = (sg.placeholder("float64", [rows, 3], name=n) for n in "xy")
        graph = sg.freeze([form(x, y)], [x, y])
    done = BypassJoins()(graph)
    sg.verify(done)
    feeds = [np.arange(6.0).reshape(2, 3), -np.arange(6.0).reshape(2, 3)]
    [got], [want] = sg.interpret(done, feeds), sg.interpret(graph, feeds)
    assert np.array_equal(got, want)
    is_bypassed = is_bypassed and not (name == "rows" and rows == "n")
    assert any(e.op is not None for e in done.order) != is_bypassed


def test_the_backward_of_a_cell_joins_what_it_needs():
    x = sg.placeholder("float32", [20, 1, 14])
    y = sg.layers.gru(x, 14, time_major=True)[0]
    params = sg.trainable_variables()
    run = sg.compile(sg.freeze(sg.gradients(sg.reduce_mean(y * y), params), [x, *params]))
    [body] = [b for b in run.graph.order if b.op is not None and b.op.name == "loop"][1:]
    names = [e.op.name for e in body.attrs["body"].order if e.op is not None]
    assert "full_like" not in names
    assert names.count("concatenate") == 2
