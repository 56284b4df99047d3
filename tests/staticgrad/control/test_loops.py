"""Loops: their state and results, sizes, errors, and what they cost in memory and steps."""

from dataclasses import dataclass
from threading import Thread

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gradops as ops
import staticgrad as sg
from gradops import (
    CheckError,
    DTypeError,
    FeedError,
    FetchError,
    GraphError,
    MixedOperandsError,
    OptionError,
    ShapeError,
)
from staticgrad.ir.graph import all_expressions


def vector(name="x", shape=(3,), dtype="float64"):
    return sg.placeholder(dtype, shape, name=name)


def loops_in(*fetches, feeds):
    return [e for e in sg.freeze(fetches, feeds) if e.what == "loop"]


@dataclass
class Pair:
    a: object
    b: object


@pytest.mark.parametrize("form", [
    lambda a, b: [a, b], lambda a, b: (a, b), lambda a, b: {"a": a, "b": b},
    lambda a, b: [a, [b]], Pair,
])  # fmt: skip
def test_state_comes_back_in_its_form(form):
    x = vector()
    start = form(x, ops.sum(x))
    found = sg.fori(0, 2, lambda i, s: ops.tree_map(lambda v: v * 2, s), start)
    (a, b), _ = ops.flatten(sg.compile(found, [x])([1.0, 2.0, 3.0]))
    assert type(found) is type(start)
    assert a.tolist() == [4, 8, 12]
    assert b == 24


def test_a_single_variable_comes_back_by_itself():
    x = vector(shape=())
    assert sg.compile(sg.while_loop(lambda y: y < 10, lambda y: y * x, [x]), [x])(3.0) == 27


def test_the_number_of_steps_is_fed():
    x, n = vector(shape=()), sg.placeholder("int64", [], name="n")
    y = sg.fori(0, n, lambda i, y: y * x, sg.constant(1.0, "float64"))
    run = sg.compile([y, *sg.gradients(y, x)], [x, n])
    for steps in (0, 1, 5):
        assert_allclose(run(2.0, steps), [2.0**steps, steps * 2.0 ** (steps - 1)])


def test_python_floats_get_the_dtype_of_the_floats_beside_them():
    x = vector()
    assert sg.scan(lambda a, e: a * e, x, 1.0).dtype == "float64"
    assert sg.foldl(lambda a, e: a * e, vector(dtype="float32"), 1.0).dtype == "float32"


def test_a_state_of_unknown_size_may_not_change_it():
    x, w = vector(shape=[None]), vector("w", [None])
    y = sg.fori(0, 2, lambda i, y: ops.concatenate([y, w], axis=0)[1:], x)
    run = sg.compile(y, [x, w])
    assert run([1.0, 2.0, 3.0], [4.0]).tolist() == [3, 4, 4]
    with pytest.raises(ShapeError, match=r"it does not have the shape \(3,\)") as error:
        run([1.0, 2.0, 3.0], [4.0, 5.0])
    assert "  in step 0 of a loop" in error.value.__notes__


def test_an_error_in_a_step_names_the_step_and_the_line():
    x = vector(shape=["n"])
    checked = lambda i, y: sg.control_dependencies([sg.Assert(i < 2, [i], "too far")])

    def body(i, y):
        with checked(i, y):
            return y * 2

    run = sg.compile(sg.fori(0, 5, body, x), [x])
    with pytest.raises(CheckError, match="too far\n  2") as error:
        run([1.0])
    assert "  in step 2 of a loop" in error.value.__notes__
    assert "checked = lambda i, y" in "".join(error.value.__notes__)


def test_the_steps_of_a_failed_type_are_told_in_the_terms_of_the_op():
    x, w = vector(shape=[None]), vector("w", [None])
    y = sg.foldl(lambda a, e: a + ops.sum(e * x + w), x, 0.0)
    with pytest.raises(ShapeError, match="3 against 2") as error:
        sg.compile(y, [x, w])([1.0, 2.0, 3.0], [1.0, 2.0])
    assert "  in step 0 of a loop" in error.value.__notes__


REFUSED = {
    "one value of two": (lambda i, y: (i,), GraphError, "gives 1 values for 2 variables"),
    "None": (lambda i, y: None, GraphError, "gives 0 values for 2 variables"),
    "another dtype": (lambda i, y: (i, ops.astype(y, dtype="float32")), DTypeError,
                      "variable 1.*begins a step as float64.* ends it as float32"),
    "another shape": (lambda i, y: (i, y[1:]), ShapeError, "ends it as float64.*shape_invariants"),
    "an integer that becomes a float": (lambda i, y: (i + 0.5, y), DTypeError, "variable 0"),
    "another graph": (lambda i, y: (i, elsewhere()), MixedOperandsError, "different graphs"),
    "an operand of another graph": (lambda i, y: (i, y + elsewhere()), MixedOperandsError,
                                    "different graphs"),
    "a choice by Python": (lambda i, y: (i, y if i > 0 else -y), ops.ValueUnknownError,
                           "the truth of while_loop/greater"),
}  # fmt: skip


