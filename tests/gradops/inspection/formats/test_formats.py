"""Every format holds every node and edge, and no text leaves its place."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import networkx as nx
import pytest

from gradops import GraphFormatError, OptionError
from gradops.inspection.formats import as_json, dot, mermaid, networkx, svg, text, xml_graphs
from gradops.inspection.formats.labels import LONGEST, UNSAFE, shown, visible
from gradops.inspection.model import GraphView, NodeView

from ..views import HOSTILE, hostile_view, small_view

FORMATS = {
    "dot": dot.to_dot, "mermaid": mermaid.to_mermaid, "json": as_json.to_json, "svg": svg.to_svg,
    "graphml": xml_graphs.to_graphml, "gexf": xml_graphs.to_gexf, "text": text.to_text,
}  # fmt: skip
every_format = pytest.mark.parametrize("export", FORMATS.values(), ids=FORMATS)
PARTS = ["forward", "backward", "both"]


def edge_count(view):
    return sum(len(n.inputs) for n in view.nodes)


@every_format
def test_export_is_the_same_every_time(export):
    assert export(small_view()) == export(small_view())


@every_format
@pytest.mark.parametrize("part", PARTS)
def test_parts_and_empty_views_can_be_exported(export, part):
    assert export(small_view().part(part))
    assert export(GraphView("nothing", "tape", ()).part(part))


@every_format
def test_texts_are_free_of_characters_that_do_harm(export):
    exported = export(hostile_view())
    assert not UNSAFE.search(exported.replace("\n", ""))
    exported.encode()


@pytest.mark.parametrize("export", [dot.to_dot, mermaid.to_mermaid, svg.to_svg])
def test_pictures_show_the_ends_of_long_names(export):
    assert "n" * 151 not in export(hostile_view())


@pytest.mark.parametrize("part", PARTS)
def test_dot_has_a_node_for_each_node_and_an_edge_for_each_operand(part):
    view = small_view().part(part)
    exported = dot.to_dot(view)
    assert len(re.findall(r"^ +n\d+ \[label", exported, re.M)) == len(view)
    edges = re.findall(r"^ +n\d+ -> n\d+( \[dir=back\]| \[constraint.*\])?;$", exported, re.M)
    assert len(edges) == edge_count(view)


def test_dot_has_sides_causes_and_bold_results():
    exported = dot.to_dot(small_view())
    for side in ("forward", "backward", "update"):
        assert f'label="{side}"' in exported
    assert len(re.findall(r"n4 -> n2 \[style=dotted", exported)) == 1
    assert exported.count("penwidth=2") == 3
    assert "energy\\nmul\\nfloat32[batch, 3]\\nmodel.py:12" in exported
    assert "= d layer/energy / d layer/w" in exported


def test_quotes_of_dot_are_closed_on_every_line():
    for line in dot.to_dot(hostile_view()).splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0


def test_mermaid_has_a_node_for_each_node_and_an_edge_for_each_operand():
    lines = mermaid.to_mermaid(small_view()).splitlines()
    assert lines[0] == "flowchart TD"
    assert sum(":::" in line for line in lines) == len(small_view())
    assert sum("-->" in line for line in lines) == edge_count(small_view())
    assert "  n2 -.- n4" in lines


def test_labels_of_mermaid_stay_inside_their_quotes():
    nodes = [line for line in mermaid.to_mermaid(hostile_view()).splitlines() if ":::" in line]
    assert len(nodes) == len(HOSTILE) + 1
    assert all(re.fullmatch(r'  (g0_)?n\d+\W+[^"`]*"\W+:::\w+', line) for line in nodes)


def test_mermaid_refuses_what_mermaid_would_refuse():
    chain = [NodeView(i, f"exp_{i}", "exp", (i - 1,) if i else ()) for i in range(501)]
    with pytest.raises(OptionError, match=r"501 nodes; the limit is 500(.|\n)*to_svg"):
        mermaid.to_mermaid(GraphView("chain", "graph", tuple(chain)))
    assert mermaid.to_mermaid(GraphView("chain", "graph", tuple(chain)), limit=1000)
    wide = NodeView(1, "stack", "stack", (0,) * 501)
    with pytest.raises(OptionError, match="501 edges"):
        mermaid.to_mermaid(GraphView("wide", "graph", (chain[0], wide)))
    titles = [NodeView(i, "&" * 60 + str(i), "exp") for i in range(490)]
    with pytest.raises(OptionError, match="characters; the limit"):
        mermaid.to_mermaid(GraphView("long", "graph", tuple(titles)))


@pytest.mark.parametrize("view", [small_view(), hostile_view(), small_view().part("backward")])
def test_json_is_read_back_as_the_same_view(view):
    again = as_json.from_json(as_json.to_json(view))
    assert again == view
    assert [n.value for n in again.nodes] == [n.value for n in view.nodes]


@pytest.mark.parametrize("view", [small_view(), hostile_view(), GraphView("", "tape", ())])
def test_json_follows_its_schema(view):
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator
    validator.check_schema(as_json.schema())
    validator(as_json.schema()).validate(json.loads(as_json.to_json(view)))


def test_the_schema_refuses_other_documents():
    jsonschema = pytest.importorskip("jsonschema")
    document = json.loads(as_json.to_json(small_view()))
    document["nodes"][0]["color"] = "blue"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, as_json.schema())


def changed(**changes):
    """The document of the small view with members changed; None leaves one out."""
    document = json.loads(as_json.to_json(small_view())) | changes
    return json.dumps({k: v for k, v in document.items() if v is not None})


@pytest.mark.parametrize("document", [
    "", "[]", "null", "{}", '{"format": "staticgrad-graph", "version": 1}', "[" * 100_000,
    changed(version=3), changed(kind="tree"), changed(places=None), changed(outputs=[9]),
    changed(updates=[[0]]), changed(nodes=[{"id": 0}]), changed(graphs=[]),
    changed(nodes=[{"id": 0, "name": "y", "op": "exp", "role": "forward", "inputs": [1]}]),
    changed(nodes=[{"id": 0, "name": "y", "op": "exp", "role": "sideways"}]),
    changed(nodes=[{"id": 0, "name": "y", "op": "exp", "role": "forward", "places": [7]}]),
    changed(nodes=[{"id": 0, "name": "y", "op": "exp", "role": "forward", "graphs": ["body"]}]),
    changed(nodes=[{"id": "9" * 5000, "name": "y", "op": "exp", "role": "forward"}]),
])  # fmt: skip
def test_other_documents_are_refused(document):
    with pytest.raises(GraphFormatError, match="not a graph as to_json writes it"):
        as_json.from_json(document)


@pytest.mark.parametrize("view", [small_view(), hostile_view()])
def test_networkx_has_all_nodes_edges_and_positions(view):
    graph = networkx.to_networkx(view)
    assert graph.number_of_nodes() == len(view)
    assert graph.number_of_edges() == edge_count(view)
    for n in view.nodes:
        edges = sorted(graph.in_edges(n.id, data="position"), key=lambda edge: edge[2])
        assert tuple(i for i, _, _ in edges) == n.inputs
        assert graph.nodes[n.id]["name"] == n.name
        assert graph.nodes[n.id].get("cause") == n.cause


def test_networkx_numbers_the_results_and_says_what_they_are():
    nodes = networkx.to_networkx(small_view()).nodes
    assert [nodes[i]["outputs"] for i in (2, 4, 5)] == ["0", "1", "2"]
    assert nodes[4]["labels"] == "d layer/energy / d layer/w"


@pytest.mark.parametrize("view", [small_view(), hostile_view()])
def test_graphml_and_gexf_are_read_back_by_networkx(view, tmp_path):
    path = tmp_path / "graph.xml"
    path.write_text(xml_graphs.to_graphml(view), encoding="utf-8")
    graph = nx.read_graphml(path, node_type=int, force_multigraph=True)
    assert graph.number_of_nodes() == len(view)
    assert graph.number_of_edges() == edge_count(view)
    assert [graph.nodes[n.id]["name"] for n in view.nodes] == [visible(n.name) for n in view.nodes]
    path.write_text(xml_graphs.to_gexf(view), encoding="utf-8")
    graph = nx.read_gexf(path, node_type=int)
    assert graph.number_of_edges() == edge_count(view)
    assert graph.nodes[0]["op"] == visible(view.nodes[0].op)
    assert [graph.nodes[n.id]["label"] for n in view.nodes] == [visible(n.name) for n in view.nodes]


class Elements(HTMLParser):
    """The elements of a page."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("view", [small_view(), hostile_view(), GraphView("", "graph", ())])
