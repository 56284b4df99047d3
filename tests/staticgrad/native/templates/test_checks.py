"""Checks and prints under each backend: none is dropped."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import CheckError, OptionError

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

GOOD, BAD = [1.0, 2.0, 3.0], [1.0, -2.0, 3.0]


def positive(x):
    """`x`, of which no entry may be negative."""
    with sg.control_dependencies([sg.Assert(x > 0, [x], "not positive")]):
        return sg.identity(x)


PLACES = {
    "alone": positive,
    "among others": lambda x: sg.exp(positive(x)) * 2,
    "two": lambda x: positive(x) + positive(x * x - 0.5),
    "numerics": lambda x: sg.check_numerics(sg.log(x), "not finite") * 2,
    "scan": lambda x: sg.scan(lambda h, r: positive(r) + h, x, sg.zeros([], x.dtype)),
    "fori": lambda x: sg.fori(0, 3, lambda i, s: positive(s) + 1, x),
    "while": lambda x: sg.while_loop(lambda s: s[0] < 9, lambda s: positive(s) * 2, [x])[0],
    "branch": lambda x: sg.cond(sg.reduce_sum(x) < 9, lambda: positive(x), lambda: x),
    "rows": lambda x: sg.scan(
        lambda h, r: positive(sg.tanh(h + r) + 1) + 0 * positive(x)[:, None],
        sg.zeros([40, 3, 5000], x.dtype), sg.zeros([3, 5000], x.dtype),
    ),
}  # fmt: skip


@pytest.mark.parametrize("backend", ["native", "auto", "numpy", "interpreter"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("place", PLACES)
def test_a_check_fails_in_code_as_elsewhere(place, dtype, backend):
    x = sg.placeholder(dtype, [3], name="x")
    graph = sg.freeze([PLACES[place](x)], [x])
    try:
        run = sg.compile(graph, backend=backend)
    except OptionError:
        assert (dtype, backend) == ("float16", "native")  # which machine code may not compute
        return
    (want,) = sg.interpret(graph, [np.array(GOOD, dtype)])
    np.testing.assert_allclose(run(GOOD)[0], want, rtol=1e-6)
    for _ in range(2):
        with pytest.raises(CheckError, match="not"), np.errstate(all="ignore"):
            run(BAD)
    np.testing.assert_allclose(run(GOOD)[0], want, rtol=1e-6)


@pytest.mark.parametrize("backend", ["native", "auto", "numpy", "interpreter"])
def test_a_variable_keeps_its_value_where_a_check_fails(backend):
    x = sg.placeholder("float64", [3], name="x")
    v, w = sg.Variable(0.0, name="v"), sg.Variable(np.zeros(3), name="w")
    with sg.control_dependencies([v.assign(1.0), sg.Assert(x > 0, [x])]):
        step = w.assign(x)
    with sg.Session(backend=backend) as session:
        session.run(step, {x: np.array(GOOD)})
        assert session.run(v) == 1
        session.run(v.assign(2.0))
        with pytest.raises(CheckError):
            session.run(step, {x: np.array(BAD)})
        assert session.run(v) == 2
        assert session.run(w).tolist() == GOOD


def test_prints_are_shown_once_or_refused(capsys):
    x = sg.placeholder("float64", [3], name="x")
    y = sg.Print(x, [x], "x is") * 2
    sg.compile(y, [x], backend="auto")(GOOD)
    assert capsys.readouterr().err == "x is [1. 2. 3.]\n"
    with pytest.raises(OptionError, match="say has no machine code"):
        sg.compile(y, [x], backend="native")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_unchecked_singular_system_is_what_it_is_to_numpy(dtype):
    """The gradient of a masked solution: zero where nothing reads it, NaN elsewhere."""
    a = sg.placeholder(dtype, [2, 2], name="a")
    b, mask = sg.placeholder(dtype, [2, 1], name="b"), sg.placeholder("bool", [2, 1], name="mask")
    x = sg.matrix_triangular_solve(a, b)
    (g,) = sg.gradients(sg.reduce_sum(sg.where(mask, x, 0.0)), [b])
    native, numpy = (sg.compile(g, [a, b, mask], backend=k) for k in ("native", "numpy"))
    for pivot in (0.0, 2.0):
        for seen in ([[False], [False]], [[True], [False]], [[True], [True]]):
            feeds = np.array([[pivot, 0], [1, 1]], dtype), np.ones((2, 1), dtype), np.array(seen)
            np.testing.assert_array_equal(native(*feeds), numpy(*feeds))
