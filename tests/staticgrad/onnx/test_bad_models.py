"""Malformed, hostile and mutated models: one clear error each, in little time and memory."""

import contextlib
import random
import resource
import time

import numpy as np
import pytest

from gradops import GradError, GraphFormatError
from staticgrad.onnx import UnsupportedOperator, load

onnx = pytest.importorskip("onnx")

SECONDS = 2
MUTANTS = 300


def model(text):
    """A model written as text."""
    from onnx.parser import parse_model

    return parse_model(text)


def head(opset=17, others=""):
    return f'<ir_version: 8, opset_import: ["" : {opset}{others}]>'


BAD = {
    "no bytes": (b"", "is not an ONNX model"),
    "other bytes": (b"\x00\x01 not a model", "is not an ONNX model"),
    "a cycle": (
        f"{head()} f (float[2] x) => (float[2] y) {{ y = Add (x, z) z = Neg (y) }}",
        "reads 'z', which nothing before it gives",
    ),
    "a missing output": (
        f"{head()} f (float[2] x) => (float[2] y) {{ z = Neg (x) }}",
        "an output of the model reads 'y'",
    ),
    "a value given twice": (
        f"{head()} f (float[2] x) => (float[2] y) {{ y = Neg (x) y = Abs (x) }}",
        "two nodes or inputs give the value 'y'",
    ),
    "shapes that do not fit": (
        f"{head()} f (float[2] x, float[3] w) => (float[3] y) {{ y = Add (x, w) }}",
        r"node 0 '' \(Add\)",
    ),
    "dtypes that differ": (
        f"{head()} f (float[2] x, double[2] w) => (float[2] y) {{ y = Add (x, w) }}",
        "input 1 is of float64, where float32 is wanted",
    ),
    "an output of another type": (
        f"{head()} f (float[2] x) => (int64[2] y) {{ y = Neg (x) }}", "stated to be int64",
    ),
    "an output of another shape": (
        f"{head()} f (float[2] x) => (float[3] y) {{ y = Neg (x) }}", "another one is stated",
    ),
    "an unknown attribute": (
        f"{head()} f (float[2] x) => (float[2] y) {{ y = Neg <twice: int = 1> (x) }}", "twice",
    ),
    "a missing attribute": (
        f"{head()} f (float[2] x) => (float[2] y) {{ y = Cast (x) }}", "'to'",
    ),
    "an axis out of range": (
        f"{head()} f (float[2] x) => (float[2] y) {{ y = Softmax <axis: int = 7> (x) }}", "axis 7",
    ),
    "an opset of the future": (
        f"{head(999)} f (float[2] x) => (float[2] y) {{ y = Neg (x) }}", "opset 999",
    ),
    "no opset": (
        '<ir_version: 8, opset_import: []> f (float[2] x) => (float[2] y) { y = Neg (x) }',
        "does not say which opset",
    ),
    "functions that call each other": (
        head(others=', "own" : 1') + " f (float[2] x) => (float[2] y) { y = own.a (x) }"
        ' <domain: "own", opset_import: ["" : 17, "own" : 1]> a (x) => (y) { y = own.b (x) }'
        ' <domain: "own", opset_import: ["" : 17, "own" : 1]> b (x) => (y) { y = own.a (x) }',
        "call each other",
    ),
}  # fmt: skip


def as_source(content):
    return content if isinstance(content, bytes) else model(content).SerializeToString()


@pytest.mark.parametrize("name", BAD)
def test_a_bad_model_is_one_clear_error(name):
    content, says = BAD[name]
    with pytest.raises(GraphFormatError, match=says):
        load(as_source(content))


def doubling(depth):
    """A model whose functions call the one before twice: 2**depth nodes."""
    text = (
        head(others=', "own" : 1') + f" f (float[2] x) => (float[2] y) {{ y = own.f{depth} (x) }}"
    )
    own = '<domain: "own", opset_import: ["" : 17, "own" : 1]>'
    text += f" {own} f0 (x) => (y) {{ y = Neg (x) }}"
    for i in range(1, depth + 1):
        text += f" {own} f{i} (x) => (y) {{ z = own.f{i - 1} (x) y = own.f{i - 1} (z) }}"
    return model(text)


