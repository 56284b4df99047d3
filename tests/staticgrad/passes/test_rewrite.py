"""Rewriting ends."""

import pytest

import staticgrad as sg
from gradops import GraphError


def test_rules_that_go_round_in_circles_are_named():
    x, y = (sg.placeholder("float32", [2], name=n) for n in "xy")
    rule = sg.Rule(lambda a, b: a + b, lambda a, b: b + a)
    with pytest.raises(GraphError, match=r"does not end: add\(a, b\) -> add\(b, a\)"):
        sg.compile(x + y, [x, y], rules=[rule])
