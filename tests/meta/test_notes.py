"""Notes: longer reasons, each defined once in a docstring, and referred to by name."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for package in ("gradops", "dynamicgrad", "staticgrad")
    for path in sorted((ROOT / package).rglob("*.py"))
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
REFERENCE = re.compile(r"Note \[([^]]+)\](?: in[\s#]+`([\w/.]+)`)?")


def defined_in(source):
    """The names of the notes that a module defines: paragraphs of docstrings."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, DOCUMENTED)]
    paragraphs = [p for node in nodes for p in (ast.get_docstring(node) or "").split("\n\n")]
    return [m[1] for p in paragraphs if (m := re.match(r"Note \[([^]]+)\]\. ", p.strip()))]


DEFINED = [(note, path) for path, source in SOURCES.items() for note in defined_in(source)]


def test_every_note_is_defined_once():
    counts = Counter(note for note, _ in DEFINED)
    assert not {note: n for note, n in counts.items() if n > 1}


def test_every_note_that_is_referred_to_is_defined():
    names = {note for note, _ in DEFINED}
    unknown = {
        (path, m[1]) for path, text in SOURCES.items() for m in REFERENCE.finditer(text)
        if m[1] not in names
    }  # fmt: skip
    assert not unknown


def test_a_module_that_is_said_to_have_a_note_has_it():
    place = dict(DEFINED)
    wrong = {
        (path, m[0]) for path, text in SOURCES.items() for m in REFERENCE.finditer(text)
        if m[2] and not place[m[1]].removesuffix(".py").endswith(m[2].removesuffix(".py"))
    }  # fmt: skip
    assert not wrong
