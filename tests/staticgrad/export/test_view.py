"""Frozen graphs as pictures have them: names, roles, causes, labels, values, lines."""

import dataclasses
import io

import numpy as np
import pytest

import staticgrad as sg
from gradops import GraphError
from gradops.inspection.model import Role
from staticgrad.export.formats import view_of
from staticgrad.export.freezable import frozen_graph
from staticgrad.export.view import graph_view


@pytest.fixture
def program():
    """A model with a named layer, its gradient and a training step."""
    with sg.Graph().as_default() as graph:
        x = sg.placeholder("float32", ["batch", 3], name="x")
        w = sg.Variable(np.ones((3, 1), np.float32), name="dense/w")
        with sg.name_scope("dense"):
            h = sg.tanh(x @ w, name="out")
        loss = sg.reduce_sum(h * h, name="energy")
        (g,) = sg.gradients(loss, [w])
        train = sg.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    return graph, x, w, loss, g, train


@pytest.fixture
def view(program):
    _, x, _, loss, g, train = program
    return graph_view(sg.freeze([loss, g, train], [x]))


def named(view, name):
    return next(n for n in view.nodes if n.name == name)


def test_the_users_names_and_scopes_survive(view):
    titles = [n.title for n in view.part("forward").nodes]
    assert titles == ["x", "dense/w", "matmul", "out", "mul", "energy"]
    assert [n.scope for n in view.part("forward").nodes] == ["", *["dense"] * 3, "", ""]


def test_outputs_are_labelled_by_what_they_are(view):
    assert [view.by_id[i].outputs[0] for i in view.outputs] == ["energy", "d energy / d dense/w"]
    news = {view.by_id[v].name: view.by_id[new].outputs[-1] for v, new in view.updates}
    assert news == {v: f"new {v}" for v in ("dense/w", "dense/w/Momentum/momentum")}


def test_roles_tell_forward_backward_and_updates_apart(view):
    by_role = {role: [n for n in view.nodes if n.role is role] for role in Role}
    assert [n.name for n in by_role[Role.INPUT]] == ["x"]
    assert [n.op for n in by_role[Role.PARAMETER]] == ["variable", "variable"]
    assert all(n.cause is not None for n in by_role[Role.BACKWARD])
    assert by_role[Role.UPDATE]
    assert {n.scope for n in by_role[Role.UPDATE]} == {"Momentum/update"}
    assert {view.by_id[n.cause].role for n in by_role[Role.BACKWARD]} == {Role.FORWARD}


def test_a_backward_node_is_in_the_scope_of_its_cause(view):
    for n in view.nodes:
        if n.cause is not None:
            assert n.scope == view.by_id[n.cause].scope
            assert n.place in view.by_id[n.cause].places


def test_a_moving_average_is_an_update_and_what_uses_gradients_is_backward():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [3], name="x")
        mean = sg.Variable(0.0, name="mean", trainable=False)
        now = sg.reduce_mean(x, name="now")
        keep = mean.assign(sg.add(0.9 * mean, 0.1 * now, name="moved"))
        y = sg.reduce_sum((x - now) ** 2, name="y")
        (g,) = sg.gradients(y, x)
        norm = sg.reduce_sum(g * g, name="norm")
        view = graph_view(sg.freeze([y, norm, keep], [x]))
    assert named(view, "now").role is Role.FORWARD
    assert named(view, "norm").role is Role.BACKWARD
    assert named(view, "norm").cause is None
    assert named(view, "moved").role is not Role.BACKWARD


def test_second_derivatives_are_backward_of_backward():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [2], name="x")
        y = sg.reduce_sum(sg.tanh(x), name="y")
        (g,) = sg.gradients(y, x)
        view = graph_view(sg.freeze([y, g, sg.jacobian(g, x)], [x]))
    assert view.by_id[view.outputs[-1]].outputs == ("d (d y / d x) / d x",)
    roles = {view.by_id[n.cause].role for n in view.nodes if n.cause is not None}
    assert roles == {Role.FORWARD, Role.BACKWARD}


def test_labels_tell_equal_gradients_apart_where_they_are_fetched():
    with sg.Graph().as_default():
        a, b = (sg.placeholder("float32", [2], name=name) for name in "ab")
        y = sg.reduce_sum(a + b, name="y")
        g, h = sg.gradients(y, [a, b])
        assert sg.freeze([g, h], [a, b]).labels == ("d y / d a", "d y / d b")
        assert sg.freeze([g], [a, b]).labels == ("d y / d a = d y / d b",)
        assert sg.freeze([y, a], [a, b]).labels == ("y", "a")
        (k,) = sg.gradients([y, sg.reduce_sum(a, name="z")], [a])
        assert sg.freeze([k], [a, b]).labels == ("d (y + z) / d a",)


def test_labels_say_by_what_a_result_is_multiplied_and_what_counts_as_constant():
    with sg.Graph().as_default():
        x, v = (sg.placeholder("float64", [2], name=name) for name in "xv")
        h = sg.tanh(x, name="h")
        y = sg.reduce_sum(h * x, name="y")

        def label(ys, *args, **options):
            return sg.freeze(sg.gradients(ys, [x], *args, **options), [x, v]).labels[0]

        assert label(y, 2.0) == "d (2.0 * y) / d x"
        assert label(h, v) == "d (v * h) / d x"
        assert label([y, h], [None, np.ones(2)]) == "d (y + grad_y * h) / d x"
        assert label(y, stop_gradients=h) == "d y / d x with h constant"
        (g,) = sg.gradients(y, [x], 2.0)
        assert label(sg.reduce_sum(g, name="s")) == "d s / d x"
        assert label(g, g) == "d ((d (2.0 * y) / d x) * (d (2.0 * y) / d x)) / d x"


