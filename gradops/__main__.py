"""`python -m gradops` prints the op table: what each op is, and what it is called where.

The column `native` says how an op becomes machine code: entry by entry, by its formula, by a
template of loops, or not: then code calls NumPy's kernel.

>>> from gradops.__main__ import main
>>> main(["hypot"])  # doctest: +ELLIPSIS
name   family ...
"""

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Sequence

from .core.op import OPS, Op
from .table import Row, format_rows, names_in, rows

# By name, as this is the one place of gradops that looks at the packages above it.
PACKAGES = {
    "dynamicgrad": ["nn.functional", "linalg", "fft", "special", "random"],
    "staticgrad": ["nn", "linalg", "signal", "random"],
}
LOWERING = "staticgrad.native.coverage"
BY_HAND = {"dynamicgrad": "dynamicgrad.names.torch_names", "staticgrad": "staticgrad.ops.spelling"}


def spelled_in(name: str) -> dict[Op, list[str]]:
    """The names of the ops in one of the packages."""
    found = names_in(importlib.import_module(name), PACKAGES[name])
    for op, names in importlib.import_module(BY_HAND[name]).SPELLED.items():
        found[OPS[op]] = list(dict.fromkeys([*found.get(OPS[op], []), *names.split()]))
    return found


def op_table() -> list[Row]:
    """The rows of all ops."""
    lowering_of = importlib.import_module(LOWERING).lowering_of
    eager, graph = map(spelled_in, PACKAGES)
    return rows(eager, graph, lowering_of)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or the rows of the ops whose names have a word in them."""
    parser = argparse.ArgumentParser("python -m gradops", description="Print the table of ops.")
    parser.add_argument("word", nargs="?", default="", help="only ops with this in their names")
    word = parser.parse_args(arguments).word
    table = op_table()
    shown = [row for row in table if any(word in cell for cell in (row.name, *row[6:]))]
    if not shown:
        names = [
            name for row in table for cell in (row.name, *row[6:]) for name in cell.split(", ")
        ]
        near = ", ".join(dict.fromkeys(difflib.get_close_matches(word, names)))
        parser.exit(1, f"no op has {word!r} in its names" + f"; near: {near}\n" * bool(near))
    print(format_rows(shown))
    print(f"\n{len(shown)} op{'s' * (len(shown) > 1)}")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # as `head` closes it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
