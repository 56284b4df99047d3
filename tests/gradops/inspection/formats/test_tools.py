"""The tools that formats are for read them: Graphviz, and Mermaid's own parser."""

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gradops.inspection.formats import dot, mermaid

from ..views import hostile_view, small_view

ROOT = Path(__file__).resolve().parents[4]
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


def test_mermaids_parser_reads_mermaid(tmp_path):
    packages = ROOT / "node_modules"
    if not (packages / "mermaid").exists() or shutil.which("node") is None:
        pytest.skip("npm install mermaid@11 jsdom@26, as .ci/run does, has not been run here")
    (tmp_path / "node_modules").symlink_to(packages)
    (tmp_path / "parse.mjs").write_text(PARSE)
    files = []
    for name, view in VIEWS.items():
        files.append(tmp_path / f"{name}.mmd")
        files[-1].write_text(mermaid.to_mermaid(view), encoding="utf-8")
    subprocess.run(["node", "parse.mjs", *files], cwd=tmp_path, check=True, timeout=120)
    files[0].write_text("flowchart TD\n  a -->")
    refused = subprocess.run(["node", "parse.mjs", files[0]], cwd=tmp_path, capture_output=True)
    assert b"Parse error" in refused.stderr
