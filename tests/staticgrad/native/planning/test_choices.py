"""Choices: the cost table decides between ways to compute, and they are kept with the code."""

from dataclasses import replace

import numpy as np
import pytest

import staticgrad as sg
from gradops.native import costs
from gradops.native.costs import DEFAULT

pytest.importorskip("llvmlite")


def favouring(**figures):
    """The default table, but for the speeds of products."""
    return replace(DEFAULT, f4=replace(DEFAULT.f4, **figures), f8=replace(DEFAULT.f8, **figures))


TABLES = {
    "loops": favouring(product=1e-4),
    "our product": favouring(own_product=1e-4),
    "BLAS": favouring(blas=1e-4, own_product=1e3),
}
CALLS = {"our product": "call void @own_gemm_f8", "BLAS": "call void @blas_dgemm"}


def compiled(table, shape=(20, 20)):
    """A product of square matrices, compiled by a table."""
    x = sg.placeholder("float64", shape, name="x")
    with costs.using(table):
        return sg.compile(x @ x, [x], backend="native")


@pytest.mark.parametrize("way", TABLES)
def test_the_table_decides(way):
    f = compiled(TABLES[way])
    (choice,) = f.choices
    assert choice.way == way
    assert [name for name, call in CALLS.items() if call in f.ir] == [way] * (way in CALLS)
    x = np.random.default_rng(0).normal(size=(20, 20))
    np.testing.assert_allclose(f(x), x @ x, 1e-12, 1e-12)


@pytest.mark.parametrize(("rows", "length", "is_loops"), [
    (4, 8, True), (4, 25, False), (1, 25, True), (1, 128, False),
])  # fmt: skip
def test_products_by_a_transpose_are_loops_if_they_add_few_entries(rows, length, is_loops):
    x, y = (sg.placeholder("float64", [n, length]) for n in (4, rows))
    with costs.using(DEFAULT):
        (choice,) = sg.compile(x @ sg.transpose(y), [x, y], backend="native").choices
    assert (choice.way == "loops") == is_loops


def test_a_choice_says_what_was_chosen_for_which_line_and_why():
    text = str(compiled(TABLES["BLAS"]).choices)
    assert text.startswith("matmul at test_choices.py:")
    assert ": BLAS " in text
    assert "(not loops " in text
    assert "our product " in text


def test_equal_tables_give_equal_code():
    codes = set()
    for table in (DEFAULT, replace(DEFAULT), replace(DEFAULT)):
        with sg.Graph().as_default():
            codes.add(compiled(table).ir)
    assert len(codes) == 1


def test_the_choices_of_unknown_sizes_are_those_of_the_last_run():
    x = sg.placeholder("float64", ["n", "n"], name="x")
    f = sg.compile(x @ x, [x], backend="native")
    for n, way in ((2, "loops"), (100, "our product")):
        f(np.ones((n, n)))
        assert [choice.way for choice in f.choices] == [way]


def test_what_a_writer_chose_before_it_gave_up_is_forgotten():
    x = sg.placeholder("float64", [3], name="x")
    assert str(sg.compile(x * 2.0, [x], backend="native").choices) == "nothing was to choose"


def test_a_loop_that_threads_share_is_a_choice():
    x = sg.placeholder("float32", [1_000_000], name="x")
    (choice,) = sg.compile(sg.exp(x), [x], backend="native").choices
    assert (choice.op, choice.way) == ("exp", "threads")
    assert choice.costs["threads"] < choice.costs["one thread"]
    with costs.using(replace(DEFAULT, dispatch=1e12)):
        f = sg.compile(sg.exp(x), [x], backend="native")
    assert not len(f.choices)
    assert "@run_parts(ptr @part" not in f.ir
