"""No value leaves what is differentiated or built in silence: it is refused, or warned of."""

import linecache
import math
import warnings

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops import DetachWarning


def tape(f):
    return f(dg.tensor(1.5, dtype="float64", requires_grad=True) * 1)


def graph(f):
    with sg.Graph().as_default():
        return f(sg.placeholder("float64", []))


def gradient(f):
    return dg.grad(lambda x: (f(x), x)[1])(1.5)


def tangent(f):
    return gradops.jvp(lambda x: (f(x), x)[1], [np.float64(1.5)], [np.float64(1)])


def tensor_with_tangent(f):
    return dg.func.jvp(lambda x: (f(x), x)[1], (1.5,), (1.0,))


def gradient_with_tangent(f):
    return dg.hvp(lambda x: (f(x), x * x)[1])(1.5, 1.0)


def batch(f):
    return gradops.vmap(lambda x: (f(x), x)[1])(np.ones(2))


def batch_of_tensors(f):
    return dg.vmap(lambda x: (f(x), x)[1])(np.ones(2))


def series(f):
    return gradops.jet(lambda x: (f(x), x)[1], [np.float64(1.5)], [[np.float64(1.0)]])


def traced_tensor(f):
    return sg.trace(lambda x: (f(x), x)[1], [dg.tensor(1.5)])


WAYS = [
    tape, graph, gradient, tangent, tensor_with_tangent, gradient_with_tangent, batch,
    batch_of_tensors, series, traced_tensor,
]  # fmt: skip
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


def set_entry(x):
    a = np.zeros(3)
    a[0] = x


def set_slice(x):
    a = np.zeros(3)
    a[:2] = x


def add_to_array(x):
    a = np.zeros(3)
    a += x


def to_array(x):
    return np.asarray(x)


def to_array_of_several(x):
    return np.array([x, 2.0, x])


ARRAYS = [
    to_array, to_array_of_several, set_slice, add_to_array, lambda x: np.full(3, x),
    lambda x: np.random.default_rng(0).normal(x), lambda x: np.random.normal(0, x),
    lambda x: np.testing.assert_allclose(x, 1.5), lambda x: np.exp(1.0 * x, out=np.zeros(())),
    lambda x: np.copyto(np.zeros(2), x), lambda x: np.vectorize(math.sin)(x),
    lambda x: np.ascontiguousarray(x),
]  # fmt: skip


@every_way
@pytest.mark.parametrize("f", ARRAYS, ids=range(len(ARRAYS)))
def test_making_an_array_is_refused_with_the_line_and_a_way_out(way, f):
    with pytest.raises(gradops.GradError, match=r"(?s)test_detaching.py:\d+.*hint: |vmap: ") as e:
        way(f)
    assert "hint: " in str(e.value)


NUMBERS = [float, int, complex, math.sin, np.float64, set_entry, lambda x: math.pow(2, x)]


@every_way
@pytest.mark.parametrize("f", NUMBERS, ids=lambda f: f.__name__)
def test_making_a_number_is_warned_of_or_refused(way, f):
    with pytest.warns(DetachWarning) as seen:  # noqa: PT031  (a warning or an error, not both)
        try:
            way(f)
        except (gradops.GradError, ValueError) as error:
            ours = error if isinstance(error, gradops.GradError) else error.__cause__
            assert "hint: " in str(ours)
            warnings.warn("refused", DetachWarning, stacklevel=1)
    assert {w.filename for w in seen} == {__file__}


@every_way
def test_item_says_that_it_is_meant_in_pytorch_and_not_in_numpy(way):
    of_arrays = way in (gradient, gradient_with_tangent, tensor_with_tangent)
    refuses = way in (graph, batch, batch_of_tensors, traced_tensor)
    expected = pytest.warns(DetachWarning) if of_arrays else warnings.catch_warnings()
    with pytest.raises(gradops.GradError) if refuses else expected:
        way(lambda x: x.item())


def test_a_format_shows_a_value_or_says_that_there_is_none():
    shown = []
    for way in (tape, tangent, tensor_with_tangent, series):
        way(lambda x: shown.append(f"{x:.2f}"))
    assert shown == ["1.50"] * 4
    for way in (graph, traced_tensor):
        with pytest.raises(gradops.ValueUnknownError, match="known only when the graph runs"):
            way(lambda x: f"{x:.2f}")


def test_what_is_not_differentiated_becomes_an_array_or_a_number():
    t = dg.tensor([1.5, 2.0])
    assert np.asarray(t).tolist() == [1.5, 2.0]
    assert float(t[0]) == math.fabs(t[0]) == 1.5
    with dg.no_grad():
        x = dg.tensor(1.5, requires_grad=True)
        assert (float(x), np.asarray(x).item()) == (1.5, 1.5)


def test_the_warning_is_of_the_users_line():
    x = dg.tensor(1.5, requires_grad=True)
    with pytest.warns(DetachWarning) as seen:
        math.sin(x)
    line = linecache.getline(seen[0].filename, seen[0].lineno)
    assert line.strip() == "math.sin(x)"


def set_own_entry(x):
    x[0] = 1.0


def add_to_own_entry(x):
    x[0] += 1.0


IN_PLACE = [
    set_own_entry, add_to_own_entry,
    lambda x: x.sort(), lambda x: x.fill(1.0), lambda x: x.partition(1), lambda x: x.resize(3),
    lambda x: np.put(x, 0, 1.0), lambda x: np.fill_diagonal(x, 1.0),
]  # fmt: skip


@pytest.mark.parametrize("f", IN_PLACE, ids=range(len(IN_PLACE)))
def test_what_would_change_an_expression_is_refused_with_a_way_out(f):
    with sg.Graph().as_default(), pytest.raises(gradops.NumPyCallError, match="hint: "):
        f(sg.placeholder("float64", [3, 3]))
