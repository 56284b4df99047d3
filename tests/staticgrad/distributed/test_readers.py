"""Data of Zarr, Parquet and xarray, read by Dask, where these are installed."""

import numpy as np
import pytest

import staticgrad as sg

pytestmark = pytest.mark.peers
da = pytest.importorskip("dask.array")

rng = np.random.default_rng(8)
X, Y = rng.normal(size=(90, 3)), rng.normal(size=90)
ROWS = 20


def loss(w, x, y):
    return np.mean((x @ w - y) ** 2)


def zarr_columns(folder):
    """Two arrays in stores of Zarr."""
    pytest.importorskip("zarr")
    for name, a in (("x", X), ("y", Y)):
        da.from_array(a, chunks=(ROWS, *a.shape[1:])).to_zarr(str(folder / name))
    return da.from_zarr(str(folder / "x")), da.from_zarr(str(folder / "y"))


def parquet_columns(folder):
    """Columns of a table in files of Parquet, of which Dask does not know the sizes."""
    pytest.importorskip("pyarrow")
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y})
    dd.from_pandas(table, npartitions=4).to_parquet(str(folder))
    read = dd.read_parquet(str(folder))
    return read[["a", "b", "c"]], read["y"]


def xarray_columns(folder):
    """Labelled arrays with arrays of Dask inside."""
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(X, dims=("row", "feature")).chunk({"row": ROWS})
    return x, xarray.DataArray(Y, dims="row").chunk({"row": ROWS})


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own, with pandas 3.1
@pytest.mark.parametrize("columns", [zarr_columns, parquet_columns, xarray_columns])
def test_what_dask_reads_gives_the_value_and_the_gradient_of_all_rows(columns, tmp_path):
    f = sg.distributed.value_and_grad(loss, np.zeros(3), columns(tmp_path), engine=2)
    value, gradient = f(np.ones(3))
    errors = X @ np.ones(3) - Y
    np.testing.assert_allclose(value, np.mean(errors**2), rtol=1e-12)  # another order of sums
    np.testing.assert_allclose(gradient, 2 * X.T @ errors / len(Y), rtol=1e-12)


def test_an_array_of_xarray_stays_one_where_the_shape_stays(tmp_path):
    x, _ = xarray_columns(tmp_path)
    rows = sg.placeholder("float64", [None, 3], name="x")
    found = sg.map_blocks(sg.compile([sg.tanh(rows)], [rows]), x)
    assert found.dims == ("row", "feature")
    np.testing.assert_allclose(found.compute(scheduler="sync"), np.tanh(X), rtol=1e-14)
    sums = sg.map_blocks(sg.compile([sg.reduce_sum(rows, axis=1)], [rows]), x)
    np.testing.assert_allclose(sums.compute(scheduler="sync"), X.sum(axis=1), rtol=1e-14)
