"""All entries along the first dimension at once, as parts of one node.

The backward of as many single entries would add up as many arrays of the size of the whole; that
of this one puts their gradients side by side.
"""

from typing import Any

import gradops as ops
from gradops.places import here

from .handle import Handle, hold
from .modes import is_recording
from .tape import NOTHING, SEVERAL, Node, Part, Parts, clock, new, only_type


class Unbind:
    """Stands where an op does on the node of what was taken apart."""

    name, traits = "unbind", frozenset[str]()

    def __init__(self) -> None:
        self.vjp = (side_by_side,)

    def __str__(self) -> str:
        return self.name


def side_by_side(g: Parts, y: Any, x: Any) -> Any:
    """The cotangents of all entries, zeros where there is none, as one array."""
    known = g.by_index
    none = ops.zeros_like(next(iter(known.values())))
    return ops.stack([known.get(i, none) for i in range(x.shape[0])])


UNBIND = Unbind()


def entries(x: Handle) -> list[Handle]:
    """The entries of a tensor along its first dimension; nobody writes to it or to them."""
    values = [x.value[i] for i in range(x.value.shape[0])]
    if x.node is None or not is_recording():
        return [hold(type(x), v) for v in values]
    node = new(Node)
    node.op, node.inputs, node.attrs = UNBIND, (x.node,), NOTHING
    node.operands, node.output = (only_type(x),), None
    node.number, node.watch, node.storage = next(clock), None, None
    node.shape = node.dtype = SEVERAL
    node.code, node.offset = here() or (None, 0)
    return [hold(type(x), v, Part(node, i, v.shape, v.dtype)) for i, v in enumerate(values)]
