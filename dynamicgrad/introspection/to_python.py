"""The tape as a program: a straight line of gradops calls that computes the same values again."""

import keyword
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradops import OPS, OptionError
from gradops.inspection.formats.labels import visible
from gradops.inspection.model import NOTHING, NodeView, Role

from ..engine.handle import Handle
from ..engine.node import Leaf, Part
from .variable_names import names_of_tensors
from .view import Builder, vertices_of

PLAIN = frozenset({bool, int, float, complex, str, type(None), np.dtype})
TAKEN = {"np", "ops", "run", "Path", "VALUES", "nan", "inf", "dtype"}
HEAD = '''\
"""A tape of {count} operations as a function of NumPy arrays."""

from pathlib import Path

import numpy as np
from numpy import dtype, inf, nan

from gradops import OPS as ops

'''
VALUES = """\
with np.load(Path(__file__).with_name({name!r})) as file:
    VALUES = dict(file)


"""


def to_python(
    *tensors: Handle, path: str | os.PathLike[str], names: Mapping[str, Any] = NOTHING
) -> None:
    """Write the tape as a Python module whose function `run` recomputes the values of `tensors`.

    `run` takes the leaves and the data that the program read by name, and returns a tuple. What the
    tape still has are the defaults, in a file beside the module, `.npz`; values that no rule reads
    are not kept by a tape, and have to be given. Raises OptionError for an operation that is no op:
    a custom function, a compiled program.

    >>> import pathlib, tempfile, runpy
    >>> w = dg.tensor([1.0, 2.0], requires_grad=True)
    >>> loss = (w * w).sum()
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tape.py"
    >>> dg.to_python(loss, path=path)
    >>> run = runpy.run_path(str(path))["run"]
    >>> run(), run(w=np.array([3.0, 4.0], np.float32))
    ((np.float32(5.0),), (np.float32(25.0),))
    """
    path = Path(path)
    text, values = program(tensors, names, path.with_suffix(".npz").name)
    path.write_text(text, encoding="utf-8")
    if values:
        with path.with_suffix(".npz").open("wb") as file:
            np.savez(file, **values)  # type: ignore[arg-type]  # a name may be that of an option


def program(
    tensors: tuple[Handle, ...], names: Mapping[str, Any], data: str
) -> tuple[str, dict[str, np.ndarray]]:
    """The text of the module, and the arrays that are its defaults."""
    order = vertices_of(tensors)
    builder = Builder(names_of_tensors(order, names))
    ends = builder.add_forward(order, tensors)
    words = identifiers(builder.nodes)
    lines = [line_of(v, builder, words) for v in order if type(v) is not Leaf]
    given = [n for n in builder.nodes if n.is_leaf and n.role is not Role.CONSTANT]
    values = {words[n.id]: n.data for n in given if n.data is not None}
    parameters = [words[n.id] for n in given if n.data is None]
    parameters += [f"{name}=VALUES[{name!r}]" for name in values]
    loading = VALUES.format(name=data) if values else "\n"
    results = "".join(f"{words[i]}, " for i in ends).rstrip()
    head = [f"def run({', '.join(['*', *parameters] if parameters else [])}):"]
    doc = '    """The values of the tensors whose tape this is."""'
    body = "\n".join([*head, doc, *lines, f"    return ({results})"])
    return HEAD.format(count=len(lines)) + loading + body + "\n", values


def line_of(v: Any, builder: Builder, words: Mapping[int, str]) -> str:
    """The assignment of one operation."""
    n = builder.nodes[builder.ids[id(v)]]
    operands = [operand(builder.nodes[i], words) for i in n.inputs]
    if type(v) is Part:
        call = f"{operands[0]}[{v.index}]"
    elif "ends" in v.attrs:
        call = f"np.split({operands[0]}, {v.attrs['ends'][1:-1]!r}, axis={v.attrs['axis']})"
    elif str(v.op) == "unbind":
        call = f"np.moveaxis({operands[0]}, {v.attrs['axis']}, 0)"
    else:
        call = call_text(v, n, operands)
    comment = f"  # {visible(n.line)}" if n.line else ""
    return f"    {words[n.id]} = {call}{comment}"


def call_text(v: Any, n: NodeView, operands: list[str]) -> str:
    """The call of an op."""
    name = getattr(v.op, "op", v.op).name  # the op itself of one that is marked
    if name not in OPS:
        raise OptionError(
            "to_python", [n.name], f"made at {n.line}, is no op, and a program cannot call it",
            hint="show it with to_text or to_json; of a function, sg.trace(f, args) gives a graph",
        )  # fmt: skip
    attrs = [f"{k}={literal(n, x)}" for k, x in v.attrs.items()]
    return f"ops[{name!r}]({', '.join([*operands, *attrs])})"


def operand(n: NodeView, words: Mapping[int, str]) -> str:
    """An operand: a number, or a name."""
    return str(n.data) if n.role is Role.CONSTANT else words[n.id]


def literal(n: NodeView, x: Any) -> str:
    """An attribute as Python has it; raises OptionError for what is not plain."""
    stack = [x]
    while stack:
        part = stack.pop()
        if isinstance(part, tuple):
            stack += part
        elif type(part) not in PLAIN and not isinstance(part, np.dtype):
            raise OptionError("to_python", [n.name], f"{part!r} cannot be written as a program")
    return repr(x)


def identifiers(nodes: list[NodeView]) -> dict[int, str]:
    """A name for each node that Python allows, and that no other has."""
    taken = set(TAKEN)
    result = {}
    for n in nodes:
        word = re.sub(r"\W", "_", n.name, flags=re.ASCII)[:60]
        word = f"_{word}" if not word.isidentifier() or keyword.iskeyword(word) else word
        name, k = word, 1
        while name in taken:
            name, k = f"{word}_{k}", k + 1
        taken.add(name)
        result[n.id] = name
    return result
