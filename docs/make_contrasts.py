"""Writes docs/explanation/contrasts.md from the scripts in examples/contrasts: `make docs`."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "contrasts.md"
SCRIPTS = ROOT / "examples" / "contrasts"
ORDER = (
    "leaf_and_non_leaf", "accumulation", "retained_graph", "no_grad", "frozen_layers",
    "changing_control_flow", "debugging", "redefinition", "memory_of_inference",
    "graph_built_in_a_loop",
)  # fmt: skip
HEAD = """\
# Contrasts

The differences between define-by-run and define-then-run that users meet, with one script for each.
Every script runs both modes, and a test checks that it prints what is shown below it. [Static or
dynamic?](static-or-dynamic.md) explains why they differ, and
[compare](../how-to/compare-modes.md) shows the differences for a function of your own.
"""
NO_TEST = "<!-- no-test: tests/examples runs the script -->"
PRINTS = "\n\nIt prints:\n\n"


def page() -> str:
    """The text of the page."""
    return "\n".join([HEAD, *[part(SCRIPTS / f"{name}.py") for name in ORDER]])


def part(path: Path) -> str:
    """The part about one script: what it shows, its code, and what it prints."""
    source = path.read_text(encoding="utf-8")
    doc, code, printed = split(source)
    title, _, text = doc.partition("\n\n")
    link = path.relative_to(ROOT).as_posix()
    return (
        f"## {title.rstrip('.')}\n\n{text}\n\n[{link}](../../{link}):\n\n{NO_TEST}\n"
        f"```python\n{code}```\n\n```text\n{printed}\n```\n"
    )


def split(source: str) -> tuple[str, str, str]:
    """The explanation of a script, its code, and what its docstring says that it prints."""
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.Expr)
    doc, _, printed = ast.literal_eval(node.value).partition(PRINTS)
    code = "\n".join(source.splitlines()[node.end_lineno :]).strip() + "\n"
    return doc.strip(), code, "\n".join(line[4:] for line in printed.rstrip().splitlines())


def printed_by(path: Path) -> str:
    """The text that a script prints, as its docstring has it."""
    return split(path.read_text(encoding="utf-8"))[2]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
