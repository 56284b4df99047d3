"""Ops along an axis in machine code: NaN, infinities and ties, as NumPy has them."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OPS

pytest.importorskip("llvmlite")
X = np.array([
    [1.0, 3.0, 3.0, np.nan, 2.0], [5.0, 5.0, -np.inf, 0.0, 5.0], [np.nan, 1.0, np.nan, 2.0, 3.0],
    [-np.inf] * 5, [0.0, -0.0, np.inf, np.inf, -1.0],
])  # fmt: skip
AXES = [{"axis": 0}, {"axis": 1}, {"axis": None}, {"axis": None, "keepdims": True}]


def require_equal(name, attrs, x):
    """Assert that machine code gives what NumPy's kernel gives."""
    p = sg.placeholder(x.dtype, x.shape)
    got = sg.compile(OPS[name](p, **attrs), [p], backend="native")(x)
    want = OPS[name](x, **attrs)
    assert (np.asarray(got).dtype, np.shape(got)) == (want.dtype, want.shape)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("attrs", AXES, ids=str)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_of_extremes_the_first_counts_and_nan_is_one(name, attrs, dtype):
    require_equal(name, attrs, X.astype(dtype))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of infinities that are added
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_running_totals_go_on_after_nan_and_infinities(name, axis):
    require_equal(name, {"axis": axis}, X)
    require_equal(name, {"axis": axis}, np.arange(-6, 6, dtype=np.int8).reshape(3, 4))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["any", "all", "count_nonzero", "prod"])
def test_other_reductions_take_all_dtypes(name, keepdims):
    for x in (X > 1, (X > 0).astype(np.uint8), np.arange(-6, 6).reshape(3, 4)):
        for axis in (0, 1, None):
            require_equal(name, {"axis": axis, "keepdims": keepdims}, x)
