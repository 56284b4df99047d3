"""Loops that compute what their steps give into rows of an array give what lists of values do."""

import re

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.codegen.load import load
from staticgrad.codegen.loops.row_lists import RowList, row_lists
from staticgrad.codegen.loops.rows import KEPT
from staticgrad.runtime.generated import source_of

WIDE = 300  # entries of a row of more bytes than `rows.WORTHWHILE`

BODIES = {
    "new state": lambda s, e: (ops.sin(s) + e, ops.sin(s) + e),
    "state before": lambda s, e: (ops.sin(s) + e, s),
    "both": lambda s, e: ((new := ops.sin(s) + e), (new, s)),
    "value": lambda s, e: (s, ops.exp(e) + s),
    "value and state": lambda s, e: ((new := s * e), (ops.tanh(new) * 2, new, s)),
    "a value twice": lambda s, e: ((new := s + e), (new, new)),
    "a view": lambda s, e: ((new := s + e), (new, ops.flip(new, 0))),
    "a view of the state": lambda s, e: (s + e, ops.flip(s, 0)),
    "a view as the state": lambda s, e: (ops.flip(s + e, 0), s),
    "entries": lambda s, e: (s + e, e),
}

halves = lambda s: (s[: WIDE // 2], s[WIDE // 2 :])


def joined(f):
    """A body whose state is a concatenation of what `f` computes from its halves."""

    def body(s, e):
        parts = f(*halves(s), *halves(e))
        row = ops.concatenate(parts, axis=0)
        return ops.sin(row), row

    return body


def joined_and_scaled(s, e):
    (a, b), (c, d) = halves(s), halves(e)
    row = ops.concatenate([a * d, b + c], axis=0) * e
    return row, row


def joined_twice(s, e):
    (a, b), (c, d) = halves(s), halves(e)
    x, y = a * d, b - c
    first, second = ops.concatenate([x, y], axis=0), ops.concatenate([x * 2.0, y], axis=0)
    return first + second, (first, second)


BODIES |= {
    "a join": joined(lambda a, b, c, d: [a * c, b - d]),
    "a join of functions": joined(lambda a, b, c, d: [a * c, ops.tanh(b - d)]),
    "a join of entries": joined(lambda a, b, c, d: [c, a * d]),
    "a join of a value twice": joined(lambda a, b, c, d: [a * c] * 2),
    "a join whose parts are read": joined(lambda a, b, c, d: [(x := a * c), ops.tanh(x)]),
    "a join whose parts are added": joined(lambda a, b, c, d: [(x := a * c), (x + b) * x]),
    "a join of an overwritten part": joined(lambda a, b, c, d: [(x := a * c), -(x + b)]),
    "a join in place": joined_and_scaled,
    "two joins": joined_twice,
}


def scanned(body, reverse, steps, size=WIDE):
    """The last state and the stacked results of a body, with the gradient of their squares."""
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [steps, size], name="x")
        start = sg.placeholder("float64", [size], name="start")
        last, rows = sg.map_accumulate(body, start, x, reverse=reverse)
        rows = list(rows) if isinstance(rows, tuple) else [rows]
        loss = sum([ops.sum(ops.cos(y) * y) for y in (last, *rows)])
        return sg.freeze([last, *rows, *sg.gradients(loss, [x, start])], [x, start])


def delayed(s, e):
    a, b, c = s
    new = ops.sin(a) + e
    return (new, a, b), (b, c)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("reverse", [False, True], ids=["forwards", "backwards"])
@pytest.mark.parametrize("name", BODIES)
def test_results_are_those_of_calls_of_the_body(name, reverse, known, count):
    graph = scanned(BODIES[name], reverse, count if known else None)
    rng = np.random.default_rng(0)
    runs = [load(source_of(graph, "{},", False, has_loops=x)) for x in (True, False)]
    earlier = []
    for _ in range(3):
        values = rng.standard_normal((count, WIDE)), rng.standard_normal(WIDE)
        a, b = [[np.asarray(y) for y in run(*values)] for run in runs]
        assert [y.tobytes() for y in a] == [y.tobytes() for y in b]
        earlier.append((a, b))
    for a, b in earlier:  # and no later run writes into the results of an earlier one
        assert [y.tobytes() for y in a] == [y.tobytes() for y in b]


@pytest.mark.parametrize("reverse", [False, True], ids=["forwards", "backwards"])
def test_a_state_may_be_that_of_some_steps_ago(reverse):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [4, WIDE], name="x")
        states, rows = sg.map_accumulate(delayed, (x[0], x[1], x[2]), x, reverse=reverse)
        graph = sg.freeze([*states, *rows, *sg.gradients(ops.sum(rows[1]), [x])], [x])
    value = np.random.default_rng(1).standard_normal((4, WIDE))
    runs = [load(source_of(graph, "{},", False, has_loops=x)) for x in (True, False)]
    a, b = [[np.asarray(y).tobytes() for y in run(value)] for run in runs]
    assert a == b


def test_state_before_and_after_a_step_share_an_array():
    source = sg.compile(scanned(BODIES["both"], False, 5)).source
    assert f"new_rows((6, {WIDE}), float64, 1)" in source
    assert "_list.append(" not in source


def test_parts_of_a_row_are_computed_where_they_belong():
    source = sg.compile(scanned(BODIES["a join in place"], False, 5)).source
    loop = source[: source.index("def ", 1)]
    assert loop.count("_part_0)") == loop.count("_part_1)") == 1
    assert "np.concatenate" not in loop


def test_rows_that_do_not_leave_a_run_are_kept():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [5, WIDE], name="x")
        loss = ops.sum(ops.cos(sg.scan(lambda s, e: ops.sin(s) + e, x, x[0])))
        f = sg.compile(loss, [x])
    assert "new_rows" not in f.source
    assert "_rows = b" in f.source


def test_a_list_of_very_many_rows_is_not_kept():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [KEPT + 1, 2], name="x")
        f = sg.compile(ops.sum(ops.cos(sg.scan(lambda s, e: ops.sin(s) + e, x, x[0]))), [x])
    assert f"new_rows(({KEPT + 1}, 2), float64, 0)" in f.source


def test_a_range_of_rows_is_a_part_of_their_array():
    with sg.Graph().as_default():
        x = y = sg.placeholder("float64", [10], name="x")
        for _ in range(300):
            y = ops.sin(y * 0.9 + x) - 0.1
        outputs = [y, *sg.gradients(ops.sum(y), [x])]
        f, plain = sg.compile(outputs, [x]), sg.compile(outputs, [x], optimize=0)
    assert re.search(r"_rows\.array\[\d+:\d+\]", f.source)
    assert "stacked(" not in f.source
    value = np.linspace(-1, 1, 10)
    np.testing.assert_allclose(f(value), plain(value), rtol=1e-12)


def test_row_lists_lie_in_one_array():
    array = np.arange(8.0).reshape(4, 2)
    after, before = row_lists(array, 1)
    assert isinstance(after, RowList)
    assert np.shares_memory(after.array, array)
    np.testing.assert_array_equal(after, array[1:])
    np.testing.assert_array_equal(before, array[:-1])
    after, before = row_lists(array, -1)
    np.testing.assert_array_equal(after, array[:-1])
    np.testing.assert_array_equal(before, array[1:])
    np.testing.assert_array_equal(row_lists(array, 0), array)
    rows, second = row_lists(array, 0, ((1, 1, 2),))
    np.testing.assert_array_equal(rows, array)
    np.testing.assert_array_equal(second, array[:, 1:])
