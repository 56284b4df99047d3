"""Writes docs/reference/ops.md from the op table."""

from pathlib import Path

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.op import EveryOperand, Op

PAGE = Path(__file__).parent / "reference" / "ops.md"
HEADER = """\
# The ops

Made from the op table by `make docs`; do not edit. Each op computes on arrays, records on tensors
and builds on expressions. Derivatives are of every order, in reverse and forward mode.
"""


def derivatives(op: Op) -> str:
    """Which operands have a derivative."""
    if isinstance(op.vjp, EveryOperand):
        return "every operand"
    having = [i for i, rule in enumerate(op.vjp) if rule is not None]
    if not having:
        return "none"
    names = "xyzuvw"
    return ", ".join(names[i] for i in having)


def row(op: Op) -> str:
    """One line of the table."""
    call = op.signature.replace("|", "\\|")
    traits = ", ".join(sorted(op.traits)) or "-"
    return f"| `{call}` | {op.doc} | {derivatives(op)} | {'yes' if op.batch else '-'} | {traits} |"


def page() -> str:
    """The whole page."""
    ops = [op for op in gradops.OPS.values() if op.kernel.__module__ != "__main__"]
    ops = [op for op in ops if not str(op.kernel.__module__).startswith("test")]
    rows = [row(op) for op in sorted(ops, key=lambda op: op.name)]
    title = "| op | what it gives | derivative in | `vmap` | traits |\n|---|---|---|---|---|"
    packages = (dg, sg, sg.nn, gradops)
    functions = {package.__name__: package.__all__ for package in packages}
    listing = [
        f"## Names in `{package}`\n\n{', '.join(f'`{n}`' for n in names)}\n"
        for package, names in functions.items()
    ]
    return "\n".join([HEADER, title, *rows, "", *listing, errors()])


def errors() -> str:
    """The tree of errors."""
    import gradops.errors

    return f"## Errors\n\n```text\n{(gradops.errors.__doc__ or '').strip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page())
