"""The notebooks of the tutorial run, and hold no results: those are made when the site is built."""

import json
from pathlib import Path

import pytest

import staticgrad as sg

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(ROOT.glob("docs/**/*.ipynb"))


def code_cells(path):
    """The code of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_each_mode_has_one():
    assert [path.stem for path in NOTEBOOKS] == ["try-dynamicgrad", "try-staticgrad"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    with sg.Graph().as_default():
        for cell in code_cells(path):
            exec(compile("".join(cell["source"]), str(path), "exec"), namespace)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_holds_no_results(path):
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code_cells(path))
