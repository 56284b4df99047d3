"""Casts of floats to integers in machine code: what does not fit is as NumPy has it."""

import numpy as np
import pytest

import staticgrad as sg

pytest.importorskip("llvmlite")
FITTING = [0.0, -0.0, 0.5, -0.5, 1.9, 100.7, 126.9, 127.0]
WILD = [1e10, -1e10, 300.0, -1.0, np.nan, np.inf, 2.0**31, -(2.0**31), 2.0**63, 1e30]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of casts that do not fit
@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_casts_to_integers_are_numpys(dtype, kind):
    for values in (FITTING, WILD):
        x = sg.placeholder(dtype, [len(values)])
        cast = sg.cast(x, np.dtype(kind))
        native, tier = (sg.compile(cast, [x], backend=b) for b in ("native", "numpy"))
        feed = np.array(values, dtype)
        np.testing.assert_array_equal(native(feed), tier(feed))
