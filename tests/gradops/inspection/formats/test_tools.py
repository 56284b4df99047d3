"""The tools that formats are for read them: Graphviz, and Mermaid's own parser."""

import shutil
import subprocess
from xml.etree import ElementTree

import pytest

from gradops.inspection.formats import dot, mermaid

from ..views import hostile_view, small_view

QUICKLY = ["--no-audit", "--no-fund", "--fetch-retries=0"]
PARSE = """\
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";
const { window } = new JSDOM("");
globalThis.window = window;
globalThis.document = window.document;
const mermaid = (await import("mermaid")).default;
for (const file of process.argv.slice(2)) await mermaid.parse(readFileSync(file, "utf8"));
"""
VIEWS = {
    "small": small_view(), "hostile": hostile_view(), "forward": small_view().part("forward"),
    "backward": small_view().part("backward"),
}  # fmt: skip


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_graphviz_draws_dot(view):
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    text = dot.to_dot(view).encode()
    made = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, check=True, timeout=60)
    assert made.stderr == b""
    nodes = ElementTree.fromstring(made.stdout).iterfind(
        ".//{http://www.w3.org/2000/svg}g[@class='node']"
    )
    assert len(list(nodes)) == len(view) + sum(map(len, view.graphs.values()))


def installed_mermaid(folder):
    """Install Mermaid's package in a folder, unless it is there; skip where that fails."""
    if (npm := shutil.which("npm")) is None:
        pytest.skip("node and npm are not installed")
    if not (folder / "node_modules" / "mermaid").exists():
        command = [npm, "install", *QUICKLY, "mermaid@11", "jsdom@26"]
        try:
            subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=120)
        except subprocess.SubprocessError as error:
            pytest.skip(f"the package mermaid cannot be installed: {error}")
    (folder / "parse.mjs").write_text(PARSE)
    return folder


def test_mermaids_parser_reads_mermaid(pytestconfig, tmp_path):
    folder = installed_mermaid(pytestconfig.cache.mkdir("mermaid"))
    files = []
    for name, view in VIEWS.items():
        files.append(tmp_path / f"{name}.mmd")
        files[-1].write_text(mermaid.to_mermaid(view), encoding="utf-8")
    subprocess.run(["node", "parse.mjs", *files], cwd=folder, check=True, timeout=120)
    files[0].write_text("flowchart TD\n  a -->")
    refused = subprocess.run(["node", "parse.mjs", files[0]], cwd=folder, capture_output=True)
    assert b"Parse error" in refused.stderr
