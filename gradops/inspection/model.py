"""The model of pictures: graphs and tapes as plain data, which formats, layout and page read.

`staticgrad` makes it of frozen graphs, `dynamicgrad` of tapes; what is built on it knows neither.

Note [Parts of a view]. Nothing forward is computed from what is not. So the forward part has no
edges that lead out of it, and the backward part reads forward nodes, which stand in it without
inputs of their own. Ids are the same in a view and in its parts.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core.errors import OptionError
from .previews import Statistics, preview, statistics_of
from .rules import rule_text

PartName = Literal["forward", "backward", "both"]
NOTHING: Mapping[str, Any] = MappingProxyType({})
NUMBER = re.compile(r"_\d+$")


class Role(StrEnum):
    """The part that a node has in a picture."""

    INPUT = "input"
    PARAMETER = "parameter"
    CONSTANT = "constant"
    FORWARD = "forward"
    BACKWARD = "backward"
    UPDATE = "update"


AFTER_FORWARD = frozenset({Role.BACKWARD, Role.UPDATE})
NAMED = frozenset({Role.INPUT, Role.PARAMETER})
LEAVES = frozenset({Role.INPUT, Role.PARAMETER, Role.CONSTANT})


class SourceLine(NamedTuple):
    """A line of the user's program."""

    file: str  # as the code has it: a path, or `In[3]` for the cell of a notebook
    line: int
    function: str  # "" outside of functions
    text: str  # without surrounding blanks; "" if it cannot be read

    @property
    def short(self) -> str:
        """`model.py:12`."""
        return short(self.file, self.line)


@lru_cache(maxsize=4096)
def short(file: str, line: int) -> str:
    """`model.py:12`."""
    return f"{os.path.basename(file)}:{line}"


class Saved(NamedTuple):
    """A value that a node of a tape keeps for its backward."""

    name: str  # of the node or operand that it is the value of
    nbytes: int


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node of a graph or a tape.

    `shape` has numbers, and unknown sizes by name. The `dtype` of several values is the text of
    their types, "(float32[], int64[])", and their shape is (); that of an unknown type says so.
    `scope` has levels divided by slashes: "blocks/0/attn"; that of a backward node is its cause's.
    `data` is the array of a constant or a parameter, or the text of it where the array is not at
    hand.
    """

    id: int
    name: str  # unique
    op: str  # of a leaf its kind: placeholder, variable, constant, leaf, parameter
    inputs: tuple[int, ...] = ()  # by position of the operand
    shape: tuple[int | str, ...] = ()
    dtype: str = ""
    role: Role = Role.FORWARD
    scope: str = ""
    cause: int | None = None  # the node to whose gradient a backward node belongs
    places: tuple[SourceLine, ...] = ()  # several of equal expressions that became one
    attrs: Mapping[str, str] = field(default_factory=lambda: NOTHING, hash=False)
    nbytes: int | None = None  # None if a size is unknown
    outputs: tuple[str, ...] = ()  # labels: "loss", "d loss / d w1", "new w"
    graphs: tuple[str, ...] = ()  # the graphs of a loop or branch, by name
    saved: tuple[Saved, ...] = ()
    data: Any = field(default=None, compare=False, repr=False)

    @property
    def place(self) -> SourceLine | None:
        """The user's line that made the node; the first one of several."""
        return self.places[0] if self.places else None

    @property
    def line(self) -> str:
        """The user's line, `model.py:12`; empty if it is unknown."""
        return self.places[0].short if self.places else ""

    @property
    def is_leaf(self) -> bool:
        """True of inputs, parameters and constants."""
        return self.role in LEAVES

    @property
    def type(self) -> str:
        """The type as text: `float32[batch, 3]`."""
        if not self.dtype.isidentifier():
            return self.dtype
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    @property
    def title(self) -> str:
        """The heading of the node in a picture: the name that the user gave it, else the op.

        The name is that within the scope; the name of an input or a parameter is whole.
        """
        if self.role in NAMED:
            return self.name
        last = self.name.rpartition("/")[2]
        return self.op if NUMBER.sub("", last) == self.op else last

    @property
    def value(self) -> str | None:
        """The entries of a small constant or parameter, a summary of a large one; else None."""
        return self.data if self.data is None or isinstance(self.data, str) else preview(self.data)

    @property
    def statistics(self) -> Statistics | None:
        """Mean, spread and histogram of the data, computed when asked for; None without data."""
        return statistics_of(self.data) if isinstance(self.data, np.ndarray) else None

    @property
    def rule(self) -> str:
        """The derivative rules of the op as text; empty for one without."""
        return "" if self.is_leaf else rule_text(self.op)


