"""The list of all public names and signatures is that of the packages."""

import difflib
import os
import shutil
import subprocess

import pytest

from .public_names import LIST, lines


def test_public_names_and_signatures_are_those_listed():
    listed = LIST.read_text(encoding="utf-8").splitlines()
    changed = list(difflib.unified_diff(listed, list(lines()), lineterm="", n=0))[2:]
    assert not changed, "if it is meant: python -m tests.meta.public_names, and say so in CHANGELOG"


def changed_since_base(path):
    """True if a file of the repository differs from that of the commit to compare with."""
    base = os.environ.get("BASE_COMMIT", "HEAD")
    command = ["git", "diff", "--quiet", base, "--", str(path)]
    status = subprocess.run(command, cwd=LIST.parent, stderr=subprocess.DEVNULL).returncode
    if status > 1:
        pytest.skip(f"git does not know {base} here")
    return status == 1


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_a_change_of_public_names_is_in_the_changelog():
    if changed_since_base(LIST):
        assert changed_since_base(LIST.parents[2] / "CHANGELOG.md"), "say it in CHANGELOG.md"
