"""`python -m staticgrad costs` prints the cost table, by which machine code is chosen.

>>> from staticgrad.__main__ import main
>>> main(["costs"])  # doctest: +ELLIPSIS
defaults, not measured
f4.operation ...
"""

import argparse
import os
import sys
from collections.abc import Sequence

from gradops.native import costs
from gradops.native.costs import file as cost_file


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the cost table of this machine, or measure it anew."""
    parser = argparse.ArgumentParser("python -m staticgrad")
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser(
        "costs", help="print the cost table, by which machine code is chosen"
    )
    command.add_argument("--measure", action="store_true", help="measure it anew, and keep it")
    command.add_argument("--clear", action="store_true", help="forget what was measured")
    asked = parser.parse_args(arguments)
    if asked.measure or asked.clear:
        cost_file.clear()
    print("the next need measures" if asked.clear and not asked.measure else costs.table())


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # as `head` closes it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
