"""`python -m staticgrad prepare`."""

import pytest

from gradops.native.objects import cache_files
from staticgrad.commands import prepare
from staticgrad.commands.command_line import main


def test_each_part_is_made_and_named(capsys, monkeypatch, tmp_path):
    pytest.importorskip("llvmlite")
    monkeypatch.setenv(cache_files.VARIABLE, str(tmp_path))
    made = []
    parts = [("a part", lambda: made.append("a")), ("another", lambda: made.append("b"))]
    monkeypatch.setattr(prepare, "parts", lambda: parts)
    assert main(["prepare"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.rpartition("  ")[0].strip() for line in shown] == ["a part", "another"]
    assert made == ["a", "b"]


def test_parts_are_what_graphs_share():
    pytest.importorskip("llvmlite")
    names = [name for name, _ in prepare.parts()]
    assert {"cost table", "calls of graphs", "kernels: softmax", "convolutions"} <= {*names}


def test_without_a_place_to_keep_it_nothing_is_done(capsys, monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setenv(cache_files.VARIABLE, "off")
    assert main(["prepare"]) == 2
    assert "there is no cache" in capsys.readouterr().err


def test_a_folder_of_others_is_refused_by_name(capsys, monkeypatch, tmp_path):
    pytest.importorskip("llvmlite")
    tmp_path.chmod(0o777)
    monkeypatch.setenv(cache_files.VARIABLE, str(tmp_path))
    assert main(["prepare"]) == 2
    assert f"{tmp_path} is no folder of your own" in capsys.readouterr().err
