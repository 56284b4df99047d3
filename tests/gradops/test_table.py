"""The op table in words."""

import subprocess
import sys
from importlib import import_module
from operator import attrgetter

import pytest

import gradops
from gradops.__main__ import PACKAGES, main, op_table, spelled_in


def test_every_op_has_a_row_with_its_facts():
    found = {row.name: row for row in op_table()}
    assert found.keys() == gradops.OPS.keys()
    assert found["mul"][1:5] == ("elementwise", "x y", "x y", "yes")
    assert found["where"].gradient == "y z"
    assert found["concatenate"].gradient == "every"
    assert found["equal"][1:4] == ("discrete", "-", "-")


def test_spellings_are_the_names_that_users_write():
    found = {row.name: row for row in op_table()}
    assert found["sum"].dynamicgrad == "sum"
    assert found["sum"].staticgrad == "reduce_sum"
    assert found["power"].dynamicgrad == "pow"


def test_functions_written_by_hand_are_in_the_table():
    found = {row.name: row for row in op_table()}
    assert found["concatenate"].dynamicgrad == "cat, concat"
    assert found["solve"].dynamicgrad == "linalg.solve"
    assert found["solve"].staticgrad == "matrix_solve, linalg.solve"
    assert found["call"].staticgrad == "-"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_in_the_table_is_there(package):
    names = [name for row in spelled_in(package).values() for name in row]
    for name in names:
        assert callable(attrgetter(name)(import_module(package)))


def test_the_way_to_machine_code_follows_from_the_declarations():
    found = {row.name: row.native for row in op_table()}
    assert (found["tanh"], found["sum"], found["transpose"]) == ("native",) * 3
    assert found["gelu"] == found["softmax"] == "formula"
    assert found["cholesky"] == "template"
    assert found["svd"] == "NumPy"


def test_a_word_picks_rows(capsys):
    main(["reduce_sum"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[0] == "sum"
    assert lines[-1] == "1 op"


def test_a_word_that_picks_no_row_gets_those_near_it(capsys):
    with pytest.raises(SystemExit, match="1"):
        main(["convv"])
    assert "no op has 'convv' in its names; near: conv" in capsys.readouterr().err


def test_the_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "gradops", "tanh"], capture_output=True, text=True, check=True
    )
    assert "tanh" in done.stdout
