"""The demo: one network in both packages, with a column of machine code."""

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="the digits are scikit-learn's, from the extra `examples`")

PATH = Path(__file__).parents[2] / "examples" / "two_ways.py"


@pytest.fixture
def shown(tmp_path, monkeypatch, capsys):
    """A function that runs the demo for an epoch; returns what it prints."""
    spec = importlib.util.spec_from_file_location("two_ways", PATH)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "two_ways", module)  # where its dataclasses look for types
    spec.loader.exec_module(module)

    def run():
        monkeypatch.setattr("sys.argv", ["two_ways", "--epochs", "1", "--out", str(tmp_path)])
        module.main()
        return capsys.readouterr().out

    return run


def line_of(text, title):
    """The cells of a row of the table."""
    line = next(line for line in text.splitlines() if line.strip().startswith(title))
    return line.strip().removeprefix(title).split("  ")


def test_all_levels_have_the_bits_of_define_by_run(shown):
    text = shown()
    for level in range(3):
        assert f"then-run, optimize={level}: yes" in text
    assert "ShapeError" in text


def test_machine_code_has_a_column(shown):
    pytest.importorskip("llvmlite")
    text = shown()
    assert "then-run, machine code: " in text
    losses = [float(cell) for cell in line_of(text, "loss, last epoch") if cell]
    assert losses[-1] == pytest.approx(losses[0], rel=1e-5)
    assert len(losses) == 5


def test_without_the_extra_the_column_says_so(shown, monkeypatch):
    monkeypatch.setattr("staticgrad.runtime.backends.choice.is_installed", lambda: False)
    text = shown()
    assert line_of(text, "time per step")[-1].strip() == "not installed"
    assert text.count("then-run, machine code") == 1
