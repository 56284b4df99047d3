"""Graphs as models: every op, gradients, updates, loops, named sizes."""

import io

import numpy as np
import pytest

import staticgrad as sg
from gradops import OPS, GradError
from gradops.core.traits import Trait
from staticgrad.onnx import UnsupportedOperator, load, save

from .models import require_close, require_slopes, run_reference, run_runtime, sizes_of
from .without_operators import WITHOUT

onnx = pytest.importorskip("onnx")

AT_ZERO = {"power_slope", "std", "strong_product", "xlog1py", "xlogy"}
"""Ops with samples at zeros where the derivative is infinite, or a convention."""
NO_GROUPS = {"conv_operand"}  # ONNX's reference has no transposed convolution of groups


def model_of(graph):
    """The model that a graph is saved as."""
    file = io.BytesIO()
    save(graph, file)
    return onnx.load_from_string(file.getvalue())


def graphs_of(op):
    """Graphs of samples of an op, of double and single precision, with feeds and results."""
    for xs, attrs in op.samples(np.random.default_rng(0)):
        xs = [np.asarray(x) for x in xs]
        single = [x.astype(np.float32) if x.dtype == np.float64 else x for x in xs]
        for operands in (xs, single) if any(x.dtype == np.float64 for x in xs) else (xs,):
            try:
                with sg.Graph().as_default():
                    feeds = [sg.placeholder(x.dtype, x.shape, f"x{i}")
                             for i, x in enumerate(operands)]  # fmt: skip
                    graph = sg.freeze([op(*feeds, **attrs)], feeds)
                    yield graph, operands, sg.interpret(graph, operands)
            except GradError:  # sizes that depend on values; attributes that are arrays
                continue


OPERATORS = sorted(
    n
    for n, op in OPS.items()
    if op.samples.__name__ != "no_samples" and Trait.EFFECT not in op.traits
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OPERATORS)
def test_an_op_is_computed_by_other_libraries_as_by_ours(name):
    written = 0
    for graph, xs, expected in graphs_of(OPS[name]):
        try:
            model = model_of(graph)
        except UnsupportedOperator:
            continue
        written += bool(np.size(expected[0]))
        feeds = {f"x{i}": x for i, x in enumerate(xs)}
        if name not in NO_GROUPS:
            require_close(run_reference(model, feeds), expected, "reference")
        if (found := run_runtime(model, feeds)) is not None:
            require_close(found, expected, "runtime")
        back = load(model)
        require_close(back(*xs), expected, "read back")
        are_double = all(x.dtype == np.float64 for x in (*xs, *expected) if x.dtype.kind == "f")
        if are_double and expected[0].dtype.kind == "f" and name not in AT_ZERO:
            require_slopes(back, xs)
    assert bool(written) == (name not in WITHOUT)


def test_a_training_step_is_a_model():
    x = sg.placeholder("float32", ["batch", 3], name="x")
    w = sg.Variable(np.ones((3, 1), np.float32), name="w")
    loss = sg.reduce_mean(sg.square(sg.matmul(x, w)))
    (g,) = sg.gradients(loss, [w])
    step = w.assign(w - 0.1 * g)
    model = model_of(sg.freeze([loss, g, step], [x]))
    assert [v.name for v in model.graph.input] == ["x", "w"]
    assert [v.name for v in model.graph.output][-1] == "w/updated"
    feeds = {"x": np.float32([[1, 2, 3], [4, 5, 6]]), "w": np.ones((3, 1), np.float32)}
    session = sg.Session()
    expected = [session.run([loss, g], {x: feeds["x"]}), session.run(step, {x: feeds["x"]})]
    for found in (run_reference(model, feeds), run_runtime(model, feeds) or ()):
        if found:
            require_close([found[0], found[1], found[-1]], [*expected[0], expected[1]], "step")


