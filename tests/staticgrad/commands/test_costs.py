"""`python -m staticgrad costs`."""

import subprocess
import sys

import pytest

from staticgrad.commands.command_line import main


def test_the_cost_table_is_printed(capsys):
    assert main(["costs"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("defaults, not measured")
    assert "ns a call of BLAS" in shown


def test_it_is_forgotten_when_asked(capsys):
    main(["costs", "--clear"])
    assert capsys.readouterr().out == "the next need measures\n"


def test_without_a_command_there_is_help(capsys):
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def test_a_reader_may_close_the_output():
    command = [sys.executable, "-m", "staticgrad", "costs"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
