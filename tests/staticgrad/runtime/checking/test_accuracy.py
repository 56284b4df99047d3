"""`verify` says how exact generated code is."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.runtime.backends.choice import is_installed
from staticgrad.runtime.checking.accuracy import true_results, ulps

BACKENDS = [
    "numpy", "interpreter",
    pytest.param("native", marks=pytest.mark.skipif(
        not is_installed(), reason="the extra `native` is not installed"
    )),
]  # fmt: skip


def model(dtype):
    """A loop, a product and a sum, with their gradient."""
    x = sg.placeholder(dtype, [20, 30], name="x")
    w = sg.placeholder(dtype, [30, 5], name="w")
    states = sg.scan(lambda h, row: sg.tanh(h + row), x @ w, sg.zeros([5], dtype))
    loss = sg.reduce_sum(sg.nn.softmax(states + sg.constant(np.ones(5, dtype))))
    return [states, loss, *sg.gradients(loss, [w])], [x, w]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_result_has_its_errors(backend, dtype):
    report = sg.compile(*model(dtype), backend=backend, verify=True).verification
    assert len(report.results) == 3
    for result in report.results:
        assert 0 <= result.part <= 1
        assert result.ulps >= 0
        assert (result.true_ulps is None) == (dtype == "float64")
        assert f"{result.ulps:.3g} ULP from NumPy" in str(report)
    if backend != "native":
        assert all(r.ulps == 0 and r.true_ulps == r.true_ulps_of_numpy for r in report.results)


def test_feeds_that_are_given_are_measured():
    x = sg.placeholder("float32", [3], name="x")
    feeds = [np.array([1.0, 2.0, 3.0], "f4")]
    report = sg.compile(sg.exp(x), [x], verify=feeds).verification
    single, double = np.exp(feeds[0]), np.exp(feeds[0].astype("f8"))
    want = np.max(np.abs(single - double) / np.spacing(single))
    assert report.results[0].true_ulps_of_numpy == pytest.approx(want)


def test_without_verify_there_is_no_report():
    x = sg.placeholder("float32", [3], name="x")
    assert sg.compile(sg.exp(x), [x]).verification is None


def test_exact_levels_are_equal_to_the_bit():
    x = sg.placeholder("float32", [3], name="x")
    report = sg.compile(sg.exp(x), [x], 0, verify=True).verification
    assert (report.bound, report.results[0].ulps) == (0.0, 0.0)
    assert str(report).startswith("equal to the bit")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_graph_that_raises_for_all_random_feeds_is_said_to_be_unverified(backend):
    x = sg.placeholder("float64", [3], name="x")
    with sg.control_dependencies([sg.Assert(sg.reduce_all(x > 100.0), ["below 100"])]):
        y = sg.identity(x)
    with pytest.warns(sg.UnverifiedWarning, match="verify compared nothing: .*below 100"):
        f = sg.compile(y, [x], backend=backend, verify=True)
    assert str(f.verification) == "nothing was compared: the graph raises for all random feeds"


def test_results_that_are_not_finite_are_counted():
    x = sg.placeholder("float32", [3], name="x")
    y = sg.sqrt(x - 1.0) * sg.constant([1.0, np.nan, np.inf])
    report = sg.compile([y, y * np.nan], [x], verify=True).verification
    assert "33% of the entries are finite" in str(report)
    assert "no entry is finite" in str(report)


def test_graphs_in_double_precision_have_true_results():
    (states, *_), inputs = model("float32")
    graph = sg.freeze([states], inputs)
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(20, 30)).astype("f4"), rng.normal(size=(30, 5)).astype("f4")
    (true,) = true_results(graph, [x, w])
    assert true.dtype == np.float64
    h = np.zeros(5)
    for row, state in zip(x.astype("f8") @ w.astype("f8"), true, strict=True):
        h = np.tanh(h + row)
        np.testing.assert_allclose(state, h, 1e-13)


def test_units_in_the_last_place():
    one = np.array([1.0, np.inf, np.nan])
    assert ulps(one, one) == 0
    assert ulps(np.nextafter(one, 2), one) == 1
    assert ulps(np.array([1.0 + 3j]), np.array([1.0 + 3j + 4j * np.spacing(3.0)])) == 4
    assert ulps(np.array([1, 2]), np.array([1, 3])) == 1
