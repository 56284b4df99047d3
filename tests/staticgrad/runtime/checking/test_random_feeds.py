"""Feeds of verification: those that a graph accepts are found."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, OptionError
from staticgrad.runtime.checking.random_feeds import feeds_accepted_by, finite_share

DOMAINS = {
    "cholesky": lambda a, x: sg.cholesky(a),
    "log of the determinant": lambda a, x: sg.reduce_sum(sg.log(sg.diag_part(sg.cholesky(a)))),
    "positive": lambda a, x: sg.log(x) + sg.sqrt(x),
    "of the first op": lambda a, x: sg.acosh(x),
    "mixed": lambda a, x: sg.cholesky(a) * sg.acosh(x[0]),
    "unit": lambda a, x: sg.asin(x * 1.0) + sg.atanh(x),
    "triangular": lambda a, x: sg.matrix_triangular_solve(a, a),
    "any": lambda a, x: sg.exp(x),
}


@pytest.mark.parametrize("f", DOMAINS.values(), ids=DOMAINS)
def test_results_are_finite(f):
    a, x = sg.placeholder("float64", [4, 4], name="a"), sg.placeholder("float64", ["n"], name="x")
    graph = sg.freeze([f(a, x)], [a, x])
    feeds, _ = feeds_accepted_by(graph)
    assert finite_share(sg.interpret(graph, feeds)) == 1.0


def test_indices_are_in_range():
    x = sg.placeholder("float64", [2, 3], name="x")
    i = sg.placeholder("int64", [5], name="i")
    feeds, _ = feeds_accepted_by(sg.freeze([sg.gather(x, i)], [x, i]))
    assert set(feeds[1]) <= {0, 1}


def test_a_pass_is_found_out_where_normal_feeds_raise():
    a = sg.placeholder("float64", [3, 3], name="a")
    report = sg.compile(sg.cholesky(a), [a], verify=True).verification
    assert [r.finite for r in report.results] == [1.0]


@pytest.mark.parametrize("verify", ["yes", 1, None, {}, np.ones(3)])
def test_other_values_of_verify_are_refused(verify):
    x = sg.placeholder("float64", [3], name="x")
    with pytest.raises(OptionError, match="verify is True, False, or a list of the values"):
        sg.compile(sg.exp(x), [x], verify=verify)


def test_feeds_for_other_inputs_are_refused():
    x = sg.placeholder("float64", [3], name="x")
    with pytest.raises(FeedError, match="2 values were given for 1 input"):
        sg.compile(sg.exp(x), [x], passes=[], verify=[np.ones(3), np.ones(3)])
