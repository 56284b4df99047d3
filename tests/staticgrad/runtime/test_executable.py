"""Executables: structures, feeds by place and name, errors, memory, threads."""

import gc
import linecache
import threading
import traceback
import weakref
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, FetchError, IndexingError, MixedOperandsError, ShapeError

from .. import hostile

Pair = namedtuple("Pair", "a b")


@dataclass
class Box:
    value: object


@pytest.fixture
def x():
    return sg.placeholder("float32", ["batch", 3], name="x")


ONES = np.ones((2, 3), np.float32)


@pytest.mark.parametrize("form", [
    lambda e: e, lambda e: [e], lambda e: (e, e), lambda e: {"k": [e, (e,)]},
    lambda e: Pair(e, [e]), lambda e: Box({"v": e}), lambda e: [], lambda e: None,
])  # fmt: skip
def test_results_have_the_structure_that_was_asked_for(form, x):
    found = sg.compile(form(sg.reduce_sum(x)), [x])(ONES)
    assert found == form(np.float32(6))


def test_feeds_by_place_and_by_name(x):
    y = sg.placeholder("float32", [], name="y")
    f = sg.compile(sg.reduce_sum(x) + y, [x, y])
    assert f(ONES, 1.0) == f(ONES, y=1.0) == f(x=ONES, y=1) == 7


def test_missing_and_unknown_inputs_are_named(x):
    f = sg.compile(x, [x])
    with pytest.raises(FeedError, match=r"missing:(?s:.*)x: float32\[batch, 3\], made at test_exe"):
        f()
    with pytest.raises(FeedError, match=r"nothing is called 'xx' to be fed; did you mean 'x'\?"):
        f(xx=ONES)
    with pytest.raises(
        FeedError, match=r"nothing is called 'q' to be fed\n  hint: the inputs are x"
    ):
        f(q=ONES)
    with pytest.raises(FeedError):
        f(ONES, ONES)


@pytest.mark.parametrize(("feed", "says"), [
    (np.ones((2, 4), np.float32), "was fed an array of shape (2, 4)"),
    (np.ones(3, np.float32), "was fed an array of shape (3,)"),
    (np.ones((2, 3)), "hint: feed value.astype('float32')"),
    (np.ones(3, np.float32), "hint: feed value[None], a batch of one"),
    (np.ones((2, 4)), "hint: feed value.astype('float32'), in another shape, too"),
    (np.ones((2, 3), int), "was fed int64[2, 3]"),
    ([[1, 2, 3], [4, 5]], "a value that is not an array"),
    ("text", "was fed 'text': not an array of numbers"),
    (None, "was fed None: not an array of numbers"),
    ([[1j, 2, 3]], "was fed complex128[1, 3]"),
])  # fmt: skip
def test_a_feed_of_another_type_is_refused(feed, says, x):
    with pytest.raises(FeedError) as caught:
        sg.compile(x * 2, [x])(feed)
    assert says in str(caught.value)
    assert "x was made at test_executable.py" in str(caught.value)


def test_an_expression_is_no_feed(x):
    with pytest.raises(FeedError, match="was fed an expression"):
        sg.compile(x * 2, [x])(x)


def test_equal_names_are_equal_sizes(x):
    y = sg.placeholder("float32", ["batch"], name="y")
    f = sg.compile(sg.reduce_sum(x) + y, [x, y])
    with pytest.raises(FeedError, match=r"batch is 2 in x: .*, but 5 in y: .*(?s:.*made at.*){2}"):
        f(ONES, np.ones(5, np.float32))


def test_numbers_lists_and_other_layouts_are_taken(x):
    f = sg.compile(x * 2, [x])
    expected = [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]
    rows = [[1, 2, 3], [4, 5, 6]]
    for feed in (rows, np.asfortranarray(np.float32(rows)), np.float32(rows)[::-1][::-1]):
        assert f(feed).tolist() == expected


def test_one_program_serves_all_sizes(x):
    w = sg.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
    y = sg.reduce_mean(sg.tanh(x @ w))
    f = sg.compile(sg.gradients(y, x), [x])
    for n in (1, 5, 2, 5, 0, 700):
        assert f(np.ones((n, 3), np.float32))[0].shape == (n, 3)


