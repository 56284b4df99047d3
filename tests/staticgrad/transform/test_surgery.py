"""Parts taken out of frozen graphs, and other things put into them."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops import FeedError, FetchError, GraphError

rng = np.random.default_rng(0)
X = rng.normal(size=(3, 4)).astype(np.float32)
W = rng.normal(size=(4, 5)).astype(np.float32)


@pytest.fixture
def network():
    """Two layers with unknown sizes, a variable that is updated, and its gradient."""
    x = sg.placeholder("float32", ["batch", 4], name="x")
    w = sg.Variable(W, name="w")
    h = sg.tanh(sg.matmul(x, w), name="h")
    y = sg.tanh(h * 2, name="y")
    loss = sg.reduce_mean(y * y, name="loss")
    (g,) = sg.gradients(loss, w)
    return sg.freeze([loss, w.assign_sub(0.1 * g)], [x])


def run(graph, *feeds):
    """The results of a well-formed graph, on which code and interpreter agree."""
    sg.verify(graph)
    assert sg.parse(sg.to_text(graph)) == graph
    assert list(graph.order) == list(dict.fromkeys(graph.order))
    found = sg.interpret(graph, feeds)
    for a, b in zip(found, sg.compile(graph)(*feeds), strict=True):
        np.testing.assert_array_equal(a, b)
    return found


def names(expressions):
    return [e.name for e in expressions]


def whats(graph):
    return [e.what for e in graph]


def test_what_is_extracted_computes_what_the_whole_computed(network):
    loss, new, _ = run(network, X, W)
    (part,) = run(sg.extract(network, "loss"), X, W)
    assert part == loss
    update = network.updates[0][1]
    (part,) = run(sg.extract(network, update), X, W)
    np.testing.assert_array_equal(part, new)


def test_every_cut_gives_the_same_results(network):
    values = {}
    results = sg.interpret(network, [X, W], watch=values.__setitem__)
    for e in network:
        graph = sg.extract(network, network.results, e)
        feeds = [values[network.order[names(network).index(i.name)]] for i in graph.inputs]
        assert graph.inputs[0].name == e.name
        assert graph.inputs[0].kind is sg.placeholder("float32").kind
        for a, b in zip(run(graph, *feeds), results, strict=True):
            np.testing.assert_array_equal(a, b)


def test_inputs_are_those_asked_for_and_then_those_still_needed(network):
    assert names(sg.extract(network, ["y"], ["h"]).inputs) == ["h"]
    assert names(sg.extract(network, "h", []).inputs) == ["x", "w"]
    assert names(sg.extract(network, "h", ["w:0"]).inputs) == ["w", "x"]
    assert names(sg.extract(network, "h", ["loss", "h"]).inputs) == ["loss", "h"]
    assert sg.extract(network, "y", "h").updates == ()


def test_what_cannot_be_found_is_refused_with_the_nearest_name(network):
    with pytest.raises(FetchError, match=r"no expression called 'los'; did you mean 'loss'\?"):
        sg.extract(network, "los")
    with pytest.raises(FeedError, match=r"no expression called 'hh'; did you mean 'h'\?"):
        sg.extract(network, "loss", ["hh"])
    with pytest.raises(FeedError, match="an input is given twice: h: float32"):
        sg.extract(network, "loss", ["h", "h:0"])
    with pytest.raises(FetchError, match=r"3 is neither an expression nor the name"):
        sg.extract(network, 3)
    x = sg.get_default_graph().get_tensor_by_name("x")
    with pytest.raises(FetchError, match=r"x: .* is not an expression of the frozen graph\n.*'x'"):
        sg.extract(network, x)


def test_what_stays_as_it_was_is_shared(network):
    h = next(e for e in network if e.name == "h")
    assert set(sg.extract(network, "loss")) <= set(network)
    assert h in set(sg.replace(network, {"y": "y"}))
    assert sg.replace(network, {}) == network


def test_sizes_that_a_cut_does_not_tell_are_told_by_what_tells_them():
    x = sg.placeholder("float32", ["n", "m"], name="x")
    flat = sg.reshape(x, shape=(-1,), name="flat")
    graph = sg.freeze([flat * sg.reduce_mean(flat, name="mean")], [x])
    part = sg.extract(graph, graph.outputs, "flat")
    feeds = [np.arange(6, dtype=np.float32), np.zeros((2, 3), np.float32)][: len(part.inputs)]
    assert run(part, *feeds)[0].tolist() == [0, 2.5, 5, 7.5, 10, 12.5]
    by_mean = sg.extract(graph, graph.outputs, ["mean"])
    assert names(by_mean.inputs) == ["mean", "x"]


def test_sizes_that_only_data_tell_are_measured_where_they_are_needed():
    x = sg.placeholder("float32", ["n"], name="x")
    positive = x[x > 0]
    doubled = sg.multiply(positive, 2, name="doubled")
    zeros = sg.broadcast_to(sg.constant(1.0), shape=positive.shape, name="ones")
    graph = sg.freeze([doubled + zeros], [x])
    feed = np.array([1, -1, 2], np.float32)
    assert run(graph, feed)[0].tolist() == [3, 5]
    part = sg.extract(graph, "ones")
    assert names(part.inputs) == ["x"]
    assert len(part.measured) == 1
    assert run(part, feed)[0].tolist() == [1, 1]
    assert run(sg.extract(graph, "ones", [positive.name]), feed)[0].tolist() == [1, 1, 1]
    other = sg.replace(graph, {"doubled": "ones"})
    assert len(other.measured) == 1
    assert run(other, feed)[0].tolist() == [2, 2]


@pytest.fixture
def namesakes():
    """A graph in which three expressions are called y, and an input as the second is printed."""
    graph = sg.parse("graph(y_1: float32[])\n  y: float32[] = exp(y_1)\n  b: float32[] = tanh(y)\n"
                     "  c: float32[] = neg(b)\n  return c")  # fmt: skip
    for e in graph:
        e.name = "y" if e.op else e.name
    return graph


def test_expressions_of_one_name_are_told_apart_as_in_the_text(namesakes):
    shown = [line.split(":")[0].strip() for line in str(namesakes).splitlines()[1:-1]]
    assert len(set(shown)) == 3
    parts = [sg.extract(namesakes, name) for name in shown]
    assert [part.outputs[0].what for part in parts] == ["exp", "tanh", "neg"]


def test_a_cut_has_a_name_that_no_other_input_has(namesakes):
    found = sg.extract(namesakes, namesakes.outputs, [e for e in namesakes if e.op])
    assert len(set(names(found.inputs))) == 3
    assert len(found) == 3
    for e in namesakes:
        found = sg.extract(namesakes, (*namesakes.results, namesakes.inputs[0]), e)
        assert len(set(names(found.inputs))) == len(found.inputs)
        sg.compile(found)(*range(len(found.inputs)))


def test_each_kind_of_key_says_what_is_replaced(network):
    h = next(e for e in network if e.name == "h")
    for key in (h, "h", "h:0", lambda e: e.name == "h"):
        assert whats(sg.replace(network, {key: sg.relu})).count("tanh") == 1
    for key in (sg.tanh, gradops.tanh, lambda e: e.what == "tanh"):
        found = sg.replace(network, {key: lambda x: sg.relu(x) * 0.5})
        assert "tanh" not in whats(found)
        assert whats(found).count("relu") == 2


def test_a_function_is_given_what_the_op_is_given():
    x = sg.placeholder("float32", ["n", 3], name="x")
    graph = sg.freeze([sg.reduce_sum(x / (x + 1), axis=1)], [x])
    found = sg.replace(graph, {sg.reduce_sum: sg.reduce_mean, sg.divide: lambda a, b: a * b})
    np.testing.assert_allclose(run(found, X[:, :3])[0], (X * (X + 1))[:, :3].mean(1), rtol=1e-5)


def test_stand_ins_get_operands_that_are_replaced_already():
    x = sg.placeholder("float32", [], name="x")
    graph = sg.freeze([sg.exp(sg.exp(sg.exp(x)))], [x])
    assert run(sg.replace(graph, {sg.exp: lambda x: x + 1}), 0.0)[0] == 3
    assert run(sg.wrap(graph, {sg.exp: lambda y: y * 0}), 5.0)[0] == 0


def test_arrays_and_numbers_become_constants_of_the_same_type(network):
    value = np.full((4, 5), 2, np.float32)
    found = sg.replace(network, {"w": value})
    value[:] = 0
    assert names(found.inputs) == ["x", "w"]
    (expected,) = run(sg.extract(network, "loss"), X, np.full((4, 5), 2, np.float32))
    assert run(found, X, W)[0] == expected
    x, c = sg.placeholder("int64", [], name="i"), sg.constant(1, name="c")
    assert run(sg.replace(sg.freeze([x + c], [x]), {"c": 41}), 1)[0] == 42


def test_expressions_are_exchanged_at_once():
    a, b = (sg.placeholder("float32", [], name=name) for name in "ab")
    graph = sg.freeze([sg.exp(a, name="p") - sg.square(b, name="q")], [a, b])
    assert run(sg.replace(graph, {"p": "q", "q": "p"}), 0.0, 3.0)[0] == 8
    assert run(sg.replace(graph, {"a": "b", "b": "a"}), 2.0, 0.0)[0] == -3
    assert run(sg.replace(graph, {"b": "p"}), 0.0, 7.0)[0] == 0


def test_what_would_be_computed_from_itself_is_refused(network):
    with pytest.raises(GraphError, match=r"would be computed from itself"):
        sg.replace(network, {"h": "y"})
    a, b = (sg.placeholder("float32", [], name=name) for name in "ab")
    graph = sg.freeze([sg.exp(a, name="p"), sg.exp(b, name="q")], [a, b])
    with pytest.raises(GraphError, match=r"would be computed from itself"):
        sg.replace(graph, {"a": "q", "b": "p"})


@pytest.mark.parametrize(
    ("new", "error", "says"),
    [
        ({"h": "x"}, GraphError, r"h: float32\[batch, 5\] cannot be replaced by x: .*\[batch, 4\]"),
        ({"h": sg.reduce_sum}, GraphError, r"by h/sum: float32\[\]: the types differ"),
        ({"loss": 1 + 2j}, GraphError, r"loss: float32\[\] cannot be .* complex128\[\]"),
        ({"loss": np.float64(1)}, GraphError, r"loss: float32\[\] cannot be .* float64\[\]"),
        ({"hh": 1.0}, FetchError, r"no expression called 'hh'; did you mean 'h'\?"),
        ({"h": "zz"}, FetchError, "no expression called 'zz'"),
        ({"h": sg.relu, sg.tanh: sg.relu}, GraphError, r"h: .* is replaced twice"),
        ({sg.cross_entropy: sg.relu}, FetchError, "cross_entropy is not an op"),
        ({"h": lambda x: sg.placeholder("float32", ["batch", 5])}, GraphError, "a placeholder:"),
        ({"loss": lambda x, **attrs: sg.Variable(1.0)}, GraphError, "is a variable: only ops"),
        ({"h": lambda x: OUTSIDE}, GraphError, r"out: float32\[\] of another graph"),
    ],
)
def test_what_cannot_stand_in_is_refused(network, new, error, says):
    with pytest.raises(error, match=says):
        sg.replace(network, new)


with sg.Graph().as_default():
    OUTSIDE = sg.constant(1.0, name="out")


def test_an_error_while_building_names_the_operands_of_the_graph(network):
    with pytest.raises(gradops.ShapeError, match="5 against 7") as caught:
        sg.replace(network, {"h": lambda x: x + np.zeros(7)})
    assert any("matmul: float32[batch, 5], made at test_surgery.py" in note
               for note in caught.value.__notes__)  # fmt: skip


def test_updates_are_replaced_with_what_they_are_computed_from(network):
    update = network.updates[0][1]
    found = sg.wrap(network, {update: lambda new: new * 0})
    assert run(found, X, W)[-1].tolist() == np.zeros((4, 5)).tolist()
    assert found.updates[0][0] is network.updates[0][0]
    assert "update w = " in str(found)


def test_what_is_put_in_has_the_lines_of_the_function_and_the_rest_keeps_its_own(network):
    found = sg.wrap(network, {"h": lambda h: sg.exp(h)})
    lines = {e.name: found.lines(e) for e in found}
    assert lines["h/exp"].startswith("test_surgery.py:")
    assert lines["h/exp"] != lines["h"]
    assert lines["h"] == network.lines(next(e for e in network if e.name == "h"))


def test_a_gradient_may_be_put_in():
    x = sg.placeholder("float32", ["n"], name="x")
    graph = sg.freeze([sg.identity(x, name="y")], [x])
    found = sg.replace(graph, {"y": lambda x: sg.gradients(x**3, x)[0]})
    np.testing.assert_allclose(run(found, [1.0, 2.0])[0], [3, 12])


def test_only_functions_wrap(network):
    with pytest.raises(GraphError, match=r"h: .* is wrapped in 3.0, which is not a function"):
        sg.wrap(network, {"h": 3.0})


def test_deep_graphs_are_no_deeper_than_the_stack():
    x = y = sg.placeholder("float32", [], name="x")
    for _ in range(5000):
        y = sg.negative(y)
    graph = sg.freeze([y], [x])
    assert sg.interpret(sg.replace(graph, {sg.negative: lambda x: x + 1}), [0.0])[0] == 5000
    assert len(sg.extract(graph, y.name, "neg")) == 5000


def test_what_is_no_mapping_is_refused():
    x = sg.placeholder("float32", [2], name="x")
    graph = sg.freeze([sg.exp(x)], [x])
    for call in (sg.replace, sg.wrap, sg.import_graph):
        with pytest.raises(GraphError, match="map"):
            call(graph, ["exp"])
