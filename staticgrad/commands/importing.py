"""`import`: an ONNX model as a saved graph."""

import argparse

from ..export.saving import save
from ..onnx import load
from .command_line import FINE, CommandError, add_output

EXAMPLES = (
    "model.onnx -o model.sg", "model.onnx --shape x=batch,3 -o model.sg",
    "model.onnx --external-data weights -o model.sg",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="an ONNX model")
    parser.add_argument(
        "--shape", metavar="NAME=SIZES", action="append", default=[],
        help="the shape of an input: numbers and names with commas",
    )  # fmt: skip
    parser.add_argument("--external-data", metavar="DIRECTORY", help="where tensors in files are")
    add_output(parser, "the graph")


def command(options: argparse.Namespace) -> int:
    """Read an ONNX model and save it as a graph."""
    if options.output in (None, "-"):
        raise CommandError("a graph is saved to a file: give -o FILE.sg")
    shapes = dict(map(shape_given, options.shape))
    model = load(options.model, shapes=shapes, external_data=options.external_data)
    save(model.freeze(), options.output)
    return FINE


def shape_given(text: str) -> tuple[str, tuple[int | str, ...]]:
    """The name of an input and its sizes."""
    name, is_given, sizes = text.partition("=")
    if not is_given:
        raise CommandError(f"--shape {text}: write NAME=SIZES, as x=batch,3")
    parts = [part.strip() for part in sizes.split(",") if part.strip()]
    return name, tuple(int(part) if part.isdigit() else part for part in parts)
