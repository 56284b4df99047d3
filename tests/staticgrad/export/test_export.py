"""Exports: every expression and edge is there, roles and causes are told, names are inert."""

import json
import re

import networkx as nx
import numpy as np
import pytest

import gradops as ops
import staticgrad as sg

from ..hostile import placeholder


@pytest.fixture
def graph():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["batch", 3], name="x")
        w = sg.Variable(np.ones(3), name="w")
        loss = sg.reduce_sum(sg.tanh(x * w))
        return sg.freeze([loss, *sg.gradients(loss, [w])], [x])


HOSTILE = ['"];', "</script>", "a\nb", "x`[(", "\\", "%%{init}%%"]


@pytest.fixture
def hostile():
    with sg.Graph().as_default():
        feeds = [placeholder("float32", [name], name) for name in HOSTILE]
        return sg.freeze([sg.exp(x) for x in feeds], feeds)


def edge_count(graph):
    return sum(len(e.inputs) for e in graph)


def test_dot_has_a_node_for_each_expression_and_an_edge_for_each_operand(graph):
    text = sg.to_dot(graph)
    assert len(re.findall(r"^  n\d+ \[label", text, re.M)) == len(graph)
    assert len(re.findall(r"^  n\d+ -> n\d+;$", text, re.M)) == edge_count(graph)


def test_dot_tells_forward_from_backward_by_shape_and_links_a_cause(graph):
    text = sg.to_dot(graph)
    assert "shape=hexagon" in text
    assert "shape=box" in text
    assert "style=dotted" in text


def test_mermaid_has_a_node_for_each_expression_and_an_edge_for_each_operand(graph):
    lines = sg.to_mermaid(graph).splitlines()
    assert lines[0] == "flowchart TD"
    assert sum(":::" in line for line in lines) == len(graph)
    assert sum("-->" in line for line in lines) == edge_count(graph)


def test_json_tells_roles_causes_types_and_lines(graph):
    document = json.loads(sg.to_json(graph))
    nodes = {n["id"]: n for n in document["nodes"]}
    assert [nodes[i]["name"] for i in document["inputs"]] == ["x", "w"]
    assert nodes[0]["shape"] == ["batch", 3]
    roles = {n["role"] for n in nodes.values()}
    assert roles == {"input", "constant", "forward", "backward"}
    causes = [nodes[n["cause"]] for n in nodes.values() if n["role"] == "backward"]
    assert {c["role"] for c in causes} == {"forward"}
    assert all(n["line"] for n in nodes.values() if n["role"] == "forward")


def test_each_operand_comes_before_its_user(graph):
    for node in json.loads(sg.to_json(graph))["nodes"]:
        assert all(i < node["id"] for i in node["inputs"])


def test_networkx_sees_the_same_graph(graph):
    view = sg.to_networkx(graph)
    assert view.number_of_nodes() == len(graph)
    assert view.number_of_edges() == edge_count(graph)


def asked(view, k, feeds):
    """The value of node k, computed from what the view tells alone."""
    node = view.nodes[k]
    if node["op"] == "constant":
        return np.array(json.loads(node["value"]), node["type"].split("[")[0])
    if node["op"] == "placeholder":
        return feeds[node["name"]]
    edges = sorted(view.in_edges(k, data="position"), key=lambda edge: edge[2])
    attrs = dict(part.split("=") for part in node.get("attrs", "").split(", ") if part)
    return ops.OPS[node["op"]](
        *(asked(view, i, feeds) for i, _, _ in edges), **{k: int(v) for k, v in attrs.items()}
    )


@pytest.mark.parametrize("f", [
    lambda a, b: a - b, lambda a, b: b - a, lambda a, b: a**2.0 / (b - 3.0), lambda a, b: a - a,
    lambda a, b: sg.where(a > b, a, b * 2.0), lambda a, b: sg.stack([b, a, b], axis=1),
])  # fmt: skip
def test_networkx_is_told_all_that_is_computed(f):
    x, y = np.array([1.0, 5.0]), np.array([2.0, 4.0])
    with sg.Graph().as_default():
        a, b = (sg.placeholder("float64", [2], name=name) for name in "ab")
        graph = sg.freeze([f(a, b), a], [a, b])
    view = sg.to_networkx(graph)
    ends = {int(i): k for k, said in view.nodes(data="outputs") if said for i in said.split(", ")}
    found = [asked(view, ends[i], {"a": x, "b": y}) for i in range(2)]
    for one, other in zip(found, sg.interpret(graph, [x, y]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_networkx_writes_graphml_and_names_causes(graph, tmp_path):
    view = sg.to_networkx(graph)
    nx.write_graphml(view, tmp_path / "graph.graphml")
    again = nx.read_graphml(tmp_path / "graph.graphml", node_type=int, force_multigraph=True)
    assert again.nodes(data=True)[0] == view.nodes[0]
    causes = {view.nodes[k]["role"] for _, k in view.nodes(data="cause") if k is not None}
    assert causes == {"forward"}


@pytest.mark.parametrize("export", [sg.to_dot, sg.to_mermaid, sg.to_json, sg.to_networkx])
def test_what_a_call_keeps_is_exported(export):
    x = sg.placeholder("float32", ["n"], name="x")
    y = sg.function(lambda x: sg.sin(x) * x)(x)
    assert export(sg.freeze(sg.gradients(sg.reduce_sum(y), x), [x]))


@pytest.mark.parametrize("export", [sg.to_dot, sg.to_mermaid, sg.to_json])
def test_export_is_the_same_every_time(export, graph):
    assert export(graph) == export(graph)


def test_hostile_names_stay_inside_their_quotes(hostile):
    for line in sg.to_dot(hostile).splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0
    nodes = [line for line in sg.to_mermaid(hostile).splitlines() if ":::" in line]
    assert len(nodes) == len(hostile)
    assert all(re.fullmatch(r'  n\d+\W+[^"`]*"\W+:::\w+', line) for line in nodes)
    assert json.loads(sg.to_json(hostile))["nodes"][1]["name"] == HOSTILE[1]


def test_graphs_inside_are_exported_in_boxes_of_their_own():
    x = sg.placeholder("float32", [3], name="x")
    y = sg.fori(0, 4, lambda i, s: sg.tanh(s), x)
    graph = sg.freeze([y], [x])
    assert 'label="body"' in sg.to_dot(graph)
    assert 'subgraph g0["body"]' in sg.to_mermaid(graph)
    document = json.loads(sg.to_json(graph))
    (loop,) = (n for n in document["nodes"] if n["op"] == "loop")
    assert loop["attrs"]["body"] == {"graph": "body"}
    assert [n["op"] for n in document["graphs"]["body"]["nodes"]][-1] == "tanh"
    assert sg.to_networkx(graph).number_of_nodes() == len(graph)
