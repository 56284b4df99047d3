"""Graphs as text: what is printed parses back, and what is no graph is refused."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.testing.cases import cases
from staticgrad.ir.kinds import Kind

from .. import hostile


def graph_of(op, operands, attrs):
    """A graph that applies an op to placeholders of the operands' types."""
    with sg.Graph().as_default():
        feeds = [sg.placeholder(x.dtype, x.shape, name=f"x{i}") for i, x in enumerate(operands)]
        return sg.freeze([op(*feeds, **attrs)], feeds)


CASES = [
    pytest.param(case, id=str(case))
    for op in gradops.OPS.values()
    for case in cases(op)
    if op.arity != 0
]


@pytest.mark.parametrize("case", CASES)
def test_every_op_prints_and_parses_back(case):
    graph = graph_of(case.op, case.operands, case.attrs)
    text = sg.to_text(graph, lines=False)
    assert sg.parse(text) == graph
    assert sg.to_text(sg.parse(text)) == text


@pytest.mark.parametrize(
    "value",
    [
        np.float32([0.1, -0.0, np.inf, -np.inf, np.nan]),
        np.float64([[1 / 3, 5e-324]]),
        np.float16([65504, 6e-8]),
        np.int8([-128, 127]),
        np.uint64([2**64 - 1]),
        np.array([True, False]),
        np.complex64([1 - 0.1j, complex(0.0, np.inf)]),
        np.zeros((0, 3), np.float32),
        np.float64(2.5),
    ],
    ids=str,
)
def test_constants_keep_their_bits(value):
    with sg.Graph().as_default():
        graph = sg.freeze([sg.constant(value)])
    (found,) = [e for e in sg.parse(str(graph)) if e.kind is Kind.CONSTANT]
    assert found.value.tobytes() == np.asarray(value).tobytes()
    assert found.type == gradops.type_of(np.asarray(value))


def training_graph():
    x = sg.placeholder("float32", ["batch", None], name="x")
    w = sg.Variable(np.ones(3), name="w")
    loss = sg.reduce_mean(sg.tanh(sg.reshape(x, [-1, 3]) * w))
    (g,) = sg.gradients(loss, w)
    return sg.freeze([loss, w.assign(w - 0.1 * g)], [x])


def test_unknown_sizes_variables_and_updates_survive():
    with sg.Graph().as_default():
        graph = training_graph()
    again = sg.parse(str(graph))
    assert again == graph
    assert len(again.updates) == 1


@pytest.mark.parametrize("sizes", ["n - 1", "n + -1", "-1 + n", "-1 - -1*n", "2*n - n - 1"])
def test_sizes_may_be_differences(sizes):
    text = f"graph(x: float32[n], y: float32[{sizes}])\n  return y"
    graph = sg.parse(text)
    assert graph.inputs[1].shape == (sg.Dim("n") - 1,)
    assert sg.parse(str(graph)) == graph
    assert "float32[n - 1]" in str(graph)


def test_a_parsed_graph_computes_the_same_bits():
    with sg.Graph().as_default():
        graph = training_graph()
    feeds = [np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3), np.ones(3)]
    assert [x.tobytes() for x in sg.interpret(sg.parse(str(graph)), feeds)] == [
        x.tobytes() for x in sg.interpret(graph, feeds)
    ]


def test_hostile_names_survive():
    names = ['a"b', "x: float32[3]", "# no comment", "\\", "é\n", "variable", "None", "update"]
    with sg.Graph().as_default():
        feeds = [hostile.placeholder("float32", [name], name) for name in names]
        graph = sg.freeze([sg.exp(x) for x in feeds], feeds)
    assert sg.parse(str(graph)) == graph


HEADER = "graph(x: float32[3], w: float32[3])\n"
MALFORMED = [
    ("", "begins with"),
    ("graph(x: float32[3]", "expected"),
    ("graph(x: float32[3], x: float32[3])\n  return x", "defined twice"),
    ("graph(x: string[3])\n  return x", "not a dtype"),
    ("graph(x: float32[-3])\n  return x", "negative"),
    (HEADER + "  y: float32[3] = os.system(x)\n  return y", "no op"),
    (HEADER + "  y: float32[3] = exp(z)\n  return y", "not defined above"),
    (HEADER + "  y: float32[3] = exp(y)\n  return y", "not defined above"),
    (HEADER + "  y: float32[3] = exp(x, w)\n  return y", "takes 1 operands"),
    (HEADER + "  y: float64[3] = exp(x)\n  return y", "gives float32[3]"),
    (HEADER + "  y: float32[4] = exp(x)\n  return y", "gives float32[3]"),
    (HEADER + "  y: float32[] = sum(x, dim=0)\n  return y", "no attribute dim"),
    (HEADER + "  y: float32[] = sum(x, axis=5)\n  return y", "out of range"),
    (HEADER + "  y: float32[] = sum(x, axis=__import__)\n  return y", "not a value"),
    (HEADER + "  c: float32[1000000000] = constant([1])\n  return c", "do not fill"),
    (HEADER + '  c: float32[] = constant("a")\n  return c', "numbers only"),
    (HEADER + "  c: int8[] = constant(1000)\n  return c", "line 2"),
    (HEADER + "  n: int64[] = size({n // 0})\n  return n", "divided by zero"),
    (HEADER + "  return x y", "expected ,"),
    (HEADER + "  y: float32[3] = exp(x)", "the last line"),
    (HEADER + "  update x = w\n  return x", "an update gives a variable"),
    (HEADER + "  y: float32[" + "(" * 100 + "\n  return x", "too deeply"),
    (HEADER + "  c: float32[] = constant(" + "[" * 100_000 + "\n  return x", "too deeply"),
    (HEADER + "  $", "is not expected here"),
]


@pytest.mark.parametrize(("text", "says"), MALFORMED)
def test_what_is_no_graph_is_one_clear_error(text, says):
    with pytest.raises(gradops.GraphFormatError) as caught:
        sg.parse(text)
    assert says in str(caught.value)


def test_damage_is_never_anything_but_a_format_error():
    with sg.Graph().as_default():
        text = str(training_graph())
    rng = np.random.default_rng(0)
    for _ in range(500):
        damaged = list(text)
        for _ in range(rng.integers(1, 4)):
            damaged[rng.integers(len(damaged))] = chr(rng.integers(32, 127))
        try:
            sg.parse("".join(damaged))
        except gradops.GraphFormatError:
            continue


@pytest.mark.parametrize("case", CASES)
def test_a_line_in_the_plain_form_means_what_it_means_token_by_token(case):
    text = sg.to_text(graph_of(case.op, case.operands, case.attrs), lines=False)
    spaced = text.replace(" = ", "  =  ")  # which is not the plain form
    assert sg.parse(spaced).digest == sg.parse(text).digest


def test_what_is_odd_in_a_line_is_refused_in_any_form():
    lines = [
        "y: float32[3] = exp(x))", "y: float32[3] = exp((x)", "y: float32[3] = exp(x,, w)",
        "y: float32[3] = exp()", "1: float32[3] = exp(x)", "y: float32[3] = exp(x) x",
        "y: float32[3]] = exp(x)", "y: float32[] = sum(x, axis=None, keepdims=False, axis)",
        "x: float32[3] = exp(x)", "y: float32[3] = constant(1)", "y: float32[] = constant(0x1)",
        "y: uint8[] = constant(256)", "y: float32[3] = add(x)", "y: int64[3] = add(x, w)",
    ]  # fmt: skip
    for line in lines:
        with pytest.raises(gradops.GraphFormatError, match="line 2"):
            sg.parse(f"{HEADER}  {line}\n  return x")
