"""`export`: a graph in the formats of other tools."""

import argparse
from collections.abc import Callable
from pathlib import Path

from .. import onnx
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
TO_FILES: dict[str, Callable[[FrozenGraph, str], None]] = {
    "onnx": onnx.save, "python": to_python,
}  # fmt: skip
ENDINGS = {"onnx": "onnx", "python": "py"}
SUFFIXES = {
    ".dot": "dot", ".gexf": "gexf", ".graphml": "graphml", ".gv": "dot", ".json": "json",
    ".mmd": "mermaid", ".onnx": "onnx", ".py": "python", ".svg": "svg", ".txt": "text",
}  # fmt: skip
EXAMPLES = (
    "model.sg -o model.svg", "model.sg --format mermaid --part forward", "model.sg -o model.py",
    "model.sg -o model.onnx",
    "model.sg --format dot | dot -Tsvg -o model.svg",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "--format", choices=sorted([*FORMATS, "onnx", "python"]),
        help="by default that of the output's suffix, else text",
    )  # fmt: skip
    add_part(parser)
    add_output(parser, "the result")


def command(options: argparse.Namespace) -> int:
    """Write a graph for another tool: a picture, Graphviz, Mermaid, networkx, Python, ONNX."""
    suffix = Path(options.output or "").suffix
    name = options.format or SUFFIXES.get(suffix, "" if suffix else "text")
    if not name:
        known = ", ".join(SUFFIXES)
        raise CommandError(
            f"{options.output}: no format has this suffix; give --format, or {known}"
        )
    graph = read_graph(options.model)
    if name in TO_FILES:
        write_file(graph, name, options.output)
    else:
        write_text(FORMATS[name](graph, part=options.part), options.output)
    return FINE


def write_file(graph: FrozenGraph, name: str, path: str | None) -> None:
    """Write what is not text: a module of Python, which may have arrays beside it, or a model."""
    if path is None or path == "-":
        raise CommandError(f"{name} is written to a file: give -o FILE.{ENDINGS[name]}")
    TO_FILES[name](graph, path)
