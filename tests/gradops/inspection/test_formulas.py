"""Formulas of derivative rules."""

import pytest

from gradops import OPS
from gradops.inspection.formulas import formula


@pytest.mark.parametrize(
    ("op", "text"),
    [
        ("exp", "dx = g * y"),
        ("sub", "da = g\ndb = -g"),
        ("matmul", "da = g @ transpose(b)\ndb = transpose(a) @ g"),
        ("sigmoid", "dx = g * (y * (1 - y))"),
        ("no such op", ""),
        ("argmax", ""),
    ],
)
def test_a_formula_reads_like_the_textbook(op, text):
    assert formula(op) == text


@pytest.mark.parametrize("op", OPS)
def test_every_op_has_a_short_formula_or_none(op):
    assert all(line.startswith("d") and len(line) <= 400 for line in formula(op).splitlines())


def test_most_ops_with_rules_have_a_formula():
    assert sum(bool(formula(op)) for op in OPS) > 170
