"""The site's pages that are made of tables have every op and name; broken links are found."""

import importlib
import re
import sys
from pathlib import Path

import pytest

import gradops

from .public_names import NAMESPACES, objects

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def script(monkeypatch):
    """A function that imports one of the scripts in docs/."""
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    return importlib.import_module


def is_of_a_test(op):
    """Whether another test has declared an op, or a page of the documentation, which tests run."""
    return getattr(op.kernel, "__module__", "").partition(".")[0] in ("tests", "__main__")


def test_every_op_is_on_one_page(script):
    pages = script("op_facts").subjects().values()
    ours = [op.name for op in gradops.OPS.values() if not is_of_a_test(op)]
    assert sorted(op.name for page in pages for op in page.ops) == sorted(ours)


def test_an_op_shows_its_derivative_an_example_and_its_names(script):
    text = script("make_op_pages").section(gradops.sigmoid)
    for part in (
        "dx = g * (y * (1 - y))",
        ">>> gradops.sigmoid(np.array(",
        "`scipy.special.expit`",
    ):
        assert part in text


def test_most_ops_have_an_example(script):
    facts = script("op_facts")
    with_example = [op for op in gradops.OPS.values() if facts.example(op)]
    assert len(with_example) > 0.8 * len(gradops.OPS)


def test_every_public_name_is_on_a_page(script):
    pages = dict(script("make_name_pages").pages())
    assert pages.keys() == {"index", *NAMESPACES}
    missing = [
        name
        for name, value in objects()
        if script("make_name_pages").kind_of(value) and name not in pages[name.rpartition(".")[0]]
    ]
    assert not missing


def test_docstrings_become_restructuredtext(script):
    as_rest = script("docstrings").as_rest
    assert as_rest(["A product `*` of *xs and |z|, as `Dim`s."]) == [
        r"A product `*` of \*xs and \|z\|, as `Dim`\ s.", ""
    ]  # fmt: skip
    assert as_rest([">>> f(*xs)", "2"]) == [">>> f(*xs)", "2", ""]


def test_links_that_lead_nowhere_are_found(script, tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#there">x</a> <a href="b.html#gone">y</a>')
    (tmp_path / "b.html").write_text(
        '<p id="there"><img src="gone.png"><a href="https://x.y">z</a>'
    )
    links = script("check_links")
    assert list(links.broken(tmp_path / "a.html")) == ["b.html#gone: the page has no such anchor"]
    assert list(links.broken(tmp_path / "b.html")) == ["gone.png: there is no such file"]


def test_the_gallery_has_every_example_with_a_picture(script):
    gallery = script("make_gallery")
    page = gallery.page()
    for path in gallery.EXAMPLES.rglob("*.py"):
        assert f"(../examples/{path.relative_to(gallery.EXAMPLES).as_posix()})" in page
    pictures = re.findall(r"^!\[\w+\]\((.+)\)$", page, re.MULTILINE)
    assert len(pictures) == len(re.findall(r"^### ", page, re.MULTILINE))
    assert not [picture for picture in pictures if not (DOCS / picture).is_file()]


def test_pictures_of_the_gallery_show_whole_lines(script):
    gallery = script("make_gallery")
    for path in (gallery.EXAMPLES / "contrasts").glob("*.py"):
        picture = (gallery.PICTURES / f"{path.stem}.svg").read_text(encoding="utf-8")
        shown = " ".join(re.findall(r"<text[^>]*>(.*?)</text>", picture))
        printed = gallery.escape(gallery.make_contrasts.split(path.read_text("utf-8"))[2])
        assert sorted(shown.split()) == sorted(printed.split())
