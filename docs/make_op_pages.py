"""Writes docs/reference/ops/*.rst from the op table: a page per subject, for the site."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
from docstrings import as_rest
from op_facts import (
    dtypes,
    example,
    kinks,
    names_in_numpy,
    rows,
    signatures,
    subjects,
)
from rest_pages import heading, write

import gradops
from gradops import Op
from gradops.inspection.formulas import formula

FOLDER = Path(__file__).parent / "reference" / "ops"
MACHINE_CODE = {
    "native": "entry by entry", "formula": "by its formula", "template": "by a template of loops",
    "NumPy": "calls NumPy's kernel",
}  # fmt: skip
NONE_OR_ALL = {"-": "no operand", "every": "every operand"}
DIGITS: dict[str, Any] = {"precision": 4, "suppress": True}
INDEX = """\
Ops by subject
==============

Each op with its derivative, shapes, dtypes, kinks, an example and its names elsewhere. These pages
ask the table of ops when the site is built. In derivatives, `g` is the cotangent of the result `y`,
and the operands are `x`, or `a`, `b`, `c`.

.. toctree::

"""


def section(op: Op) -> str:
    """All that is known of an op."""
    parts = [
        f".. _op-{op.name}:", heading(op.name, "-"),
        call_of(op), indent("\n".join(as_rest([op.doc])), "   "),
        *(indent(part, "   ") for part in body(op)),
    ]  # fmt: skip
    return "\n\n".join(parts)


def call_of(op: Op) -> str:
    """The call of an op; the index has those that are functions of `gradops`."""
    is_offered = getattr(gradops, op.name, None) is op
    return (
        f".. py:function:: gradops.{op.signature}"
        + "\n   :no-contents-entry:"
        + "\n   :no-index:" * (not is_offered)
    )


def body(op: Op) -> Iterator[str]:
    """The parts of a section below its first line."""
    if text := formula(op.name):
        yield "Derivative:\n\n.. code-block:: python\n\n" + indent(text, "   ")
    if shown := example_of(op):
        yield shown
    yield listed([(name, value) for name, value in facts(op) if value])
    if found := kinks().get(op.name):
        cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in found)
        yield listed([("Kinks", "at"), *((row[0], f"{row[1]}: {row[2]}") for row in cells)])


def facts(op: Op) -> Iterator[tuple[str, str]]:
    """What a line is enough for."""
    row = rows()[op.name]
    if not formula(op.name):
        yield "derivative in", NONE_OR_ALL.get(row.gradient, f"`{row.gradient}`")
    yield "types", "; ".join(f"`{line}`" for line in signatures(op))
    yield "dtypes", by_dtype(dtypes(op))
    yield "PyTorch's names", quoted("dg", row.dynamicgrad)
    yield "TensorFlow's", quoted("sg", row.staticgrad)
    yield "NumPy's", ", ".join(f"`{name}`" for name in names_in_numpy().get(op, []))
    yield "ONNX's", f"`{op.onnx}`" if op.onnx else ""
    yield "machine code", MACHINE_CODE[row.native]
    yield "`vmap`", "by a rule" if row.batch == "yes" else "example by example"


def listed(lines: Sequence[tuple[str, str]]) -> str:
    """A table of two columns."""
    body = "\n".join(f"   * - {name}\n     - {value}" for name, value in lines)
    return ".. list-table::\n   :widths: 22 78\n   :class: facts\n\n" + body


def by_dtype(results: dict[str, str]) -> str:
    """The dtypes that keep theirs, and what comes of others."""
    kept = ", ".join(a for a, b in results.items() if a == b)
    return "; ".join(
        [*filter(None, [kept]), *(f"{a} gives {b}" for a, b in results.items() if a != b)]
    )


def quoted(package: str, names: str) -> str:
    """Names as code, with the package they are in."""
    return "" if names == "-" else ", ".join(f"`{package}.{name}`" for name in names.split(", "))


def example_of(op: Op) -> str:
    """A call and its result, as Python prints them."""
    if (found := example(op)) is None:
        return ""
    operands, attrs, made = found
    call = f"gradops.{op.name}" if hasattr(gradops, op.name) else f'gradops.OPS["{op.name}"]'
    with np.printoptions(**DIGITS):
        given = [*map(literal, operands), *(f"{k}={v!r}" for k, v in attrs.items())]
        lines = [f">>> {call}({', '.join(given)})", repr(made)]
    return ".. code-block:: pycon\n\n" + indent("\n".join(lines), "   ")


def literal(x: Any) -> str:
    """An operand as one would write it."""
    if x.ndim == 0:
        return repr(x.item())
    text = " ".join(repr(x).split())
    return text.replace("array(", "np.array(")


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    entries = subjects()
    yield "index", INDEX + "".join(f"   {name}\n" for name in entries)
    for name, (title, ops) in entries.items():
        yield name, "\n\n".join([heading(title, "="), *map(section, ops)]) + "\n"


if __name__ == "__main__":
    write(FOLDER, pages())
