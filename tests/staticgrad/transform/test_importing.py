"""Frozen graphs built into the graph that is built in now."""

import io

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, FetchError, GraphFormatError, ShapeError

rng = np.random.default_rng(0)
X = rng.normal(size=(3, 4)).astype(np.float32)
W = rng.normal(size=(4, 2)).astype(np.float32)


@pytest.fixture
def network():
    """A layer with a variable, its loss, gradient and update, frozen and of another graph."""
    with sg.Graph("other").as_default():
        x = sg.placeholder("float32", ["batch", 4], name="x")
        w = sg.Variable(W, name="w")
        y = sg.tanh(sg.matmul(x, w), name="y")
        loss = sg.reduce_mean(y * y, name="loss")
        (g,) = sg.gradients(loss, w)
        return sg.freeze([loss, w.assign_sub(0.5 * g)], [x])


def saved(graph):
    file = io.BytesIO()
    sg.save(graph, file)
    return file


def test_what_is_imported_computes_what_was_frozen(network):
    found = sg.import_graph(network)
    for a, b in zip(sg.Session().run(found, {"import/x": X}), sg.interpret(network, [X, W])):
        np.testing.assert_array_equal(a, b)


def test_it_comes_from_a_graph_a_file_a_path_or_a_text(network, tmp_path):
    sg.save(network, tmp_path / "graph.sg")
    text = sg.to_text(sg.extract(network, "y", ["x", "w"]))
    w = sg.constant(W)
    for source in (network, saved(network), tmp_path / "graph.sg", str(tmp_path / "graph.sg")):
        (y,) = sg.import_graph(source, {"w": w}, ["y"])
        x = sg.get_default_graph().find(y.name.replace("/y", "/x"))
        np.testing.assert_array_equal(sg.compile(y, [x])(X), np.tanh(X @ W))
    (y,) = sg.import_graph(text, {"w": w, "x": sg.constant(X)})
    np.testing.assert_array_equal(sg.Session().run(y), np.tanh(X @ W))
    with pytest.raises(GraphFormatError):
        sg.import_graph("no\ngraph")


