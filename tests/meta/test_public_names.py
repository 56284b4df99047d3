"""The list of all public names and signatures is that of the packages."""

import difflib

from .public_names import LIST, lines


def test_public_names_and_signatures_are_those_listed():
    listed = LIST.read_text(encoding="utf-8").splitlines()
    changed = list(difflib.unified_diff(listed, list(lines()), lineterm="", n=0))[2:]
    assert not changed, "if it is meant: python -m tests.meta.public_names, and say so in CHANGELOG"