def test_gradients_are_labelled_where_only_an_optimizer_reads_them():
    with sg.Graph().as_default() as graph:
        w = sg.Variable([1.0, 2.0], name="w")
        loss = sg.reduce_sum(w * w, name="loss")
        train = sg.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        view = graph_view(sg.freeze([loss, train]))
    assert ("d loss / d w",) in {n.outputs for n in view.nodes}
    assert view_of("f", graph).nodes


def test_labels_survive_passes_and_sessions(program):
    _, x, _, loss, g, train = program
    graph = sg.freeze([loss, g, train], [x])
    assert sg.compile(graph).graph.labels == graph.labels
    replaced = sg.replace(graph, {sg.tanh: sg.sin})
    assert replaced.labels == graph.labels


def test_values_of_constants_and_variables_are_shown(view):
    assert named(view, "dense/w").value == "[[1.0], [1.0], [1.0]]"
    assert {n.value for n in view.nodes if n.op == "constant"} >= {"1.0", "0.9", "0.1"}
    values = {"dense/w": np.full((3, 1), 2.0)}
    session_view = graph_view(
        sg.freeze([sg.Variable(np.ones((3, 1)), name="dense/w")]), values=values
    )
    assert session_view.nodes[0].value == "[[2.0], [2.0], [2.0]]"


def test_bytes_are_known_where_sizes_are(view):
    assert named(view, "dense/w").nbytes == 12
    assert named(view, "x").nbytes is None
    assert named(view, "energy").nbytes == 4


def test_lines_are_the_users_and_several_where_expressions_became_one():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [2], name="x")
        a = sg.exp(x)
        b = sg.exp(x)
        view = graph_view(sg.freeze([a + b], [x]))
    n = named(view, "exp")
    assert [p.text for p in n.places] == ["a = sg.exp(x)", "b = sg.exp(x)"]
    assert n.place.function == ("test_lines_are_the_users_and_several_where_expressions_became_one")
    assert n.line == f"test_view.py:{n.place.line}"


def test_graphs_inside_are_views_of_their_own():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [3], name="x")
        y = sg.fori(0, 4, lambda i, s: sg.tanh(s), x)
        view = graph_view(sg.freeze([y], [x]))
    (loop,) = (n for n in view.nodes if n.graphs)
    assert loop.graphs == ("body",)
    assert loop.attrs["body"] == "@body"
    assert view.graphs["body"].nodes[-1].op == "tanh"
    assert loop.type.startswith("(")


def test_a_loaded_graph_looks_as_the_saved_one(program):
    _, x, _, loss, g, train = program
    graph = sg.freeze([loss, g, train], [x])
    file = io.BytesIO()
    sg.save(graph, file)
    file.seek(0)
    before, after = graph_view(graph), graph_view(sg.load(file))

    def facts(view):
        def name(i):
            return None if i is None else view.by_id[i].name

        return {
            n.name: (
                dataclasses.replace(n, id=0, inputs=(), cause=None, places=()),
                [name(i) for i in n.inputs], name(n.cause), n.line, n.value,
            )
            for n in view.nodes
        }  # fmt: skip

    assert facts(after) == facts(before)


def test_everything_that_has_a_graph_can_be_shown(program):
    graph, x, _, loss, g, _ = program
    assert frozen_graph("f", loss) == sg.freeze([loss], [x])
    assert frozen_graph("f", [loss, g]) == sg.freeze([loss, g], [x])
    assert len(frozen_graph("f", graph).updates) == 2
    assert frozen_graph("f", sg.Session(graph)) == frozen_graph("f", graph)
    executable = sg.compile(sg.exp(sg.placeholder("float32", [2], name="x")), [
        e for e in sg.get_default_graph().get_operations() if e.op is None
    ][-1:])  # fmt: skip
    assert frozen_graph("f", executable) is executable.graph
    with pytest.raises(GraphError, match=r"f takes a graph, an executable or expressions, not 3"):
        frozen_graph("f", 3)
    with pytest.raises(GraphError, match=r"sg\.trace"):
        frozen_graph("f", np.tanh)


def test_a_whole_graph_has_what_bodies_and_dead_ends_leave():
    with sg.Graph().as_default() as graph:
        x = sg.placeholder("float32", [3], name="x")
        sg.Variable(1.0, name="unread")
        sg.fori(0, 4, lambda i, s: sg.tanh(s), x)
        sg.exp(x, name="dead")
    view = view_of("f", graph)
    assert {n.op for n in view.nodes} >= {"loop", "exp"}
    assert "tanh" not in {n.op for n in view.nodes}
    assert view_of("f", sg.Graph()).nodes == ()


def test_to_look_at_expressions_is_no_use_of_them():
    with sg.Graph().as_default() as graph:
        x = sg.placeholder("float32", [None, None], name="x")
        view_of("f", graph)
        view_of("f", x)
        x.set_shape([2, 3])
    assert x.shape == (2, 3)


def test_what_a_call_keeps_is_shown():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["n"], name="x")
        y = sg.function(lambda x: sg.sin(x) * x)(x)
        view = graph_view(sg.freeze(sg.gradients(sg.reduce_sum(y), x), [x]))
    assert any("residuals" in n.dtype for n in view.nodes)
