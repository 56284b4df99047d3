"""Pages in a browser: what is shown is what the Python model says, and nothing is loaded."""

from itertools import pairwise

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops.core.errors import OptionError
from gradops.inspection.model import GraphView, NodeView, Role
from gradops.inspection.page.stages import History, Picture, Stage, subjects
from gradops.inspection.page.template import page
from gradops.inspection.search import search
from staticgrad.export.pages import graph_page, stages
from staticgrad.export.view import graph_view
from staticgrad.runtime.pages import executable_page

from .subjects import feeds, loop, mlp

QUERIES = [
    "", "matmul", "op:matmul", "op:ma*", "op:*m*l", "MATMUL", "name:layer1/*", "name:layer1",
    "-tanh", "shape:", "shape:8", "shape:*,8", "shape:batch,*", "shape:...,8", "shape:*",
    "dtype:float*", "dtype:int32", "role:backward", "role:update -op:mul", "scope:layer1",
    "scope:layer*", "scope:*", "output:loss", "line:subjects.py", "line:subjects.py:19",
    "line:19", "line:*.py", "bytes>100", "bytes>=0.25kB", "bytes<=1KiB", "bytes=4",
    "operands=2", "operands>2", "readers=0", "readers>1", "op:mul role:backward shape:batch,8",
    '"tanh"', "nothing:of:the:kind", "-", "layer0 -w", "time>1%", "time<1s",
]  # fmt: skip


@pytest.fixture(autouse=True)
def graph():
    with sg.Graph().as_default() as graph:
        yield graph


def test_a_page_is_one_file_that_asks_for_nothing_and_reports_no_error(show):
    opened = show(graph_page(mlp(), "MLP"))
    opened.select("layer1/matmul")
    opened.press("c", "t", "?", "[", "]", "1")
    assert len(opened.requests()) == 1
    assert opened.errors() == []
    assert opened.js("document.title") == "MLP"


def test_the_policy_of_a_page_forbids_all_but_its_own_script(show):
    opened = show(graph_page(mlp()))
    opened.do(
        "const image = document.createElement('img'); image.src = 'https://example.org/a.png';"
        "const script = document.createElement('script'); script.textContent = 'window.ran = 1';"
        "document.body.append(image, script);"
    )
    assert opened.js("window.ran === undefined")
    assert sum("Content Security Policy" in error for error in opened.errors()) >= 2


def test_a_page_has_no_address_in_it():
    text = graph_page(mlp()).replace("http://www.w3.org/2000/svg", "")  # a name, not a file
    assert "://" not in text


def test_selecting_a_node_lights_its_partners(show):
    graph = mlp()
    view = graph_view(graph)
    opened = show(graph_page(graph))
    for cause in [n for n in view.nodes if n.role is Role.FORWARD]:
        partners = [n.name for n in view.nodes if n.cause == cause.id]
        opened.select(cause.name)
        assert opened.names("app.pane.stage.partnersOf(app.pane.selected)") == partners
        assert opened.js("app.pane.partners.size") == len(partners)
        for name in partners[:1]:
            opened.select(name)
            assert cause.name in opened.names("app.pane.stage.partnersOf(app.pane.selected)")


def test_the_path_to_the_loss_is_a_path_of_the_graph(show):
    graph = mlp()
    view = graph_view(graph)
    reads = {n.name: {view.by_id[i].name for i in n.inputs} for n in view.nodes}
    opened = show(graph_page(graph))
    opened.select("layer0/matmul")
    path = opened.names("app.pane.path")
    assert path[0] == "loss"
    assert path[-1] == "layer0/matmul"
    assert all(x in reads[y] for y, x in pairwise(path))


@pytest.mark.parametrize("query", QUERIES)
def test_search_finds_what_the_model_finds(show, query):
    graph = mlp()
    picture = Picture("graph", stages(graph, "graph"))
    names = {s.node.id: s.node.name for s in subjects(picture)}
    expected = [names[i] for i in search(subjects(picture), query)]
    opened = show(page([picture]))
    assert opened.names(f"search(app.pane.stage, {query!r})") == expected


@pytest.mark.parametrize("query", ["time>5", "bytes>", "bytes>xMB", "bytes>5%", "operands>1kb"])
def test_a_bad_query_says_so(show, query):
    opened = show(graph_page(mlp()))
    opened.do("app.find(arguments[0])", query)
    assert opened.js("app.search.getAttribute('aria-invalid')") == "true"
    assert "has no number with a unit" in opened.js("app.foundElement.textContent")
    with pytest.raises(OptionError, match="has no number with a unit"):
        search([], query)


