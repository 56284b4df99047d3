"""The global step: one in a graph, counted up by each step."""

import pytest

import staticgrad as sg
from gradops import GraphError


def test_there_is_one_global_step():
    assert sg.train.get_global_step() is None
    with sg.name_scope("inside"):
        step = sg.train.get_or_create_global_step()
    assert step.name == "global_step"
    assert step.dtype == "int64"
    assert sg.train.get_or_create_global_step() is step
    assert sg.train.get_global_step() is step
    assert step not in sg.trainable_variables()
    with pytest.raises(GraphError, match="get_or_create_global_step"):
        sg.train.create_global_step()


def test_another_graph_has_another():
    step = sg.train.create_global_step()
    other = sg.Graph()
    assert sg.train.get_global_step(other) is None
    assert sg.train.create_global_step(other) in other
    assert step in sg.get_default_graph()


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32"])
def test_a_step_counts_it_up_whatever_its_dtype(dtype):
    w, step = sg.Variable(1.0), sg.Variable(5, dtype=dtype, trainable=False)
    train = sg.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
    session = sg.Session()
    session.run(train)
    session.run(train)
    assert session.run(step) == 7
