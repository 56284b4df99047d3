"""`compare`: rows of all modes, with equal bits where they are promised, or the reason for none."""

import re

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import NotDifferentiableError, OptionError, TransformError
from staticgrad.runtime.backends.choice import is_installed

QUICK = dict(seconds=0.01)
MODES = ["NumPy", "tape", "graph, optimize=0", "graph, optimize=2"]
MODES += ["graph, native"] * (is_installed())
x = np.linspace(0, 1, 6).reshape(2, 3)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def of_tensorflow(x, w):
    return sg.reduce_mean(sg.square(sg.tanh(x @ w)))


def of_torch(x, w):
    return dg.tanh(x @ w).square().sum(dim=0).mean()


def of_pytrees(params, data):
    hidden = np.tanh(data["x"] @ params[0])
    return {"hidden": hidden, "loss": np.mean(hidden @ params[1])}


PROGRAMS = {
    "numpy": (rosenbrock, [np.linspace(-1, 1, 7)]),
    "tensorflow": (of_tensorflow, [x.astype(np.float32), np.ones(3, np.float32)]),
    "torch": (of_torch, [dg.tensor(x), dg.tensor(np.ones(3))]),
    "arrays for torch": (of_torch, [x, np.ones(3)]),
    "pytrees": (of_pytrees, [[np.ones((3, 4)), np.ones(4)], {"x": x, "labels": np.arange(2)}]),
    "one number": (lambda x: x * x, [2.0]),
    "constant": (lambda x: np.float64(3.0), [x]),
}
every_program = pytest.mark.parametrize(("f", "args"), PROGRAMS.values(), ids=PROGRAMS)


@every_program
def test_every_mode_has_the_value_and_the_gradient(f, args):
    found = sg.compare(f, *args, **QUICK)
    for row in found.rows:
        assert row.failure is None
        assert row.value_ulps is None or row.value_ulps < 8
        assert row.gradient_ulps is None or row.gradient_ulps < 64
        assert row.seconds > 0
        assert row.first > 0
        assert row.peak >= 0


@every_program
def test_tape_and_graph_as_written_have_the_same_bits(f, args):
    found = sg.compare(f, *args, **QUICK)
    assert found.is_exact
    assert found["graph, optimize=0"].gradient_bits == "equal"
    assert found["tape"].value_bits == "equal"


def test_the_modes_are_rows_of_a_table():
    found = sg.compare(rosenbrock, np.linspace(-1, 1, 7), **QUICK)
    assert [row.title for row in found.rows] == MODES
    title, heading, *lines = str(found).splitlines()
    assert title == "rosenbrock(x: float64[7])"
    assert heading.split()[:3] == ["value", "bits", "gradient"]
    for row, line in zip(found.rows, lines, strict=False):
        assert line.startswith(f"  {row.title}")
        assert len(line) <= 120
    with pytest.raises(KeyError, match="the rows are NumPy, tape"):
        found["jax"]


def test_both_packages_have_one_function():
    assert dg.compare is sg.compare


def test_gradients_are_by_the_arguments_that_are_named():
    f = lambda a, b: np.sum(a * b)
    for wrt, count in [(None, 2), (0, 1), (-1, 1), ("b", 1), (["a", 1], 2)]:
        row = sg.compare(f, np.ones(3), np.arange(3.0), wrt=wrt, **QUICK)["tape"]
        assert len(row.outcome.gradients) == count


def test_settings_are_given_as_they_are():
    def powers(x, n, mode="sum", scale=0.5):
        assert type(n) is int
        return scale * getattr(np, mode)(x**n)

    assert sg.compare(powers, np.ones(3), 2, "sum", **QUICK).is_exact


def test_a_number_that_is_named_is_differentiated_by():
    row = sg.compare(lambda x, a: np.sum(a * x), np.ones(3), 0.5, wrt="a", **QUICK)["tape"]
    assert row.outcome.gradients == [3.0]


