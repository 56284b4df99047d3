"""`diff`: the differences of two graphs."""

import argparse

from ..difference.diff import diff
from .command_line import DIFFERS, FINE, CommandError, add_model, add_output, write_text
from .graphs import read_graph

EXAMPLES = ("old.sg new.sg", "old.sg new.sg --html diff.html", "old.sg new.sg -q || echo differs")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser, "old")
    add_model(parser, "new")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing")
    parser.add_argument("--html", metavar="FILE", help="write a page")
    add_output(parser, "the text")


def command(options: argparse.Namespace) -> int:
    """Print the nodes that were added, removed and changed between two graphs.

    Nodes are aligned by structure, whatever their names and lines are. The exit status is 1 if the
    graphs differ.
    """
    if options.old == options.new == "-":
        raise CommandError("only one of the graphs can come from the standard input")
    names = options.old, options.new
    found = diff(read_graph(options.old), read_graph(options.new), names)
    if options.html:
        found.save(options.html)
    if not options.quiet:
        write_text(str(found), options.output)
    return DIFFERS if found else FINE
