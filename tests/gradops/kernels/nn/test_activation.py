"""The positive part, whatever the layout: that of NumPy's maximum to the bit."""

import numpy as np
import pytest

from gradops.kernels.nn.activation import MANY, positive_part

LAYOUTS = {
    "C order": lambda x: x,
    "channels last": lambda x: x.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2),
    "reversed": lambda x: x[:, ::-1],
    "every other": lambda x: np.repeat(x, 2, axis=3)[..., ::2],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_positive_part_in_every_layout(layout, dtype):
    x = np.random.default_rng(0).normal(0, 9, (3, 5, 41, 50)).astype(dtype)
    x[0, 0, 0, :2] = -0.0, np.inf if x.dtype.kind == "f" else 1
    x[0, 1, 0, 0] = np.nan if x.dtype.kind == "f" else 2
    x = layout(x)
    want = np.maximum(x, 0)
    assert x.size >= MANY
    for out in (None, np.empty(x.shape, dtype), np.empty_like(x)):
        got = positive_part(x, out)
        assert out is None or got is out
        assert np.array_equal(got, want, equal_nan=x.dtype.kind == "f")
        assert np.array_equal(np.signbit(got), np.signbit(want))
    assert positive_part(x).strides == want.strides
    inplace = np.array(x)
    assert np.array_equal(positive_part(inplace, inplace), want, equal_nan=x.dtype.kind == "f")
