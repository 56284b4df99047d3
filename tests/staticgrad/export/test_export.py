"""Graphs in every format: methods and functions, parts, texts that are read back, large arrays."""

import json

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from gradops import GraphFormatError

from ..hostile import placeholder

FORMATS = ["to_dot", "to_gexf", "to_graphml", "to_json", "to_mermaid", "to_svg", "to_text"]
every_format = pytest.mark.parametrize("name", FORMATS)


@pytest.fixture
def graph():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["batch", 3], name="x")
        w = sg.Variable(np.ones(3), name="w")
        loss = sg.reduce_sum(sg.tanh(x * w))
        return sg.freeze([loss, *sg.gradients(loss, [w])], [x])


@every_format
@pytest.mark.parametrize("part", ["forward", "backward", "both"])
def test_methods_are_the_functions(graph, name, part):
    assert getattr(graph, name)(part=part) == getattr(sg, name)(graph, part=part)


@every_format
def test_graphs_under_construction_and_executables_have_the_methods(name):
    with sg.Graph().as_default() as graph:
        x = sg.placeholder("float32", [3], name="x")
        y = sg.exp(x, name="energy")
        executable = sg.compile(y, [x])
    assert getattr(graph, name)() == getattr(sg, name)(y)
    assert "energy" in getattr(executable, name)()


@every_format
def test_views_read_from_json_are_exported(graph, name):
    view = sg.from_json(sg.to_json(graph))
    if name != "to_text":  # of a graph itself, the one that parse reads
        assert getattr(sg, name)(view) == getattr(sg, name)(graph)
    assert getattr(sg, name)(view, part="forward") == getattr(sg, name)(graph, part="forward")


@every_format
def test_what_a_call_keeps_is_exported(name):
    x = sg.placeholder("float32", ["n"], name="x")
    y = sg.function(lambda x: sg.sin(x) * x)(x)
    assert getattr(sg, name)(sg.freeze(sg.gradients(sg.reduce_sum(y), x), [x]))


def test_json_follows_its_schema(graph):
    jsonschema = pytest.importorskip("jsonschema")
    from gradops.inspection.formats.as_json import schema

    jsonschema.validate(json.loads(sg.to_json(graph)), schema())


def test_hostile_names_are_kept_whole_in_json():
    names = ['"];', "</script>", "a\nb", "x`[(", "\\", "%%{init}%%", "\u202e", "n" * 10_000]
    with sg.Graph().as_default():
        feeds = [placeholder("float32", [name], name) for name in names]
        graph = sg.freeze([sg.exp(x) for x in feeds], feeds)
    document = json.loads(sg.to_json(graph))
    assert [document["nodes"][i]["name"] for i in document["inputs"]] == names


def test_graphs_inside_are_exported_in_boxes_of_their_own():
    x = sg.placeholder("float32", [3], name="x")
    y = sg.fori(0, 4, lambda i, s: sg.tanh(s), x)
    graph = sg.freeze([y], [x])
    assert 'label="body"' in sg.to_dot(graph)
    assert 'subgraph g0["body"]' in sg.to_mermaid(graph)
    assert ">body: forward</text>" in sg.to_svg(graph)
    document = json.loads(sg.to_json(graph))
    (loop,) = (n for n in document["nodes"] if n["op"] == "loop")
    assert loop["graphs"] == ["body"]
    assert [n["op"] for n in document["graphs"]["body"]["nodes"]][-1] == "tanh"
    assert sg.to_networkx(graph).number_of_nodes() == len(graph)


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


@pytest.fixture
def with_weights():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["n", 100], name="x")
        return sg.freeze([x @ np.ones((100, 20), np.float32)], [x])


def test_text_leaves_large_arrays_out_unless_asked(with_weights):
    text = sg.to_text(with_weights)
    assert len(text) < 500
    assert 'constant("... 2000 entries, mean 1, std 0, from 1 to 1")' in text
    assert str(with_weights) == text
    with pytest.raises(GraphFormatError, match=r"left out(.|\n)*arrays=True"):
        sg.parse(text)


def test_text_with_all_arrays_is_read_back(with_weights):
    assert sg.parse(sg.to_text(with_weights, arrays=True)) == with_weights
    assert with_weights.__reduce__()[1][0] == with_weights.to_text(arrays=True)


@pytest.mark.parametrize("part", ["both", "forward", "backward"])
def test_lines_are_left_out_of_parts_too(part):
    x = sg.placeholder("float64", [3], name="x")
    y = sg.reduce_sum(sg.exp(x))
    graph = sg.freeze([y, *sg.gradients(y, x)], [x])
    assert "test_export.py" in sg.to_text(graph, part=part)
    assert "test_export.py" not in sg.to_text(graph, part=part, lines=False)
