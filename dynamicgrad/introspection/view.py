"""The tape as pictures have it: what was recorded, and what backward will do with it.

Note [Backward of a tape]. A tape has no backward until that runs. So its picture has, for each
recorded operation, a node under PyTorch's name that reads the cotangents and the saved values that
the operation's rules will read; leaves have one that accumulates the gradient. Data that requires
no gradient is not on the tape, but the nodes know its types and save what rules read of it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from posixpath import commonpath
from typing import Any

import numpy as np

from gradops import ArrayType
from gradops.core.source_location import describe
from gradops.core.types import type_of
from gradops.inspection.lines import source_line_of
from gradops.inspection.model import NOTHING, GraphView, NodeView, Role, Saved, SourceLine
from gradops.transforms.reverse import ancestors
from gradops.transforms.several_outputs import SEVERAL

from ..engine.handle import Handle
from ..engine.node import Leaf, Part
from ..engine.saved_tensors import Freed, is_saved_value
from .variable_names import names_of_tensors

NUMBERS = (bool, int, float, complex)


def tape_view(
    *tensors: Handle, title: str = "tape", names: Mapping[str, Any] = NOTHING
) -> GraphView:
    """The picture's model of the operations that tensors depend on, and of their backward.

    `names` has tensors by name; others have the path in their module, or the name of the variable
    in the calling function.

    >>> from dynamicgrad.introspection.view import tape_view
    >>> w = dg.ones(2, requires_grad=True)
    >>> loss = (w * dg.ones(2)).sum()
    >>> for n in tape_view(loss).nodes:
    ...     print(n.title, n.type, n.role, *n.outputs)
    w float32[2] parameter
    data float32[2] input
    mul float32[2] forward
    sum float32[] forward loss
    ones_like float32[] backward
    SumBackward0 float32[2] backward
    MulBackward0 float32[2] backward
    AccumulateGrad float32[2] backward d loss / d w
    """
    order = vertices_of(tensors)
    builder = Builder(names_of_tensors(order, names))
    outputs = builder.add_forward(order, tensors)
    builder.add_backward(order, tensors)
    return builder.view(title, outputs)


def forward_view(
    *tensors: Handle, title: str = "tape", names: Mapping[str, Any] = NOTHING
) -> GraphView:
    """The forward part of `tape_view`, without making the rest."""
    order = vertices_of(tensors)
    builder = Builder(names_of_tensors(order, names))
    return builder.view(title, builder.add_forward(order, tensors))


def vertices_of(tensors: Iterable[Handle]) -> list[Any]:
    """The vertices that tensors depend on, each after its inputs."""
    return sorted(ancestors([t.node for t in tensors if t.node]), key=lambda v: int(v.number))


class Builder:
    """Makes the nodes of a view of a tape."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names
        self.nodes: list[NodeView] = []
        self.ids: dict[int, int] = {}  # of the node of a vertex, or of data, by its address
        self.kept: list[Any] = []  # so that no address is that of two objects
        self.counts: dict[str, int] = {}
        self.lines: dict[tuple[int, int], SourceLine] = {}
        self.labels: dict[int, list[str]] = {}
        self.saved_at: dict[int, list[int]] = {}  # positions of saved operands, by vertex

    def add_forward(self, order: Sequence[Any], tensors: Sequence[Handle]) -> list[int]:
        """Add the nodes of what was recorded; the ids of the nodes of the tensors."""
        for v in order:
            self.add(v)
        return [self.output(t) for t in tensors]

    def view(self, title: str, outputs: Sequence[int]) -> GraphView:
        """The view of all nodes."""
        nodes = tuple(self.labelled())
        inputs = tuple([n.id for n in nodes if n.is_leaf and n.role is not Role.CONSTANT])
        return GraphView(title, "tape", nodes, inputs, tuple(outputs))

    def new(self, name: str, op: str, **facts: Any) -> int:
        """A new node under a name that is made unique; its id."""
        return self.put(self.unique(name), op, **facts)

    def put(self, name: str, op: str, **facts: Any) -> int:
        """A new node under a name that no other node has; its id."""
        self.nodes.append(NodeView(len(self.nodes), name, op, **facts))
        return len(self.nodes) - 1

    def unique(self, name: str) -> str:
        """The name, numbered from the second use on."""
        n = self.counts[name] = self.counts.get(name, -1) + 1
        return self.unique(f"{name}_{n}") if n else name

    def add(self, v: Any) -> None:
        """Add the node of a vertex, after those of its data."""
        if type(v) is Leaf:
            self.ids[id(v)] = self.leaf(v)
            return
        inputs = tuple(self.operands(v))
        part = type(v) is Part
        name = self.unique(f"{v.owner.op}.{v.index}" if part else str(v.op))
        shape, dtype, nbytes = type_facts(v)
        self.saved_at[id(v)] = kept = saved_operands(v)
        for i in kept:
            self.give_data(inputs[i], v.operands[i])
        self.ids[id(v)] = self.put(
            name, "part" if part else str(v.op), inputs=inputs, shape=shape, dtype=dtype,
            scope=self.scope_of(inputs), places=self.places(v), attrs=attributes(v),
            nbytes=nbytes, saved=tuple(dict.fromkeys(self.saved(v, inputs, name))),
        )  # fmt: skip

    def leaf(self, v: Leaf) -> int:
        """The node of a leaf."""
        t = v.variable
        op = "parameter" if getattr(t, "is_parameter", False) else "leaf"
        name = self.names.get(id(v), op)
        shape, dtype, nbytes = type_facts(v)
        value = None if t is None else array_of(t)
        return self.new(
            name, op, shape=shape, dtype=dtype, role=Role.PARAMETER, scope=scope_of(name),
            nbytes=nbytes, data=value,
        )  # fmt: skip

    def give_data(self, i: int, saved: Any) -> None:
        """Give a leaf whose tensor is gone the value that was saved of it."""
        n = self.nodes[i]
        if n.data is None and n.role is Role.PARAMETER:
            self.nodes[i] = replace(n, data=array_of(saved))

    def operands(self, v: Any) -> list[int]:
        """The ids of the operands of a vertex, with new nodes for data."""
        known = v.operands if type(v.operands) is tuple else (None,) * len(v.inputs)
        return [
            self.data(known[i]) if x is None else self.ids[id(x)] for i, x in enumerate(v.inputs)
        ]

    def data(self, x: Any) -> int:
        """The node of an operand that is not on the tape: a number, saved data, or just a type."""
        value = x.value if isinstance(x, Handle) else x
        if isinstance(value, NUMBERS):
            return self.new("constant", "constant", role=Role.CONSTANT, data=repr(value))
        if id(value) not in self.ids or isinstance(value, ArrayType | None):
            self.kept.append(value)
            name = self.names.get(id(x)) or self.names.get(id(value), "data")
            shape, dtype, nbytes = type_facts(value)
            self.ids[id(value)] = self.new(
                name, "data", shape=shape, dtype=dtype, role=Role.INPUT, scope=scope_of(name),
                nbytes=nbytes, data=array_of(value),
            )  # fmt: skip
        return self.ids[id(value)]

    def scope_of(self, inputs: Sequence[int]) -> str:
        """The scope that the parameters among operands have in common."""
        nodes = [self.nodes[i] for i in inputs]
        scopes = [n.scope for n in nodes if n.role is Role.PARAMETER and n.scope]
        return commonpath(scopes) if scopes else ""

    def places(self, v: Any) -> tuple[SourceLine, ...]:
        """The user's line."""
        if not v.place or not v.place[0]:
            return ()
        key = id(v.place[0]), v.place[1]
        if key not in self.lines:
            self.lines[key] = source_line_of(v.place)
        return (self.lines[key],)

    def saved(self, v: Any, inputs: Sequence[int], name: str) -> Iterable[Saved]:
        """The arrays that a vertex keeps for its rules."""
        for i in self.saved_at[id(v)]:
            a = array_of(v.operands[i])
            if a is not None:
                yield Saved(self.nodes[inputs[i]].name, a.nbytes)
        if isinstance(output := getattr(v, "output", None), np.ndarray | np.generic):
            yield Saved(name, output.nbytes)

    def output(self, t: Handle) -> int:
        """The node of a tensor, with its name as a label."""
        i = self.data(t) if t.node is None else self.ids[id(t.node)]
        self.labels.setdefault(i, []).append(self.title_of(t))
        return i

    def title_of(self, t: Handle) -> str:
        """The name of an output."""
        named = self.names.get(id(t))
        if named is None and t.node is not None:
            named = self.nodes[self.ids[id(t.node)]].title
        return named or "data"

    def labelled(self) -> Iterable[NodeView]:
        """The nodes with the labels of outputs."""
        for n in self.nodes:
            yield replace(n, outputs=tuple(self.labels[n.id])) if n.id in self.labels else n

    def add_backward(self, order: Sequence[Any], tensors: Sequence[Handle]) -> None:
        """Add the nodes of the backward. See Note [Backward of a tape]."""
        arriving: dict[int, list[int]] = {}
        for t in tensors:
            if t.node is not None:
                i = self.seed(t.node)
                arriving.setdefault(id(owner(t.node)), []).append(i)
        y = " + ".join(dict.fromkeys(self.title_of(t) for t in tensors))
        for v in reversed(order):
            if type(v) is Part or id(v) not in arriving:
                continue
            i = self.backward_of(v, arriving[id(v)])
            if type(v) is Leaf:
                name = self.nodes[self.ids[id(v)]].name
                self.labels[i] = [f"d {y if '+' not in y else f'({y})'} / d {name}"]
            for k in getattr(v, "wanted", ()):
                arriving.setdefault(id(owner(v.inputs[k])), []).append(i)

    def seed(self, v: Any) -> int:
        """The node of the cotangent at an output."""
        n = self.nodes[self.ids[id(v)]]
        return self.new(
            f"gradients/{n.name}/ones_like", "ones_like", shape=n.shape, dtype=n.dtype,
            role=Role.BACKWARD, scope=n.scope, cause=n.id, nbytes=n.nbytes,
        )  # fmt: skip

    def backward_of(self, v: Any, cotangents: Sequence[int]) -> int:
        """The node of the backward of a vertex."""
        n = self.nodes[self.ids[id(v)]]
        read = [n.inputs[i] for i in self.saved_at.get(id(v), ())] + [n.id] * saves_output(v)
        ends = [self.nodes[n.inputs[i]] for i in getattr(v, "wanted", ())] or [n]
        one = ends[0] if len(ends) == 1 else None
        op = v.name()
        return self.new(
            f"gradients/{n.name}/{op}", op, inputs=(*cotangents, *read),
            shape=one.shape if one else (),
            dtype=one.dtype if one else f"({', '.join(e.type for e in ends)})",
            role=Role.BACKWARD, scope=n.scope, cause=n.id, places=n.places,
            nbytes=sum(e.nbytes or 0 for e in ends),
        )  # fmt: skip


