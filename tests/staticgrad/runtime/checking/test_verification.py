"""Verification accepts other rounding, and nothing else."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.core.errors import PassError
from gradops.core.types import is_float
from gradops.testing.cases import cases
from staticgrad.runtime.checking.verification import Code, require_results

BOUND = 1024.0


def can_change(case):
    """True of a case by floats whose result has an entry that 5/4 of itself is not."""
    if not case.operands or not all(is_float(x.dtype) for x in case.operands):
        return False
    y = np.asarray(case(*case.operands))
    return is_float(y.dtype) and bool(np.any(np.isfinite(y) & (y != 0)))


SAMPLES = [
    pytest.param(case, id=f"{op.name}-{i}")
    for op in gradops.OPS.values()
    for i, case in enumerate(cases(op)[:2])
    if can_change(case)
]


def require(graph, feeds, results):
    """Verify results as those of generated code."""
    require_results(Code(BOUND), graph, lambda _: results, feeds)


@pytest.mark.parametrize("case", SAMPLES)
def test_a_changed_entry_is_found_whatever_the_op_is(case):
    inputs = [sg.placeholder(x.dtype, x.shape) for x in case.operands]
    graph = sg.freeze([case(*inputs)], inputs)
    (y,) = map(np.asarray, sg.interpret(graph, case.operands))
    require(graph, case.operands, [y])
    changed = y.copy()
    changed.flat[np.argmax(np.where(np.isfinite(y), np.abs(y), -1))] *= 1.25
    with pytest.raises(PassError, match="changes the value of"):
        require(graph, case.operands, [changed])


def test_rows_that_cancel_may_leave_what_was_rounded():
    x = sg.placeholder("float64", [2, 3], name="x")
    y = sg.exp(x)
    graph = sg.freeze([y[0] - y[1]], [x])
    feeds = [np.full((2, 3), 4.0)]
    require(graph, feeds, [np.full(3, np.spacing(np.exp(4.0)))])
    with pytest.raises(PassError):
        require(graph, feeds, [np.full(3, 1e-9)])


def test_the_sum_of_terms_that_overflow_may_be_nan():
    a, b = (sg.placeholder("float32", [2], name=name) for name in "ab")
    graph = sg.freeze([sg.tensordot(a, b, 1), a + b], [a, b])
    large = np.float32(1e30)
    feeds = [np.array([large, large]), np.array([large, large])]
    total = feeds[0] + feeds[1]
    require(graph, feeds, [np.float32(np.nan), total])
    with pytest.raises(PassError):
        require(graph, feeds, [np.float32(np.inf), np.full(2, np.nan, "f4")])


def test_an_infinite_sum_may_be_nan_only_if_finite_terms_overflow():
    a, b = (sg.placeholder("float32", [3], name=name) for name in "ab")
    graph = sg.freeze([sg.tensordot(a, b, 1)], [a, b])
    feeds = [np.array([-np.inf, 1e30, 1.0], "f4"), np.array([1.0, 1e30, 1.0], "f4")]
    with np.errstate(all="ignore"):
        for found in (np.float32(np.nan), np.float32(-np.inf)):  # with one rounding or with two
            require(graph, feeds, [found])
    with pytest.raises(PassError):
        require(graph, [np.minimum(feeds[0], 1), feeds[1]], [np.float32(np.nan)])


def test_infinities_that_are_fed_stay():
    x = sg.placeholder("float64", [3], name="x")
    graph = sg.freeze([sg.reduce_sum(x)], [x])
    with pytest.raises(PassError):
        require(graph, [np.array([1.0, np.inf, 2.0])], [np.float64(np.nan)])


def test_which_powers_are_of_whole_numbers_may_depend_on_rounding():
    x, base = sg.placeholder("float32", [40], name="x"), sg.constant(-0.5, "float32")
    graph = sg.freeze([base ** sg.cumsum(x)], [x])
    feeds = [np.full(40, 0.1, "f4")]
    (y,) = map(np.asarray, sg.interpret(graph, feeds))
    require(graph, feeds, [np.where(np.isnan(y), np.float32(0.25), y)])


def test_a_step_of_what_tanh_nears_may_be_either():
    """tanh(19) is 1 to NumPy, and the number below to others, which is nearer."""
    x = sg.placeholder("float64", [2], name="x")
    graph = sg.freeze([sg.cast(sg.tanh(x), "int64")], [x])
    feeds = [np.array([19.0, -19.0])]
    require(graph, feeds, [np.zeros(2, "int64")])
    with pytest.raises(PassError):
        require(graph, feeds, [np.full(2, 5000)])
    of_sign = sg.freeze([sg.cast(sg.sign(x), "int64")], [x])
    with pytest.raises(PassError):
        require(of_sign, feeds, [np.zeros(2, "int64")])


def test_checks_that_fail_for_other_rounding_show_nothing():
    x = sg.placeholder("float64", [3], name="x")
    y = x * 3.0
    with sg.control_dependencies([sg.Assert(y <= 3.0, [y])]):
        z = sg.exp(y)
    sg.compile(z, [x], verify=[np.array([0.5, 1.0, 0.25])])
    a = sg.placeholder("float64", [2, 2], name="a")
    sg.compile(sg.cholesky(a), [a], verify=[np.array([[1.0, 1.0], [1.0, 1.0 + 4e-16]])])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_subnormal_results_may_differ_in_their_last_bits(dtype):
    least = np.finfo(dtype).smallest_subnormal
    x = sg.placeholder(dtype, [2], name="x")
    graph = sg.freeze([x[0] * x[1]], [x])
    feeds = [np.array([least, 0.75], dtype)]  # rounds up, as each further product would
    require(graph, feeds, [np.dtype(dtype).type(0)])
    with pytest.raises(PassError):
        require(graph, feeds, [least * np.dtype(dtype).type(2000)])


def test_subnormal_feeds_are_exact():
    x = sg.placeholder("float64", [2], name="x")
    graph = sg.freeze([x[::-1]], [x])
    feeds = [np.array([5e-324, 1e-323])]
    with pytest.raises(PassError):
        require(graph, feeds, [np.zeros(2)])


def test_a_sum_that_is_zero_may_have_another_sign():
    """The gradient of columns is joined from theirs: -0.0, where the sum of scattered ones is 0."""
    x, z = (sg.placeholder("float64", shape, name=n) for n, shape in (("x", [2, 2]), ("z", [2])))
    (g,) = sg.gradients(sg.reduce_sum(x[:, 0] * z + sg.sin(x[:, 1]) * z), x)
    sg.compile(1 / g, [x, z], verify=[np.ones((2, 2)), np.array([-0.0, 1.0])])
    graph = sg.freeze([1 / x], [x])
    with pytest.raises(PassError):
        require(graph, [np.zeros((2, 2))], [np.full((2, 2), -np.inf)])
