"""`export`: a graph in the formats of other tools."""

import argparse
from collections.abc import Callable
from pathlib import Path

from ..codegen.standalone.to_python import to_python
from ..export.as_json import to_json
from ..export.dot import to_dot
from ..export.mermaid import to_mermaid
from ..ir.graph import FrozenGraph
from ..text.printer import to_text
from .command_line import FINE, CommandError, add_model, add_output, write_text
from .graphs import read_graph

FORMATS: dict[str, Callable[[FrozenGraph], str]] = {
    "dot": to_dot, "json": to_json, "mermaid": to_mermaid, "text": to_text,
}  # fmt: skip
SUFFIXES = {
    ".dot": "dot", ".gv": "dot", ".json": "json", ".mmd": "mermaid", ".py": "python",
    ".txt": "text",
}  # fmt: skip
EXAMPLES = (
    "model.sg -o model.dot", "model.sg --format mermaid", "model.sg -o model.py",
    "model.sg --format dot | dot -Tsvg -o model.svg",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "--format", choices=sorted([*FORMATS, "python"]),
        help="by default that of the output's suffix, else text",
    )  # fmt: skip
    add_output(parser, "the result")


def command(options: argparse.Namespace) -> int:
    """Write a graph for another tool: Graphviz, Mermaid, Python with NumPy alone, JSON, text."""
    suffix = Path(options.output or "").suffix
    name = options.format or SUFFIXES.get(suffix, "" if suffix else "text")
    if not name:
        known = ", ".join(SUFFIXES)
        raise CommandError(
            f"{options.output}: no format has this suffix; give --format, or {known}"
        )
    graph = read_graph(options.model)
    if name == "python":
        write_python(graph, options.output)
    else:
        write_text(FORMATS[name](graph), options.output)
    return FINE


def write_python(graph: FrozenGraph, path: str | None) -> None:
    """Write a module of Python."""
    if path is None or path == "-":
        raise CommandError("a module of Python is written to a file: give -o FILE.py")
    to_python(graph, path)
