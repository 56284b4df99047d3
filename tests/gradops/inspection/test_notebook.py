"""Tables and pictures of notebooks: of any size, and harmless whatever is in a name."""

from html.parser import HTMLParser

import numpy as np
import pytest

from gradops.inspection import notebook
from gradops.inspection.model import GraphView, NodeView, Role

from .views import HOSTILE, hostile_view, small_view

ALLOWED = {
    "div", "p", "table", "tr", "th", "td", "pre", "details", "summary", "svg", "title", "style",
    "defs", "marker", "path", "g", "rect", "text",
}  # fmt: skip


class Tags(HTMLParser):
    """The names of the elements and attributes of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def large_view():
    nodes = [NodeView(0, "x", HOSTILE[1], role=Role.INPUT)]
    nodes += [NodeView(i, f"y_{i}", HOSTILE[i % len(HOSTILE)], (i - 1,)) for i in range(1, 300)]
    return GraphView("large", "graph", tuple(nodes))


@pytest.mark.parametrize("view", [small_view(), hostile_view(), large_view()])
def test_html_has_no_more_than_tables_and_pictures(view):
    html = notebook.view_html(view) + notebook.arrays_table(view.nodes)
    html += "".join(notebook.folded(text, notebook.preformatted(text)) for text in HOSTILE)
    tags = Tags(html)
    assert tags.tags <= ALLOWED
    assert not any(name.startswith("on") or name in ("href", "src") for name in tags.attributes)


def test_a_small_view_is_a_picture_and_a_large_one_a_table():
    assert "<svg" in notebook.view_html(small_view())
    assert "<svg" not in notebook.view_html(large_view())
    assert "300 nodes" in notebook.view_html(large_view())


def test_styles_of_a_picture_hold_in_pictures_alone():
    html = notebook.view_html(small_view())
    style = html.partition("<style>")[2].partition("</style>")[0]
    assert all(rule.startswith(".gradops-svg") for rule in style.split("}")[:-1])


def test_tables_of_parameters_have_statistics():
    n = NodeView(0, "w", "variable", (), (2,), "float32", nbytes=8, data=np.float32([1.0, 3.0]))
    row = "<tr><td>w</td><td>float32[2]</td><td>8</td><td>2</td><td>1</td></tr>"
    assert row in notebook.arrays_table([n])
    many = notebook.arrays_table([n] * 30)
    assert many.count("<tr>") == 21
    assert "and 10 more" in many
