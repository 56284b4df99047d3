"""Differences of graphs: random edits are found, and nothing else."""

from collections import Counter

import numpy as np
import pytest

import staticgrad as sg
from gradops import GraphError

from .edits import frozen, random_pair, random_program

KINDS = {
    "change_op": "changed", "change_constant": "changed", "rewire": "changed",
    "insert": "added", "remove": "removed",
}  # fmt: skip


@pytest.mark.parametrize("seed", range(25))
def test_random_edits_are_found_and_nothing_else(seed):
    a, b, done = random_pair(seed)
    found = a.diff(b)
    assert Counter(c.kind for c in found.changes) == Counter(KINDS[edit] for edit in done)
    assert found.same == len(a) - found.count("removed") - sum(
        c.kind == "changed" and c.before is not None for c in found.changes
    )


@pytest.mark.parametrize("seed", range(5))
def test_what_is_added_one_way_is_removed_the_other(seed):
    a, b, _ = random_pair(seed, 200, 8)
    ahead, back = a.diff(b), b.diff(a)
    assert len(ahead) == len(back)
    assert ahead.count("added") == back.count("removed")


def test_a_graph_does_not_differ_from_itself_by_another_order_and_other_names():
    import random

    rng = random.Random(0)
    nodes, outputs = random_program(rng, 300)
    for i, n in nodes.items():
        if n.op == "input":
            n.name = f"x{i}"
    order, left = [], list(nodes)
    while left:
        ready = [i for i in left if set(nodes[i].inputs) <= set(order)]
        order.append(rng.choice(ready))
        left.remove(order[-1])
    inputs = [i for i in nodes if nodes[i].op == "input"]
    order = inputs + [i for i in order if i not in inputs]
    found = frozen(nodes, outputs).diff(frozen(nodes, outputs, order))
    assert not found
    assert str(found) == "no difference; 300 nodes are the same"


def graph_of(f, shape=(3,), name="x"):
    with sg.Graph().as_default():
        x = sg.placeholder("float32", shape, name=name)
        ys = f(x)
        return sg.freeze(ys if isinstance(ys, list) else [ys], [x])


@pytest.mark.parametrize(
    ("f", "g", "text"),
    [
        (lambda x: sg.sin(x), lambda x: sg.cos(x), "the op was sin and is cos"),
        (lambda x: x * 2, lambda x: x * 3, "the value is another"),
        (
            lambda x: sg.reduce_sum(x, keepdims=True),
            lambda x: sg.reduce_sum(x),
            "keepdims was True and is False",
        ),
        (lambda x: [x, x + 1], lambda x: [x, x + 1, x + 1], "result 2 is new"),
        (lambda x: [x, x + 1], lambda x: [x + 1], "result 1 is no more"),
        (lambda x: [x, x + 1], lambda x: [x + 1, x], "result 0 was x and is add"),
        (lambda x: sg.exp(x) - x, lambda x: x - sg.exp(x), "operand 0 was exp and is x"),
    ],
)
def test_it_says_what_has_changed(f, g, text):
    assert text in str(graph_of(f).diff(graph_of(g)))


def test_inputs_are_known_by_their_names_and_types():
    one, other = graph_of(sg.exp), graph_of(sg.exp, (4,))
    assert "the type was float32[3] and is float32[4]" in str(one.diff(other))
    assert "the name was x and is y" in str(one.diff(graph_of(sg.exp, name="y")))


def test_an_added_node_is_no_change_of_its_reader():
    found = graph_of(lambda x: sg.exp(x) * 2).diff(graph_of(lambda x: sg.exp(sg.tanh(x)) * 2))
    assert [c.kind for c in found.changes] == ["added"]
    assert found.changes[0].after.what == "tanh"


def test_graphs_of_loops_are_compared_too():
    def loop(step):
        return lambda x: sg.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, step(y)), (0, x)
        )[1]  # fmt: skip

    found = graph_of(loop(sg.sin)).diff(graph_of(loop(sg.cos)))
    assert [c.what for c in found.changes] == [("the graph body is another",)]
    ((name, inner),) = found.inner.items()
    assert "body" in name
    assert inner.changes[0].what == ("the op was sin and is cos",)
    assert f"in graph {name}" in str(found)


def test_a_page_is_safe(tmp_path):
    hostile = "</ol><script>alert(1)</script>"
    found = graph_of(sg.exp, name=hostile).diff(graph_of(sg.exp))
    found.save(tmp_path / "diff.html")
    text = (tmp_path / "diff.html").read_text()
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in text


def test_other_things_are_refused():
    graph = graph_of(sg.exp)
    with pytest.raises(GraphError, match="takes a frozen graph"):
        graph.diff(np.ones(3))


def test_another_initial_value_of_a_variable_is_a_change():
    def doubled(value):
        with sg.Graph().as_default():
            return sg.freeze([sg.Variable(value, name="v") * 2])

    found = doubled(2.0).diff(doubled(3.0))
    assert [(c.kind, c.what) for c in found.changes] == [("changed", ("the value is another",))]
    assert not doubled(2.0).diff(doubled(2.0))
