"""`inspect`: the page that shows a graph."""

import argparse
from pathlib import Path

from ..runtime.compilation import compile
from .command_line import FINE, add_model, progress
from .graphs import read_feeds, read_graph

EXAMPLES = (
    "model.sg -o model.html", "model.sg x=float32[32,64] -o model.html   # with times of a run",
    "model.sg --backend native --assembly -o model.html", "new.sg --beside old.sg -o both.html",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "feeds", metavar="FEED", nargs="*", help="as of run, others are random: a run is profiled"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the page; by default MODEL with the suffix .html"
    )
    parser.add_argument("--beside", metavar="OTHER", help="a graph to show beside this one")
    parser.add_argument("--backend", help="numpy, native, auto or interpreter")
    parser.add_argument("--optimize", type=int, default=2, choices=(0, 1, 2), help="default 2")
    parser.add_argument("--ir", action="store_true", help="show the code for LLVM")
    parser.add_argument("--assembly", action="store_true", help="show the code of the machine")


def command(options: argparse.Namespace) -> int:
    """Write one HTML page that shows a graph: as it is, after each pass, and its code.

    The page needs no network. With feeds it has the times and the memory of a run; so it has with
    --ir and --assembly, of random values, as unknown sizes have their code when they are run.
    """
    graph = read_graph(options.model)
    path = options.output or default_output(options.model)
    is_run = options.feeds or options.ir or options.assembly
    feeds = read_feeds(graph, options.feeds, fill=True) if is_run else None
    beside = None if options.beside is None else read_graph(options.beside)
    with progress(f"writing {path}"):
        executable = compile(graph, optimize=options.optimize, backend=options.backend)
        executable.inspect(
            path, feeds, title=Path(options.model).stem, ir=options.ir, assembly=options.assembly,
            beside=beside,
        )  # fmt: skip
    return FINE


def default_output(model: str) -> str:
    """The page beside a model."""
    return "graph.html" if model == "-" else str(Path(model).with_suffix(".html"))
