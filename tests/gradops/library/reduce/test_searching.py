"""Searching as NumPy does it, in arrays and in graphs."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
import staticgrad as sg

RNG = np.random.default_rng(0)
X = RNG.integers(-2, 3, (3, 4))
BINS = np.array([-1.0, 0.0, 0.0, 1.5])


def in_a_graph(f, *xs):
    """What `f` gives in a graph in which no size is known."""
    with sg.Graph().as_default():
        feeds = [sg.placeholder(x.dtype, [None] * x.ndim) for x in map(np.asarray, xs)]
        found = f(*feeds)
        found = [*found] if isinstance(found, tuple) else [found]
        return sg.compile(found, feeds)(*xs)


@pytest.mark.parametrize("side", ["left", "right"])
def test_entries_are_searched_as_numpy_searches_them(side):
    for x in (X, X * 0.5, 0.0, [0.5, 2.0]):
        want = np.searchsorted(BINS, x, side)
        assert_array_equal(G.searchsorted(BINS, x, side), want)
    assert_array_equal(G.searchsorted(BINS[::-1], X, side, sorter=[3, 1, 2, 0]),
                       np.searchsorted(BINS, X, side))  # fmt: skip
    assert_array_equal(
        in_a_graph(lambda b, x: G.searchsorted(b, x, side), BINS, X)[0],
        np.searchsorted(BINS, X, side),
    )


def test_rows_are_searched_in_rows():
    rows = np.sort(RNG.normal(size=(2, 3, 5)))
    values = RNG.normal(size=(2, 3, 4))
    want = [[np.searchsorted(r, v) for r, v in zip(*rv)] for rv in zip(rows, values)]
    assert_array_equal(G.searchsorted(rows, values), want)
    assert G.searchsorted(rows[..., :0], values).sum() == 0


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [BINS, BINS[::-1], np.zeros(2), np.zeros(0)], ids=repr)
def test_bins_ascend_or_descend(right, bins):
    x = RNG.choice([-2.0, -1.0, -0.5, 0.0, 1.5, 3.0], (3, 4))
    assert_array_equal(G.digitize(x, bins, right), np.digitize(x, bins, right))
    got = in_a_graph(lambda x, b: G.digitize(x, b, right), x, bins) if bins.size else None
    if got:
        assert_array_equal(got[0], np.digitize(x, bins, right))
    if bins is BINS:
        assert_array_equal(G.bucketize(x, bins, right), np.digitize(x, bins, not right))


@pytest.mark.parametrize("x", [X, X[0], X > 0, X[:, :0], np.zeros((2, 0, 3)), X * 0.5], ids=repr)
def test_what_is_not_zero_is_found(x):
    for find in ("nonzero", "argwhere", "flatnonzero", "count_nonzero"):
        want = getattr(np, find)(x)
        got, again = getattr(G, find)(x), in_a_graph(getattr(G, find), x)
        assert_array_equal(np.stack(got) if isinstance(got, tuple) else got, want)
        assert_array_equal(np.squeeze(again) if find != "argwhere" else again[0],
                           np.squeeze(want) if find != "argwhere" else want)  # fmt: skip
    assert_array_equal(G.count_nonzero(x, 0), np.count_nonzero(x, 0))


def test_examples_that_would_give_different_numbers_are_refused():
    for find in (G.nonzero, G.flatnonzero, G.argwhere, G.unique):
        with pytest.raises(G.MissingRuleError):
            G.vmap(find)(X)


@pytest.mark.parametrize("invert", [False, True])
def test_membership_is_that_of_numpy(invert):
    for x, test in ((X, [1, 2]), (X, X[:, :2]), (1, [1]), (X * 0.5, [0.5]), (X, [])):
        want = np.isin(x, test, invert=invert)
        assert_array_equal(G.isin(x, test, invert), want)
    got = G.vmap(lambda x, t: G.isin(x, t, invert))(X, X[:, :1])
    assert_array_equal(got, [np.isin(x, t, invert=invert) for x, t in zip(X, X[:, :1])])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: G.nonzero(1.0), G.ShapeError, "no places"),
        (lambda: G.searchsorted(BINS, X, "up"), G.OptionError, "not 'up'"),
        (lambda: G.digitize(X, X), G.ShapeError, "2 axes"),
        (lambda: G.digitize(X, [0, 2, 1]), G.OptionError, "neither ascend nor descend"),
    ],
)
def test_what_does_not_fit_is_an_error(call, error, says):
    with pytest.raises(error, match=says):
        call()
