"""Freezing: from what a program built to the graph that is compiled.

Note [State]. A program's assignments are turned into data flow: an expression built after an
assignment uses the assigned value, one built before it the value at the start of the run, and the
last value of each variable becomes an output. So program order holds without being asked for, and
the frozen graph is pure. An expression of a gradient counts as built with the forward expression
that caused it, so that a rule reads the values that the forward expression read.
"""

from collections.abc import Iterable, Sequence

from gradops import FeedError, FetchError
from gradops.places import describe

from ..ir.expr import Expr, Kind, foreign, sequence
from ..ir.graph import FrozenGraph, Interning, reachable, sizes_told, sizes_used
from ..ir.sizes import sizes_told_by
from .suggest import nearest


def freeze(fetches: Expr | Sequence[Expr], feeds: Expr | Sequence[Expr] = ()) -> FrozenGraph:
    """The immutable graph that computes `fetches` from `feeds`.

    Feeds are placeholders or any other expressions, which are then not computed. Equal expressions
    become one and what no fetch needs is left out. Variables become inputs after the feeds. Raises
    FeedError for placeholders that are needed and not fed, MixedOperandsError for expressions of
    several graphs.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> len(sg.freeze([x * x + x * x], [x]))
    3
    """
    fetches, feeds = sequence(fetches), sequence(feeds)
    require_one_graph([*fetches, *feeds])
    if len(set(feeds)) < len(feeds):
        raise FeedError(f"an expression is fed twice: {', '.join(e.label for e in feeds)}")
    needed = reachable(fetches, stop=feeds)
    measured = add_size_sources(needed, feeds)
    refuse_missing(needed, feeds)
    state = Resolver(feeds)
    for e in sorted((*needed, *(f for f in feeds if f not in needed)), key=lambda e: e.number):
        state.resolve(e)
    return FrozenGraph(
        tuple(state.made[e] for e in feeds) + tuple(state.variables.values()),
        tuple(state.fetched(e) for e in fetches),
        tuple((state.variables[v], values[-1][1]) for v, values in state.assigned.items()),
        tuple(state.made[e] for e in measured),
        state.intern.merged,
    )


def require_one_graph(expressions: Iterable[Expr]) -> None:
    """Refuse what is no expression, and expressions of different graphs."""
    first: Expr | None = None
    for e in expressions:
        if not isinstance(e, Expr):
            raise FetchError(f"{e!r} is not an expression")
        if first is not None and e.names is not first.names:
            raise foreign("freeze", first, e)
        first = e


def add_size_sources(needed: dict[Expr, None], feeds: Sequence[Expr]) -> list[Expr]:
    """Add to `needed` what tells the sizes it uses, and return those expressions.

    A gradient may need only the size of something: of `mean(x)`, how many entries `x` has.
    """
    found: list[Expr] = []
    unknown = sizes_unknown(needed, feeds)
    while unknown:
        source = source_of(sorted(unknown)[0], needed)
        found.append(source)
        needed.update(reachable([source], stop=feeds))
        unknown = sizes_unknown(needed, feeds)
    return found


def sizes_unknown(needed: Iterable[Expr], feeds: Sequence[Expr]) -> set[str]:
    """The names of sizes that are used and that neither feeds nor expressions tell."""
    fed = {told.name for told in sizes_told_by(feeds) if told.name is not None}
    return sizes_used(needed) - fed - {name for e in needed for name in sizes_told(e)}


def source_of(size: str, needed: Iterable[Expr]) -> Expr:
    """The first expression of the graph that has the size called `size`."""
    names = next(e.names for e in needed if e.names is not None)
    graph = names.graph()
    for e in graph.get_operations() if graph is not None else ():
        if size in sizes_told(e):
            return e
    raise FeedError(f"nothing that is fed or computed tells the size {size!r}")


class Resolver:
    """Copies expressions in program order, putting values where variables were read."""

    def __init__(self, feeds: Iterable[Expr]) -> None:
        self.feeds = set(feeds)
        self.intern = Interning()
        self.made: dict[Expr, Expr] = {}
        self.variables: dict[Expr, Expr] = {}
        self.assigned: dict[Expr, list[tuple[int, Expr]]] = {}

    def resolve(self, e: Expr) -> None:
        """Make the frozen counterpart of `e`, whose inputs have theirs."""
        if e in self.feeds:
            leaf = Expr(Kind.PLACEHOLDER, e.type, e.name, None, place=e.place)
            self.made[e] = self.intern.copy(leaf, ())
        elif e.kind is Kind.ASSIGN:
            variable, value = e.inputs
            self.made[e] = self.current(value, when(e))
            if variable not in self.feeds:
                self.assigned.setdefault(variable, []).append((e.number, self.made[e]))
        else:
            self.made[e] = self.intern.copy(e, [self.current(x, when(e)) for x in e.inputs])
            if e.kind is Kind.VARIABLE:
                self.variables[e] = self.made[e]

    def current(self, x: Expr, time: int) -> Expr:
        """What operand `x` stands for in an expression built at `time`."""
        for assigned_at, value in reversed(self.assigned.get(x, ())):
            if assigned_at < time:
                return value
        return self.made[x]

    def fetched(self, e: Expr) -> Expr:
        """What fetching `e` gives: of a variable, its value at the end of the run."""
        return self.assigned[e][-1][1] if e in self.assigned else self.made[e]


def when(e: Expr) -> int:
    """When an expression was built; for one of a gradient, when its cause was."""
    while e.origin is not None:
        e = e.origin
    return e.number


def refuse_missing(needed: Iterable[Expr], feeds: Iterable[Expr]) -> None:
    """Raise FeedError for the placeholders that are needed and not fed, naming all of them."""
    fed = set(feeds)
    missing = [e for e in needed if e.kind is Kind.PLACEHOLDER and e not in fed]
    if missing:
        missing.sort(key=lambda e: e.number)
        shown = "".join(f"\n  {e.label}, made at {describe(e.place)}" for e in missing)
        raise FeedError(f"no value is fed for {len(missing)} placeholder(s):{shown}")


def unknown_feed(name: str, names: Iterable[str]) -> FeedError:
    """The error for a feed under a name that nothing has."""
    return FeedError(f"nothing is called {name!r} to be fed{nearest(name, names)}")
