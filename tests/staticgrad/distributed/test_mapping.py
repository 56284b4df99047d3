"""Executables on the blocks of Dask arrays."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError, ShapeError

da = pytest.importorskip("dask.array")

rng = np.random.default_rng(5)
X = rng.normal(size=(50, 3))


def predictor(f, *shape, dtype="float64"):
    x = sg.placeholder(dtype, [None, *shape], name="x")
    return sg.compile([f(x)], [x])


CASES = {
    "rows to rows": lambda x: sg.tanh(x) * 2,
    "rows to numbers": lambda x: sg.reduce_sum(x, axis=1),
    "rows to longer rows": lambda x: x @ sg.constant(np.ones((3, 5))),
    "rows to matrices": lambda x: x[:, :, None] * x[:, None, :],
    "rows to places": lambda x: sg.argmax(x, axis=1),
}


@pytest.mark.parametrize("f", CASES.values(), ids=CASES)
@pytest.mark.parametrize("chunks", [7, 50, 1])
def test_results_are_those_of_all_rows(f, chunks):
    run = predictor(f, 3)
    found = sg.map_blocks(run, da.from_array(X, chunks=(chunks, 3)))
    (wanted,) = run(X)
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.compute(scheduler="sync"), wanted, rtol=1e-14)


@pytest.mark.parametrize(
    "f",
    [lambda x: x - sg.reduce_mean(x, axis=0), lambda x: sg.cumsum(x, axis=0),
     lambda x: sg.reverse(x, axis=[0]), lambda x: x / sg.reduce_max(x)],
    ids=["centred", "cumulative", "reversed", "scaled"],
)  # fmt: skip
def test_a_result_that_mixes_rows_is_an_error(f):
    found = sg.map_blocks(predictor(f, 3), da.from_array(X, chunks=(10, 3)))
    with pytest.raises(OptionError, match="depends on the other rows"):
        found.compute(scheduler="sync")


def test_blocks_of_unknown_sizes_and_frozen_graphs_will_do():
    x = sg.placeholder("float64", [None, 3], name="x")
    graph = sg.freeze([sg.exp(x)], [x])
    kept = da.from_array(X, chunks=(10, 3))
    found = sg.map_blocks(graph, kept[kept[:, 0] > 0]).compute(scheduler="sync")
    np.testing.assert_allclose(found, np.exp(X[X[:, 0] > 0]), rtol=1e-14)


class Labelled:
    """What an array of xarray has that matters here."""

    dims = ("row", "column")

    def __init__(self, data):
        self.data = data

    def __dask_graph__(self):
        return self.data.__dask_graph__()

    def copy(self, data):
        return Labelled(data)


def test_labelled_arrays_stay_labelled_where_the_shape_stays():
    array = Labelled(da.from_array(X, chunks=(10, 3)))
    same = sg.map_blocks(predictor(sg.tanh, 3), array)
    assert isinstance(same, Labelled)
    np.testing.assert_allclose(same.data.compute(scheduler="sync"), np.tanh(X), rtol=1e-14)
    sums = sg.map_blocks(predictor(CASES["rows to numbers"], 3), array)
    assert sums.shape == (50,)
    f = sg.distributed.value_and_grad(lambda w, x: np.sum(x @ w), np.zeros(3), array, engine=1)
    np.testing.assert_allclose(f(np.ones(3))[0], X.sum())


@pytest.mark.parametrize(
    ("run", "array", "words"),
    [
        (lambda: predictor(sg.reduce_sum, 3), da.ones((4, 3)), "as many rows"),
        (lambda: predictor(sg.tanh, 3), da.ones((4, 3), chunks=2), "rechunk"),
        (lambda: predictor(sg.tanh, 3), da.ones(4), "2 axes"),
        (lambda: predictor(sg.tanh, 3), np.ones((4, 3)), "not a Dask array"),
    ],
)
def test_what_does_not_fit_is_an_error(run, array, words):
    with pytest.raises((ShapeError, OptionError), match=words):
        sg.map_blocks(run(), array)


def test_a_graph_with_parameters_is_an_error_with_a_way_out():
    x, w = sg.placeholder("float64", [None], name="x"), sg.placeholder("float64", [], name="w")
    with pytest.raises(OptionError, match="values="):
        sg.map_blocks(sg.compile([x * w], [x, w]), da.ones(4))