def huge_tensor():
    """A tensor that claims more entries than it has."""
    proto = model(f"{head()} f (float[2] x) => (float[2] y) {{ y = Add (x, w) }}")
    proto.graph.initializer.add(name="w", data_type=1, dims=[2**40, 2**20], raw_data=b"1234")
    return proto


def huge_constant():
    """An array that would fill the memory."""
    return model(
        f"{head()} f (float[2] x) => (float[] y) {{ s = Constant <value_ints: ints = [1000000,"
        " 1000000]> () c = ConstantOfShape (s) d = Add (c, c)"
        " y = ReduceSum <keepdims: int = 0> (d) }"
    )


def nested(depth):
    """Branches within branches."""
    helper = onnx.helper
    node = helper.make_node("Neg", ["x"], ["y"])
    out = helper.make_tensor_value_info("y", 1, [2])
    for _ in range(depth):
        body = helper.make_graph([node], "b", [], [out])
        flat = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "f", [], [out])
        node = helper.make_node("If", ["c"], ["y"], then_branch=body, else_branch=flat)
    inputs = [helper.make_tensor_value_info("c", 9, []), helper.make_tensor_value_info("x", 1, [2])]
    graph = helper.make_graph([node], "g", inputs, [out])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: doubling(40), "too many nodes"),
        (huge_tensor, "has the shape"),
        (lambda: nested(28), "graphs within graphs"),
    ],
)
def test_hostile_models_are_refused_in_little_time(make, says):
    before, memory = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(GraphFormatError, match=says):
        load(make())
    assert time.monotonic() - before < 5 * SECONDS  # on a busy machine
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 512 * 1024


def test_an_array_that_no_memory_holds_takes_none_while_a_model_is_read():
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    load(huge_constant())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 64 * 1024


def example():
    """A model with tensors, attributes, a branch, a loop and a function."""
    text = f"""
    {head(others=', "own" : 1')}
    whole (float[n, 4] x, bool c) => (float[n, 2] y, float[3, n, 2] ys) {{
      h = MatMul (x, w)
      s = Softmax <axis: int = 1> (h)
      z = If (c) <then_branch = t () => (float[n, 2] a) {{ a = own.twice (s) }},
                  else_branch = e () => (float[n, 2] b) {{ b = Neg (s) }}>
      trips = Constant <value_int: int = 3> ()
      on = Constant <value = bool {{1}}> ()
      y, ys = Loop (trips, on, z) <body = g (int64 i, bool k, float[n, 2] v)
        => (bool o, float[n, 2] r, float[n, 2] q) {{
          o = Identity (k) r = Mul (v, half) q = Transpose <perm: ints = [0, 1]> (r) }}>
    }}
    <domain: "own", opset_import: ["" : 17]> twice (v) => (u) {{ u = Add (v, v) }}
    """
    proto = model(text)
    rng = np.random.default_rng(0)
    for name, value in (("w", rng.normal(size=(4, 2))), ("half", np.array(0.5))):
        proto.graph.initializer.append(onnx.numpy_helper.from_array(value.astype(np.float32), name))
    return proto


def test_the_example_of_mutants_runs():
    x = np.ones((5, 4), np.float32)
    y, ys = load(example())(x, np.array(True))
    np.testing.assert_allclose(ys[-1], y)
    assert ys.shape == (3, 5, 2)


def mutated(content, rng):
    """Bytes with a few of them changed, left out or repeated."""
    content = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(content))
        match rng.randrange(4):
            case 0:
                content[at] = rng.randrange(256)
            case 1:
                del content[at : at + rng.randint(1, 8)]
            case 2:
                content[at:at] = content[at : at + rng.randint(1, 8)]
            case 3:
                content[at] ^= 1 << rng.randrange(8)
    return bytes(content)


@pytest.mark.filterwarnings("ignore")
def test_mutated_models_are_read_or_refused():
    content, rng = example().SerializeToString(), random.Random(0)
    for i in range(MUTANTS):
        before = time.monotonic()
        with contextlib.suppress(GradError, UnsupportedOperator):
            load(mutated(content, rng))
        assert time.monotonic() - before < 5 * SECONDS, i
