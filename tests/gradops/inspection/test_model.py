"""The model of pictures: titles, types, parts, and who reads what."""

import numpy as np
import pytest

from gradops import OptionError
from gradops.inspection.model import GraphView, NodeView, Role

from .views import small_view


def test_a_title_is_the_users_name_within_its_scope_or_the_op():
    titles = [n.title for n in small_view().nodes]
    assert titles == ["x", "layer/w", "energy", "one", "mul", "sub"]
    assert NodeView(0, "mul_12", "mul").title == "mul"


def test_types_are_texts():
    x = small_view().nodes[0]
    assert x.type == "float32[batch, 3]"
    assert NodeView(0, "loop", "loop", dtype="(float32[], int64[])").type == "(float32[], int64[])"
    assert NodeView(0, "w", "data", dtype="unknown type").type == "unknown type"


def test_a_value_is_written_out_or_summarised():
    assert small_view().nodes[1].value == "[0.0, 1.0, 2.0]"
    assert NodeView(0, "c", "constant", data="saved").value == "saved"
    assert NodeView(0, "c", "constant").value is None
    assert "mean" in NodeView(0, "c", "constant", data=np.ones(1000)).value


def test_statistics_are_those_of_data():
    s = NodeView(0, "w", "variable", data=np.array([1.0, 3.0, np.nan, np.inf])).statistics
    assert (s.size, s.mean, s.std, s.low, s.high, s.bad) == (4, 2.0, 1.0, 1.0, 3.0, 2)
    assert sum(s.histogram) == 2
    assert NodeView(0, "w", "variable", data="text").statistics is None


def test_readers_are_in_order_and_each_once():
    assert small_view().readers == {0: (2, 4), 1: (2, 5), 2: (), 3: (4,), 4: (5,), 5: ()}


def test_the_forward_part_reads_nothing_outside_it():
    part = small_view().part("forward")
    assert [n.id for n in part.nodes] == [0, 1, 2]
    assert part.outputs == (2,)
    assert part.updates == ()
    assert all(i in part.by_id for n in part.nodes for i in n.inputs)


def test_the_backward_part_has_what_it_reads_without_inputs():
    part = small_view().part("backward")
    assert [n.id for n in part.nodes] == [0, 1, 3, 4, 5]
    assert part.outputs == (4,)
    assert part.updates == ((1, 5),)
    assert part.by_id[4].cause is None  # the cause is not in the part
    assert small_view().part("both") == small_view()


def test_parts_have_the_graphs_inside_that_they_need():
    deepest, inner = (
        GraphView("b", "graph", ()),
        GraphView("a", "graph", (NodeView(0, "cond", "cond", graphs=("b",)),)),
    )
    loop = NodeView(0, "loop", "loop", graphs=("a",))
    back = NodeView(1, "back", "loop", (0,), role=Role.BACKWARD, graphs=("c",))
    graphs = {"b": deepest, "a": inner, "c": deepest}
    view = GraphView("graph", "graph", (loop, back), (), (0,), graphs=graphs)
    assert list(view.part("forward").graphs) == ["b", "a"]
    assert list(view.part("backward").graphs) == ["b", "a", "c"]  # the loop is read


def test_another_part_is_refused():
    with pytest.raises(OptionError, match="forward, backward or both, not 'left'"):
        small_view().part("left")
