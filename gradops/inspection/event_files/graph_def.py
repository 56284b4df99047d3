"""Graphs as messages of TensorBoard's protocol, which it draws."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .event_file import tensorboardx

NOT_IN_NAMES = re.compile(r"[^\w./-]")
OPS = {"placeholder": "Placeholder", "constant": "Const", "variable": "VariableV2"}
"""TensorFlow's names of leaves, for which TensorBoard has shapes of their own."""


@dataclass(frozen=True)
class GraphNode:
    """A node of a graph: what TensorBoard shows of it. `inputs` are names, as are `after`.

    A size in `shape` that is not a number is unknown; `dtype` is None for several values.
    """

    name: str
    op: str
    inputs: Sequence[str] = ()
    after: Sequence[str] = ()
    shape: Sequence[object] = ()
    dtype: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)


def graph_def(nodes: Iterable[GraphNode]) -> Any:
    """The message for nodes, each of which has a name of its own and comes after its inputs."""
    names: dict[str, str] = {}
    graph = tensorboardx("proto.graph_pb2").GraphDef()
    graph.versions.producer = 22
    taken: set[str] = set()
    for node in nodes:
        names[node.name] = name = free(NOT_IN_NAMES.sub("_", node.name) or "_", taken)
        taken.add(name)
        add(graph.node.add(), node, name, names)
    return graph


def free(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken."""
    result, count = name, 1
    while result in taken:
        result, count = f"{name}_{count}", count + 1
    return result


def add(message: Any, node: GraphNode, name: str, names: Mapping[str, str]) -> None:
    """Fill in the message of a node."""
    message.name, message.op = name, OPS.get(node.op, node.op)
    message.input.extend(names[x] for x in node.inputs)
    message.input.extend(f"^{names[x]}" for x in node.after)
    for key, value in node.attributes.items():
        message.attr[key].s = value.encode()
    if node.dtype is not None:
        message.attr["dtype"].type = type_number(node.dtype)
        shape = message.attr["_output_shapes"].list.shape.add()
        for n in node.shape:
            shape.dim.add(size=int(n) if isinstance(n, int | np.integer) else -1)


def type_number(dtype: str) -> int:
    """The number of a dtype in the protocol."""
    types = tensorboardx("proto.types_pb2").DataType
    short = {"float16": "HALF", "float32": "FLOAT", "float64": "DOUBLE"}
    label = short.get(dtype, dtype.upper())
    return dict(types.items()).get(f"DT_{label}", 0)
