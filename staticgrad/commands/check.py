"""`check`: whether a file holds a graph that computes what it says."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradops import GradError, GraphFormatError

from ..ir.graph import FrozenGraph
from ..ir.verify import verify
from ..runtime.compilation import compile
from .command_line import DIFFERS, FINE, add_model, one_line
from .graphs import read_feeds, read_graph, result_names
from .slopes import wrong_gradients

EXAMPLES = ("model.sg", "model.sg x=x.npy", "model.sg --backend native && echo fine")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument("feeds", metavar="FEED", nargs="*", help="as of run; others are random")
    parser.add_argument("--backend", help="numpy, native, auto or interpreter")


def command(options: argparse.Namespace) -> int:
    """Check that a file holds a well-formed graph, and that it computes what it says.

    Its code is compared with the graph run node by node, all values are checked to be finite, and
    gradients that are labelled "d loss / d w" are compared with differences of the loss. Inputs
    without a value are random.
    """
    try:
        graph = read_graph(options.model)
        verify(graph)
    except GraphFormatError as error:
        print(f"failed  the file: {one_line(error)}")
        return DIFFERS
    print(f"fine    the file: a graph of {len(graph)} nodes")
    feeds = read_feeds(graph, options.feeds, fill=True)
    with np.errstate(all="ignore"):  # values that are not finite have a check
        results = [report(*each) for each in checks(graph, feeds, options.backend)]
    return FINE if all(results) else DIFFERS


def report(title: str, check: Callable[[], str]) -> bool:
    """Print what a check says, and return whether it is fine."""
    try:
        print(f"fine    {title}: {check()}", flush=True)
    except (GradError, AssertionError) as error:
        print(f"failed  {title}: {one_line(error)}", flush=True)
        return False
    return True


def checks(
    graph: FrozenGraph, feeds: list[Any], backend: str | None
) -> Iterator[tuple[str, Callable[[], str]]]:
    """The checks of a graph with their titles."""
    yield "values", lambda: check_finite(graph, feeds)
    yield "code", lambda: check_code(graph, feeds, backend)
    yield "gradients", lambda: check_gradients(graph, feeds)


def check_finite(graph: FrozenGraph, feeds: list[Any]) -> str:
    """Run with checks; raises NotFiniteError for the first value that is not finite."""
    compile(graph, optimize=0, check_numerics=True, backend="numpy")(*feeds)
    return "all are finite"


def check_code(graph: FrozenGraph, feeds: list[Any], backend: str | None) -> str:
    """Compare the code with the graph run node by node; raises PassError if they differ."""
    executable = compile(graph, verify=feeds, backend=backend)
    report = executable.verification
    return "equal to the bit" if report is None else str(report).splitlines()[0]


def check_gradients(graph: FrozenGraph, feeds: list[Any]) -> str:
    """Compare labelled gradients with differences."""
    count, wrong = wrong_gradients(graph, feeds, result_names(graph))
    if wrong:
        raise AssertionError("; ".join(wrong))
    return f"{count} agree with differences" if count else 'no result is labelled "d loss / d w"'
