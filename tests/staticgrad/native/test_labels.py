"""Machine code of classification losses refuses labels out of range, as NumPy does."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OPS

pytest.importorskip("llvmlite")


@pytest.mark.parametrize("name", ["sparse_cross_entropy", "nll_loss", "class_error"])
def test_labels_out_of_range_raise_the_error_of_numpy(name):
    logits, labels = sg.placeholder("float64", [2, 3]), sg.placeholder("int64", [2])
    loss = OPS[name](logits, labels)
    native, tier = (sg.compile(loss, [logits, labels], backend=b) for b in ("native", "numpy"))
    x = np.array([[0.5, 1.0, -2.0], [0.0, 0.25, 3.0]])
    np.testing.assert_allclose(native(x, np.array([0, 2])), tier(x, np.array([0, 2])), 1e-14)
    with pytest.raises(IndexError) as expected:
        tier(x, np.array([0, 3]))
    with pytest.raises(IndexError) as found:
        native(x, np.array([0, 3]))
    assert str(found.value) == str(expected.value)
