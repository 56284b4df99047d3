"""Loops over arrays of any sizes: those that fill vectors, and those that leave some over."""

import numpy as np
import pytest

import staticgrad as sg

from .thresholds import LOW, low_thresholds

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

SIZES = (1, 2, 7, 8, 9, 16, 17, 31, 33, 50, 65)
OTHERS = {
    "rows of one": lambda n: (n, 1), "columns of one": lambda n: (1, n), "pairs": lambda n: (n, 2),
    "columns": lambda n: (3, n), "in between": lambda n: (2, n, 1), "rows": lambda n: (n, 5, 1),
}  # fmt: skip


@pytest.mark.parametrize("low", [(), ("threads share all loops",), tuple(LOW)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", OTHERS.values(), ids=OTHERS)
def test_reductions_along_any_axes_of_arrays_of_any_size(shape, dtype, low):
    rng = np.random.default_rng(0)
    for n in SIZES:
        x = sg.placeholder(dtype, shape(n), name="x")
        axes = [None, *range(len(x.shape)), tuple(range(len(x.shape) - 1))]
        fetches = [
            f(x, axis) for axis in axes for f in (sg.reduce_max, sg.reduce_min, *sums(dtype))
        ]
        value = (rng.normal(size=shape(n)) * 9).astype(dtype)
        with low_thresholds(low):
            native = sg.compile(fetches, [x], backend="native")
            got = native(value)
        for y, want in zip(got, sg.compile(fetches, [x])(value), strict=True):
            np.testing.assert_allclose(y, want, 1e-4 if dtype == "float32" else 1e-12, 1e-5)


@pytest.mark.parametrize("low", [(), tuple(LOW)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_reductions_of_what_is_read_backwards(dtype, low):
    rng = np.random.default_rng(0)
    for n in SIZES:
        for shape in ((n,), (3, n), (n, 16)):
            x = sg.placeholder(dtype, shape, name="x")
            y = sg.flip(x, axis=0)
            ways = sg.reduce_sum, sg.reduce_max, sg.count_nonzero
            fetches = [f(v) for v in (y, x[..., ::-1], y * x) for f in ways]
            value = (rng.normal(size=shape) * 3).astype(dtype)
            with low_thresholds(low):
                got = sg.compile(fetches, [x], backend="native")(value)
            for a, b in zip(got, sg.compile(fetches, [x])(value), strict=True):
                np.testing.assert_allclose(a, b, 1e-5, 1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "bool"])
def test_entries_below_one_are_counted_too(dtype):
    x = sg.placeholder(dtype, [4, 33])
    value = (np.random.default_rng(0).uniform(-0.9, 0.9, (4, 33)) > 0.5) * 0.25
    value = value.astype(dtype) if dtype != "bool" else value > 0
    fetches = [sg.count_nonzero(x), sg.count_nonzero(x, axis=0), sg.count_nonzero(x, axis=1)]
    got = sg.compile(fetches, [x], backend="native")(value)
    for a, axis in zip(got, (None, 0, 1), strict=True):
        np.testing.assert_array_equal(a, np.count_nonzero(value, axis=axis))


def sums(dtype):
    """The reductions that add, of numbers."""
    return () if dtype == "bool" else (sg.reduce_sum, lambda x, axis: sg.reduce_sum(x * x, axis))


@pytest.mark.parametrize("shapes", [((3, 0), (0, 4)), ((0,), (0, 4)), ((3, 0), (0,)), ((0,), (0,))])
@pytest.mark.parametrize("low", [(), tuple(LOW)], ids=str)
def test_products_of_nothing_are_zero(shapes, low):
    a, b = (sg.placeholder("float64", shape) for shape in shapes)
    with low_thresholds(low):
        got = sg.compile(a @ b, [a, b], backend="native")(*(np.ones(s) for s in shapes))
    np.testing.assert_array_equal(got, np.ones(shapes[0]) @ np.ones(shapes[1]))
