"""Packs that do the same, and share an operand, are one pack, unless one needs another.

What chains have in common at each of their links lies differently far from the leaves and from the
results, so no color joins it: points that each bone of a finger moves are one pack for each bone.
"""

from collections.abc import Hashable, Iterable, Iterator

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from .classes import Pack, Unit, Units, aligned, form
from .columns import Values, columns_of

MOST_VISITS = 32  # of an expression on average, in searches for paths from pack to pack


def merged(graph: FrozenGraph, packs: list[Pack]) -> list[Pack]:
    """The packs, with those together that have an op and the source of an operand in common."""
    if len(set(map(work, packs))) == len(packs):
        return packs
    groups = Groups(graph, packs)
    for unit in groups.units.in_order():
        if isinstance(unit, Pack):
            groups.add(unit)
    if len(groups.packs) == len(packs):
        return packs
    joined = [tuple([e for p in ps for e in p.members]) for ps in groups.packs.values()]
    return aligned(Units(graph, [Pack(members) for members in joined]))


def work(pack: Pack) -> Hashable:
    """The form of the members of a pack: all of it but their operands."""
    first = pack.members[0]
    return *form(first), tuple([x.type for x in first.inputs])


class Groups:
    """Packs that are being merged into groups, of which none needs itself."""

    def __init__(self, graph: FrozenGraph, packs: list[Pack]) -> None:
        self.units = Units(graph, packs)
        self.users = self.units.users()
        self.packs: dict[Pack, list[Pack]] = {}  # by the first one of each group
        self.group: dict[Unit, Pack] = {}
        self.by_key: dict[Hashable, tuple[Pack, set[Expr]]] = {}  # with the operands
        self.visits = MOST_VISITS * len(self.units.needs)

    def add(self, pack: Pack) -> None:
        """Put a pack into a group that does the same to other values of a source, or begin one."""
        columns = dict(self.columns(pack))
        fitting = [
            group for key, values in columns.items() if key in self.by_key
            for group, others in [self.by_key[key]] if others.isdisjoint(values)
        ]  # fmt: skip
        group = next((g for g in dict.fromkeys(fitting) if self.is_independent(pack, g)), pack)
        self.packs.setdefault(group, []).append(pack)
        self.group[pack] = group
        for key, values in columns.items():
            before, others = self.by_key.get(key, (group, set()))
            self.by_key[key] = group, {*values, *(others if before is group else ())}

    def columns(self, pack: Pack) -> Iterator[tuple[Hashable, Values]]:
        """The operands that come of one group for all members, with the op and that group."""
        for k, values in enumerate(columns_of(pack)):
            sources = {self.source(x) for x in values}
            if len(sources) == 1 and None not in sources and len(set(values)) > 1:
                yield (work(pack), k, *sources), values

    def source(self, x: Expr) -> Pack | None:
        """The group that a value belongs to."""
        return self.group.get(self.units.of(x))

    def is_independent(self, pack: Pack, group: Pack) -> bool:
        """True if no path leads from one of a pack and a group to the other.

        After very many searches it is not known, and False.
        """
        if self.visits <= 0:
            return False
        wanted = {pack, *self.packs[group]}
        reached = self.reached_from(wanted)
        self.visits -= len(reached)
        return wanted.isdisjoint(reached)

    def reached_from(self, units: Iterable[Unit]) -> set[Unit]:
        """The units that need some others, by way of groups too."""
        result: set[Unit] = set()
        stack = [user for unit in units for user in self.users[unit]]
        while stack:
            unit = stack.pop()
            if unit not in result:
                together = self.packs[self.group[unit]] if unit in self.group else [unit]
                result.update(together)
                stack += [user for each in together for user in self.users[each]]
        return result
