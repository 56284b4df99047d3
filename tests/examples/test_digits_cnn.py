"""The convolutional network learns the digits, in both modes alike."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="the digits are scikit-learn's, from the extra `examples`")

PATH = Path(__file__).parents[2] / "examples" / "digits_cnn.py"


def test_both_modes_reach_the_same_quality_to_the_bit():
    spec = importlib.util.spec_from_file_location("digits_cnn", PATH)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    found = example.run(steps=150)
    assert found["tape"] == found["graph"]
    losses, accuracy = found["tape"]
    assert losses[-1] < 0.8 < 2 < losses[0]
    assert accuracy > 0.8