def test_assignments_come_after_the_outputs_and_train_the_new_variable(network):
    loss, new, update = sg.import_graph(network, {"x": X})
    session = sg.Session()
    losses = [session.run([loss, update])[0] for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    assert new.what != update.what == "assign"
    w = sg.get_default_graph().find("import/w")
    assert isinstance(w, sg.Variable)
    np.testing.assert_array_equal(sg.Session().run(w), W)


def test_a_variable_may_be_shared(network):
    mine = sg.Variable(np.zeros((4, 2), np.float32), name="mine")
    first = sg.import_graph(network, {"x": X, "w": mine})
    second = sg.import_graph(network, {"x": 2 * X, "w": mine})
    session = sg.Session()
    assert session.run([first[0], second[0]]) == [0, 0]
    session.run(mine.assign(W))
    before = session.run(first[0])
    session.run(second[-1])
    assert session.run(first[0]) < before


def test_an_update_of_what_is_no_variable_is_its_new_value(network):
    found = sg.import_graph(network, {"x": X, "w": W})
    assert found[2] is found[1]
    assert not [e for e in sg.get_default_graph().get_operations() if e.what == "assign"]


def test_names_are_those_in_the_scope(network):
    with sg.name_scope("outer"):
        (y,) = sg.import_graph(network, return_elements="y:0", name="net")
    assert y.name == "outer/net/y"
    assert sg.import_graph(network, return_elements=["x", "y"], name="net")[1].name == "net/y"
    assert sg.import_graph(network, return_elements=["y"], name="net")[0].name == "net_1/y"
    assert sg.import_graph(network, return_elements=["y"], name="")[0].name == "y"
    assert sg.import_graph(network, return_elements=[]) == []


def test_sizes_are_those_of_what_inputs_are_mapped_to(network):
    (y,) = sg.import_graph(network, {"x": sg.constant(X)}, ["y"])
    assert y.shape == (3, 2)
    rows = sg.placeholder("float32", ["rows", 4])
    (y,) = sg.import_graph(network, {"x": rows}, ["y"])
    assert str(y.type) == "float32[rows, 2]"


def test_sizes_of_other_inputs_are_new_ones(network):
    batch = sg.placeholder("float32", ["batch"], name="x")
    one, two = (sg.import_graph(network, return_elements=["x", "y"]) for _ in "12")
    assert [str(e.type) for e in (*one, *two)] == [
        "float32[import/batch, 4]", "float32[import/batch, 2]",
        "float32[import_1/batch, 4]", "float32[import_1/batch, 2]",
    ]  # fmt: skip
    found = sg.Session().run([one[1], two[1], batch], {one[0]: X, two[0]: X[:2], batch: [1.0]})
    assert [len(a) for a in found] == [3, 2, 1]


def test_sizes_without_a_name_are_named_after_the_new_placeholder():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [None, None], name="x")
        w = sg.placeholder("float32", [x.shape[1] * 2], name="w")
        graph = sg.freeze([sg.concat([x, x], axis=1) * w], [x, w])
    sg.placeholder("float32", [], name="x")
    found = sg.import_graph(graph, return_elements=["x", "w"], name="")
    assert [str(e.type) for e in found] == ["float32[x_1.0, x_1.1]", "float32[2*x_1.1]"]
    (y,) = sg.import_graph(graph, {"w": np.zeros(6, np.float32)})
    assert str(y.type) == "float32[import/x.0, 6]"


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        ({"a": [3], "b": [4]}, r"n is 3 in a: float32\[n\], but 4 in b: float32\[n\]"),
        ({"a": ["k"], "b": ["m"]}, r"n is k in a: float32\[n\], but m in b: float32\[n\]"),
        ({"a": [3], "c": [7]}, r"2\*n is 6 in a: float32\[n\], but 7 in c: float32\[2\*n\]"),
        ({"c": [7]}, r"2\*n cannot be 7 in c: float32\[2\*n\]"),
        ({"a": [3, 3]}, r"a: float32\[n\] was given y: float32\[3, 3\]"),
    ],
)
def test_what_is_mapped_must_agree_on_sizes(shapes, says):
    with sg.Graph().as_default():
        a, b = (sg.placeholder("float32", ["n"], name=name) for name in "ab")
        c = sg.placeholder("float32", [2 * a.shape[0]], name="c")
        graph = sg.freeze([a + b, c], [a, b, c])
    ys = {name: sg.placeholder("float32", shape, name="y") for name, shape in shapes.items()}
    with pytest.raises(FeedError, match=says):
        sg.import_graph(graph, ys)


def test_sizes_are_worked_out_and_put_into_attributes():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["n"], name="x")
        pairs = sg.placeholder("float32", [2 * x.shape[0]], name="pairs")
        graph = sg.freeze([sg.reshape(pairs, shape=(x.shape[0], 2)), sg.reduce_mean(x)], [x, pairs])
    (found, mean) = sg.import_graph(graph, {"pairs": np.arange(6, dtype=np.float32)})
    assert found.shape == (3, 2)
    (x,) = (e for e in sg.get_default_graph().get_operations() if e.what == "placeholder")
    assert x.shape == (3,)
    assert sg.compile(mean, [x])([1.0, 2.0, 3.0]) == 2


def test_sizes_that_only_data_tell_are_measured_again():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["n"], name="x")
        y = x[x > 0]
        graph = sg.freeze([sg.broadcast_to(sg.constant(1.0), shape=y.shape)], [x])
    a, b = (sg.import_graph(graph, {"x": np.array(v, np.float32)})[0] for v in ([1, 2], [3, -1]))
    assert [v.tolist() for v in sg.Session().run([a, b])] == [[1, 1], [1]]


def test_numbers_and_arrays_become_constants():
    graph = sg.parse("graph(x: float32[], y: float32[2])\n  z: float32[2] = mul(x, y)\n  return z")
    (z,) = sg.import_graph(graph, {"x": 3, "y": [1.0, 2.0]})
    assert sg.Session().run(z).tolist() == [3, 6]
    assert [e.name for e in z.inputs] == ["import/x", "import/y"]


