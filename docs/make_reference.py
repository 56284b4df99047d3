"""Writes docs/reference/ops.md from the op table."""

from pathlib import Path

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.__main__ import op_table
from gradops.table import Row

PAGE = Path(__file__).parent / "reference" / "ops.md"
HEADER = """\
# Table of ops

Made from the op table by `make docs`; do not edit. Each op computes on arrays, records on tensors
and builds on expressions. Derivatives are of every order, in reverse and forward mode.

Machine code has an op entry by entry (*native*), as a *formula* of others or by a *template* of
loops; otherwise it calls *NumPy*'s kernel.
"""


TITLE = (
    "| op | what it gives | family | derivative in | `vmap` | machine code"
    " | in dynamicgrad | in staticgrad |\n|---|---|---|---|---|---|---|---|"
)


def line(row: Row) -> str:
    """One line of the table."""
    op = gradops.OPS[row.name]
    call = op.signature.replace("|", "\\|")
    names = (", ".join(f"`{n}`" for n in cell.split(", ")) for cell in row[6:])
    cells = [f"`{call}`", op.doc, row.family, row.gradient, row.batch, row.native, *names]
    return f"| {' | '.join(cells)} |".replace("`-`", "-")


def page() -> str:
    """The whole page."""
    lines = [line(row) for row in op_table()]
    packages = (
        dg, dg.fft, dg.linalg, sg, sg.linalg, sg.nn, sg.signal,
        gradops, gradops.fft, gradops.linalg,
    )  # fmt: skip
    functions = {package.__name__: package.__all__ for package in packages}
    listing = [
        f"## Names in `{package}`\n\n{', '.join(f'`{n}`' for n in names)}\n"
        for package, names in functions.items()
    ]
    return "\n".join([HEADER, TITLE, *lines, "", *listing, errors()])


def errors() -> str:
    """The tree of errors."""
    import gradops.core.errors

    return f"## Errors\n\n```text\n{(gradops.core.errors.__doc__ or '').strip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page())
