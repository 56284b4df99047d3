"""The page of a comparison: what it shows, and that it is safe and needs nothing."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg

QUICK = dict(seconds=0.01)
x = np.linspace(0, 1, 12).reshape(4, 3)
HOSTILE = "</script><img src=x onerror=alert(1)>"


def loss(x, w):
    h = np.tanh(x @ w)
    return np.sum(h * h)


@pytest.fixture(scope="module")
def compared():
    return sg.compare(loss, x, np.array([0.1, 0.2, 0.3]), **QUICK)


class Tags(HTMLParser):
    """The tags of a document, of which each that is opened is closed, and what they refer to."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.references = [], set(), []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.references += [v for k, v in attrs if k in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_one_document_that_refers_to_nothing(compared, tmp_path):
    compared.save(tmp_path / "compare.html")
    text = (tmp_path / "compare.html").read_text(encoding="utf-8")
    tags = Tags(text)
    assert not tags.references
    assert "script" not in tags.seen
    assert "url(" not in text
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text


def test_names_are_inert(tmp_path):
    def f(x):
        return np.sum(np.exp(x))

    f.__name__ = HOSTILE
    found = sg.compare(f, x, **QUICK)
    found.save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert "&lt;img" in text
    Tags(text)


def test_forward_steps_of_both_modes_are_matched(compared):
    forward = [s for s in compared.steps if s.phase == "forward"]
    assert [s.op for s in forward] == ["matmul", "tanh", "mul", "sum"]
    for step in forward:
        assert step.tape == step.later
        assert step.graph.endswith("float64[4]" if step.op != "sum" else "float64[]")
        assert "test_page.py" in step.line


def test_most_steps_of_the_gradient_are_matched(compared):
    steps = [s for s in compared.steps if s.phase == "gradient"]
    both = [s for s in steps if s.graph and s.tape]
    assert len(both) >= len(steps) / 2
    assert all(s.tape == s.later for s in both)


def test_a_function_without_a_graph_has_the_steps_of_the_tape():
    found = sg.compare(lambda x: x * x if x > 0 else x, np.float64(2), **QUICK)
    assert [s.op for s in found.steps if s.phase == "forward"] == ["greater", "mul"]
    assert not any(s.graph for s in found.steps)


STAGES = {
    "A shape error": ("as the line runs", "as the line runs", "while the graph is built"),
    "A branch on data": (None, None, "while the graph is built"),
    "A second backward": (None, "in the second backward", None),
    "A write in place": (None, "in backward", "while the graph is built"),
    "A NaN": (None, "as the line runs, in detect_anomaly", "when it runs, with check_numerics"),
    "loss: one entry more in x": ("as the line", "as the line", "while the graph is built"),
    "loss: a NaN in x": (None, "as the line runs, in detect", "when it runs, with check_numerics"),
    "loss: backward, twice, by x": (None, "in the second backward", None),
}


@pytest.mark.parametrize("title", STAGES)
def test_a_mistake_surfaces_at_its_stage(compared, title):
    (found,) = [s for s in compared.surfacing if s.title == title]
    for outcome, stage in zip(found.outcomes, STAGES[title], strict=True):
        if stage is None:
            assert isinstance(outcome, str)
        else:
            assert outcome.stage.startswith(stage)
            assert "functools" not in outcome.message


def test_errors_of_small_programs_name_their_lines(compared):
    first = compared.surfacing[0]
    assert all("<example 1>:2, f: h = np.tanh(x @ w)" in o.message for o in first.outcomes)
    assert "h = np.tanh(x @ w)" in first.source


def test_an_error_says_what_is_wrong_first(compared):
    (found,) = [s for s in compared.surfacing if s.title == "A second backward"]
    assert found.outcomes[1].message.startswith("Trying to backward through the graph a second")
    assert "test_page.py" not in found.outcomes[1].message


def test_without_checks_a_nan_spreads_silently(compared):
    (found,) = [s for s in compared.surfacing if s.title == "A NaN"]
    assert "a warning as the line runs" in found.outcomes[0]
    assert found.outcomes[1].before.startswith("no error: the gradient is")


def test_tensors_have_a_page_too(tmp_path):
    found = sg.compare(lambda t: t.exp().sum(), dg.tensor(x), html=tmp_path / "p.html", **QUICK)
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert re.search(r"<td class=\"\">exp</td>", text)
    assert found.rows[0].title in ("NumPy", "no tape")


def test_a_notebook_shows_the_table(compared):
    text = compared._repr_html_()
    Tags(text)
    assert "graph, optimize=2" in text
    assert "<h2" not in text
