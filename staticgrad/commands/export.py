"""`export`: a graph in the formats of other tools."""

import argparse
from collections.abc import Callable
from pathlib import Path

from ..codegen.standalone.to_python import to_python
from ..export import formats
from ..ir.graph import FrozenGraph
from .command_line import FINE, CommandError, add_model, add_output, add_part, write_text
from .graphs import read_graph

FORMATS: dict[str, Callable[..., str]] = {
    "dot": formats.to_dot, "gexf": formats.to_gexf, "graphml": formats.to_graphml,
    "json": formats.to_json, "mermaid": formats.to_mermaid, "svg": formats.to_svg,
    "text": formats.to_text,
}  # fmt: skip
SUFFIXES = {
    ".dot": "dot", ".gexf": "gexf", ".graphml": "graphml", ".gv": "dot", ".json": "json",
    ".mmd": "mermaid", ".py": "python", ".svg": "svg", ".txt": "text",
}  # fmt: skip
EXAMPLES = (
    "model.sg -o model.svg", "model.sg --format mermaid --part forward", "model.sg -o model.py",
    "model.sg --format dot | dot -Tsvg -o model.svg",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "--format", choices=sorted([*FORMATS, "python"]),
        help="by default that of the output's suffix, else text",
    )  # fmt: skip
    add_part(parser)
    add_output(parser, "the result")


def command(options: argparse.Namespace) -> int:
    """Write a graph for another tool: as a picture, for Graphviz, Mermaid, networkx, as Python."""
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
        write_text(FORMATS[name](graph, part=options.part), options.output)
    return FINE


def write_python(graph: FrozenGraph, path: str | None) -> None:
    """Write a module of Python."""
    if path is None or path == "-":
        raise CommandError("a module of Python is written to a file: give -o FILE.py")
    to_python(graph, path)
