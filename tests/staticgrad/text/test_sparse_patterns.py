"""Patterns of sparse matrices in the text of a graph, and in files."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import GraphFormatError

sparse = pytest.importorskip("scipy.sparse")


def graph_with(matrix):
    """The product of a matrix with a placeholder, as a frozen graph."""
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [matrix.shape[1]], name="x")
        return sg.freeze([matrix @ x], [x])


def test_a_pattern_is_written_by_its_rows():
    text = sg.to_text(graph_with(sparse.csr_array([[0.0, 2, 0], [1, 0, 3]])), lines=False)
    assert "pattern=pattern(2, 3, [0, 1, 3], [1, 0, 2])" in text
    assert sg.to_text(sg.parse(text), lines=False) == text


@pytest.mark.parametrize("density", [0.0, 0.002, 0.05])
def test_large_patterns_are_left_out_of_texts_but_not_of_files(tmp_path, density):
    matrix = sparse.random_array((3000, 2000), density=density, rng=np.random.default_rng(0))
    graph = graph_with(matrix)
    assert len(sg.to_text(graph)) < 2000
    if density:
        with pytest.raises(GraphFormatError, match="left out of the text"):
            sg.parse(sg.to_text(graph))
    sg.save(graph, tmp_path / "graph.sg")
    for again in (
        sg.load(tmp_path / "graph.sg"),
        sg.parse(sg.to_text(graph, arrays=True), limit=1e9),
    ):
        x = np.linspace(-1, 1, 2000)
        np.testing.assert_array_equal(sg.compile(again)(x), [matrix.tocsr() @ x])


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ("2, 3, [0, 1, 3], [1, 0, 3]", "in none of the 3 columns"),
        ("2, 3, [0, 1, 3], [-1, 0, 2]", "in none of the 3 columns"),
        ("2, 3, [0, 4, 3], [1, 0, 2]", "do not begin where"),
        ("2, 3, [1, 1, 3], [1, 0, 2]", "do not begin where"),
        ("2, 3, [0, 1, -3], [1, 0, 2]", "do not fill"),
        ("2, 3, [0, 1, 3], [1, 2, 0]", "order of their columns"),
        ("2, 3, [0, 1, 3], [1, 2, 2]", "order of their columns"),
        ("2, 3, [0, 1, 3], [1, 0]", "do not fill"),
        ("2, 3, [0, 3], [1, 0, 2]", "do not fill"),
        ("2, 3, [0, 1, 9000000000000000], [1, 0, 2]", "do not fill"),
        ("-1, 3, [], []", "is not -1 x 3"),
        ("2, 3, [0, 1.5, 3], [1, 0, 2]", "float64"),
        ("2, 3, 0, [1, 0, 2]", "do not fill"),
        ("2, 3, [0, 1, 3]", "expected ,"),
        ("2, 3, [0, 1, 3], [1, 0, 2], 4", r"expected \)"),
        ("2.5, 3, [0, 1, 3], [1, 0, 2]", "whole number"),
    ],
)
def test_patterns_that_are_none_are_refused(places, reason):
    text = sg.to_text(graph_with(sparse.csr_array([[0.0, 2, 0], [1, 0, 3]])), lines=False)
    wrong = text.replace("2, 3, [0, 1, 3], [1, 0, 2]", places)
    assert wrong != text
    with pytest.raises(GraphFormatError, match=reason):
        sg.parse(wrong)
