"""Pages of executables: machine code, fused loops, values and findings."""

import base64
import re
import zlib

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.runtime.pages import assembly_listing, executable_page, ir_listing

from .subjects import feeds, mlp


@pytest.fixture(autouse=True)
def graph():
    with sg.Graph().as_default():
        yield


def product():
    x = sg.placeholder("float32", [8, 16], name="x")
    w = sg.placeholder("float32", [16, 16], name="w")
    y = sg.reduce_sum(sg.tanh(x @ w) * 2, name="loss")
    return sg.freeze([y, *sg.gradients(y, [w])], [x, w])


def test_lines_of_machine_code_belong_to_nodes(show):
    pytest.importorskip("llvmlite")
    f = sg.compile(product(), backend="native")
    for listing in (ir_listing(f), assembly_listing(f)):
        assert len(listing.lines) == len(listing.owners)
        assert {"matmul", "tanh"} <= set(listing.owners)
    opened = show(executable_page(f, feeds(f.written), ir=True, assembly=True))
    titles = opened.js("app.pane.picture.listings.map(([title]) => title)")
    assert titles == ["NumPy source", "LLVM IR", "assembly"]
    assert opened.js("app.pane.stage.name") == "native"
    opened.select("tanh")
    group = opened.names("app.pane.stage.groupOf.get(app.pane.selected)")
    assert "loss" in group  # the sum is computed in the loop of its operand
    assert opened.js("app.pane.group.size") == len(group)


def test_machine_code_is_in_a_page_only_when_asked_for():
    pytest.importorskip("llvmlite")
    f = sg.compile(product(), backend="native")
    assert len(executable_page(f)) < len(executable_page(f, ir=True)) - 2000


def test_a_group_of_blocks_opens_in_place(show):
    u, v = (sg.placeholder("float32", [4_000_000], name=name) for name in "uv")
    f = sg.compile([sg.reduce_sum(sg.tanh(u * v)), u * v], [u, v])
    opened = show(executable_page(f))
    fused = opened.js("[...app.pane.stage.isFused].map((i) => app.pane.picture.opOf(i))")
    assert "fused" in fused
    opened.do("app.select(app.pane, [...app.pane.stage.isFused][0])")
    opened.press("enter")
    shown = "app.pane.arrangement.items.map((x) => x.node).filter((i) => i >= 0)"
    assert "tanh" in opened.js(f"{shown}.map((i) => app.pane.picture.opOf(i))")


def test_the_panel_says_what_removed_a_node(show):
    x = sg.placeholder("float32", [3], name="x")
    f = sg.compile(sg.freeze([sg.exp(x) ** 2], [x]))
    opened = show(executable_page(f))
    removed = opened.js("app.pane.picture.op.findIndex((k) => app.pane.picture.ops[k] === 'power')")
    assert not opened.js("app.pane.stage.isAlive(arguments[0])", removed)
    opened.do("app.select(app.pane, arguments[0])", removed)
    assert opened.js("app.pane.picture.opOf(app.pane.selected)") == "power"
    assert opened.js("app.pane.stage.isAlive(app.pane.selected)")
    opened.do("app.showStage(app.pane.picture.stages.length - 1)")
    assert "removed by reduce_strength" in opened.js("app.panelElement.textContent")


def test_parameters_have_statistics_and_constants_values(show):
    graph = mlp()
    opened = show(executable_page(sg.compile(graph)))
    opened.select("layer0/w")
    text = opened.js("app.panelElement.textContent")
    weights = next(e.value for e in graph.inputs if e.name == "layer0/w")
    assert f"mean{weights.mean(dtype=np.float64):.4g}"[:8] in text.replace("−", "-")
    assert opened.js("document.querySelectorAll('.histogram rect').length") == 16
    constant = opened.js("Object.keys(app.pane.picture.values)[0]")
    opened.do("app.select(app.pane, Number(arguments[0]))", constant)
    assert "Value" in opened.js("app.panelElement.textContent")


def test_values_of_inputs_are_not_in_a_page():
    graph = mlp()
    secret = [np.full(a.shape, 31415.9375, a.dtype) for a in feeds(graph)]
    text = executable_page(sg.compile(graph), secret)
    data = zlib.decompress(base64.b64decode(re.search(r'text/plain">([^<]*)', text)[1])).decode()
    assert "31415" not in data


def test_findings_lead_to_their_nodes(show):
    x = sg.placeholder("float32", [3], name="x")
    y = sg.log(sg.nn.softmax(x))
    f = sg.compile(sg.freeze([y, *sg.gradients(y, x)], [x]))  # findings are of what was written
    opened = show(executable_page(f))
    opened.do("app.showPanel('findings')")
    assert "use log_softmax" in opened.js("app.panelElement.textContent")
    opened.do("app.panelElement.querySelector('.link').click()")
    assert opened.selected == "log"


def test_the_memory_of_a_run_is_that_of_its_timeline(show):
    graph = mlp()
    f = sg.compile(graph)
    timeline = f.timeline(feeds(graph))
    opened = show(executable_page(f, feeds(graph)))
    opened.do("app.showPanel('memory')")
    assert opened.js("app.pane.picture.timeline.live") == timeline.live.tolist()
    chart = "app.panelElement.querySelector('.live')"
    assert opened.js(f"{chart}.getAttribute('aria-valuenow')") == str(timeline.peak_step + 1)
    opened.do(f"{chart}.focus()")
    opened.press("home", "arrow_right")
    assert opened.js(f"{chart}.getAttribute('aria-valuenow')") == "2"
    named = timeline.steps[1].name
    assert named in opened.js(f"{chart}.getAttribute('aria-valuetext')")
    assert opened.js("app.panelElement.querySelectorAll('.flame rect').length") > 10
    opened.do("app.panelElement.querySelectorAll('.flame g')[0].dispatchEvent(new Event('click'))")
    assert opened.js("app.query.length + (app.pane.selected + 1)") > 0
    assert opened.errors() == []


def test_removed_nodes_are_shown_from_when_another_stage_is_asked_for(show):
    x = sg.placeholder("float32", [3], name="x")
    f = sg.compile(sg.freeze([sg.exp(x) ** 2], [x]))
    opened = show(executable_page(f))
    last = opened.js("app.pane.picture.stages.length") - 1
    shown = "app.pane.arrangement.items.length"
    assert opened.js(shown) == opened.js("app.pane.stage.live") == len(f.graph)
    opened.press("[", "]")
    assert opened.js("app.pane.stageNumber") == last
    assert opened.js(shown) == opened.js("app.pane.stage.order.length") > len(f.graph)