def owner(v: Any) -> Any:
    """The node of a vertex, which for one output of several is their node."""
    return v.owner if type(v) is Part else v


def saved_operands(v: Any) -> list[int]:
    """The positions of operands whose values a vertex keeps for its rules."""
    operands = getattr(v, "operands", ())
    if type(operands) is not tuple or type(v) is Part:
        return []
    return [
        i for i, (x, vertex) in enumerate(zip(operands, v.inputs, strict=True))
        if isinstance(x, Handle | np.ndarray) or is_saved_value(x, vertex)
    ]  # fmt: skip


def saves_output(v: Any) -> bool:
    """True if a vertex keeps its result for its rules."""
    return getattr(v, "output", None) is not None


def array_of(x: Any) -> np.ndarray | None:
    """The array of a tensor or saved value, if it has one."""
    value = x.value if isinstance(x, Handle) else x
    return np.asarray(value) if isinstance(value, np.ndarray | np.generic) else None


def type_facts(x: Any) -> tuple[tuple[int | str, ...], str, int | None]:
    """The shape, the dtype and the bytes of a vertex, a value or a type."""
    if getattr(x, "shape", None) is SEVERAL:
        return (), "several values", None
    if x is None:  # of an operand of a freed node
        return (), "unknown type", None
    if isinstance(x, NUMBERS):
        x = type_of(x)
    if not all(isinstance(n, int) for n in x.shape):  # of a traced tensor
        return tuple(map(str, x.shape)), name_of(x.dtype), None
    return tuple(x.shape), name_of(x.dtype), math.prod(x.shape) * x.dtype.itemsize


@lru_cache
def name_of(dtype: np.dtype) -> str:
    """The name of a dtype, which NumPy takes long to make."""
    return dtype.name


def attributes(v: Any) -> Mapping[str, str]:
    """The attributes of an operation as text, and where it was freed."""
    result = {k: repr(x) for k, x in v.attrs.items()}
    if isinstance(freed := getattr(v, "operands", None), Freed):
        result["freed"] = describe(freed.place)
    return result or NOTHING


def scope_of(name: str) -> str:
    """The scope of a parameter's path: `blocks/0/attn` for `blocks.0.attn.weight`."""
    return name.rpartition(".")[0].replace(".", "/")
