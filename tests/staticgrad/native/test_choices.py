"""Choices: the cost table decides between ways to compute, and they are kept with the code."""

from dataclasses import replace

import numpy as np
import pytest

import staticgrad as sg
from gradops.native import costs
from gradops.native.costs import DEFAULT

pytest.importorskip("llvmlite")

NO_BLAS = replace(DEFAULT, blas_call=1e9)
ONLY_BLAS = replace(
    DEFAULT, blas_call=1e-3, f4=replace(DEFAULT.f4, product=1e3),
    f8=replace(DEFAULT.f8, product=1e3),
)  # fmt: skip


def compiled(table, shape=(20, 20)):
    """A product of square matrices, compiled by a table."""
    x = sg.placeholder("float64", shape, name="x")
    with costs.using(table):
        return sg.compile(x @ x, [x], backend="native")


@pytest.mark.parametrize(("table", "way"), [(NO_BLAS, "loops"), (ONLY_BLAS, "BLAS")])
def test_the_table_decides(table, way):
    f = compiled(table)
    (choice,) = f.choices
    assert choice.way == way
    assert ("call void @blas_dgemm" in f.ir) == (way == "BLAS")
    x = np.random.default_rng(0).normal(size=(20, 20))
    np.testing.assert_allclose(f(x), x @ x, 1e-12, 1e-12)


def test_a_choice_says_what_was_chosen_for_which_line_and_why():
    text = str(compiled(ONLY_BLAS).choices)
    assert text.startswith("matmul at test_choices.py:")
    assert ": BLAS " in text
    assert "(not loops " in text


def test_equal_tables_give_equal_code():
    codes = {compiled(table).ir for table in (DEFAULT, replace(DEFAULT), replace(DEFAULT))}
    assert len(codes) == 1


def test_the_choices_of_unknown_sizes_are_those_of_the_last_run():
    x = sg.placeholder("float64", ["n", "n"], name="x")
    f = sg.compile(x @ x, [x], backend="native")
    for n, way in ((2, "loops"), (100, "BLAS")):
        f(np.ones((n, n)))
        assert [choice.way for choice in f.choices] == [way]


def test_what_a_writer_chose_before_it_gave_up_is_forgotten():
    x = sg.placeholder("float64", [3], name="x")
    assert str(sg.compile(x * 2.0, [x], backend="native").choices) == "nothing was to choose"
