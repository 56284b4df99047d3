"""Flags that loops, branches and functions compute on floats are NumPy's wherever they are read."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg

SOURCES = {
    "the state of a loop": lambda x: sg.fori(
        0, 3, lambda i, s: (s[0] + x, s[0] > 0.5), (x, x > 1.0)
    )[1],
    "the state of a loop with a condition": lambda x: sg.while_loop(
        lambda s, f: s < 3.0, lambda s, f: (s + 1.0, s > x), (x, x > 1.0)
    )[1],
    "the list of a loop": lambda x: sg.scan(lambda s, e: s + e, ops.stack([x, x]), x)[1] > x,
    "an entry of a list": lambda x: sg.map(lambda e: e > x, ops.stack([x, -x]))[1],
    "a branch": lambda x: sg.cond(x > 0.0, lambda: x > 1.0, lambda: x < -1.0),
    "an operator": lambda x: ops.logical_not(x > 0.0),
}  # fmt: skip
READERS = {
    "a result": lambda f, x: f,
    "as a number": lambda f, x: ops.astype(f, dtype=np.float64),
    "a choice of arrays": lambda f, x: ops.where(f, ops.stack([x, x]), 0.0),
    "a choice of numbers": lambda f, x: ops.where(f, x, 2.0),
    "a sum": lambda f, x: ops.sum(f),
    "an array": lambda f, x: ops.stack([f, ops.logical_not(f)]),
    "a shape": lambda f, x: ops.reshape(f, shape=(1, 1)),
    "a product": lambda f, x: f * x,
    "another flag": lambda f, x: ops.logical_and(f, x > 0.0),
    "a condition": lambda f, x: sg.cond(f, lambda: x + 1.0, lambda: x),
    "a loop": lambda f, x: sg.fori(0, 2, lambda i, s: ops.logical_xor(s, f), f),
    "an operand of a loop": lambda f, x: sg.fori(0, 2, lambda i, s: ops.where(f, s * x, s), x),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("source", SOURCES)
def test_a_flag_is_one_of_numpys(source, reader):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [], name="x")
        graph = sg.freeze([READERS[reader](SOURCES[source](x), x)], [x])
    for value in (-1.5, 0.25, 2.0):
        (wanted,) = sg.interpret(graph, [np.float64(value)])
        for level in (0, 1, 2):
            (got,) = sg.compile(graph, optimize=level)(np.float64(value))
            assert isinstance(got, np.generic | np.ndarray)
            assert (got.dtype, got.shape) == (np.asarray(wanted).dtype, np.shape(wanted))
            np.testing.assert_allclose(got, wanted, rtol=1e-14)
