"""Losses of TensorFlow 1 that take their arguments by name alone, as there."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError

BY_NAME = [
    "sigmoid_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits",
]


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("kind", [np.zeros, sg.zeros])
def test_a_loss_whose_order_of_arguments_tells_nothing_takes_them_by_name(name, kind):
    loss, logits = getattr(sg.nn, name), kind((2, 3))
    labels = np.zeros(2, int) if "sparse" in name else logits
    assert loss(labels=labels, logits=logits).shape == loss(logits=logits, labels=labels).shape
    for args, rest in (((logits, labels), {}), ((labels,), {"logits": logits})):
        with pytest.raises(
            OptionError, match=rf"{name}\(.*by name only.*\n.*labels=\.\.\., logits="
        ):
            loss(*args, **rest)
