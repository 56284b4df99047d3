"""`python -m staticgrad`."""

import pytest

from staticgrad.__main__ import main


def test_the_cost_table_is_printed(capsys):
    main(["costs"])
    shown = capsys.readouterr().out
    assert shown.startswith("defaults, not measured")
    assert "ns a call of BLAS" in shown


def test_it_is_forgotten_when_asked(capsys):
    main(["costs", "--clear"])
    assert capsys.readouterr().out == "the next need measures\n"


def test_without_a_command_there_is_help(capsys):
    with pytest.raises(SystemExit):
        main([])
    assert "costs" in capsys.readouterr().err
