"""The recurrent network learns its text as a graph, too."""

import importlib.util
from pathlib import Path

import numpy as np

PATH = Path(__file__).parents[2] / "examples" / "characters_graph.py"
spec = importlib.util.spec_from_file_location("characters_graph", PATH)
characters = importlib.util.module_from_spec(spec)
spec.loader.exec_module(characters)


def test_a_scan_of_cells_learns_to_spell():
    net, bits = characters.train(steps=200, seed=0)
    assert bits[0] > 4.5  # a guess among 29 characters
    assert np.mean(bits[-20:]) < 2.2
    text = characters.continued(net, "the keeper ", length=40)
    assert text.startswith("the keeper ")
    words = set(characters.TEXT.read_text().split())
    assert sum(w in words for w in text.split()) >= len(text.split()) // 2
