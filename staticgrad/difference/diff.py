"""`diff`: the differences of two frozen graphs.

Note [Consequences]. A node that is added between two others gives its reader another operand, and
one that is removed too. Such a reader has not changed: what it reads, seen through what was added
and removed, is what it read.
"""

from collections.abc import Iterator
from typing import Literal

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, named_graphs, require_frozen
from ..text.printer import type_text, value_text
from .changes import Change, GraphDiff
from .matching import Matching
from .nets import NAMED, Net
from .refinement import refine


def diff(
    a: FrozenGraph, b: FrozenGraph, names: tuple[str, str] = ("before", "after")
) -> GraphDiff:  # fmt: skip
    """The nodes of frozen graphs that were added, removed and changed from `a` to `b`.

    Nodes are aligned by structure: names and lines may all differ. Printing the result shows the
    changes, `save` writes a page in HTML; it is false if there are none.

    >>> from staticgrad.difference.diff import diff
    >>> x = sg.placeholder("float32", [3], name="x")
    >>> a, b = (sg.freeze([sg.exp(f(x)) * 2], [x]) for f in (sg.sin, sg.cos))
    >>> print(diff(a, b))  # doctest: +ELLIPSIS
    --- before
    +++ after
    - sin: float32[3] = sin(x)  # ...
    + cos: float32[3] = cos(x)  # ...
    ~   the op was sin and is cos
    1 changed; 4 nodes are the same
    """
    whole = Difference(require_frozen("diff", a), require_frozen("diff", b))
    result = whole.result(names)
    todo, seen = list(whole.inner()), set()
    while todo:
        name, graphs = todo.pop()
        if graphs not in seen:
            seen.add(graphs)
            found = Difference(*graphs)
            result.inner[name] = found.result(names)
            todo += [(f"{name}/{inner}", each) for inner, each in found.inner()]
    return result


class Difference:
    """The differences of two graphs, without those inside them."""

    def __init__(self, a: FrozenGraph, b: FrozenGraph) -> None:
        self.a, self.b = Net(a), Net(b)
        self.matching = Matching(self.a, self.b)
        refine(self.matching)

    def result(self, names: tuple[str, str]) -> GraphDiff:
        """The differences."""
        changes = tuple(change for _, change in sorted(self.changes(), key=lambda pair: pair[0]))
        paired = sum(j != -1 for j in self.matching.ahead[: len(self.a.nodes)])
        changed = sum(c.kind == "changed" and c.before is not None for c in changes)
        graphs = self.a.graph, self.b.graph
        return GraphDiff(*graphs, changes, paired - changed, names=names)

    def changes(self) -> Iterator[tuple[tuple[int, int], Change]]:
        """The changes, each with its place in the order of the graphs."""
        ahead, back = self.matching.ahead, self.matching.back
        last = -1
        for i, j in enumerate(ahead):
            before = self.node(self.a, i)
            if j == -1:
                yield (last, i), only_in_one("removed", before, f"{self.a.names[i]} is no more")
                continue
            last = j
            if what := tuple(self.what(i, j)):
                yield (j, -1), Change("changed", before, self.node(self.b, j), what)
        for j, i in enumerate(back):
            if i == -1:
                after = self.node(self.b, j)
                yield (j, 0), only_in_one("added", after, f"{self.b.names[j]} is new")

    @staticmethod
    def node(net: Net, i: int) -> Expr | None:
        """The expression of a number; None for a sink."""
        return net.nodes[i] if i < len(net.nodes) else None

    def what(self, i: int, j: int) -> Iterator[str]:
        """The changes between two partners, in words."""
        old, new = self.a.inputs[i], self.b.inputs[j]
        is_node = i < len(self.a.nodes)
        if is_node:
            yield from changes_of(self.a.nodes[i], self.b.nodes[j])
        for position, (x, y) in enumerate(zip(old, new)):
            if not self.matching.is_consequence(x, y):
                where = f"operand {position}" if is_node else self.a.names[i]
                yield f"{where} was {self.a.names[x]} and is {self.b.names[y]}"
        yield from (f"operand {self.a.names[x]} is no more" for x in old[len(new) :])
        yield from (f"operand {self.b.names[y]} is new" for y in new[len(old) :])

    def inner(self) -> Iterator[tuple[str, tuple[FrozenGraph, FrozenGraph]]]:
        """The graphs inside partners that differ, with a name."""
        for i, j in enumerate(self.matching.ahead[: len(self.a.nodes)]):
            if j == -1 or j >= len(self.b.nodes):
                continue
            old, new = self.a.nodes[i], self.b.nodes[j]
            pairs = zip(named_graphs(old), named_graphs(new))
            for (name, before), (_, after) in pairs:
                if before != after:
                    yield f"{new.name}.{name}", (before, after)


def only_in_one(kind: Literal["removed", "added"], e: Expr | None, text: str) -> Change:
    """The change by a node that one graph has; without one, that of the results, in words."""
    if e is None:
        return Change("changed", None, None, (text,))
    return Change(kind, e, None) if kind == "removed" else Change(kind, None, e)


def changes_of(old: Expr, new: Expr) -> Iterator[str]:
    """The differences between two expressions themselves, in words."""
    if old.what != new.what:
        yield f"the op was {old.what} and is {new.what}"
        return
    if old.op is None:
        yield from changes_of_leaf(old, new)
        return
    for name in dict.fromkeys([*old.attrs, *new.attrs]):
        before, after = old.attrs.get(name), new.attrs.get(name)
        if isinstance(before, FrozenGraph) and isinstance(after, FrozenGraph):
            if before != after:
                yield f"the graph {name} is another"
        elif repr(before) != repr(after):
            yield f"{name} was {attribute_text(before)} and is {attribute_text(after)}"


def attribute_text(value: object) -> str:
    """The value of an attribute."""
    return repr(value) if has_graph(value) else value_text(value)


def has_graph(value: object) -> bool:
    """True if there is a graph in an attribute."""
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(v, FrozenGraph) for v in parts)


def changes_of_leaf(old: Expr, new: Expr) -> Iterator[str]:
    """The differences between two leaves, in words."""
    if old.type != new.type:
        yield f"the type was {type_text(old.type)} and is {type_text(new.type)}"
    elif old.kind is Kind.CONSTANT and old.value.tobytes() != new.value.tobytes():
        yield "the value is another"
    elif old.kind is Kind.SIZE and old.value != new.value:
        yield f"the size was {old.value} and is {new.value}"
    if old.kind in NAMED and old.name != new.name:
        yield f"the name was {old.name} and is {new.name}"
