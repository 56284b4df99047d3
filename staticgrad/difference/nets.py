"""Graphs as lists of numbers, for matching: labels, operands and readers of nodes."""

from collections.abc import Hashable, Sequence

import numpy as np

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.interning import attributes_key

NAMED = (Kind.PLACEHOLDER, Kind.VARIABLE, Kind.PARAMETER)


class Net:
    """The nodes of a graph, and after them sinks, which read what the graph returns.

    Nodes are numbers. `labels` are equal for equal computations of equal operands, `kinds` for the
    same op. `readers[i]` has pairs of a reader and the position of the operand.
    """

    def __init__(self, graph: FrozenGraph) -> None:
        self.graph, self.nodes = graph, graph.order
        numbers = {e: i for i, e in enumerate(self.nodes)}
        self.labels: list[Hashable] = [label_of(e) for e in self.nodes]
        self.kinds: list[Hashable] = [e.what for e in self.nodes]
        self.names = [e.name for e in self.nodes]
        self.inputs: list[Sequence[int]] = [[numbers[x] for x in e.inputs] for e in self.nodes]
        for i, e in enumerate(graph.outputs):
            self.add_sink(f"result {i}", [numbers[e]])
        for i, e in enumerate(graph.measured):
            self.add_sink(f"measured value {i}", [numbers[e]])
        for v, new in graph.updates:
            self.add_sink(f"the new value of {v.name}", [numbers[new]])
        self.readers: list[list[tuple[int, int]]] = [[] for _ in self.inputs]
        for i, operands in enumerate(self.inputs):
            for position, x in enumerate(operands):
                self.readers[x].append((i, position))

    def add_sink(self, name: str, operands: Sequence[int]) -> None:
        """Add a node that reads results."""
        self.labels.append(name)
        self.kinds.append(name)
        self.names.append(name)
        self.inputs.append(operands)

    def __len__(self) -> int:
        return len(self.inputs)

    def key(self, i: int) -> Hashable:
        """The label of a node; of an input with its name, by which it is fed."""
        if i < len(self.nodes) and self.nodes[i].kind in NAMED:
            return self.labels[i], self.names[i]
        return self.labels[i]


def label_of(e: Expr) -> Hashable:
    """Equal for expressions that compute the same of equal operands."""
    if e.op is not None:
        return e.what, attributes_key(e.attrs)
    if e.kind is Kind.CONSTANT:
        return e.what, e.type, np.ascontiguousarray(e.value).tobytes()
    return (e.what, e.type, e.value) if e.kind is Kind.SIZE else (e.what, e.type)