def elsewhere():
    with sg.Graph("other").as_default():
        return vector("z")


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_body_is_refused_in_words(case):
    body, error, words = REFUSED[case]
    with pytest.raises(error, match=f"(?s){words}"):
        sg.while_loop(lambda i, y: i < 3, body, [0, vector()])


@pytest.mark.parametrize(("cond", "error", "words"), [
    (lambda i, y: i, ShapeError, "one truth value"),
    (lambda i, y: y > 0, ShapeError, "one truth value.*\n.*reduce_all"),
    (lambda i, y: (i > 0, i > 1), GraphError, "one truth value"),
])  # fmt: skip
def test_a_condition_is_one_truth_value(cond, error, words):
    with pytest.raises(error, match=words):
        sg.while_loop(cond, lambda i, y: (i, y), [0, vector()])


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda x: sg.map(lambda e: e[0], (x, x[1:])), ShapeError, "lengths differ: 3 and 2"),
    (lambda x: sg.map(lambda e: e, x[0]), ShapeError, "no entries"),
    (lambda x: sg.map_accumulate(lambda a, e: a, 0.0, x), GraphError, r"\(state, result\)"),
    (lambda x: sg.scan(lambda a, e: a, x, residuals="some"), OptionError, "residuals is one of"),
    (lambda x: sg.while_loop(lambda: True, lambda: (), []), GraphError, "nothing to loop over"),
    (lambda x: sg.map(lambda e: x, ()), GraphError, "nothing to loop over"),
    (lambda x: sg.while_loop(lambda y: y[0] < 3, lambda y: y, [x], [(), ()]), GraphError,
     "1 variables and 2 shape_invariants"),
    (lambda x: sg.while_loop(lambda y: y[0] < 3, lambda y: y, [x], [(None, None)]), ShapeError,
     "another rank"),
])  # fmt: skip
def test_a_loop_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call(vector())


def test_what_exists_only_inside_is_neither_fetched_nor_fed():
    x, leaked = vector(), []
    y = sg.fori(0, 3, lambda i, y: leaked.append(ops.sin(y)) or y * x, x)
    with pytest.raises(FetchError, match="exists only inside the function"):
        sg.freeze(leaked[0], [x])
    for inner in ("fori/state", "fori/sin"):
        with pytest.raises(FeedError, match="exists only inside the function of fori"):
            sg.Session().run(y, {x: np.ones(3), inner: np.ones(3)})
    with pytest.raises(FetchError, match="is several values"):
        sg.Session().run("fori/loop", {x: np.ones(3)})
    with pytest.raises(FetchError, match="exists only inside the function"):
        sg.freeze(sg.fori(0, 2, lambda i, y: y + leaked[0], x), [x])


def test_parts_are_fetched_and_fed_by_name():
    x = vector()
    y = sg.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1]
    session = sg.Session()
    count, z = session.run(["while_loop/part", "while_loop/part_1:0"], {x: [1.0, 2.0, 3.0]})
    assert (count, z.tolist()) == (3, [1, 16, 81])
    assert session.run(y + 1, {y: np.ones(3)}).tolist() == [2, 2, 2]


def test_the_forward_loop_runs_once_however_many_gradients_read_it():
    x, w = vector(), vector("w")
    y = ops.sum(sg.fori(0, 3, lambda i, y: ops.sin(y) * w, x))
    (a,), (b,) = sg.gradients(y, x), sg.gradients(y, w)
    assert len(loops_in(y, a, b, feeds=[x, w])) == 3  # forward, and one backward for each call
    (second,) = sg.gradients(ops.sum(a * a) + y, x)
    assert len(loops_in(y, a, second, feeds=[x, w])) == 4


def test_derivatives_of_every_order_double_the_loops_and_no_more():
    x = vector(shape=())
    y, count = sg.fori(0, 3, lambda i, y: ops.sin(y) * x, x), []
    fetches = [y]
    for _ in range(4):
        fetches += sg.gradients(fetches[-1] * y, x)
        count.append(len(loops_in(*fetches, feeds=[x])))
    assert count == [2, 4, 8, 16]


def test_a_gradient_within_a_body_runs_the_loop_outside_once():
    x = vector()
    y = sg.fori(0, 3, lambda i, y: ops.sin(y) * x, x)
    z = sg.foldl(lambda a, e: a + e * sg.gradients(ops.sum(y) * a, x)[0][0], x, 1.0)
    graph = sg.freeze(z, [x])
    (inside,) = [e for e in all_expressions(graph) if e.what == "loop" and e not in set(graph)]
    assert not inside.attrs["gives"]  # it goes back over lists that the outer one kept
    with_outer = [e for e in graph if e.what == "loop"]
    assert len(with_outer) == 2