def test_results_share_no_memory_with_feeds_constants_or_later_results(x):
    c = sg.constant(np.zeros((2, 3), np.float32))
    big = sg.broadcast_to(sg.reduce_sum(x), shape=(100, 100))
    f = sg.compile([x, c, x, sg.transpose(x), big + 1, sg.reshape(big, shape=(-1,))], [x])
    feed = ONES.copy()
    first = f(feed)
    kept = [r.copy() for r in first]
    for r in first:
        r += 1
    assert feed.tolist() == ONES.tolist()
    second = f(feed)
    assert [r.tobytes() for r in second] == [k.tobytes() for k in kept]


def test_a_failing_line_names_the_users_line():
    labels = sg.placeholder("int64", ["n"], name="labels")
    loss = sg.cross_entropy(sg.constant(np.zeros((1, 3))), labels)
    with pytest.raises(IndexingError, match="label 9") as caught:
        sg.compile(loss, [labels])([9])
    assert "made at test_executable.py" in caught.value.__notes__[-1]


def test_placeholders_that_are_needed_must_be_inputs(x):
    with pytest.raises(FeedError, match="no value is fed"):
        sg.compile(x * 2, [])


def test_variables_are_inputs_or_need_a_session():
    w = sg.Variable([1.0, 2.0], name="w")
    with pytest.raises(FeedError, match=r"the graph reads variables: w: float32\[2\]"):
        sg.compile(w * 2, [])
    assert sg.compile(w * 2, [w])([3.0, 4.0]).tolist() == [6, 8]


def test_what_is_no_expression_cannot_be_compiled(x):
    with pytest.raises(FetchError, match="neither an expression nor the name of one"):
        sg.compile({"a": 1.0}, [x])
    assert sg.compile("x", [x])(ONES).tolist() == ONES.tolist()


HOSTILE = [
    "np",
    "def",
    "b0",
    "x y",
    "matmul",
    "pool",
    "float32",
    "ndarray",
    "NotImplemented",
    "1",
    "é",
    "",
]


def test_hostile_names_do_no_harm():
    feeds = [hostile.placeholder("float32", ["np", 40], name) for name in HOSTILE]
    total = feeds[0] @ np.ones((40, 40), np.float32)
    for e in feeds[1:]:
        total = sg.tanh(total) + e
    f = sg.compile(total, feeds)
    assert f(*[np.zeros((30, 40), np.float32)] * len(HOSTILE)).shape == (30, 40)


def test_generated_source_is_the_same_every_time(x):
    y = sg.tanh(x) * 2
    assert sg.compile(y, [x]).source == sg.compile(y, [x]).source


def test_source_is_in_linecache_as_long_as_the_executable_lives(x):
    f = sg.compile(sg.exp(x), [x])
    filename = f.run.__code__.co_filename
    assert linecache.getline(filename, 1).startswith("def run(x)")
    del f
    assert filename not in linecache.cache


def test_executables_are_freed_by_reference_counting(x):
    gc.disable()
    try:
        f = sg.compile(sg.exp(x) @ np.ones((3, 900), np.float32), [x])
        f(ONES)
        refs = [weakref.ref(f), weakref.ref(f.graph), weakref.ref(f.run)]
        del f
        assert [r() for r in refs] == [None] * 3
    finally:
        gc.enable()


def test_many_threads_may_call_one_executable(x):
    y = sg.reduce_sum(sg.tanh(x @ np.ones((3, 900), np.float32)), axis=1)
    f = sg.compile(y, [x])
    wrong = []

    def work(seed):
        feed = np.random.default_rng(seed).normal(size=(7, 3)).astype(np.float32)
        expected = f(feed).tobytes()
        wrong.extend(1 for _ in range(200) if f(feed).tobytes() != expected)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_the_same_input_is_not_given_twice(x):
    with pytest.raises(FeedError, match="an expression is fed twice"):
        sg.compile(x * 2, [x, x])
    with pytest.raises(FeedError, match="'x' is fed twice, by its place and by its name"):
        sg.compile(x * 2, [x])(ONES, x=ONES)
    with pytest.raises(FeedError, match=r"2 values were given for 1 input\(s\): x"):
        sg.compile(x * 2, [x])(ONES, ONES)


