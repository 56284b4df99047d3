"""What checks and prints show."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import CheckError


def test_the_first_prints_of_a_session_are_shown_in_loops_too(capsys):
    x = sg.placeholder("float32", [], name="x")
    y = sg.fori(0, 4, lambda i, s: sg.Print(s + 1, message="s is ", first_n=3), x)
    for _ in range(2):
        session = sg.Session()
        session.run(y, {x: 0.0})
        session.run(y, {x: 0.0})
        assert capsys.readouterr().err == "s is 1.\ns is 2.\ns is 3.\n"


def test_long_values_are_shortened(capsys):
    x = sg.placeholder("int64", [None], name="x")
    y = [sg.Print(x, summarize=n) for n in (1, -1)]
    sg.Session().run(y, {x: np.arange(2000)})
    short, whole = capsys.readouterr().err.split("]", 1)
    assert short == "[   0 ... 1999"
    assert " 1000 " in whole


def test_a_failed_check_shows_its_values_and_message():
    x = sg.placeholder("float32", [2], name="x")
    y = sg.Assert(x > 0, [x, sg.reduce_sum(x)], "x is positive")
    with pytest.raises(CheckError, match=r"x is positive\n  \[ 1\. -1\.\]\n  0\."):
        sg.Session().run(y, {x: [1.0, -1.0]})
