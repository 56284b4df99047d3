"""Which entries of x the entries of each value of a frozen graph depend on.

See Note [Row sets] in `row_sets.py` and Note [Dependence] in `families.py`. A value of a tuple or
of a list has one entry for each part. Of what is not known, as the number of steps of a while loop,
a value has one set for all of its entries.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradops.core.op import compute
from gradops.core.traits import Trait

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.tuple_types import HistoryType, TupleType
from .families import Application, dependence
from .row_sets import RowSets

FOLDED = 1 << 22  # entries of values that are computed here, of what depends on no input

Value = Any  # numbers of sets, a list of such values, or a `Uniform`


class Uniform:
    """A value of unknown sizes, all of whose entries have one set."""

    def __init__(self, id: int) -> None:
        self.id = id


class Propagation:
    """The patterns of values, and notes of what is over-approximated.

    `rules` are those of loops and branches, by the names of ops: see `control.py`.
    """

    def __init__(self, sets: RowSets, rules: Mapping[str, Callable[..., Value]]) -> None:
        self.sets, self.rules = sets, rules
        self.notes: dict[str, str] = {}

    def outputs(self, graph: FrozenGraph, given: Sequence[Value]) -> list[Value]:
        """The patterns of the outputs of a graph, for those of its inputs."""
        found: dict[Expr, Value] = dict(zip(graph.inputs, given, strict=True))
        known: dict[Expr, Any] = {}
        for e in graph.order:
            if e not in found:
                found[e] = self.value(graph, e, found, known)
        return [found[e] for e in graph.outputs]

    def value(
        self, graph: FrozenGraph, e: Expr, found: Mapping[Expr, Value], known: dict[Expr, Any]
    ) -> Value:
        """The pattern of one expression; what depends on no input is computed, too."""
        if e.op is None:
            if e.kind is Kind.CONSTANT:
                known[e] = np.asarray(e.value)
            return self.nothing(e)
        if all(x in known for x in e.inputs):
            self.fold(e, known)
        given = [found[x] for x in e.inputs]
        if not any(map(depends, given)):
            return self.nothing(e)
        rule = self.rules.get(e.op.name)
        if rule is not None:
            return rule(self, e, given)
        if Trait.CONTROL in e.op.traits or not is_plain(e) or not all(map(is_plain, e.inputs)):
            return self.everything(graph, e, given)
        a = Application(self.sets, e, given, [known.get(x) for x in e.inputs], dict(e.attrs))
        ids, exact = dependence(a)
        if not exact:
            self.note(graph, e)
        return ids

    def fold(self, e: Expr, known: dict[Expr, Any]) -> None:
        """Compute what depends on no input, if it is small and has no effect."""
        assert e.op is not None
        plain = is_plain(e) and e.op.traits.isdisjoint({Trait.CONTROL, Trait.EFFECT})
        if plain and np.prod(e.shape) <= FOLDED:
            with np.errstate(all="ignore"):
                known[e] = np.asarray(compute(e.op, [known[x] for x in e.inputs], dict(e.attrs)))

    def nothing(self, e: Expr) -> Value:
        """The value of what does not depend on x."""
        return self.filled(e.type, 0)

    def filled(self, type: Any, id: int) -> Value:
        """A value whose entries all have one set."""
        if isinstance(type, TupleType):
            return [self.filled(t, id) for t in type.parts]
        if isinstance(type, HistoryType) and isinstance(type.length, int):
            return [self.filled(type.element, id) for _ in range(type.length)]
        if type.dtype.kind == "O" or not all(isinstance(n, int) for n in type.shape):
            return Uniform(id)
        return np.full(int(np.prod(type.shape)), id)

    def everything(self, graph: FrozenGraph, e: Expr, given: Sequence[Value]) -> Value:
        """The value of an op of which only the operands are known."""
        self.note(graph, e)
        return self.filled(e.type, self.total(given))

    def total(self, values: Sequence[Value]) -> int:
        """The union of all sets in values."""
        ids = [np.atleast_1d(v.id if isinstance(v, Uniform) else v) for v in leaves(values)]
        return self.sets.everything(np.concatenate(ids)) if ids else 0

    def note(self, graph: FrozenGraph, e: Expr) -> None:
        """Note that entries may depend on less than is said."""
        assert e.op is not None
        self.notes.setdefault(e.label, graph.blame(e))

    def union(self, a: Value, b: Value) -> Value:
        """The unions of two values, entry by entry."""
        if isinstance(a, list) and isinstance(b, list):
            return [self.union(x, y) for x, y in zip(a, b, strict=True)]
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            return self.sets.union(a, b)
        return Uniform(self.total([a, b]))


def is_plain(e: Expr) -> bool:
    """True for a value that is an array of known shape."""
    t = e.type
    if isinstance(t, TupleType | HistoryType) or t.dtype.kind == "O":
        return False
    return all(isinstance(n, int) for n in t.shape)


def leaves(values: Sequence[Value]) -> list[Any]:
    """The values in nested lists, in order."""
    found, stack = [], list(values)
    while stack:
        v = stack.pop()
        if isinstance(v, list):
            stack.extend(v)
        else:
            found.append(v)
    return found


def depends(value: Value) -> bool:
    """True if some entry depends on x."""
    return any(v.id != 0 if isinstance(v, Uniform) else v.any() for v in leaves([value]))
