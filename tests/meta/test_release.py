"""Files that go out with a release agree with the project."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_citation_has_the_version_and_license_of_the_project():
    found = dict(re.findall(r"^(\w+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert (found["version"], found["license"]) == (PROJECT["version"], PROJECT["license"])


@pytest.mark.parametrize("package", ["gradops", "dynamicgrad", "staticgrad"])
def test_a_package_says_that_it_is_typed(package):
    assert (ROOT / package / "py.typed").is_file()


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_targets_that_exist_by_actions_that_do_not_move(path):
    text = path.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"run: make ([\w-]+)", text)) <= targets
    assert not re.findall(r"uses: (?!\S+@[0-9a-f]{40} # v)\S+", text), "name the commit"
    assert re.search(r"^permissions:\n  contents: read\n", text, re.MULTILINE)


def test_what_users_install_has_lower_bounds():
    extras = PROJECT["optional-dependencies"]
    made = [sys.executable, str(ROOT / ".ci" / "extras.py")]
    names = subprocess.run(made, capture_output=True, text=True, check=True).stdout.split()
    assert set(names) == extras.keys() - {"dev", "examples", "site"}
    wanted = PROJECT["dependencies"] + [line for name in names for line in extras[name]]
    assert all(">=" in line for line in wanted)


@pytest.mark.parametrize("page", ["SECURITY.md", "CONTRIBUTING.md", "docs/reference/stability.md"])
def test_links_of_a_policy_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert not missing