def test_lines_are_those_where_it_was_written(network):
    (y,) = sg.import_graph(network, return_elements="y")
    frozen = next(e for e in network if e.name == "y")
    assert y.place == frozen.place
    assert sg.get_default_graph().find("import/w").place == network.inputs[1].place
    (y,) = sg.import_graph(saved(network), return_elements="y")
    with pytest.raises(FeedError, match=r"import_1/x: .* made at <test_importing\.py>:"):
        sg.compile(y, [])


def test_backward_expressions_keep_their_cause(network):
    sg.import_graph(network)
    graph = sg.get_default_graph()
    for e in network:
        found = graph.find(f"import/{e.name}")
        if e.origin is not None:
            assert found.origin is graph.find(f"import/{e.origin.name}")


def test_it_can_be_differentiated_and_frozen_again(network):
    x = sg.placeholder("float32", ["n", 4], name="x")
    (y,) = sg.import_graph(network, {"x": x, "w": W}, ["y"])
    (g,) = sg.gradients(y, x)
    expected = (1 - np.tanh(X @ W) ** 2) @ W.T
    np.testing.assert_allclose(sg.compile(g, [x])(X), expected, rtol=1e-5)
    again = sg.import_graph(sg.freeze([y, g], [x]), {"x": X})
    np.testing.assert_allclose(sg.Session().run(again)[1], expected, rtol=1e-5)


def test_what_is_optimized_can_be_imported(network):
    (loss,) = sg.import_graph(sg.compile(network).graph, {"x": X}, "loss")
    assert sg.Session().run(loss) == sg.interpret(network, [X, W])[0]


def test_what_does_not_fit_is_refused(network):
    with pytest.raises(FeedError, match=r"no expression called 'xx'; did you mean 'x'\?"):
        sg.import_graph(network, {"xx": X})
    with pytest.raises(
        FeedError, match=r"y: .* is not an input of the frozen graph\n  hint: extract"
    ):
        sg.import_graph(network, {"y": X})
    with pytest.raises(FeedError, match=r"x: float32\[batch, 4\] is mapped twice"):
        sg.import_graph(network, {"x": X, "x:0": X})
    with pytest.raises(FeedError, match=r"x: float32\[batch, 4\] was given float64\[3, 4\]"):
        sg.import_graph(network, {"x": X.astype(np.float64)})
    with sg.Graph("third").as_default():
        z = sg.constant(X, name="z")
    with pytest.raises(FeedError, match=r"x: .* is mapped to z: .* of 'third'"):
        sg.import_graph(network, {"x": z})
    with pytest.raises(FetchError, match=r"no expression called 'los'; did you mean 'loss'\?"):
        sg.import_graph(network, return_elements=["los"])
    with pytest.raises(FeedError, match=r"w: .* has no value: a text"):
        sg.import_graph(sg.to_text(network))


def test_an_error_of_an_op_names_the_line_where_it_was_written():
    with sg.Graph().as_default():
        x, y = (sg.placeholder("float32", [name], name=name) for name in "xy")
        graph = sg.freeze([x + y], [x, y])
    with pytest.raises(ShapeError, match="3 against 4") as caught:
        sg.import_graph(graph, {"x": np.zeros(3, "f4"), "y": np.zeros(4, "f4")})
    assert any("add: float32" in n and "test_importing.py" in n for n in caught.value.__notes__)


def test_variables_that_are_not_trained_stay_so_through_files():
    w, count = sg.Variable(1.0, name="w"), sg.Variable(0.0, trainable=False, name="count")
    graph = sg.freeze([w.assign_sub(0.1), count.assign_add(1.0)])
    text = sg.to_text(graph, lines=False)
    assert "variable w: float32[], state count: float32[]" in text
    assert sg.parse(text) == graph
    file = io.BytesIO()
    sg.save(graph, file)
    with sg.Graph().as_default():
        sg.import_graph(sg.load(file))
        assert [v.name for v in sg.trainable_variables()] == ["import/w"]
        assert len(sg.global_variables()) == 2
