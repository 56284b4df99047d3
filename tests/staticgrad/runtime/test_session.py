"""Sessions: fetches, feeds, and the values of variables."""

import gc
import threading
import weakref
from collections import namedtuple

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, FetchError, GraphError, NotFiniteError


@pytest.fixture(autouse=True)
def graph():
    with sg.Graph("g").as_default() as graph:
        yield graph


@pytest.fixture
def x():
    return sg.placeholder("float32", ["n"], name="x")


def test_fetches_nest_and_may_be_names(x):
    y = sg.exp(x, name="y")
    found = sg.Session().run({"a": [y, "y:0"], "b": ("x", {"c": y})}, {"x": [0.0]})
    assert found == {"a": [[1], [1]], "b": ([0], {"c": [1]})}


def test_anything_can_be_fed(x):
    h = x * 2
    y = h + 1
    session = sg.Session()
    assert session.run(y, {h: [10.0]}).tolist() == [11]
    assert session.run(y, {x: [10.0]}).tolist() == [21]
    assert session.run(y, {y: [5.0]}).tolist() == [5]


def test_a_variable_can_be_fed_for_one_run():
    v = sg.Variable(1.0, name="v")
    session = sg.Session()
    assert session.run(v * 2, {v: 5.0}) == 10
    assert session.run(v * 2) == 2


def test_a_missing_feed_is_named(x):
    with pytest.raises(FeedError, match=r"x: float32\[n\], made at test_session\.py"):
        sg.Session().run(x * 2)


def test_a_mistyped_feed_suggests_the_nearest():
    sg.placeholder("float32", [], name="images")
    with pytest.raises(FeedError, match=r"'imgaes' to be fed; did you mean 'images'\?"):
        sg.Session().run([], {"imgaes": 1.0})


def test_a_fetch_of_another_graph_is_refused_with_both(x):
    with sg.Graph("other").as_default():
        y = sg.constant(1.0, name="y")
    with pytest.raises(FetchError, match=r"y: float32\[\] belongs to 'other'.*the session to 'g'"):
        sg.Session().run(y)
    with pytest.raises(FetchError, match="neither an expression nor the name"):
        sg.Session().run(3.0)


def test_a_failed_run_changes_no_variable(x):
    v = sg.Variable(1.0, name="v")
    labels = sg.placeholder("int64", [1], name="labels")
    bad = sg.cross_entropy(sg.constant(np.zeros((1, 3))), labels)
    session = sg.Session()
    with pytest.raises(IndexError):
        session.run([v.assign(v + 1), bad], {labels: [7]})
    with pytest.raises(FeedError):
        session.run([v.assign(v + 1), x], {x: ["a"]})
    assert session.run(v) == 1


def test_sessions_are_isolated():
    v = sg.Variable(1.0, name="v")
    change = v.assign(v + 1)
    one, other = sg.Session(), sg.Session()
    one.run(change)
    assert (one.run(v), other.run(v)) == (2, 1)


def test_the_value_of_a_variable_is_not_lent_out():
    v = sg.Variable([1.0, 2.0], name="v")
    session = sg.Session()
    for e in (v, v.assign(v * 1)):
        session.run(e)[:] = 99
    assert session.run(v).tolist() == [1, 2]


def test_a_plan_is_compiled_once_per_fetches_and_feeds(x):
    session = sg.Session()
    for _ in range(3):
        session.run("x", {x: [1.0]})
    assert len(session.plans) == 1
    session.run(["x", "x"], {x: [1.0]})
    assert len(session.plans) == 2


def test_a_closed_session_begins_again():
    v = sg.Variable(1.0)
    with sg.Session() as session:
        session.run(v.assign(5.0))
    assert session.run(v) == 1


