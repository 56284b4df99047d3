"""The tape as text, in the form in which `staticgrad` prints graphs, and in DOT."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gradops.core.source_location import short
from gradops.transforms.reverse import ancestors
from gradops.transforms.several_outputs import SEVERAL

from ..engine.handle import Handle
from ..engine.node import Leaf, Part
from ..engine.saved_tensors import Freed, is_saved_value
from ..engine.tensor import Tensor

STYLES = {True: 'shape=ellipse, fillcolor="#dbeafe"', False: 'shape=box, fillcolor="#dcfce7"'}


def to_text(*tensors: Tensor) -> str:
    """The recorded operations that tensors depend on, one a line, with the memory they save.

    >>> x = dg.tensor([1.0, 2.0], requires_grad=True)
    >>> print(dg.to_text((x * x).sum()))  # doctest: +ELLIPSIS
    tape(leaf: float32[2])
      mul: float32[2] = mul(leaf, leaf)  # ...keeps 8 bytes
      sum: float32[] = sum(mul)  # ...
      return sum
      8 bytes kept for backward
    """
    order = vertices_of(tensors)
    names = unique_names(order)
    leaves = ", ".join(f"{names[v]}: {v.type}" for v in order if type(v) is Leaf)
    lines = [line_of(v, names) for v in order if type(v) is not Leaf]
    total = sum({id(a): a.nbytes for v in order for a in saved_arrays(v)}.values())
    ends = ", ".join(names.get(t.node, "a constant") for t in tensors)
    return "\n".join(
        [f"tape({leaves})", *lines, f"  return {ends}", f"  {total} bytes kept for backward"]
    )


def to_dot(*tensors: Tensor) -> str:
    """The recorded operations in DOT, for Graphviz: leaves are ellipses, operations boxes.

    >>> x = dg.ones(2, requires_grad=True)
    >>> print(dg.to_dot(x * x).splitlines()[0])
    digraph tape {
    """
    order = vertices_of(tensors)
    numbers = {v: i for i, v in enumerate(order)}
    lines = ["digraph tape {", "  node [style=filled, fontname=Helvetica];"]
    for v, i in numbers.items():
        label = "\\n".join(part for part in (title(v), type_text(v), line(v)) if part)
        lines.append(f'  n{i} [label="{label}", {STYLES[type(v) is Leaf]}];')
    lines += [f"  n{numbers[x]} -> n{i};" for v, i in numbers.items() for x in v.inputs if x]
    return "\n".join([*lines, "}"]) + "\n"


def vertices_of(tensors: Iterable[Tensor]) -> list[Any]:
    """The vertices that tensors depend on, each after its inputs."""
    return sorted(ancestors([t.node for t in tensors if t.node]), key=lambda v: int(v.number))


def unique_names(order: Iterable[Any]) -> dict[Any, str]:
    """A name for each vertex: that of its operation, numbered from the second one on."""
    counts: dict[str, int] = {}
    names: dict[Any, str] = {}
    for v in order:
        n = counts[title(v)] = counts.get(title(v), -1) + 1
        names[v] = f"{title(v)}_{n}" if n else title(v)
    return names


def title(v: Any) -> str:
    """The label of a vertex: a leaf, an operation, or one output of several."""
    if type(v) is Leaf:
        return "leaf"
    return f"{v.owner.op}.{v.index}" if type(v) is Part else str(v.op)


def type_text(v: Any) -> str:
    """The type of the output of a vertex."""
    return "several" if v.shape is SEVERAL else str(v.type)


def line(v: Any) -> str:
    """The user's line, `model.py:12`."""
    return short(v.place) if v.place and v.place[0] else ""


def line_of(v: Any, names: dict[Any, str]) -> str:
    """An operation with its operands, its line in the program and the memory it saves."""
    operands = ", ".join(names[x] if x else "constant" for x in v.inputs)
    freed = isinstance(getattr(v, "operands", None), Freed)
    size = sum({id(a): a.nbytes for a in saved_arrays(v)}.values())
    notes = [line(v), "freed" if freed else f"keeps {size} bytes" if size else ""]
    comment = ", ".join(filter(None, notes))
    text = f"  {names[v]}: {type_text(v)} = {title(v)}({operands})"
    return f"{text}  # {comment}" if comment else text


def saved_arrays(v: Any) -> list[Any]:
    """The arrays that a vertex has saved for its rules."""
    operands = getattr(v, "operands", ())
    pairs = [*zip(operands, v.inputs)] if type(operands) is tuple else []
    values = [x.value for x, _ in pairs if isinstance(x, Handle)]
    values += [x for x, vertex in pairs if is_saved_value(x, vertex)]
    return [a for a in (*values, getattr(v, "output", None)) if isinstance(a, np.ndarray)]