def test_the_slider_counts_what_the_model_counts(show):
    f = sg.compile(mlp())
    listed = stages(f.written, "graph", f.pipeline)
    history = History(listed)
    assert len(listed) > 3
    opened = show(page([Picture("graph", listed)]))
    for k, step in enumerate(history.steps):
        opened.do("app.showStage(arguments[0])", k)
        shown = opened.js(
            "[app.pane.stage.live, app.pane.stage.order.length - app.pane.stage.live,"
            " app.pane.stage.isNew.size, app.pane.stage.isFused.size]"
        )
        assert shown == [len(step.nodes), len(step.removed), len(step.new), len(step.fused)]
        assert len(step.nodes) == len(listed[k].view.nodes)
        text = opened.js("app.stageElement.textContent")
        assert f"{len(step.nodes)} nodes" in text
        assert (f"−{len(step.removed)} removed" in text) == bool(step.removed)


HOSTILE = [
    "</script><img src=x onerror=window.hurt=1>", "<!--", "\u202egnirts", "\u0000\u0007",
    "a" * 10_000,
    "\"'`${1}", "@data@", "]]>", "😀" * 3, "\\u003c/script",
]  # fmt: skip


def test_hostile_names_are_inert(show):
    nodes = [
        NodeView(i, name, name, (i - 1,) if i else (), (name,), name, Role.FORWARD, name,
                 outputs=(name,), attrs={name: name})
        for i, name in enumerate(HOSTILE)
    ]  # fmt: skip
    title = HOSTILE[0]
    html = page(
        [Picture(title, [Stage(title, GraphView(title, "graph", tuple(nodes)), title)])], title
    )
    opened = show(html)
    for i, name in enumerate(HOSTILE):
        opened.do("app.select(app.pane, arguments[0], { show: true })", i)
        assert opened.selected == name
    for panel in opened.js("Object.keys(PANELS)"):
        opened.do("app.showPanel(arguments[0])", panel)
    assert opened.js("window.hurt") is None
    assert opened.js("document.querySelectorAll('img').length") == 0
    assert opened.js("document.title") == title
    assert "\u202e" not in opened.js("document.body.innerText")
    assert opened.errors() == []


def test_the_keyboard_alone_reaches_everything(show):
    graph = mlp()
    f = sg.compile(graph)
    html = page([Picture("graph", stages(graph, "graph", f.pipeline))])
    opened = show(html)
    opened.do("app.pane.canvas.focus()")
    seen = set()
    for key in ["ArrowDown"] * 40 + ["ArrowRight"] * 12:
        opened.press(key.replace("Arrow", "Arrow_"))
        seen.add(opened.selected)
    forward = [n.name for n in graph_view(f.graph).nodes if n.role is Role.FORWARD]
    assert len(seen & set(forward)) > len(forward) / 2
    assert (
        opened.js("app.pane.stage.band[app.pane.stage.at[app.pane.selected]]") > 0
    )  # across the axis
    opened.select("layer1/matmul")
    opened.press("space")
    assert opened.selected != "layer1/matmul"
    opened.press("space")
    assert opened.selected == "layer1/matmul"
    are_open = opened.js("app.pane.open.size")
    opened.press("backspace")  # closes the scope
    assert opened.js("app.pane.selected") == -1
    opened.press("enter")
    assert opened.js("app.pane.open.size") == are_open
    opened.press("/", *"op:tanh", "enter")
    assert opened.js("app.pane.hits.size") == 3
    first = opened.selected
    opened.press("n")
    assert opened.selected != first
    opened.press("[")
    assert opened.js("app.pane.stageNumber") == opened.js("app.pane.picture.stages.length") - 2
    for number, panel in enumerate(opened.js("Object.keys(PANELS)"), 1):
        opened.press(str(number))
        assert opened.js("app.panel") == panel
    tabbed = set()
    for _ in range(40):
        opened.press("tab")
        tabbed.add(opened.js("document.activeElement.id || document.activeElement.className"))
    assert {"search", "color", "theme", "print", "help", "graph", "panel", "slider"} <= tabbed


def test_a_loop_opens_in_place(show):
    graph = loop()
    owners = [n.name for n in graph_view(graph).nodes if n.graphs]
    opened = show(graph_page(graph))
    before = opened.js("app.pane.arrangement.items.length")
    for name in owners:
        opened.do("app.pane.openAll(false)")
        opened.select(name)
        opened.press("enter")
        assert opened.js("app.pane.arrangement.items.length") > before
        opened.press("enter")
        assert opened.js("app.pane.arrangement.items.length") == before
    inner = opened.js("app.pane.picture.count") - len(graph)
    assert inner > 5
    opened.do("app.pane.openAll(true)")
    assert opened.js("app.pane.arrangement.items.length") == len(graph) + inner