def test_what_does_not_depend_on_x_has_no_gradient_by_it():
    x, w = vector(), vector("w")
    body = lambda i, a, b: (i + 1, a * w, b * x)
    _, a, b = sg.while_loop(lambda i, a, b: i < 3, body, [0, w, x])
    assert sg.gradients(a, x) == [None]
    assert "while_loop/part_1: float64[3], which inside the loop is computed" in sg.why_none(a, x)
    assert "is not None" in sg.why_none(b, x)


def test_loops_are_nested_deeply():
    x = vector(shape=())

    def nested(depth, y):
        if not depth:
            return ops.sin(y) * x
        return sg.fori(0, 1, lambda i, s: nested(depth - 1, s), y)

    y = nested(20, x)
    graph = sg.freeze([y, *sg.gradients(y, x)], [x])
    assert sg.parse(sg.to_text(graph)) == graph
    assert_allclose(sg.compile(graph)(0.5), [0.5 * np.sin(0.5), np.sin(0.5) + 0.5 * np.cos(0.5)])


def test_a_body_may_be_long():
    x = vector()

    def body(i, y):
        for _ in range(500):
            y = ops.sin(y) * 1.01
        return y

    y = sg.fori(0, 2, body, x)
    run = sg.compile([y, *sg.gradients(ops.sum(y), x)], [x])
    assert_allclose(run(np.ones(3))[0], [body(0, body(0, 1.0))] * 3)


def test_results_do_not_change_when_the_executable_runs_again():
    x = vector(shape=[1000])
    y = sg.scan(lambda a, e: ops.sin(a) * e + x, ops.stack([x, x * 2]), x)
    run = sg.compile([y, *sg.gradients(ops.sum(y), x)], [x])
    first = run(np.ones(1000))
    kept = [a.copy() for a in first]
    run(np.zeros(1000))
    assert all(np.array_equal(a, b) for a, b in zip(first, kept, strict=True))


def test_threads_build_and_run_loops_of_one_graph():
    x, wrong = vector(), []
    y = sg.scan(lambda a, e: a * e + ops.sin(a), x, 0.5)
    run = sg.compile([y, *sg.gradients(ops.sum(y), x)], [x])
    feed, graph = np.array([1.0, 2.0, 3.0]), sg.get_default_graph()
    wanted = [a.tolist() for a in run(feed)]

    def work():
        with graph.as_default():
            for _ in range(5):
                again = sg.compile([y, *sg.gradients(ops.sum(y), x)], [x])
                wrong.extend(
                    r for r in (run(feed), again(feed)) if [a.tolist() for a in r] != wanted
                )

    threads = [Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_every_branch_and_loop_is_a_function_of_its_own():
    x = vector(shape=["n"])
    turn = lambda a, e: sg.cond(e > 0, lambda: a * e, lambda: a - e)
    source = sg.compile(sg.scan(turn, x, 0.5), [x]).source
    heads = [line for line in source.splitlines() if line.startswith("def ")]
    assert [head.partition("(")[0] for head in heads] == [
        "def branch", "def branch_1", "def loop_1", "def run",
    ]  # fmt: skip
    assert "case(greater_" in source
    assert "loop_1(0.5" in source


def test_a_size_called_states_is_as_fixed_as_any_other():
    q = sg.placeholder("float32", ["states"], name="q")
    with pytest.raises(ShapeError, match="shape_invariants"):
        sg.while_loop(
            lambda i, s: i < 2, lambda i, s: (i + 1, ops.concatenate([s, s], axis=0)), [0, q]
        )


def test_a_limit_keeps_the_structure_of_the_variables():
    for start in ({"i": 0, "s": 1.0}, (0, 1.0), [0, 1.0]):
        step = lambda i, s, like=start: rebuilt(like, i + 1, s * 2)
        found = sg.while_loop(lambda i, s: i < 9, step, start, maximum_iterations=3)
        assert type(found) is type(start)
        assert sg.Session().run(found) == rebuilt(start, 3, 8.0)


def rebuilt(like, i, s):
    return {"i": i, "s": s} if isinstance(like, dict) else type(like)([i, s])


MISTAKEN = {
    "map": lambda x, f: sg.map(x, f), "map_fn": lambda x, f: sg.map_fn(x, f),
    "scan": lambda x, f: sg.scan(x, f), "foldl": lambda x, f: sg.foldl(x, f),
    "map_accumulate": lambda x, f: sg.map_accumulate(x, f, x),
    "fori": lambda x, f: sg.fori(f, 0, 3, x), "while_loop": lambda x, f: sg.while_loop([x], f, f),
}  # fmt: skip


@pytest.mark.parametrize("call", MISTAKEN.values(), ids=MISTAKEN)
@pytest.mark.parametrize("x", [sg.placeholder("float64", [3]), np.ones(3), [1.0, 2.0]], ids=type)
def test_functions_and_arrays_in_another_order_are_named(call, x):
    with pytest.raises(TypeError, match=r"takes a function, not .*\n  hint: the order of the"):
        call(x, lambda *states: states[0])
