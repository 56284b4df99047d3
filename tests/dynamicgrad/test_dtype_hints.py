"""What an error about dtypes says to write: it names the operand, and works when it is followed."""

import re

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import DTypeError

F = dg.nn.functional
INTS, PROBABILITY = np.array([1, 0, 1]), 0.5
LAYER, CONV = dg.nn.Linear(4, 2), dg.nn.Conv2d(1, 2, 3)
CALLS = [
    ("input", lambda x: LAYER(x), np.ones((8, 4))),
    ("input", lambda x: LAYER(x), np.ones((8, 4), np.int64)),
    ("input", lambda x: CONV(x), np.ones((1, 1, 8, 8))),
    ("target", lambda y: F.binary_cross_entropy_with_logits(dg.zeros(3), y), INTS),
    ("target", lambda y: F.binary_cross_entropy_with_logits(dg.zeros(3).double(), y), INTS),
    ("target", lambda y: F.binary_cross_entropy(dg.zeros(3) + PROBABILITY, y), INTS),
    ("first operand", lambda x: x @ dg.ones(3), INTS),
    ("second operand", lambda x: dg.ones(3) @ x, INTS),
    ("first operand", lambda x: x @ dg.ones(3), np.ones(3)),
    ("x", lambda x: dg.softmax(x, 0), INTS),
    ("x", lambda x: x.mean(), INTS),
]
HINT = re.compile(r"hint: (?:.*: )?(x\..*\)) makes (?:the )?(.*) \w+; of an array, (x\..*\))$")


@pytest.mark.parametrize(("operand", "call", "x"), CALLS)
def test_the_hint_names_the_operand_and_works(operand, call, x):
    with pytest.raises(DTypeError) as caught:
        call(dg.from_numpy(x))
    of_tensor, named, of_array = HINT.search(str(caught.value)).groups()
    assert named == operand
    call(eval(of_tensor, {"x": dg.from_numpy(x), "dg": dg}))
    call(dg.from_numpy(eval(of_array, {"x": x, "np": np})))


def test_labels_in_the_place_of_scores_are_said_to_be_exchanged():
    labels, scores = dg.tensor([1, 0, 1]), dg.zeros(3, 2)
    with pytest.raises(DTypeError, match=r"exchange them: cross_entropy\(scores, labels\)"):
        F.cross_entropy(labels, scores)
    F.cross_entropy(scores, labels)