def test_a_frozen_graph_has_its_inputs_already(x):
    with pytest.raises(FeedError, match=r"has its inputs already: \(<placeholder x"):
        sg.compile(sg.freeze(x, x), [x])


def test_inputs_may_be_names_or_one_expression(x):
    for inputs in (x, "x", ["x:0"], [x]):
        assert sg.compile(x * 2, inputs)(ONES).tolist() == (ONES * 2).tolist()


def test_numbers_come_as_numpy_scalars(x):
    s = sg.placeholder("float32", name="s")
    c = sg.constant(2.0)
    numbers = [
        s, c, s * c, sg.reduce_sum(x), sg.where(s > 0, s, c), sg.reshape(x[:1, :1], shape=()),
        x[0, 0], sg.squeeze(x[:1, :1], axis=(0, 1)), sg.cast(s, "int8"), sg.argmax(x[0]),
        sg.identity(s > 0),
    ]  # fmt: skip
    graph = sg.freeze(numbers, [x, s])
    found, expected = sg.compile(graph)(ONES, 3.0), sg.interpret(graph, [ONES, 3.0])
    assert [(type(a), a) for a in found] == [(type(a), a) for a in expected]
    assert all(isinstance(a, np.generic) for a in found)


def test_results_share_no_memory_with_each_other(x):
    y = sg.exp(x)
    views = [y, y, sg.transpose(y), y[0], sg.reshape(y, shape=(-1,)), sg.stop_gradient(y)]
    found = sg.compile(views, [x])(ONES)
    assert not any(np.shares_memory(a, b) for i, a in enumerate(found) for b in found[:i])
    assert all(a.flags.writeable for a in found)


def test_errors_are_those_of_the_interpreter():
    a = sg.placeholder("float32", ["n"], name="a")
    b = sg.placeholder("float32", ["m"], name="b")
    y = sg.reshape(sg.exp(a) + b, shape=(a.shape[0], 1))
    graph = sg.freeze(y, [a, b])
    errors = []
    for run in (sg.compile(graph), lambda *feeds: sg.interpret(graph, feeds)):
        with pytest.raises(ShapeError) as caught:
            run([1, 2], [1, 2, 3])
        errors.append((str(caught.value), caught.value.__notes__))
    assert errors[0] == errors[1]
    assert "add(float32[2], float32[3]): the shapes do not broadcast" in errors[0][0]


def test_a_traceback_shows_the_failing_line_of_generated_code():
    a, b = (sg.placeholder("float32", [None], name=name) for name in "ab")
    try:
        sg.compile(a + b, [a, b])([1, 2], [1, 2, 3])
    except ShapeError as error:
        shown = "".join(traceback.format_exception(error))
    assert "add_2 = a + b" in shown


def test_an_error_keeps_no_executable_alive(x):
    gc.disable()
    try:
        f = sg.compile(x + np.ones((5, 1), np.float32), [x])
        ref = weakref.ref(f)
        try:
            f(ONES)
        except ShapeError:
            del f
        assert ref() is None
    finally:
        gc.enable()


def test_a_name_of_pythons_own_is_no_trouble_as_a_keyword():
    s = sg.placeholder("float32", name="self")
    assert sg.compile(s * 2, [s])(**{"self": 2.0}) == 4


def test_a_fetch_of_another_graph_is_refused_with_both(x):
    with sg.Graph("second").as_default():
        y = sg.placeholder("float32", name="y")
    with pytest.raises(MixedOperandsError, match=r"'graph'(?s:.*)'second'"):
        sg.compile([x, y], [x, y])


def test_a_feed_of_the_right_type_is_taken_as_it_is(x, monkeypatch):
    f = sg.compile(x * 2, [x])
    monkeypatch.setattr("staticgrad.runtime.executable.as_feed", None)
    assert f(ONES).tolist() == [[2, 2, 2]] * 2
