"""`backend="auto"`: machine code where the cost table predicts that it pays."""

from dataclasses import replace

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.native import costs
from gradops.native.costs import DEFAULT
from gradops.native.costs.functions import RELATIVE

pytest.importorskip("llvmlite")
from staticgrad.runtime.backends.native_executable import NativeExecutable


def automatic(outputs, inputs, **options):
    """The executable that is chosen by the default table, and what runs it."""
    with costs.using(DEFAULT):
        f = sg.compile(outputs, inputs, backend="auto", **options)
    return f, "machine code" if isinstance(f, NativeExecutable) else "NumPy"


def network(sizes=(5, 3)):
    """A loss with its gradient."""
    x, w = sg.placeholder("float32", sizes, name="x"), sg.placeholder("float32", [3], name="w")
    loss = sg.reduce_mean(sg.log(1.0 + sg.exp(-x @ w)) + 0.1 * sg.reduce_sum(w * w))
    return [loss, *sg.gradients(loss, [w])], [x, w]


def test_a_small_network_and_a_loop_pay():
    f, tier = automatic(*network())
    assert tier == "machine code"
    x = sg.placeholder("float64", [200], name="x")
    states = sg.scan(lambda h, e: sg.tanh(h * 0.5 + e), x, sg.constant(np.float64(0)))
    assert automatic(states, [x])[1] == "machine code"
    assert str(f.choices).startswith("graph: machine code ")
    assert "not NumPy" in str(f.choices)


def test_what_saves_less_than_it_costs_to_compile_is_left_to_numpy():
    x = sg.placeholder("float32", [3], name="x")
    f, tier = automatic(x + 1, [x])
    assert tier == "NumPy"
    assert str(f.choices).startswith("graph: NumPy ")


def test_what_calls_kernels_all_the_time_is_left_to_numpy():
    x = sg.placeholder("complex128", [8, 8], name="x")
    y = x
    for _ in range(20):
        y = sg.linalg.inv(y * x) + y
    assert automatic(y, [x])[1] == "NumPy"


def test_bits_that_are_promised_are_numpys():
    outputs, inputs = network()
    for level in (0, 1):
        assert automatic(outputs, inputs, optimize=level)[1] == "NumPy"
    assert automatic(outputs, inputs, check_numerics=True)[1] == "NumPy"


def test_sizes_that_depend_on_data_are_left_to_numpy():
    x = sg.placeholder("float64", [30], name="x")
    y = sg.boolean_mask(x, x > 0)
    for _ in range(20):
        y = sg.tanh(y * 1.5) + 1.0
    f, tier = automatic(sg.reduce_sum(y), [x])
    assert tier == "NumPy"
    assert np.isfinite(f(np.linspace(-1, 1, 30)))


def test_each_size_of_a_graph_is_chosen_by_itself():
    f, _ = automatic(*network(["batch", 3]))
    assert str(f.choices) == "nothing was chosen yet: the sizes are not known"
    weights = np.ones(3, "f")
    for n in (4, 1000):
        with costs.using(DEFAULT):
            f(np.ones((n, 3), "f"), weights)
        assert str(f.choices).startswith("graph: machine code ")
    slow = replace(DEFAULT.f4, operation=1e6, exp=1e6, product=1e6, own_product=1e6, blas=1e6)
    with costs.using(replace(DEFAULT, f4=slow)):
        f(np.ones((7, 3), "f"), weights)
    assert str(f.choices).startswith("graph: NumPy ")


def test_equal_tables_choose_alike():
    outputs, inputs = network()
    chosen = {str(automatic(outputs, inputs)[0].choices) for _ in range(3)}
    assert len(chosen) == 1


def test_it_runs_what_sessions_and_functions_run():
    outputs, inputs = network()
    data = np.linspace(-1, 1, 15, dtype="f").reshape(5, 3), np.ones(3, "f")
    want = sg.compile(outputs, inputs)(*data)
    session = sg.Session(backend="auto")
    got = session.run(outputs, dict(zip(inputs, data, strict=True)))
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, 1e-5)
    double = sg.function(lambda x: sg.reduce_sum(sg.tanh(x) * sg.exp(x) / 3), backend="auto")
    assert double(data[0]) == pytest.approx(np.sum(np.tanh(data[0]) * np.exp(data[0]) / 3))


def test_functions_whose_times_are_compared_are_ops():
    unknown = set(RELATIVE) - set(gradops.OPS)
    assert not unknown


def test_a_function_that_numpy_computes_faster_is_left_to_numpy():
    x = sg.placeholder("float32", [1_000_000], name="x")
    slower = max(RELATIVE, key=lambda name: RELATIVE[name][0] / RELATIVE[name][1])
    assert automatic(gradops.OPS[slower](x, *[2.0] * (slower == "power")), [x])[1] == "NumPy"
    assert automatic(sg.exp(x) * x + 1, [x])[1] == "machine code"