def test_a_branch_on_data_says_why_there_is_no_graph():
    def branch(x):
        if x.sum() > 0:
            return x.sum() * 2
        return x.sum()

    found = sg.compare(branch, x, **QUICK)
    assert found["tape"].value_bits == "equal"
    for title in MODES[2:]:
        failure = found[title].failure
        assert failure.kind == "ValueUnknownError"
        assert failure.stage == "while the graph is built"
        assert re.match(r"test_compare.py:\d+, branch: if x.sum\(\) > 0:", failure.place)
    shown = str(found)
    assert "graph, optimize=0; graph, optimize=2" in shown
    assert shown.count("is known only when the graph runs") == 1


def test_names_are_for_graphs_alone():
    found = sg.compare(lambda x: sg.reduce_sum(x, name="total"), x, **QUICK)
    assert found["graph, optimize=0"].failure is None
    assert "name='total' names an expression" in found["NumPy"].failure.message


def test_what_only_graphs_have_says_why_there_is_no_tape():
    found = sg.compare(lambda x: sg.cond(x > 0, lambda: x * x, lambda: -x), np.float64(2), **QUICK)
    assert found["graph, optimize=0"].outcome.value == 4
    assert found["graph, optimize=0"].outcome.gradients == [4.0]


def test_captured_generators_and_writes_are_refused():
    rng = np.random.default_rng(0)

    def noisy(x):
        return np.sum(x) * rng.random()

    def writes(x):
        x += 1
        return np.sum(x)

    with pytest.raises(TransformError, match="gives other values in each call"):
        sg.compare(noisy, x, **QUICK)
    with pytest.raises(TransformError, match="writes to its argument x"):
        sg.compare(writes, x, **QUICK)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: sg.compare(lambda x: x * 2, x), TransformError, r"returns float64\[2, 3\]"),
        (lambda: sg.compare(lambda x: None, x), TransformError, "returns nothing"),
        (lambda: sg.compare(rosenbrock, np.arange(3)), OptionError, "is an array of floats"),
        (lambda: sg.compare(rosenbrock), OptionError, "is an array of floats"),
        (lambda: sg.compare(rosenbrock, x, wrt=1), OptionError, "none of the 1 arguments: x"),
        (lambda: sg.compare(rosenbrock, x, wrt="y"), OptionError, "none of the 1 arguments: x"),
        (lambda: sg.compare(rosenbrock, x, wrt=True), OptionError, "none of the 1 arguments"),
        (lambda: sg.compare(rosenbrock, x, wrt=[]), OptionError, "names no argument"),
        (lambda: sg.compare(x, x), OptionError, "takes a function first"),
        (
            lambda: sg.compare(lambda x, n: np.sum(x) * n[0], x, np.arange(2), wrt="n"),
            NotDifferentiableError,
            r"by n, which is int64\[2\]",
        ),
        (lambda: sg.compare(lambda x: np.sum(x @ np.ones(7)), x), ValueError, "size 7"),
    ],
)
def test_bad_input_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_a_value_that_is_not_finite_is_compared_too():
    found = sg.compare(lambda x: np.sum(np.log(x)), np.zeros(2), **QUICK)
    assert found["graph, optimize=0"].value_ulps == 0
    assert found.is_exact


def test_arguments_and_surroundings_are_as_they_were():
    weights, given = dg.tensor(np.ones(3), requires_grad=True), x.copy()
    before = given.tobytes()
    sg.compare(lambda t: (t @ weights).sum(), given, **QUICK)
    assert given.tobytes() == before
    assert weights.grad is None


@pytest.mark.parametrize("size", [1e-250, 1e250])
def test_the_norm_of_a_gradient_has_no_squares_out_of_range(size):
    row = sg.compare(lambda x: np.sum(x) * size, np.ones(4), **QUICK)["tape"]
    assert f"norm {2 * size:.6g}" in row.cells
