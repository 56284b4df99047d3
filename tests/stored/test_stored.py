"""Files that earlier versions have written are read, and give the numbers that they gave."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg

from ..meta.test_release import PROJECT
from .write import FOLDER

VERSIONS = sorted(path for path in FOLDER.iterdir() if (path / "graph.zip").exists())
every_version = pytest.mark.parametrize("folder", VERSIONS, ids=lambda path: path.name)


def test_this_version_has_its_files():
    assert PROJECT["version"] in [path.name for path in VERSIONS]


@every_version
def test_a_stored_graph_gives_what_it_gave(folder):
    graph, state = sg.load(folder / "graph.zip"), dg.load(folder / "state.zip")
    found = sg.interpret(graph, [state["x"], graph.inputs[1].value])
    for got, wanted in zip(found, state["results"], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)  # BLAS adds in an order of its own


@every_version
def test_a_stored_state_has_its_tensors_and_numbers(folder):
    state = dg.load(folder / "state.zip")
    assert (state["tensor"].tolist(), state["tensor"].requires_grad) == ([1, 1], True)
    assert state["steps"] == 3


@every_version
def test_a_stored_graph_of_every_op_is_read(folder):
    texts = (folder / "ops.txt").read_text(encoding="utf-8").split("\n\n")
    assert len(texts) > 300
    for text in texts:
        assert isinstance(sg.parse(text), sg.FrozenGraph)