def test_svg_is_xml_without_scripts_and_has_every_node(view):
    exported = svg.to_svg(view)
    root = ElementTree.fromstring(exported)
    space = "{http://www.w3.org/2000/svg}"
    count = len(view) + sum(map(len, view.graphs.values()))
    assert len(root.findall(f"{space}g")) == count
    allowed = {"svg", "title", "style", "defs", "marker", "path", "g", "rect", "text"}
    assert {tag for tag, _ in Elements(exported).found} <= allowed
    assert not any(name.startswith("on") for _, attrs in Elements(exported).found for name in attrs)


def test_no_two_nodes_of_an_svg_overlap():
    places = re.findall(r'<rect x="([^"]*)" y="([^"]*)"', svg.to_svg(hostile_view()))
    assert len(set(places)) == len(HOSTILE) + 1


def test_no_edge_of_an_svg_passes_under_a_node_of_its_lane():
    """Else it would look as if the node between two others were the operand."""
    chain = [
        NodeView(0, "x", "exp"),
        NodeView(1, "y", "exp", (0,)),
        NodeView(2, "z", "mul", (1, 0)),
    ]
    near, next_, far = re.findall(
        r'<path d="M(\d+) \d+C[^"]* (\d+) \d+"',
        svg.to_svg(GraphView("skip", "graph", tuple(chain))),
    )
    assert near == next_
    assert far == (far[0], far[0])
    assert int(far[0]) == int(near[0]) + svg.WIDTH // 2


def test_text_has_a_line_for_each_operation():
    assert text.to_text(small_view()).splitlines() == [
        "graph(x: float32[batch, 3], layer/w: float32[3])",
        "  layer/energy: float32[batch, 3] = mul(x, layer/w)  # model.py:12",
        "  gradients/layer/energy/mul: float32[batch, 3] = mul(1.0, x)"
        "  # model.py:12, d layer/energy / d layer/w",
        "  SGD/update/sub: float32[3] = sub(layer/w, gradients/layer/energy/mul)  # new layer/w",
        "  update layer/w = SGD/update/sub",
        "  return layer/energy, gradients/layer/energy/mul",
    ]
    assert len(text.to_text(hostile_view()).splitlines()) == 3 + sum(
        not n.is_leaf for n in hostile_view().nodes
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_shown_can_be_seen_and_is_short(name):
    assert not UNSAFE.search(shown(name))
    assert len(shown(name)) <= 6 * LONGEST
    assert shown(shown(name)) == shown(name)
