"""Ops of a float beside a small integer compute in the dtype of their result."""

import numpy as np
import pytest

from gradops import OPS


@pytest.mark.parametrize("integer", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("name", ["xlogy", "xlog1py", "logaddexp", "arctan2", "hypot", "power"])
def test_a_small_integer_costs_no_precision(name, integer):
    op = OPS.get(name) or OPS["atan2"]
    x, n = np.float32([0.5, 1, 2.25]), np.array([3, 6, 100], integer)
    wide = op(x.astype(np.float64), n.astype(np.float64))
    np.testing.assert_allclose(op(x, n), wide, 1e-6)  # a few roundings of float32
