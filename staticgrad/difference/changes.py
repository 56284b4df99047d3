"""The differences of two graphs as data, as text and in HTML."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph, inner_graphs
from ..text.printer import line_of, printed_names

Kind = Literal["removed", "added", "changed"]
MARKS: dict[Kind, str] = {"removed": "-", "added": "+", "changed": "~"}


@dataclass(frozen=True)
class Change:
    """A node that only one graph has, or one that is another in the second; results, too.

    `what` says what has changed of a node: op, attributes, value, type, name, or an operand.
    """

    kind: Kind
    before: Expr | None
    after: Expr | None
    what: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphDiff:
    """The differences of two graphs; false if there are none.

    `changes` are in the order of the graphs. `same` is the number of nodes that both have.
    `inner` has the differences of graphs of loops and branches, by name.
    """

    before: FrozenGraph = field(repr=False)
    after: FrozenGraph = field(repr=False)
    changes: tuple[Change, ...]
    same: int
    inner: dict[str, "GraphDiff"] = field(default_factory=dict)
    names: tuple[str, str] = ("before", "after")

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def count(self, kind: Kind) -> int:
        """The number of changes of a kind."""
        return sum(c.kind == kind for c in self.changes)

    @property
    def summary(self) -> str:
        """How many changes of each kind there are."""
        if not self:
            return f"no difference; {self.same} nodes are the same"
        counts = ", ".join(f"{n} {kind}" for kind in MARKS if (n := self.count(kind)))
        return f"{counts}; {self.same} nodes are the same"

    def lines(self) -> list[tuple[str, str]]:
        """The changes as lines of text, each with its mark."""
        old, new = (Lines(graph) for graph in (self.before, self.after))
        result = []
        for c in self.changes:
            if c.before is not None and c.kind != "added":
                result.append((MARKS[c.kind].replace("~", "-"), old.of(c.before)))
            if c.after is not None and c.kind != "removed":
                result.append((MARKS[c.kind].replace("~", "+"), new.of(c.after)))
            if c.what:
                result.append(("~", f"  {'; '.join(c.what)}"))
        return result

    def __str__(self) -> str:
        marks = zip("-+", self.names)
        head = [f"{mark * 3} {name}" for mark, name in marks] if self else []
        body = [f"{mark} {text}" for mark, text in self.lines()]
        inside = [f"\nin graph {name}:\n{each}" for name, each in self.inner.items()]
        return "\n".join([*head, *body, self.summary, *inside])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the differences as a page in HTML that needs no network."""
        from .as_html import page

        Path(path).write_text(page(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        from .as_html import listing

        return listing(self)


class Lines:
    """The lines of the text of a graph."""

    def __init__(self, graph: FrozenGraph) -> None:
        self.names, self.graphs = printed_names(graph), inner_graphs(graph)
        self.graph, self.inputs = graph, set(graph.inputs)

    def of(self, e: Expr) -> str:
        """The line of an expression, with the lines of the program that made it."""
        if e in self.inputs:
            return f"{e.what} {self.names[e]}: {e.type}"
        text = line_of(e, self.names, self.graphs, self.graph.lines(e)).strip()
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


LONGEST = 400  # characters of a line
