"""Every op in every picture: as a graph with its gradient, and as a tape with its backward."""

import json
from xml.etree import ElementTree

import networkx as nx
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from dynamicgrad.introspection.view import tape_view
from gradops.core.types import is_float
from gradops.inspection.formats import as_json, dot, mermaid, networkx, svg, text, xml_graphs
from gradops.inspection.formats.labels import UNSAFE
from gradops.inspection.layout import mirror_layout
from gradops.inspection.lint import lint
from gradops.inspection.page.stages import Picture, Stage
from gradops.inspection.page.template import page
from gradops.testing.cases import cases
from staticgrad.export.view import graph_view

from .conftest import graph, weights

CASES = [pytest.param(cases(op)[0], id=op.name) for op in gradops.OPS.values() if cases(op)]
every_op = pytest.mark.parametrize("case", CASES)


def of_graph(case):
    """The frozen graph of an op and its gradients."""
    return graph(case, case.operands, 1)[0]


def of_tape(case):
    """The result of an op on the tape, if it records anything."""
    tensors = [dg.tensor(x, requires_grad=is_float(x.dtype)) for x in case.operands]
    y = case(*map(dg.array, tensors))
    return y if y.node is not None else None


def require_pictures(view):
    """Check a view and all that is made of it."""
    ids = {n.id for n in view.nodes}
    assert len({n.name for n in view.nodes}) == len(ids) == len(view.nodes)
    seen = set()
    for n in view.nodes:
        assert set(n.inputs) <= seen, f"{n.name} is before an input"
        seen.add(n.id)
        assert n.cause is None or n.cause in ids
    layout = mirror_layout(view.nodes)
    places = [(c.band, c.row, c.line, c.lane) for c in layout.cells.values()]
    assert set(layout.cells) == ids
    assert len(set(places)) == len(places)
    for part in ("forward", "backward", "both"):
        require_exports(view.part(part))
    list(lint(view))
    assert page([Picture(view.title, [Stage(view.kind, view)])], view.title)


def require_exports(view):
    """Check that each format can be read, and has every node and every edge."""
    edges = sum(len(n.inputs) for n in view.nodes)
    found = networkx.to_networkx(view)
    assert (len(found), found.number_of_edges()) == (len(view), edges)
    read = nx.parse_graphml(xml_graphs.to_graphml(view), force_multigraph=True)
    assert (len(read), read.number_of_edges()) == (len(view), edges)
    again = as_json.from_json(as_json.to_json(view))
    assert [(n.name, n.inputs, n.type, n.role) for n in again.nodes] == [
        (n.name, n.inputs, n.type, n.role) for n in view.nodes
    ]
    assert as_json.to_json(again) == as_json.to_json(view)
    ElementTree.fromstring(svg.to_svg(view))
    ElementTree.fromstring(xml_graphs.to_gexf(view))
    for export in (dot.to_dot, text.to_text, svg.to_svg):
        assert not UNSAFE.search(export(view).replace("\n", ""))
    drawn = edges + sum(n.cause is not None for n in view.nodes)
    if len(view) < mermaid.LIMIT and drawn < mermaid.LIMIT:
        mermaid.to_mermaid(view)


@every_op
def test_the_graph_of_an_op_is_in_every_picture(case):
    require_pictures(graph_view(of_graph(case)))


@every_op
def test_the_tape_of_an_op_is_in_every_picture(case):
    y = of_tape(case)
    if y is not None:
        require_pictures(tape_view(y))


@every_op
def test_the_timelines_of_an_op_agree_with_plan_and_tape(case):
    frozen = of_graph(case)
    if not frozen.outputs:
        return
    executable = sg.compile(frozen)
    t = executable.timeline()
    assert t.peak == executable.report.lower_bound
    json.dumps(t.to_dict())
    ElementTree.fromstring(t.to_svg())
    if (y := of_tape(case)) is None or not is_float(y.dtype):
        return
    g = weights(y.value)
    f = lambda *xs: gradops.sum(case(*xs) * g)
    tape = dg.timeline(f, *case.operands)
    backward = [step.backward for step in tape.steps]
    assert backward == sorted(backward)
    assert all(0 <= a.first <= a.last < len(tape.steps) for a in tape.allocations)
    assert len(tape.measured) == len(tape.steps)
    ElementTree.fromstring(tape.to_svg(t))
