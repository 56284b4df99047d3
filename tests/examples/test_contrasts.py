"""Each script in examples/contrasts prints what its docstring says, in seconds."""

import importlib.util
import runpy
from pathlib import Path

import pytest

import staticgrad as sg

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples" / "contrasts").glob("*.py"))


def maker():
    """The module that makes the page of the contrasts."""
    spec = importlib.util.spec_from_file_location("make_contrasts", ROOT / "docs/make_contrasts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_it_says(path, capsys):
    with sg.Graph("default").as_default():
        runpy.run_path(str(path), run_name="__main__")
    found = capsys.readouterr().out
    assert [line.rstrip() for line in found.splitlines()] == maker().printed_by(path).splitlines()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_shows_both_modes(path):
    printed = maker().printed_by(path)
    assert "define-by-run" in printed
    assert "define-then-run" in printed


def test_the_page_has_all_scripts_and_is_up_to_date():
    made = maker()
    assert sorted(made.ORDER) == [path.stem for path in SCRIPTS]
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run `make docs`"
