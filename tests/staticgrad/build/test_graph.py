"""Graphs: unique names, scopes, isolation, finality, and a default graph per thread."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import staticgrad as sg
from gradops import FetchError, GraphError, MixedOperandsError


def test_names_are_unique():
    with sg.Graph().as_default():
        names = [sg.placeholder("float32", [], name="x").name for _ in range(3)]
        taken = sg.placeholder("float32", [], name="x_1").name
    assert names == ["x", "x_1", "x_2"]
    assert taken not in names


def test_name_scopes_nest_and_end():
    with sg.Graph().as_default():
        with sg.name_scope("a"), sg.name_scope("b"):
            inner = sg.constant(1.0, name="c")
        outer = sg.constant(1.0, name="c")
    assert (inner.name, outer.name) == ("a/b/c", "c")


def test_an_op_can_be_named():
    with sg.Graph().as_default() as graph:
        y = sg.tanh(sg.constant(1.0), name="y")
    assert graph.get_tensor_by_name("y:0") is y
    assert [e.name for e in graph.get_operations()] == ["constant", "y"]


def test_an_unknown_name_suggests_the_nearest():
    with sg.Graph("g").as_default() as graph:
        sg.constant(1.0, name="weights")
    with pytest.raises(FetchError, match=r"'g' has no expression called 'weihgts'.*'weights'\?"):
        graph.get_tensor_by_name("weihgts")


def test_expressions_of_two_graphs_do_not_mix():
    with sg.Graph("first").as_default():
        x = sg.placeholder("float32", [3], name="x")
    with sg.Graph("second").as_default():
        y = sg.placeholder("float32", [3], name="y")
    with pytest.raises(MixedOperandsError) as caught:
        x + y
    text = str(caught.value) + caught.value.__notes__[0]
    assert "'first'" in text
    assert "'second'" in text
    assert text.count("test_graph.py") >= 4


def test_a_finalized_graph_refuses_expressions_with_both_lines():
    with sg.Graph().as_default() as graph:
        x = sg.placeholder("float32", [3], name="x")
        graph.finalize()
        with pytest.raises(GraphError, match=r"the graph is finalized: exp.*(?s:.*)test_graph\.py"):
            sg.exp(x)
    assert len(graph) == 1


def test_each_thread_has_a_default_graph_of_its_own():
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(sg.get_default_graph())) for _ in range(4)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({id(g) for g in found}) == 4


def test_as_default_is_undone_by_an_error():
    before = sg.get_default_graph()
    with pytest.raises(KeyError), sg.Graph().as_default():
        raise KeyError
    assert sg.get_default_graph() is before


def test_expressions_outlive_their_graph():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [2], name="x")
    y = x * 2
    assert sg.compile(y, [x])([1.0, 2.0]).tolist() == [2.0, 4.0]


def test_a_scope_can_be_opened_again_and_left():
    with sg.name_scope("a") as scope, sg.name_scope(""):
        outside = sg.constant(1.0, name="c")
    with sg.name_scope("b"), sg.name_scope(scope):
        again = sg.constant(1.0, name="c")
    with sg.name_scope("a"):
        new = sg.constant(1.0, name="c")
    assert [e.name for e in (outside, again, new)] == ["c", "a/c", "a_1/c"]


def test_a_name_is_found_with_an_output_number_and_without():
    with sg.Graph().as_default() as graph:
        x = sg.placeholder("float32", name="x")
    assert graph.get_tensor_by_name("x:0") is graph.get_tensor_by_name("x") is x


def test_names_are_unique_however_many_there_are():
    with sg.Graph().as_default() as graph:
        for _ in range(3000):
            sg.constant(1.0, name="c_1")
            sg.constant(1.0, name="c")
    assert len(graph) == 6000


def test_finalize_also_forbids_gradients_and_keeps_the_first_line():
    with sg.Graph().as_default() as graph:
        x = sg.placeholder("float32", [3], name="x")
        y = x * x
        graph.finalize()
        with pytest.raises(GraphError, match="graph is finalized") as first:
            sg.gradients(y, x)
        graph.finalize()
        with pytest.raises(GraphError) as second:
            sg.gradients(y, x)
        assert str(first.value).splitlines()[1:] == str(second.value).splitlines()[1:]
        assert sg.Session().run(y, {x: [1.0, 2.0, 3.0]}).tolist() == [1, 4, 9]


def build_in(graph, scope):
    """A chain and its gradient in a scope of a graph that has one placeholder."""
    with graph.as_default(), sg.name_scope(scope):
        x = y = graph.get_tensor_by_name("x")
        for _ in range(400):
            y = sg.sin(y)
        return y, sg.gradients(y, x)[0]


def graph_with_x():
    graph = sg.Graph()
    with graph.as_default():
        sg.placeholder("float32", [3], name="x")
    return graph


@pytest.fixture
def frequent_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_threads_may_build_one_graph_at_once(frequent_switches):
    shared, alone, scopes = graph_with_x(), graph_with_x(), ["a", "b", "c", "d"]
    build_in(alone, "a")
    with ThreadPoolExecutor(len(scopes)) as pool:
        built = list(pool.map(build_in, [shared] * len(scopes), scopes))
    for (y, g), scope in zip(built, scopes, strict=True):
        assert (y.name, g.origin.name) == (f"{scope}/sin_399", f"{scope}/sin")
    assert all(name == e.name for name, e in shared.members.items())
    assert len(shared) - 1 == (len(alone) - 1) * len(scopes)


def test_users_are_warned_once_of_a_graph_that_grows_after_it_was_run():
    x = sg.placeholder("float32", [], name="x")
    session = sg.Session()
    session.run(x * 2, {x: 1.0})
    with pytest.warns(sg.GrowthWarning, match=r"run at test_graph\.py:.*added at test_graph") as w:
        y = x * 3
    assert w[0].filename == __file__
    session.run(y * 4, {x: 1.0})  # nothing more is said
    sg.Session().run(y * 5, {x: 1.0})
    y * 6


def test_a_graph_that_was_only_compiled_may_grow():
    x = sg.placeholder("float32", [], name="x")
    sg.compile(x * 2, [x])(1.0)
    first = sg.Session().make_callable(x * 3, [x])
    second = sg.Session().make_callable(x * 4, [x])
    assert (first(1.0), second(1.0)) == (3, 4)


@pytest.mark.parametrize("name", [3, None, ["x"]])
def test_names_are_strings(name):
    for make in (lambda: sg.constant(1.0, name=name), lambda: sg.placeholder("int64", [], name)):
        with pytest.raises(GraphError, match="a name is a string"):
            make()
    with pytest.raises(FetchError, match="no expression called"):
        sg.get_default_graph().get_tensor_by_name(name)
    if name is not None:
        with pytest.raises(GraphError, match="name of a scope"), sg.name_scope(name):
            pass
