"""The networks begin to learn the almanac, in both modes alike."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "examples" / "text_networks.py"


@pytest.mark.parametrize("name", ["lstm", "transformer"])
def test_both_modes_have_the_same_losses_to_the_bit(name):
    spec = importlib.util.spec_from_file_location("text_networks", PATH)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    net, data = example.begin(name)
    found = example.run(name, net, data, steps=15)
    assert found["tape"] == found["graph"]
    losses, bits = found["tape"]
    assert losses[-1] < losses[0] - 0.3
    assert bits < 4.6  # from 4.9 of a guess among 29 letters
    text = example.written(net, data, "the ", 70)
    assert len(text) == 74
    assert text.startswith("the ")
