"""Well-formed graphs pass, others are refused with the expression's name."""

import pytest

import staticgrad as sg
from gradops import ArrayType, GraphError
from staticgrad.ir.expr import Expr
from staticgrad.ir.graph import FrozenGraph
from staticgrad.ir.kinds import Kind
from staticgrad.ir.verify import verify


@pytest.fixture
def graph():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["n", 3], name="x")
        return sg.freeze([sg.exp(x) + x], [x])


def test_a_frozen_graph_is_well_formed(graph):
    verify(graph)


def test_a_wrong_type_is_named(graph):
    (x,) = graph.inputs
    wrong = Expr(
        Kind.OP, ArrayType((3,), "float32"), "wrong", None, op=graph.outputs[0].op, inputs=(x, x)
    )
    with pytest.raises(GraphError, match="wrong: float32"):
        verify(FrozenGraph((x,), (wrong,)))


def test_an_input_that_comes_later_is_named(graph):
    early = Expr(Kind.OP, graph.outputs[0].type, "early", None, op=graph.outputs[0].op)
    late = Expr(Kind.PLACEHOLDER, graph.outputs[0].type, "late", None)
    early.inputs = (late, late)
    with pytest.raises(GraphError, match=r"early.* comes before"):
        verify(FrozenGraph((late,), (early,)))


def test_an_update_of_another_type_is_named(graph):
    v = Expr(Kind.VARIABLE, ArrayType((3,), "float32"), "v", None)
    with pytest.raises(GraphError, match="v: float32"):
        verify(FrozenGraph((*graph.inputs, v), (), ((v, graph.outputs[0]),)))
