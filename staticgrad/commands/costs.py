"""`costs`: the cost table, by which machine code is chosen."""

import argparse

from gradops.native import costs
from gradops.native.costs import file as cost_file

from .command_line import FINE

EXAMPLES = ("", "--measure")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--measure", action="store_true", help="measure it again, and keep it")
    parser.add_argument("--clear", action="store_true", help="forget what was measured")


def command(options: argparse.Namespace) -> int:
    """Print the cost table of this machine, by which machine code is chosen."""
    if options.measure or options.clear:
        cost_file.clear()
    print("the next need measures" if options.clear and not options.measure else costs.table())
    return FINE