def test_many_threads_may_update_one_variable():
    v = sg.Variable(0, name="v")
    session = sg.Session()
    step = session.make_callable(v.assign_add(1))
    threads = [threading.Thread(target=lambda: [step() for _ in range(100)]) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert session.run(v) == 800


def test_a_graph_and_its_session_are_freed_by_reference_counting():
    gc.disable()
    try:
        with sg.Graph().as_default() as graph:
            v = sg.Variable(1.0)
            change = v.assign(v * 2)
        session = sg.Session(graph)
        session.run(change)
        refs = [weakref.ref(o) for o in (graph, session, v, change)]
        del graph, session, v, change
        assert [r() for r in refs] == [None] * 4
    finally:
        gc.enable()


def test_the_same_is_not_fed_twice(x):
    with pytest.raises(FeedError, match="fed twice"):
        sg.Session().run(x, {x: [1.0], "x:0": [2.0]})


def test_a_callable_says_which_of_its_values_is_missing(x):
    v = sg.Variable(1.0, name="v")
    call = sg.Session().make_callable(x * v, [x])
    with pytest.raises(FeedError, match=r"0 of 1 inputs were fed; missing:\n  x: float32\[n\]"):
        call()
    with pytest.raises(FeedError, match=r"2 values were given for 1 input\(s\): x"):
        call([1.0], [2.0])


def test_numbers_come_as_numpy_scalars():
    v = sg.Variable(1.0, name="v")
    found = sg.Session().run([v, v * 2, v.assign(v + 1), sg.constant(1.0), "v"])
    assert {type(x) for x in found} == {np.float32}


def test_results_share_no_memory_with_variables_or_each_other():
    v, w = sg.Variable([1.0, 2.0], name="v"), sg.Variable([1.0, 2.0], name="w")
    new = v * 2
    session = sg.Session()
    found = session.run([v.assign(new), w.assign(sg.reshape(new, shape=(2,))), new, v, w, new])
    for i, a in enumerate(found):
        assert not any(np.shares_memory(a, b) for b in (*found[:i], *session.values.values()))


def test_order_is_the_programs_and_not_that_of_fetches():
    v = sg.Variable(1.0, name="v")
    one, ten = v.assign_add(1.0), v.assign_add(10.0)
    assert sg.Session().run([ten, one]) == [12, 2]
    assert sg.Session().run(ten) == 11


def test_a_variable_that_is_fed_keeps_its_value():
    v = sg.Variable(1.0, name="v")
    session = sg.Session()
    assert session.run(v.assign(v + 1), {v: 5.0}) == 6
    assert session.run(v) == 1


def test_the_order_of_feeds_does_not_matter():
    x, y = (sg.placeholder("float32", [], name=name) for name in "xy")
    session = sg.Session()
    difference = x / y
    for feeds in ({x: 3.0, y: 2.0}, {y: 2.0, x: 3.0}):
        assert session.run(difference, feeds) == 1.5
    assert session.make_callable(difference, [y, x])(2.0, 3.0) == 1.5
    assert len([key for key in session.plans if key[0] == (difference,)]) == 1
    with pytest.raises(FeedError, match="fed twice"):
        session.make_callable(difference, [y, x, x])


def test_an_expression_is_evaluated_in_the_innermost_session_that_is_entered(x):
    w = sg.Variable(1.0)
    with sg.Session() as outer:
        w.load(2.0)
        with sg.Session():
            assert w.eval() == 1
        assert w.eval() == outer.run(w) == 2
        assert (x * w).eval({x: [3.0]}).tolist() == [6]
    other = sg.Session()
    assert w.eval(session=other) == 1
    for call in (w.eval, lambda: w.load(1.0)):
        with pytest.raises(GraphError, match=r"there is no session(?s:.*)with sg.Session"):
            call()


def test_what_is_loaded_is_of_the_variables_type(x):
    w = sg.Variable([1.0, 2.0])
    session = sg.Session()
    for value in ([1.0], "text", np.ones(2)):
        with pytest.raises(FeedError):
            w.load(value, session)
    assert session.run([w, w.initial_value])[0].tolist() == [1, 2]


def test_a_session_runs_a_graph_and_nothing_else():
    for wrong in ("grpc://localhost", 5):
        with pytest.raises(GraphError, match=r"(?s)a session runs a Graph.*hint"):
            sg.Session(wrong)


def test_a_callable_takes_one_feed_or_several(x):
    call = sg.Session().make_callable(x * 2, x)
    assert call([1.0]).tolist() == [2]
    assert sg.Session().make_callable(sg.constant(1.0), None)() == 1


@pytest.mark.parametrize("wrap", [
    lambda y: None, lambda y: [y, None], lambda y: {"a": (y, [None])}, lambda y: [None],
])  # fmt: skip
def test_none_is_no_fetch(wrap):
    x = sg.placeholder("float32", [], name="x")
    session, fetches = sg.Session(), wrap(x * 2)
    for run in (session.run, session.make_callable, session.partial):
        with pytest.raises(TypeError, match="None is neither an expression"):
            run(fetches)
    assert session.run([]) == []
    assert session.run({"a": ()}) == {"a": ()}


def test_feeds_come_in_tuples_too():
    x, y = sg.placeholder("float32", [], name="x"), sg.placeholder("float32", [2], name="y")
    session, pair = sg.Session(), namedtuple("Pair", "a b")
    for feeds in (
        {(x, y): (1.0, [2.0, 3.0])},
        {(x, ("y",)): [1.0, (np.array([2.0, 3.0], "float32"),)]},
        {pair("x:0", y): pair(1.0, (2.0, 3.0))},
        {(x,): (1.0,), y: [2.0, 3.0]},
    ):
        assert session.run(x + y, feeds).tolist() == [3, 4]
    for feeds, words in (
        ({(x, y): (1.0,)}, r"\(x, y\) is fed 1 values, not a tuple of 2"),
        ({(x, y): 1.0}, r"\(x, y\) is fed 1.0, not a tuple of 2"),
        ({(x, y): (1.0, [1.0, 2.0]), "x": 2.0}, "fed twice"),
    ):
        with pytest.raises(FeedError, match=words):
            session.run(x + y, feeds)


@pytest.mark.parametrize("name", ["a b", "a:b", "x:0", "\t", "a\nb", ":"])
def test_names_have_no_spaces_and_no_colons(name):
    x = sg.placeholder("float32", [])
    for build in (
        lambda: sg.placeholder("float32", [], name=name), lambda: sg.Variable(1.0, name=name),
        lambda: sg.multiply(x, x, name=name), lambda: sg.constant(1.0, name=name),
        lambda: sg.name_scope(name).__enter__(), lambda: sg.group(x, name=name),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="no spaces and no colons"):
            build()


@pytest.mark.parametrize(
    ("fetch", "kind"), [(3, TypeError), ("y", ValueError), ("x:1", ValueError)]
)
def test_errors_of_fetches_are_of_tensorflows_kinds(fetch, kind):
    sg.placeholder("float32", [], name="x")
    with pytest.raises(kind, match=r"no expression called|neither an expression"):
        sg.Session().run(fetch)
    with pytest.raises(KeyError) as error:
        sg.get_default_graph().get_tensor_by_name("x:1")
    assert str(error.value).startswith("'g' has no expression")
    for feeds in ({3: 1.0}, [1.0]):
        with pytest.raises(TypeError):
            sg.Session().run([], feeds)


def test_structures_that_differ_are_errors_of_tensorflows_kinds():
    x, p = sg.constant(1.0), sg.constant(True)
    for fns in ((lambda: (x, x), lambda: [x, x]), (lambda: [x, x], lambda: x)):
        with pytest.raises(TypeError, match="different structures"):
            sg.cond(p, *fns)
    for loop in (
        lambda: sg.while_loop(lambda i, j: i < 3, lambda i, j: i + 1, [0, 0]),
        lambda: sg.while_loop(lambda i: i < 3, lambda i: [i, i], [0]),
        lambda: sg.scan(lambda a, e: (a, e), sg.zeros([3]), 0.0),
        lambda: sg.foldl(lambda a, e: (a, e), sg.zeros([3]), 0.0),
    ):
        with pytest.raises(ValueError, match=r"gives .* values for"):
            loop()


@pytest.mark.parametrize(
    ("arrange", "place"),
    [
        (lambda x: [x, None, x], "fetches[1]"),
        (lambda x: (x, [x, x], [x, None]), "fetches[2][1]"),
        (lambda x: {"a": x, "b": (None, None)}, "fetches['b'][0]"),
        (lambda x: None, "fetches"),
    ],
)
def test_a_none_among_fetches_is_named_by_its_place(arrange, place):
    with sg.Graph().as_default() as graph:
        x = sg.constant(1.0)
        with pytest.raises(FetchError) as caught:
            sg.Session(graph).run(arrange(x))
    assert f"name of one: {place}\n" in str(caught.value)
    assert "sg.why_none(y, x)" in str(caught.value)


def test_constants_become_values_without_a_copy_and_results_are_copies():
    v = sg.Variable(np.arange(3.0), name="v")
    session = sg.Session()
    session.run(sg.global_variables_initializer())
    assert np.shares_memory(session.snapshot().values["v"], v.value)
    session.run(v)[:] = 7
    assert session.run(v).tolist() == [0, 1, 2]
    session.run(v.assign(v + 1))
    assert session.run(v).tolist() == [1, 2, 3]
    session.run(v.initializer)
    assert session.run(v).tolist() == [0, 1, 2]


@pytest.mark.parametrize("backend", ["numpy", "interpreter"])
def test_assigning_a_constant_is_as_assigning_what_is_computed(backend):
    def history(new):
        with sg.Graph().as_default():
            v, w, z = (
                sg.Variable(x, name=name) for x, name in ((2.0, "v"), (3.0, "w"), (0.0, "z"))
            )
            session = sg.Session(backend=backend)
            changes = [v.assign(new(10.0, z)), w.assign(v * 5.0)]
            fetches = [v, v * w, *changes, sg.group(*changes)]
            return [session.run(fetches), session.run([v, w]), session.run([w * v, v.initializer])]

    assert history(lambda x, zero: x) == history(lambda x, zero: x + zero)


def test_a_constant_that_is_not_finite_is_found_before_it_is_assigned():
    v = sg.Variable(1.0, name="v")
    session = sg.Session()
    with pytest.raises(NotFiniteError):
        session.run(v.assign(np.inf), check_numerics=True)
    assert session.run(v) == 1
