"""Each script in examples/science prints what its docstring says, in seconds."""

import importlib.util
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import staticgrad as sg

pytest.importorskip("scipy")

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples" / "science").glob("*.py"))
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def maker():
    """The module that makes the page."""
    spec = importlib.util.spec_from_file_location("make_science", ROOT / "docs/make_science.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_it_says(path, capsys):
    with sg.Graph("default").as_default():
        runpy.run_path(str(path), run_name="__main__")
    found = capsys.readouterr().out.strip()
    _, _, said = maker().split(path.read_text(encoding="utf-8"))
    assert NUMBER.sub("", found).split() == NUMBER.sub("", said).split()
    got, want = (np.array(NUMBER.findall(text), float) for text in (found, said))
    assert_allclose(got, want, rtol=0.02, atol=2e-3)


def test_the_page_has_all_scripts_and_is_up_to_date():
    make = maker()
    assert sorted(make.ORDER) == [path.stem for path in SCRIPTS]
    assert make.PAGE.read_text(encoding="utf-8") == make.page()
    for name in make.ORDER:
        assert (make.PICTURES / f"{name}.png").exists()