@dataclass(frozen=True)
class GraphView:
    """A graph or a tape: nodes, each after its inputs, and which of them are what.

    `inputs` and `outputs` are ids; `updates` are pairs of the id of a variable and that of its new
    value. `graphs` has the graphs of all loops, branches and functions by name; theirs is empty.
    """

    title: str
    kind: Literal["graph", "tape"]
    nodes: tuple[NodeView, ...]
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    updates: tuple[tuple[int, int], ...] = ()
    graphs: Mapping[str, "GraphView"] = field(default_factory=lambda: NOTHING, hash=False)

    @cached_property
    def by_id(self) -> Mapping[int, NodeView]:
        """The nodes by id."""
        return {n.id: n for n in self.nodes}

    @cached_property
    def readers(self) -> Mapping[int, tuple[int, ...]]:
        """The ids of the nodes that read each node, each once, in order."""
        result: dict[int, dict[int, None]] = {n.id: {} for n in self.nodes}
        for n in self.nodes:
            for i in n.inputs:
                result[i][n.id] = None
        return {i: tuple(several) for i, several in result.items()}

    @property
    def results(self) -> frozenset[int]:
        """The ids of outputs and of new values of variables."""
        return frozenset((*self.outputs, *(new for _, new in self.updates)))

    def __len__(self) -> int:
        return len(self.nodes)

    def part(self, name: PartName) -> "GraphView":
        """The forward or the backward part, or both; updates belong to the backward part.

        See Note [Parts of a view]. Raises OptionError for another name.
        """
        if name == "both":
            return self
        if name == "forward":
            return self.restricted(forward_nodes(self))
        if name == "backward":
            return self.restricted(backward_nodes(self))
        raise OptionError("part", [], f"it is forward, backward or both, not {name!r}")

    def restricted(self, nodes: Sequence[NodeView]) -> "GraphView":
        """The view of some of the nodes."""
        kept = {n.id for n in nodes}
        needed = self.nested({name for n in nodes for name in n.graphs})
        return replace(
            self,
            nodes=tuple(n if n.cause in kept else without_cause(n) for n in nodes),
            inputs=tuple(i for i in self.inputs if i in kept),
            outputs=tuple(i for i in self.outputs if i in kept),
            updates=tuple(pair for pair in self.updates if kept.issuperset(pair)),
            graphs={k: self.graphs[k] for k in self.graphs if k in needed},
        )

    def nested(self, names: set[str]) -> set[str]:
        """The names of graphs, and of those inside them."""
        result, stack = set(names), list(names)
        while stack:
            inner = {name for n in self.graphs[stack.pop()].nodes for name in n.graphs} - result
            result |= inner
            stack += inner
        return result


def without_cause(n: NodeView) -> NodeView:
    """A node without the id of its cause."""
    return n if n.cause is None else replace(n, cause=None)


def forward_nodes(view: GraphView) -> list[NodeView]:
    """The forward nodes, and all leaves but those that only the backward reads."""
    ahead = {n.id for n in view.nodes if n.role is Role.FORWARD}
    after = {n.id for n in view.nodes if n.role in AFTER_FORWARD}

    def is_needed(i: int) -> bool:
        readers = view.readers[i]
        return after.isdisjoint(readers) or not ahead.isdisjoint(readers)

    return [n for n in view.nodes if n.role is Role.FORWARD or (n.is_leaf and is_needed(n.id))]


def backward_nodes(view: GraphView) -> list[NodeView]:
    """The nodes of the backward and of updates, and those that they read, without inputs."""
    kept = {n.id for n in view.nodes if n.role in AFTER_FORWARD}
    read = {i for n in view.nodes if n.id in kept for i in n.inputs} - kept
    read.update(v for v, _ in view.updates)
    return [
        n if n.id in kept else replace(n, inputs=())
        for n in view.nodes
        if n.id in kept or n.id in read
    ]
