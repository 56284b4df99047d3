"""Files that go out with a release agree with the project."""

import re
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


@pytest.mark.parametrize("page", ["SECURITY.md", "CONTRIBUTING.md", "docs/reference/stability.md"])
def test_links_of_a_policy_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert not missing