@pytest.mark.parametrize("n", [1, 4])
def test_named_sizes_are_names_of_the_model(n):
    x = sg.placeholder("float32", ["n", "m"], name="x")
    y = sg.reshape(sg.transpose(x), [x.shape[0] * x.shape[1] // 2, 2])
    z = sg.concat([y, sg.fill([x.shape[0] + 1, 2], 2.0)], 0)
    model = model_of(sg.freeze([z, *sg.gradients(z, x)], [x]))
    assert sizes_of(model.graph.input[0]) == ["n", "m"]
    data = np.arange(n * 6, dtype=np.float32).reshape(n, 6)
    expected = sg.Session().run([z, *sg.gradients(z, x)], {x: data})
    for run in (run_reference, run_runtime):
        if (found := run(model, {"x": data})) is not None:
            require_close(found, expected, run.__name__)
    back = load(model)
    assert back.inputs[0].shape == x.shape
    require_close(back(data), expected, "back")


def test_entries_where_a_mask_holds_and_their_gradient():
    x = sg.placeholder("float32", ["n", 3], name="x")
    y = x[x > 0.5]
    z = sg.concat([x, 2 * x], 0)[1:]
    total = sg.reduce_sum(y**2) + sg.reduce_sum(z**2)
    graph = sg.freeze([y, x[sg.reduce_sum(x, 1) > 1], *sg.gradients(total, x)], [x])
    model = model_of(graph)
    data = np.random.default_rng(0).random((4, 3)).astype(np.float32)
    expected = sg.interpret(graph, [data])
    require_close(run_reference(model, {"x": data}), expected, "reference")
    require_close(run_runtime(model, {"x": data}) or expected, expected, "runtime")
    require_close(load(model)(data), expected, "read back")


def programs():
    """Loops and branches with their gradients, each with a feed."""
    x = sg.placeholder("float32", [5, 3], name="x")
    w = sg.constant(np.eye(3, dtype=np.float32))
    last, ys = sg.map_accumulate(lambda s, r: (sg.tanh(s @ w + r), s), sg.zeros([3]), x)
    yield "scan", x, [last, ys, *sg.gradients([last, ys], x)]
    n, y = sg.while_loop(
        lambda i, y: sg.reduce_sum(y) < 100, lambda i, y: (i + 1, y * 2), [0, x * x]
    )
    yield "while", x, [n, y, *sg.gradients(y, x)]
    for sign in (1, -1):
        z = sg.cond(sg.reduce_sum(sign * x) > 0, lambda: sg.square(x), lambda: -x)
        yield f"cond{sign}", x, [z, *sg.gradients(z, x)]
    yield "scan within scan", x, nested(x)


@pytest.mark.parametrize("n", [1, 2])
def test_sizes_of_bodies_are_those_of_what_they_are_called_with(n):
    x = sg.placeholder("float32", ["n", "m"], name="x")
    turned = sg.transpose(x)

    def step(s, row):
        new = s + sg.reduce_sum(sg.reshape(turned, [turned.shape[1], turned.shape[0]]) * row)
        return new, sg.concat([row, row], 0)

    last, rows = sg.map_accumulate(step, sg.constant(0.0), x)
    graph = sg.freeze([last, rows, *sg.gradients(last, x)], [x])
    data = np.random.default_rng(0).random((n, 3)).astype(np.float32)
    model, expected = model_of(graph), sg.interpret(graph, [data])
    for run in (run_reference, run_runtime):
        if (found := run(model, {"x": data})) is not None:
            require_close(found, expected, run.__name__)


def test_sizes_of_functions_that_are_called_are_not_those_around_them():
    x = sg.placeholder("float32", ["n", 3], name="x")
    longer = sg.function(lambda v: sg.reshape(sg.concat([v, v], 0), [v.shape[0] * 2, 3]))
    _, y = sg.while_loop(
        lambda n, y: sg.reduce_sum(y) < sg.cast(sg.shape(y)[0], "float32") * 100,
        lambda n, y: (n + 1, y * 2), [0, sg.concat([x, x], 0)],
    )  # fmt: skip
    z = sg.reshape(x, [x.shape[0] * 3])
    graph = sg.freeze([longer(sg.concat([x, x], 0)), y, z], [x])
    data = np.random.default_rng(0).random((4, 3)).astype(np.float32)
    model, expected = model_of(graph), sg.interpret(graph, [data])
    require_close(run_reference(model, {"x": data}), expected, "reference")


def test_checks_are_refused_as_a_model_would_leave_them_out():
    x = sg.placeholder("float32", [2], name="x")
    check = sg.Assert(sg.reduce_all(x > 0), [x])
    with pytest.raises(UnsupportedOperator, match=r"the effect check, of .*test_saving\.py"):
        model_of(sg.freeze([sg.exp(x), check], [x]))


def nested(x):
    """A scan whose step is a scan, with its gradient."""
    inner = lambda r: sg.map_accumulate(lambda s, a: (s * 0.5 + sg.sin(a), s), sg.constant(0.0), r)[
        0
    ]
    total = sg.reduce_sum(sg.map_fn(inner, x))
    return [total, *sg.gradients(total, x)]


@pytest.mark.parametrize("name", ["scan", "while", "cond1", "cond-1", "scan within scan"])
def test_loops_and_branches_have_gradients_in_models(name):
    with sg.Graph().as_default():
        x, fetches = next((x, f) for key, x, f in programs() if key == name)
        graph = sg.freeze(fetches, [x])
    model = model_of(graph)
    data = np.random.default_rng(1).random((5, 3)).astype(np.float32)
    expected = sg.interpret(graph, [data])
    for run in (run_reference, run_runtime):
        if (found := run(model, {"x": data})) is not None:
            require_close(found, expected, run.__name__)
    require_close(load(model)(data), expected, "back")


def test_what_onnx_lacks_is_named_with_its_lines():
    x = sg.placeholder("float64", [3, 3], name="x")
    y = sg.linalg.inv(x, name="inverse")
    z = sg.fft(sg.cast(x, "complex128"), name="spectrum")
    with pytest.raises(UnsupportedOperator) as caught:
        model_of(sg.freeze([y, z], [x]))
    text = str(caught.value)
    assert "the op inv, of inverse, test_saving.py:" in text
    assert "complex numbers, of " in text


def test_equal_outputs_and_inputs_that_are_outputs_have_names_of_their_own():
    x = sg.placeholder("float32", [2], name="x")
    y = sg.exp(x, name="y")
    model = model_of(sg.freeze([y, x, y], [x]))
    names = [v.name for v in model.graph.output]
    assert len(set(names)) == 3
    data = np.float32([1, 2])
    require_close(run_reference(model, {"x": data}), [np.exp(data), data, np.exp(data)], "names")


def test_a_model_says_which_line_a_node_is_of():
    x = sg.placeholder("float32", [2], name="x")
    model = model_of(sg.freeze([sg.exp(x, name="y")], [x]))
    assert "test_saving.py:" in model.graph.node[0].doc_string


def test_executables_and_expressions_are_saved_too(tmp_path):
    x = sg.placeholder("float32", [2], name="x")
    y = sg.exp(x)
    for i, graph in enumerate((y, [y], sg.compile([y], [x]), sg.freeze([y], [x]))):
        path = tmp_path / f"{i}.onnx"
        save(graph, path)
        require_close(load(path)(np.zeros(2, np.float32)), [np.ones(2, np.float32)], path.name)