def test_a_deep_link_selects_its_node(show):
    opened = show(graph_page(mlp()), fragment="#node=layer2%2Fmatmul")
    opened.wait("app.pane.selected >= 0")
    assert opened.selected == "layer2/matmul"
    opened.select("layer0/w")
    assert opened.js("location.hash") == "#node=layer0%2Fw"


def test_code_is_linked_with_nodes(show, tmp_path):
    graph = mlp()
    path = tmp_path / "exe.html"
    sg.compile(graph).inspect(path, feeds(graph))
    opened = show(path=path)
    opened.do("app.showPanel('code')")
    opened.select("layer1/matmul")
    line = opened.js("document.querySelector('.line[aria-current=true]').textContent")
    assert "matmul(" in line
    owners = opened.js("app.pane.picture.listings[0][2]")
    computed = [i for i in owners if i >= 0]
    assert len(set(computed)) > 40
    opened.do("document.querySelectorAll('.line:not(:disabled)')[0].click()")
    assert opened.selected is not None
    assert opened.js("Object.keys(app.pane.picture.times).length") > 40
    assert opened.js("app.pane.picture.timeline.steps.length") > 20
    opened.press("c")
    assert opened.js("app.colorBy") == "time"
    assert opened.errors() == []


def test_a_tape_is_shown_beside_the_graph_of_the_same_function(show, tmp_path):
    def f(x, w):
        return (x @ w).tanh().sum()

    a, w = np.ones((4, 8), np.float32), dg.tensor(np.ones((8, 2), np.float32), requires_grad=True)
    loss = f(dg.tensor(a), w)
    px, pw = (
        sg.placeholder("float32", [4, 8], name="x"),
        sg.placeholder("float32", [8, 2], name="w"),
    )
    y = sg.reduce_sum(sg.tanh(px @ pw))
    path = tmp_path / "both.html"
    sg.inspect([y, *sg.gradients(y, [pw])], path, beside=loss)
    opened = show(path=path)
    opened.do("app.showView(2)")
    assert opened.js("app.panes.length") == 2
    opened.select("tanh")
    assert opened.js("app.panes[1].picture.names[app.panes[1].selected]") == "tanh"
    assert opened.js("app.panes[1].picture.kind") == "tape"
    assert opened.js("Object.keys(app.panes[1].picture.saved).length") > 0
    dg.inspect(loss, tmp_path / "tape.html", beside=sg.freeze([y], [px, pw]))
    opened = show(path=tmp_path / "tape.html")
    assert opened.js("app.pictures.map((p) => p.kind)") == ["tape", "graph"]


def test_a_large_graph_opens_with_its_scopes_closed(show):
    nodes = [NodeView(0, "x", "placeholder", role=Role.INPUT)]
    for i in range(1, 5000):
        nodes.append(NodeView(i, f"s{i % 50}/add_{i}", "add", (i - 1,), scope=f"s{i % 50}"))
    opened = show(
        page([Picture("large", [Stage("graph", GraphView("large", "graph", tuple(nodes)))])])
    )
    assert opened.js("app.pane.arrangement.items.length") < 300
    are_open = opened.js("app.pane.open.size")
    opened.select("s7/add_57")
    assert opened.selected == "s7/add_57"
    assert opened.js("app.pane.open.size") == are_open + 1


def test_a_page_prints_on_sheets(show):
    opened = show(graph_page(mlp(12)))
    opened.do("window.dispatchEvent(new Event('beforeprint'))")
    assert opened.js("document.querySelectorAll('#sheets canvas').length") >= 2
    opened.do("window.dispatchEvent(new Event('afterprint'))")
    assert opened.js("document.querySelectorAll('#sheets canvas').length") == 0


def test_a_page_of_a_thousand_nodes_with_its_passes_is_small():
    graph = mlp(60)
    assert len(graph) > 1000
    assert len(executable_page(sg.compile(graph), feeds(graph))) < 400_000
    assert len(page([])) < 120_000  # the shell


def test_a_page_that_is_cut_off_says_so(show):
    text = graph_page(mlp())
    start = text.index('type="text/plain">') + 40
    opened = show(
        text[:start] + text[start + 400 :], ready="document.querySelector('h1').textContent"
    )
    assert opened.js("document.querySelector('h1').textContent").startswith("This page cannot be")
