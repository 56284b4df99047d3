"""`python -m staticgrad doctor`."""

import runpy
import tomllib
from pathlib import Path

import numpy as np
import pytest

from gradops.native.objects import cache_files
from staticgrad.commands import doctor
from staticgrad.commands.command_line import main

PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"
FOR_DEVELOPERS = runpy.run_path(str(PROJECT.parent / ".ci" / "extras.py"))["FOR_DEVELOPERS"]


def report(capsys):
    """What the command prints, by the names of its rows."""
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    return {line[:14].strip(): line[14:] for line in lines}


def test_it_says_what_is_installed(capsys):
    rows = report(capsys)
    assert rows["NumPy"] == np.__version__
    assert {"Python", "BLAS", "kernels", "threads", "machine code", "cache"} <= rows.keys()


def test_all_extras_of_the_project_are_listed():
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    assert doctor.EXTRAS.keys() == extras.keys() - FOR_DEVELOPERS


@pytest.mark.parametrize("extra", doctor.EXTRAS)
def test_the_distributions_of_an_extra_are_those_of_the_project(extra):
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    required = " ".join(extras[extra])
    assert all(name in required for name in doctor.EXTRAS[extra][0])


def test_a_missing_extra_says_what_it_would_bring(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "version_of", lambda name: None if name == "onnx" else "1.0")
    row = report(capsys)["[onnx]"]
    assert row.startswith("without onnx; it would bring reading and writing ONNX models")
    assert row.endswith("pip install 'staticgrad[onnx]'")


def test_machine_code_that_cannot_be_had_says_why(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "is_installed", lambda: False)
    monkeypatch.setattr(doctor, "is_known_here", lambda: True)
    assert report(capsys)["machine code"] == "no: it needs the extra native"


def test_a_cache_that_is_off_is_none(capsys, monkeypatch):
    monkeypatch.setenv(cache_files.VARIABLE, "off")
    assert report(capsys)["cache"].startswith("none")


def test_nothing_is_written_where_there_is_no_cache(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv(cache_files.VARIABLE, str(tmp_path / "cache"))
    assert report(capsys)["cache"].endswith("which is not there yet")
    assert not (tmp_path / "cache").exists()


def test_the_size_of_the_cache_is_that_of_its_files(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv(cache_files.VARIABLE, str(tmp_path))
    tmp_path.chmod(0o700)
    (tmp_path / f"{cache_files.PREFIX}one").write_bytes(bytes(2**20))
    assert report(capsys)["cache"].startswith(f"{tmp_path}, 1.0 of at most")


def test_a_blas_that_is_not_openblas_says_nothing(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "loaded", object)
    rows = report(capsys)
    assert rows["kernels"].startswith("not known")
    assert rows["threads"].endswith("BLAS does not say")
