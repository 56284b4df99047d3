"""Identifiers and comments of generated source."""

import ast
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staticgrad.codegen.names import RESERVED, comment, identifier


@given(st.text())
def test_any_name_becomes_an_identifier(name):
    found = identifier(name)
    assert found.isidentifier()
    assert not keyword.iskeyword(found)
    assert identifier(found) == found


@given(st.text())
def test_any_text_becomes_a_comment(text):
    assert ast.unparse(ast.parse(f"x = 1  # {comment(text)}\n")) == "x = 1"


@pytest.mark.parametrize("name", ["x", "w_1", "α", "größe", "naïve"])
def test_a_plain_name_stays(name):
    assert identifier(name) == name


@pytest.mark.parametrize(("name", "expected"), [
    ("a/b", "a_b"), ("x:0", "x_0"), ("1", "_1"), ("", "_"), ("def", "_def"), ("x²", "x2"),
    ("ﬁ", "fi"), ("a\nb", "a_b"), ("\ud800", "_"),
])  # fmt: skip
def test_what_python_does_not_allow_becomes_an_underscore(name, expected):
    assert identifier(name) == expected


def test_what_generated_code_refers_to_is_reserved():
    assert {"np", "type", "len", "float", "float32", "int64_type", "pool"} <= RESERVED
