"""Generated source: readable, the same every time, and safe from names."""

import inspect
import linecache
import os
import subprocess
import sys

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from gradops import Dim

from .. import hostile


def source(e, feeds, **options):
    return sg.compile(e, feeds, **options).source


def lines_of(text):
    return [line.split("#")[0].strip() for line in text.splitlines()]


def test_a_line_shows_the_type_and_where_it_was_built():
    x = sg.placeholder("float32", ["n", 3], name="x")
    (line,) = [t for t in source(sg.exp(x), x).splitlines() if "np.exp" in t]
    assert "# float32[n, 3]  test_source.py:" in line


def test_a_line_of_a_gradient_names_its_cause():
    x = sg.placeholder("float32", [3], name="x")
    assert "gradient of y" in source(sg.gradients(sg.tanh(x, name="y"), x), [x])


def test_the_small_case_is_one_straight_line():
    x = sg.placeholder("float32", [3], name="x")
    w = sg.placeholder("float32", [3], name="w")
    assert lines_of(source(sg.tanh(x * w), [x, w]))[5:] == [
        "mul_2 = x * w", "tanh_3 = np.tanh(mul_2)", "return tanh_3",
    ]  # fmt: skip


def test_numbers_use_pythons_operators():
    x = sg.placeholder("float64", name="x")
    assert "mul_2 = x * c_1_" in lines_of(source(x * 2, [x]))


def test_integers_do_not_since_numpys_integers_warn_when_they_overflow():
    x = sg.placeholder("uint8", name="x")
    assert sg.compile(x + x, [x])(np.uint8(200)) == 144


def test_a_big_array_is_let_go_after_its_last_use():
    x = sg.placeholder("float64", ["n", 300], name="x")
    y = sg.reduce_sum(x[[0, 1]] * 2)
    assert any(line == "del getitem_2" for line in lines_of(source(y, [x], optimize=0)))


def test_source_does_not_depend_on_the_seed_of_hashes():
    program = """
import staticgrad as sg
names = [f"n{i}" for i in range(6)]
xs = [sg.placeholder("float32", [a, b]) for a, b in zip(names, names[1:] + names[:1])]
y = xs[0]
for x in xs[1:]:
    y = sg.tanh(y @ x)
f = sg.compile([y, *sg.gradients(y, xs)], xs)
print(f.source, f.graph.digest)
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in "12"
    }  # fmt: skip
    assert len(found) == 1


def test_python_can_show_the_source():
    x = sg.placeholder("float32", [3], name="x")
    f = sg.compile(sg.exp(x), [x])
    assert inspect.getsource(f.run) == f.source
    linecache.checkcache()
    assert inspect.getsource(f.run) == f.source


def test_two_executables_with_equal_source_have_lines_of_their_own():
    x = sg.placeholder("float32", [3], name="x")
    y = sg.exp(x)
    one, other = sg.compile(y, [x]), sg.compile(y, [x])
    assert one.source == other.source
    del one
    assert inspect.getsource(other.run) == other.source


HOSTILE = [
    "np", "type", "len", "float", "def", "None", "b0", "c_1", "tanh_3", "x y", "matmul",
    "pool", "float32", "float32_type", "ndarray", "NotImplemented", "allocate", "run", "n", "self",
    "é", "", "x²", "ﬁ", "fi", "x\ny", "\0", "\ud800", "__debug__", "_", '"', "{0}", "%s", "#", "\\",
    "1", "c_1_",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_names_of_any_kind_do_no_harm(name):
    """Of inputs, expressions and sizes; whatever the generated code itself has names for."""
    x = hostile.placeholder("float32", [f"n{name}", 40], name)
    y = hostile.placeholder("float64", [40], name)
    s = sg.placeholder("float32", name="c_1_")
    t = sg.cast(hostile.called(sg.tanh(x * 2.0 + s * 3.0), name), "float64") * y + sg.reduce_mean(x)
    with np.errstate(all="ignore"):
        graph = sg.freeze([t, *sg.gradients(t, [x, y])], [x, y, s])
        feeds = [np.full((30, 40), 0.1, np.float32), np.ones(40), 2.0]
        found, expected = sg.compile(graph, optimize=0)(*feeds), sg.interpret(graph, feeds)
    assert [a.tobytes() for a in found] == [a.tobytes() for a in expected]


def test_all_hostile_names_at_once_do_no_harm():
    xs = [hostile.placeholder("float32", ["n"], name) for name in HOSTILE]
    total = xs[0]
    for x in xs[1:]:
        total = total * 2 - x
    values = [np.full(2, i, np.float32) for i in range(len(xs))]
    expected = values[0]
    for v in values[1:]:
        expected = expected * 2 - v
    assert sg.compile(total, xs)(*values).tolist() == expected.tolist()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, -0.0, 1e-320])
def test_attributes_of_any_value_can_be_written(value):
    x = sg.placeholder("float64", [2], name="x")
    found = sg.compile(sg.pad(x, 1, constant_values=value), [x])([1.0, 2.0])
    assert found.tobytes() == np.array([value, 1.0, 2.0, value]).tobytes()


def test_ops_declared_later_can_be_used():
    op = ops.elementwise(
        "cube", lambda x: x * x * x, d=[lambda y, x: 3 * x * x], samples=ops.exactly([1.0]),
        doc="The cube.",
    )  # fmt: skip
    try:
        x = sg.placeholder("float64", [2], name="x")
        (g,) = sg.gradients(op(x), x)
        assert sg.compile([op(x), g], [x])([1.0, 2.0])[1].tolist() == [3, 12]
    finally:
        del ops.OPS["cube"]


def test_sizes_are_worked_out_from_what_is_fed():
    n = Dim("n")
    x = sg.placeholder("float64", [2 * n - 1], name="x")
    y = sg.broadcast_to(sg.reduce_sum(x), shape=(n,))
    f = sg.compile(y, [x])
    assert f(np.ones(5)).tolist() == [5, 5, 5]
    with pytest.raises(ops.FeedError, match=r"2\*n - 1 cannot be 4 in x"):
        f(np.ones(4))


def test_what_is_repeated_inside_a_call_leaves_it_as_an_array_of_its_own():
    x = sg.placeholder("float64", [], name="x")
    fill = sg.function(lambda x: sg.broadcast_to(x, [3]))
    none = sg.function(lambda x: sg.broadcast_to(sg.constant(2.0), [3]))
    for found in sg.compile([fill(x), sg.reshape(fill(x), [3, 1]), none(x)], [x])(1.0):
        found += 1.0
        assert len(set(found.ravel().tolist())) == 1


def test_zeros_in_complex_attributes_keep_their_signs():
    x = sg.placeholder("complex128", [2], name="x")
    f = sg.compile(ops.OPS["full_like"](x, value=complex(0.0, -2.0)), [x], optimize=0)
    assert not np.signbit(f(np.ones(2, complex)).real).any()
