"""`run`: the results of a graph."""

import argparse
import sys

import numpy as np

from ..runtime.compilation import compile
from .command_line import FINE, add_model
from .graphs import read_feeds, read_graph, result_names, write_results

EXAMPLES = (
    "model.sg x=x.npy -o out.npz", "model.sg feeds.npz", "model.sg x=[[1,2]] y=data.npz:labels",
    "model.sg x=float32[32,64]   # random numbers", "model.sg x=x.npy --backend native",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "feeds", metavar="FEED", nargs="*",
        help="NAME=VALUE, or a file FEEDS.npz; a value is FILE.npy, FILE.npz:KEY, JSON, or a type",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write results to .npz or .npy, or -"
    )
    parser.add_argument("--backend", help="numpy, native, auto or interpreter")
    parser.add_argument("--optimize", type=int, default=2, choices=(0, 1, 2), help="default 2")
    parser.add_argument(
        "--check-numerics", action="store_true", help="stop at the first value that is not finite"
    )


def command(options: argparse.Namespace) -> int:
    """Run a graph with feeds, and print or write its results.

    Variables have their saved values. Random numbers stand for a value that is a type.
    """
    graph = read_graph(options.model)
    feeds = read_feeds(graph, options.feeds)
    run = compile(
        graph, optimize=options.optimize, check_numerics=options.check_numerics,
        backend=options.backend,
    )  # fmt: skip
    with np.errstate(all="ignore" if options.check_numerics else "warn"):
        results = run(*feeds)
    write_results(result_names(graph), results, options.output)
    sys.stdout.flush()
    return FINE
