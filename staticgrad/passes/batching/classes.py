"""Classes of ops that compute the same of other operands, and do not depend on each other.

Note [Colors]. Two ops have the same color if they have the same op, attributes and types, and their
operands have the same colors: they compute the same of different leaves. Constants have the color
of their type, as have the rows of an array. Colors from above are of the users in the place of the
operands: they join ops of a derivative, which begin with different cotangents and are used in the
same way. An op is in the larger one of its two classes. Members of a class lie equally far from
the leaves, or from the results, so none depends on another.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gradops import ArrayType
from gradops.core.traits import Trait

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph, has_graphs
from ...ir.interning import attributes_key
from ...ir.nominal import nominal_bytes

LEAST = 4  # members of a class
MOST_BYTES = 8192  # of a member: the work of larger ones is not in the call


@dataclass(frozen=True, eq=False)
class Pack:
    """The members of a class, in the order of the graph or of their operands."""

    members: tuple[Expr, ...]


def packs_of(graph: FrozenGraph) -> list[Pack]:
    """The classes of a graph that may be computed as one."""
    count = Counter(row for e in graph.order if (row := row_of(e)) is not None)
    rows = {row for row, n in count.items() if n >= LEAST}
    if not rows:  # nothing but rows and constants makes two colors equal, and these are not enough
        return []
    down, up = colors(graph, rows), colors_from_above(graph)
    sizes = Counter(down.values()), Counter(up.values())
    classes: dict[tuple[bool, int], list[Expr]] = defaultdict(list)
    for e in graph.order:
        below, above = sizes[0][down[e]], sizes[1].get(up.get(e, -1), 0)
        if max(below, above) >= LEAST and is_small(e):
            classes[above > below, up[e] if above > below else down[e]].append(e)
    packs = [Pack(tuple(c)) for c in classes.values() if len(c) >= LEAST]
    return aligned(acyclic(graph, packs))


def is_small(e: Expr) -> bool:
    """True for an op on few values of known size, without effects, that gives a small array."""
    if e.op is None or has_graphs(e) or Trait.EFFECT in e.op.traits or not e.inputs:
        return False
    return all(
        type(x.type) is ArrayType
        and all(type(n) is int for n in x.shape)
        and nominal_bytes(x.type) <= MOST_BYTES
        for x in (e, *(x for x in e.inputs if row_of(e) is None))
    )


def row_of(e: Expr) -> Hashable:
    """The array and the rest of the index of a row; None for an op that is no row."""
    if e.op is None or e.op.name != "slice" or len(e.inputs) != 1:
        return None
    first, *rest = e.attrs["index"] or [None]
    return (e.inputs[0], tuple(rest)) if type(first) is int and first >= 0 else None


def colors(graph: FrozenGraph, rows: Collection[Hashable]) -> Mapping[Expr, int]:
    """The colors of all expressions, from their operands. See Note [Colors]."""
    table: dict[Hashable, int] = {}
    result: dict[Expr, int] = {}
    for e in graph.order:
        row = row_of(e)
        if e.op is None:
            key: Hashable = e.type if e.kind is Kind.CONSTANT else e
        elif row in rows:
            key = row
        else:
            key = e if has_graphs(e) else (*form(e), *[result[x] for x in e.inputs])
        result[e] = table.setdefault(key, len(table))
    return result


def colors_from_above(graph: FrozenGraph) -> Mapping[Expr, int]:
    """The colors of all expressions, from those that read them. See Note [Colors].

    Only what is stacked is read in the same way as others: without stacks all colors differ.
    """
    if not any(map(is_join, graph.order)):
        return {}
    uses: dict[Expr, list[tuple[int, int]]] = defaultdict(list)
    for k, e in enumerate((*graph.results, *graph.measured)):
        uses[e].append((-1, k))
    table: dict[Hashable, int] = {}
    result: dict[Expr, int] = {}
    for e in reversed(graph.order):
        types = tuple([x.type for x in e.inputs])
        own: Hashable = e if e.op is None or has_graphs(e) else (*form(e), types)
        color = result[e] = table.setdefault((own, tuple(sorted(uses[e]))), len(table))
        joins = is_join(e)
        for k, x in enumerate(e.inputs):
            uses[x].append((color, 0 if joins else k))
    return result


def is_join(e: Expr) -> bool:
    """True for a stack of several values."""
    return e.op is not None and e.op.name == "stack" and len(e.inputs) >= LEAST


def form(e: Expr) -> tuple[Hashable, ...]:
    """The op, attributes and type of an expression: all of it but its operands."""
    assert e.op is not None
    return e.op.name, attributes_key(e.attrs) if e.attrs else (), e.type


Unit = Expr | Pack


def aligned(units: "Units") -> list[Pack]:
    """The packs with their members in the order of their operands, where these have one.

    A derivative goes through its program backwards. Members in the order of what they read need
    the arrays of other packs as these are.
    """
    places: dict[Expr, tuple[int, int]] = {}  # of members: the pack, and the place in it
    result: list[Pack] = []
    for unit in units.in_order():
        if isinstance(unit, Pack):
            pack = Pack(in_order_of_operands(unit.members, places))
            places.update({e: (len(result), i) for i, e in enumerate(pack.members)})
            result.append(pack)
    return result


def in_order_of_operands(
    members: Sequence[Expr], places: Mapping[Expr, tuple[int, int]]
) -> tuple[Expr, ...]:
    """Members ordered by the rows that they are, or by the operands that come of fewest packs."""
    if all(row_of(e) is not None for e in members) and len({e.inputs[0] for e in members}) == 1:
        return tuple(sorted(members, key=lambda e: e.attrs["index"][0]))
    orders = []
    for k in range(len(members[0].inputs)):
        values = [e.inputs[k] for e in members]
        if len(set(values)) == len(values) and all(x in places for x in values):
            orders.append((len({places[x][0] for x in values}), k))
    if not orders:
        return tuple(members)
    _, k = min(orders)
    return tuple(sorted(members, key=lambda e: places[e.inputs[k]]))


class Units:
    """The packs of a graph and its other expressions, and what each of them needs."""

    def __init__(self, graph: FrozenGraph, packs: Iterable[Pack]) -> None:
        self.home = {e: p for p in packs for e in p.members}
        self.needs: dict[Unit, dict[Unit, None]] = {}
        for e in graph.order:
            needed = self.needs.setdefault(self.of(e), {})
            needed.update(dict.fromkeys(map(self.of, e.inputs)))

    def of(self, e: Expr) -> Unit:
        """The pack of an expression, or the expression itself."""
        return self.home.get(e, e)

    def users(self) -> dict[Unit, dict[Unit, None]]:
        """The units that need each unit."""
        users: dict[Unit, dict[Unit, None]] = {unit: {} for unit in self.needs}
        for unit, others in self.needs.items():
            for other in others:
                users[other][unit] = None
        return users

    def in_cycles(self) -> set[Unit]:
        """The units that need each other, and those between them."""
        users = self.users()
        left = self.needs.keys() - ordered(self.needs, users)
        return left - ordered(users, self.needs)

    def in_order(self) -> Iterator[Unit]:
        """The units, each after what it needs, as near as can be to the order of the graph."""
        done: set[Unit] = set()
        for unit in self.needs:
            stack = [unit]
            while stack:
                last = stack[-1]
                missing = [] if last in done else [n for n in self.needs[last] if n not in done]
                if missing:
                    stack += reversed(missing)
                    continue
                stack.pop()
                if last not in done:
                    done.add(last)
                    yield last


def acyclic(graph: FrozenGraph, packs: list[Pack]) -> Units:
    """The packs of which none needs itself, by way of others, among the rest of a graph."""
    units = Units(graph, packs)
    while stuck := units.in_cycles():
        packs = [p for p in packs if p not in stuck]
        units = Units(graph, packs)
    return units


def ordered(
    needs: Mapping[Unit, Mapping[Unit, None]], users: Mapping[Unit, Mapping[Unit, None]]
) -> set[Unit]:
    """The units that can be computed if each comes after what it needs."""
    missing = {unit: len(others) for unit, others in needs.items()}
    result = [unit for unit, count in missing.items() if not count]
    for unit in result:
        for user in users[unit]:
            missing[user] -= 1
            if not missing[user]:
                result.append(user)
    return set(result)
