"""Texts that describe no graph, and sizes that grow: one kind of error, soon."""

import time

import numpy as np
import pytest

import staticgrad as sg
from gradops import Dim, GraphFormatError, ShapeError


@pytest.mark.parametrize("text", [
    "", "graph(variable", "graph(x: float32[broadcast()])\n return x",
    "graph(x: float32[broadcast(2,3)])\n return x",
    f"graph(x: float32[{'*'.join(['999999999999999999'] * 300)}*n])\n return x",
    "graph(x: float32[3])\n  y: float32[3] = slice(x, index=-1)\n  return y",
    "graph(x: float32[3])\n  y: float32[3] = einsum(x, subscripts=(1,))\n  return y",
    "graph(x: float32[3])\n  y: float32[3] = reshape(x, shape=None)\n  return y",
    'graph(x: float32[3])\n  y: float32[3] = scatter(x, index="", shape=9999999999999999999)\n'
    "  return y",
    f"graph(x: float32[{'*'.join(f'(a{i}+b{i})' for i in range(24))}])\n return x",
    f"graph(x: float32[{'*'.join(['(a+b+c+d)'] * 60)}])\n return x",
    f"graph(x: float32[{'+'.join(f'a{i}' for i in range(100_000))}])\n return x",
    f"graph(x: float32[{'*'.join(f'a{i}' for i in range(100_000))}])\n return x",
    f"graph(x: float32[{','.join(['1'] * 100_000)}])\n return x",
    "graph(x: float32[3])\n  y: float32[] = sum(x, axis=None, axis=0, keepdims=False)\n  return y",
])  # fmt: skip
def test_every_refusal_is_a_format_error(text):
    with pytest.raises(GraphFormatError):
        sg.parse(text)


@pytest.mark.parametrize("entry", [
    "float32[] = constant(1e300)", "float32[1] = constant([1e300])", "float16[] = constant(1e5)",
    "complex64[] = constant(complex(1e300, 0.0))", "int8[] = constant(300)",
    "int8[2] = constant([1, 300])", "uint8[] = constant(-1)", "uint8[1] = constant([-1])",
    "int64[] = constant(1.5)", "int64[1] = constant([1.5])", "int64[] = constant(nan)",
    "int64[] = constant(inf)", "bool[] = constant(2)", "bool[1] = constant([2])",
    "float32[] = constant(complex(1.0, 0.0))", f"float32[] = constant({'9' * 300})",
    f"float64[] = constant({'9' * 399})", f"int64[] = constant({2**63})",
    "float32[1] = constant([null])", "float32[1] = constant([1, 2])",
    f"float32[1] = constant({'[' * 900}1{']' * 900})",
])  # fmt: skip
def test_a_constant_that_its_dtype_cannot_hold_is_refused(entry):
    with pytest.raises(GraphFormatError, match="line 2: "):
        sg.parse(f"graph(x: float32[])\n  c: {entry}\n  return c")


@pytest.mark.parametrize("value", [
    np.array([[0.1, -2e-30], [np.inf, np.nan]]), np.array([1, -(2**63)]), np.array([2**64 - 1]),
    np.array([[True], [False]]), np.array([1 + 2j, complex(np.nan, -np.inf)]), np.array(2.5),
    np.zeros((0, 3)), np.array(65504, np.float16), np.array([3.4e38], np.float32), np.int8(-128),
    np.array([5e-324]), np.array(-0.0),
])  # fmt: skip
def test_the_entries_of_a_constant_come_back_to_the_bit(value):
    graph = sg.freeze([sg.constant(np.asarray(value))])
    (found,) = sg.parse(str(graph)).outputs
    assert found.value.dtype == value.dtype
    assert found.value.shape == value.shape
    assert found.value.tobytes() == value.tobytes()


def test_a_size_of_numbers_is_bounded():
    for size in (
        "*".join(["999999999999999999"] * 5),
        "*".join(["n", *["999999999999999999"] * 5]),
    ):
        with pytest.raises(GraphFormatError, match="above 9223372036854775808"):
            sg.parse(f"graph(x: float32[{size}])\n  return x")


def test_a_size_does_not_grow_without_bound():
    n = Dim("a") + Dim("b") + 1
    for _ in range(3):
        n = n * n
    with pytest.raises(ShapeError, match="more than 10000 parts"):
        n * n


def test_floors_of_floors_are_one():
    n = Dim("n")
    assert n // 2 // 3 == n // 6
    for _ in range(500):
        n = n // 2
    assert n.evaluate({"n": 2**501 + 1}) == 2


def test_many_sizes_that_broadcast_are_one_size():
    y = sg.placeholder("float32", [None], name="y")
    feeds = [y]
    for i in range(300):
        feeds.append(sg.placeholder("float32", [None], name=f"x{i}"))
        y = y + feeds[-1]
    graph = sg.freeze([y], feeds)
    values = [np.ones(3 if i % 3 else 1, np.float32) for i in range(301)]
    assert sg.compile(graph)(*values)[0].tolist() == [301] * 3


def test_a_text_gives_the_graph_again_whatever_the_order_of_its_inputs():
    y = sg.placeholder("float32", [None], name="y")
    feeds = [y]
    for i in range(3):
        feeds.append(sg.placeholder("float32", [None], name=f"x{i}"))
        y = y + feeds[-1]
    graph = sg.freeze([y], feeds)
    assert sg.parse(str(graph)) == graph


def test_a_structure_that_cannot_be_made_changes_no_variable():
    class Refusing(tuple):
        _fields = ("value",)

        def __new__(cls, *values):
            if values and not isinstance(values[0], sg.Expr):
                raise RuntimeError("no results here")
            return super().__new__(cls, values)

    v = sg.Variable([1.0], name="v")
    session = sg.Session()
    with pytest.raises(RuntimeError, match="no results here"):
        session.run(Refusing(v.assign(v + 1)))
    assert session.run(v).tolist() == [1]


def test_the_first_mistake_of_a_long_text_is_found_soon():
    lines = ["graph(x: float32[n])", "  y: float32[n] = nope(x)"]
    text = "\n".join([*lines, *["  # a comment", "  z: float32[n] = tanh(x)"] * 200_000])
    began = time.perf_counter()
    with pytest.raises(GraphFormatError, match="line 2: there is no op 'nope'"):
        sg.parse(text)
    assert time.perf_counter() - began < 2


def test_lines_end_as_on_any_system():
    text = (
        "graph(x: float32[n])\n  # a comment\x0b\n\n  y: float32[n] = tanh(x)  # a\x1cb\n  return y"
    )
    assert sg.parse(text.replace("\n", "\r\n")).digest == sg.parse(text).digest
