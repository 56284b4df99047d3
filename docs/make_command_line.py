"""Writes docs/reference/command-line.md from the helps of the commands: `make docs`."""

import argparse
import os
from pathlib import Path

from staticgrad.commands.command_line import COMMANDS, parser

PAGE = Path(__file__).resolve().parent / "reference" / "command-line.md"
HEAD = """\
# The command line

The helps of all commands, as `python -m staticgrad --help` prints them. Files go in and come out,
and `-` stands for the standard input or output. See also [export a
graph](../how-to/export-a-graph.md) and [compare the modes](../how-to/compare-modes.md).
"""


def page() -> str:
    """The text of the page."""
    os.environ["COLUMNS"] = "100"
    whole = parser()
    (commands,) = (a.choices for a in whole._actions if isinstance(a, argparse._SubParsersAction))
    parts = [HEAD, block(whole)]
    for name in COMMANDS:
        parts += [f"## {name}\n", block(commands[name])]
    return "\n".join(parts)


def block(each: argparse.ArgumentParser) -> str:
    """The help of a parser in a block of text."""
    lines = "\n".join(line.rstrip() for line in each.format_help().splitlines())
    return f"```text\n{lines}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
