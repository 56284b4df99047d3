"""Models as graphs: inputs and outputs, calls, shapes that depend on values, training."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, GraphError, GraphFormatError, ValueUnknownError
from staticgrad.onnx import UnsupportedOperator, load

onnx = pytest.importorskip("onnx")

LINEAR = """
<ir_version: 8, opset_import: ["" : 17]>
linear (float[batch, 3] x, float[3, 2] w) => (float[batch, 2] y, float[batch] total) {
  y = MatMul (x, w)
  axes = Constant <value_ints: ints = [1]> ()
  total = ReduceSum <keepdims: int = 0> (y, axes)
}
"""
RESHAPED = """
<ir_version: 8, opset_import: ["" : 17]>
reshaped (float[n, 6] x, int64[2] shape) => (float[a, b] y) { y = Reshape (x, shape) }
"""


def model(text):
    """A model written as text."""
    from onnx.parser import parse_model

    return parse_model(text)


def test_inputs_and_outputs_are_in_the_models_order_and_have_its_names():
    fn = load(model(LINEAR))
    assert fn.input_names == ("x", "w")
    assert [e.name for e in fn.inputs] == ["x", "w"]
    assert [e.name for e in fn.outputs] == ["y", "total"]
    assert fn.inputs[0].shape == (sg.Dim("batch"), 3)
    assert isinstance(fn.graph, sg.Graph)


def test_a_call_takes_arrays_in_order_or_by_name():
    fn = load(model(LINEAR))
    x, w = np.ones((4, 3), np.float32), np.ones((3, 2), np.float32)
    for results in (fn(x, w), fn(x, w=w), fn(w=w, x=x), fn({"w": w, "x": x})):
        np.testing.assert_array_equal(results[0], x @ w)
        np.testing.assert_array_equal(results[1], (x @ w).sum(1))


@pytest.mark.parametrize(
    ("args", "named", "says"),
    [
        ([1.0], {}, "no value for the inputs w"),
        ([], {"x": 1.0, "W": 1.0}, "did you mean 'w'"),
        ([1.0, 2.0, 3.0], {}, "the model takes x, w"),
        ([1.0], {"x": 1.0}, "the model takes x, w"),
    ],
)
def test_wrong_feeds_are_named(args, named, says):
    with pytest.raises(FeedError, match=says):
        load(model(LINEAR))(*args, **named)


def test_a_model_is_differentiated():
    fn = load(model(LINEAR))
    x, w = fn.inputs
    (g,) = sg.gradients(fn.outputs[1], w)
    found = sg.compile(g, [x, w])(np.ones((4, 3), np.float32), np.ones((3, 2), np.float32))
    np.testing.assert_array_equal(found, np.full((3, 2), 4.0))


def test_shapes_may_depend_on_values_of_inputs():
    fn = load(model(RESHAPED))
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    for shape in ((3, 4), (4, 3), (12, 1)):
        np.testing.assert_array_equal(fn(x, np.array(shape))[0], x.reshape(shape))
    with pytest.raises(ValueUnknownError, match="depend on the values of shape"):
        fn.graph  # noqa: B018
    known = fn.specialize({"shape": [3, 4]})
    assert known.input_names == ("x",)
    assert known.outputs[0].shape == (3, 4)
    np.testing.assert_array_equal(known(x)[0], x.reshape(3, 4))


def test_an_input_may_have_any_number_of_axes():
    text = "<ir_version: 8, opset_import: ['' : 17]> any (float x) => (float[] y) { y = Neg (x) }"
    proto = model(text.replace("'", '"'))
    for value in (*proto.graph.input, *proto.graph.output):
        value.type.tensor_type.ClearField("shape")
    fn = load(proto)
    for shape in ((), (2,), (2, 3)):
        np.testing.assert_array_equal(fn(np.ones(shape, np.float32))[0], -np.ones(shape))
    with pytest.raises(FeedError, match="any number of axes"):
        fn.graph  # noqa: B018
    assert load(proto, shapes={"x": ("n", 3)}).inputs[0].shape == (sg.Dim("n"), 3)


def trained():
    """A model with weights of its own."""
    w = onnx.numpy_helper.from_array(np.array([[1.0], [2.0]], np.float32), "weight.0")
    nodes = [onnx.helper.make_node("MatMul", ["x", "weight.0"], ["y"], name="layer")]
    kinds = [onnx.helper.make_tensor_value_info(name, 1, shape)
             for name, shape in (("x", ["n", 2]), ("y", ["n", 1]))]  # fmt: skip
    graph = onnx.helper.make_graph(nodes, "g", kinds[:1], kinds[1:], [w])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])


def test_weights_are_constants_or_variables():
    assert load(trained()).variables == []
    for trainable in (True, ["weight.0"]):
        fn = load(trained(), trainable=trainable)
        (w,) = fn.variables
        assert w.name == "weight.0"
        (x,) = fn.inputs
        loss = sg.reduce_mean(sg.square(fn.outputs[0] - 1.0))
        train = sg.train.GradientDescentOptimizer(0.1).minimize(loss)
        session = sg.Session(fn.graph)
        data = np.random.default_rng(0).normal(size=(8, 2)).astype(np.float32)
        before = session.run(loss, {x: data})
        for _ in range(20):
            session.run(train, {x: data})
        assert session.run(loss, {x: data}) < before
        np.testing.assert_allclose(fn(data)[0], data @ np.float32([[1], [2]]), rtol=1e-6)


def test_an_unknown_name_of_a_variable_is_refused():
    with pytest.raises(GraphError, match=r"no tensor 'weight'; did you mean 'weight\.0'"):
        load(trained(), trainable=["weight"])


def test_files_bytes_and_messages_are_read(tmp_path):
    path = tmp_path / "linear.onnx"
    path.write_bytes(model(LINEAR).SerializeToString())
    for source in (path, str(path), path.read_bytes(), model(LINEAR)):
        assert load(source).output_names == ("y", "total")
    with pytest.raises(TypeError, match="a path, bytes or a ModelProto"):
        load(3)


def test_options_of_compile_are_those_of_calls():
    fn = load(model(LINEAR), optimize=0, backend="interpreter")
    x, w = np.ones((4, 3), np.float32), np.ones((3, 2), np.float32)
    np.testing.assert_array_equal(fn(x, w)[0], x @ w)


def test_expressions_have_the_place_of_their_node():
    fn = load(trained())
    assert "layer" in fn.outputs[0].line


def test_all_that_is_missing_is_listed_with_its_nodes():
    text = """
    <ir_version: 8, opset_import: ["" : 17, "custom" : 1]>
    lacking (float[n] x) => (float[n] z) { y = custom.Twist (x) z = custom.Turn (y) }
    """
    with pytest.raises(UnsupportedOperator) as caught:
        load(model(text))
    assert [what for what, _ in caught.value.needs] == [
        "custom.Twist of opset 1", "custom.Turn of opset 1",
    ]  # fmt: skip
    assert "node 1" in str(caught.value)


def test_functions_of_a_model_are_called():
    text = """
    <ir_version: 8, opset_import: ["" : 17, "own" : 1]>
    calling (float[n] x) => (float[n] z) { z = own.scaled <by: float = 3.0> (x) }
    <domain: "own", opset_import: ["" : 17]>
    scaled <by> (x) => (y) { c = Constant <value_float: float = @by> () y = Mul (x, c) }
    """
    np.testing.assert_array_equal(load(model(text))(np.float32([1, 2]))[0], [3, 6])


def test_data_in_other_files_is_read_from_one_directory_only(tmp_path):
    inside, path = tmp_path / "weights", tmp_path / "model.onnx"
    inside.mkdir()
    proto = trained()
    onnx.external_data_helper.convert_model_to_external_data(
        proto, location="weights.bin", size_threshold=0
    )
    onnx.save(proto, inside / "model.onnx")
    path.write_bytes((inside / "model.onnx").read_bytes())
    with pytest.raises(GraphFormatError, match="external_data="):
        load(path)
    found = load(path, external_data=inside)(np.float32([[1, 1]]))
    np.testing.assert_array_equal(found[0], [[3]])
    for location in ("../model.onnx", "/etc/hostname", "missing.bin"):
        hostile = onnx.load(path, load_external_data=False)
        hostile.graph.initializer[0].external_data[0].value = location
        with pytest.raises(GraphFormatError, match="no file within"):
            load(hostile, external_data=inside)


def test_random_numbers_are_new_in_each_call():
    text = """
    <ir_version: 8, opset_import: ["" : 17]>
    noise (float[n] x) => (float[n] y) { r = RandomNormalLike (x) y = Add (x, r) }
    """
    fn = load(model(text))
    x = np.zeros(5, np.float32)
    assert not np.array_equal(fn(x)[0], fn(x)[0])
