"""Freezing: from what a program built to the graph that is compiled.

Note [State]. A program's assignments are turned into data flow: an expression built after an
assignment uses the assigned value, one built before it the value at the start of the run, and the
last value of each variable becomes an output. So program order holds without being asked for, and
the frozen graph is pure. An expression of a gradient counts as built with the forward expression
that caused it, so that a rule reads the values that the forward expression read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gradops import ArrayType, FeedError, FetchError, GraphError, type_of
from gradops.core.source_location import describe

from ..build.suggest import nearest
from ..ir.errors import foreign
from ..ir.expr import Expr, Kind, sequence, whole_of, with_attrs
from ..ir.graph import (
    FrozenGraph,
    Interning,
    before,
    by_age,
    guarded,
    reachable,
    sizes_missing,
    sizes_told,
)
from ..ir.sizes import sizes_told_by
from ..ir.subgraphs import refuse_inner


def freeze(
    fetches: Expr | Sequence[Expr], feeds: Expr | Sequence[Expr] = (), values: Any = None
) -> FrozenGraph:
    """The immutable graph that computes `fetches` from `feeds`.

    Feeds are placeholders or any other expressions, which are then not computed. Equal expressions
    become one and what no fetch needs is left out. What has no value (a group, a check) is run and
    gives no output. Variables become inputs after the feeds; those that `values` names become
    constants: a mapping from variables or their names to arrays, or what `Session.snapshot` gives.
    Raises FeedError for placeholders that are needed and not fed, MixedOperandsError for
    expressions of several graphs, GraphError for a variable that has a value and is assigned.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> len(sg.freeze([x * x + x * x], [x]))
    3
    >>> w = sg.Variable(2.0, name="w")
    >>> y = sg.multiply(x, w, name="y")
    >>> print(sg.to_text(sg.freeze([y], [x], values={"w": 5.0}), lines=False))
    graph(x: float32[2])
      w: float32[] = constant(5.0)
      y: float32[2] = mul(x, w)
      return y
    """
    fetches, feeds = sequence(fetches), sequence(feeds)
    require_one_graph([*fetches, *feeds])
    if len(set(feeds)) < len(feeds):
        raise FeedError(f"an expression is fed twice: {', '.join(e.label for e in feeds)}")
    needed = reachable(fetches, feeds, forward)
    refuse_unfit(fetches, feeds, needed)
    measured = add_size_sources(needed, feeds)
    refuse_missing(needed, feeds)
    state = Resolver(feeds, needed, values=settled_values(needed, values))
    return FrozenGraph(
        tuple(state.made[e] for e in feeds) + tuple(state.variables.values()),
        tuple(state.last(e) for e in fetches if e.kind is not Kind.GROUP),
        tuple((state.variables[v], state.last(v)) for v in state.assigned if v in state.variables),
        (*(state.made[e] for e in measured), *state.effects()),
        state.intern.merged,
    )


def enclosed(
    outputs: Sequence[Expr],
    parameters: Sequence[Expr],
    effects: Sequence[Expr] = (),
    state: Sequence[Expr] = (),
    measured: Sequence[Expr] = (),
) -> FrozenGraph:
    """The graph of what is computed inside a loop, a branch or a function.

    Its outputs are those given, and after them the values that the variables `state`, which are
    among the `parameters`, have after the `effects`. What is `measured` is computed, too, as its
    derivatives may need the sizes.
    """
    measured = list(measured)
    needed = reachable([*outputs, *effects, *measured], stop=parameters)
    known = [told.name for told in sizes_told_by(parameters) if told.name is not None]
    while missing := sizes_missing(needed, known):
        source = teller_inside(min(missing), needed, parameters)
        measured.append(source)
        needed.update(reachable([source], stop=parameters))
    found = Resolver(parameters, needed, inside=True)
    return FrozenGraph(
        tuple(found.made[e] for e in parameters),
        tuple([found.last(e) for e in (*outputs, *state)]),
        measured=tuple([found.made[e] for e in measured]),
        merged=found.intern.merged,
    )


def teller_inside(size: str, needed: Iterable[Expr], parameters: Iterable[Expr]) -> Expr:
    """An expression of parameters from which a size is read, not needed so far; or a FeedError."""
    known, own = set(needed), set(parameters)
    for e in tellers_of(size, known):
        outside = (x for x in reachable([e], stop=own) if x.kind is Kind.PARAMETER and x not in own)
        if e not in known and next(outside, None) is None:
            return e
    raise untold(size)


def settled_values(needed: Iterable[Expr], values: Any) -> dict[Expr, Any]:
    """The values of variables that become constants."""
    kept = getattr(values, "values", None)  # of a snapshot
    by_key = kept if isinstance(kept, Mapping) else dict(values or {})
    found: dict[Expr, Any] = {}
    require_variables(needed, by_key)
    for v in needed:
        for key in (v, v.name) if v.kind is Kind.VARIABLE else ():
            if key in by_key:
                found[v] = constant_value(v, by_key[key])
    return found


def require_variables(needed: Iterable[Expr], keys: Iterable[Any]) -> None:
    """Refuse names that no variable of the graph has."""
    graph = next((e.names.graph() for e in needed if e.names is not None), None)
    members = {} if graph is None else graph.members
    for key in keys:
        found = members.get(key) if isinstance(key, str) else key
        if not isinstance(found, Expr) or found.kind is not Kind.VARIABLE:
            names = [e.name for e in members.values() if e.kind is Kind.VARIABLE]
            raise FeedError(f"no variable is called {key!r}{nearest(str(key), names)}")


def constant_value(v: Expr, value: Any) -> Any:
    """A value of a variable as a constant of its type."""
    array = np.array(value, v.dtype if not hasattr(value, "dtype") else None)
    if type_of(array) != v.type:
        raise FeedError(f"{v.label} is given {type_of(array)} to be frozen with")
    array.flags.writeable = False
    return array


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
        needed.update(reachable([source], feeds, forward))
        unknown = sizes_unknown(needed, feeds)
    return found


def sizes_unknown(needed: Iterable[Expr], feeds: Sequence[Expr]) -> set[str]:
    """The names of sizes that are used and that neither feeds nor expressions tell."""
    fed = {told.name for told in sizes_told_by(feeds) if told.name is not None}
    return sizes_missing(needed, fed)


def source_of(size: str, needed: Iterable[Expr]) -> Expr:
    """The first expression of the graph that has the size called `size`, or a FeedError."""
    found = teller_of(size, needed)
    if found is None:
        raise untold(size)
    return found


def untold(size: str) -> FeedError:
    """The error for a size that is used and that no value has."""
    return FeedError(f"nothing that is fed or computed tells the size {size!r}")


def teller_of(size: str, needed: Iterable[Expr]) -> Expr | None:
    """The first expression of the graph that has the size called `size`, if there is one."""
    return next(tellers_of(size, needed), None)


def tellers_of(size: str, needed: Iterable[Expr]) -> Iterator[Expr]:
    """The expressions of the graph that have the size called `size`."""
    names = next(e.names for e in needed if e.names is not None)
    graph = names.graph()
    members = graph.get_operations() if graph is not None else ()
    return (e for e in members if size in sizes_told(e))


class Resolver:
    """Copies expressions in program order, putting values where variables were read.

    Of two expressions of which one gives all that the other gives, only the wider is computed.
    """

    def __init__(
        self,
        feeds: Sequence[Expr],
        needed: Iterable[Expr],
        inside: bool = False,
        values: Mapping[Expr, Any] = MappingProxyType({}),
    ) -> None:
        self.feeds, self.inside, self.values = set(feeds), inside, values
        self.intern = Interning()
        self.made: dict[Expr, Expr] = {}
        self.variables: dict[Expr, Expr] = {}
        self.assigned: dict[Expr, list[tuple[int, Expr]]] = {}
        self.wider = widest_forms(needed)
        everything = {**dict.fromkeys(feeds), **dict.fromkeys(needed)}
        for e in sorted(everything, key=by_age):
            if e not in self.made:
                self.resolve(e)

    def resolve(self, e: Expr) -> None:
        """Make the frozen counterpart of `e`, whose inputs have theirs."""
        if e.op is not None and e not in self.feeds:
            self.copy(e)
        elif e in self.feeds:
            kind = Kind.PARAMETER if self.inside else Kind.PLACEHOLDER
            leaf = Expr(kind, e.type, e.name, None, place=e.place)
            self.made[e] = self.intern.copy(leaf, ())
        elif e.kind is Kind.ASSIGN:
            variable, value = e.inputs
            if variable in self.values:
                raise GraphError(f"{variable.label} has a value to be frozen, and is assigned")
            self.made[e] = self.current(value, when(e))
            if self.inside or variable not in self.feeds:
                self.assigned.setdefault(variable, []).append((e.number, self.made[e]))
        elif e.kind is Kind.TOKEN or e in self.values:
            value = self.values.get(e, e.value)
            leaf = Expr(Kind.CONSTANT, e.type, e.name, None, value=value, place=e.place)
            self.made[e] = self.intern.copy(leaf, ())
        elif e.kind is not Kind.GROUP:
            self.copy(e)

    def copy(self, e: Expr) -> None:
        """Copy what is computed, or its wider form."""
        if not self.inside and (value := guarded(e)) is not None:
            self.made[e] = self.current(value, when(e))
            return
        if e in self.wider:
            wide, _ = self.wider[e]
            self.resolve_before(wide)
            self.made[e] = made = self.made[wide]
            made.name, made.place, made.origin = e.name, e.place, e.origin
            return
        placed = self.placed(e) if self.wider else e
        self.made[e] = made = self.intern.copy(placed, self.operands(e))
        if e.kind is Kind.VARIABLE:
            self.variables[e] = made

    def operands(self, e: Expr) -> list[Expr]:
        """What the operands of `e` stand for."""
        if not self.assigned:
            return [self.made[x] for x in e.inputs]
        time = when(e)
        return [self.current(x, time) for x in e.inputs]

    def resolve_before(self, e: Expr) -> None:
        """Make the counterpart of `e`, and what it needs, before its turn."""
        inputs = before if self.inside else forward
        for x in sorted(reachable([e], self.made, inputs), key=by_age):
            if x not in self.made:
                self.resolve(x)

    def placed(self, e: Expr) -> Expr:
        """`e`, or if it is a part of something of which there is a wider form, a part of that."""
        whole = whole_of(e)
        if whole is None or whole not in self.wider:
            return e
        return with_attrs(e, {"index": self.wider[whole][1][e.attrs["index"]]})

    def current(self, x: Expr, time: int) -> Expr:
        """What operand `x` stands for in an expression built at `time`."""
        for assigned_at, value in reversed(self.assigned.get(x, ())):
            if assigned_at < time:
                return value
        return self.made[x]

    def last(self, e: Expr) -> Expr:
        """What fetching gives: of a variable, the value that it has in the end."""
        return self.assigned[e][-1][1] if e in self.assigned else self.made[e]

    def effects(self) -> list[Expr]:
        """What is run though no result needs it: checks and prints."""
        return [values[-1][1] for v, values in self.assigned.items() if v.kind is Kind.TOKEN]


def forward(e: Expr) -> tuple[Expr, ...]:
    """What an expression is computed from and after, without what only a gradient needs."""
    value = guarded(e)
    return before(e) if value is None else (value, *e.control_inputs)


def widest_forms(needed: Iterable[Expr]) -> dict[Expr, tuple[Expr, tuple[int, ...]]]:
    """For what has a wider form that can be computed in its place: the widest, and its parts."""
    found: dict[Expr, tuple[Expr, tuple[int, ...]]] = {}
    for e in sorted([e for e in needed if e.widens is not None], key=lambda e: e.number):
        wide, step = e, e.widens
        places = step.places if step else ()
        while step is not None and can_stand_for(wide, step.narrow):
            found[step.narrow] = wide, places
            step = step.narrow.widens
            places = tuple([places[k] for k in step.places]) if step else ()
    return found


def can_stand_for(wide: Expr, narrow: Expr) -> bool:
    """Whether a wider form can be computed in the place of the narrower expression."""
    if all(x.number < narrow.number for x in wide.inputs):
        return True
    needed = reachable(wide.inputs)
    return narrow not in needed and not any(e.kind is Kind.ASSIGN for e in needed)


def when(e: Expr) -> int:
    """When an expression was built; for one of a gradient, when its cause was."""
    while e.origin is not None:
        e = e.origin
    return e.number


def refuse_unfit(fetches: Iterable[Expr], feeds: Iterable[Expr], needed: dict[Expr, None]) -> None:
    """Refuse to fetch what is no array, and to feed what exists only inside a loop or branch."""
    for e in fetches:
        if type(e.type) is not ArrayType and e.kind is not Kind.GROUP:
            raise FetchError(
                f"{e.label}, made at {describe(e.place)}, is several values"
                "\n  hint: fetch what the loop or branch returned"
            )
    refuse_inner(FeedError, feeds, "feed what the function is given, or reads from outside")


def refuse_missing(needed: Iterable[Expr], feeds: Iterable[Expr]) -> None:
    """Raise FeedError for the placeholders that are needed and not fed, naming all of them."""
    fed = set(feeds)
    if inner := [e for e in needed if e.kind is Kind.PARAMETER and e not in fed]:
        raise FetchError(
            f"{inner[0].label} exists only inside the function that it was given to, at"
            f" {describe(inner[0].place)}\n  hint: return from that function what is needed outside"
        )
    missing = [e for e in needed if e.kind is Kind.PLACEHOLDER and e not in fed]
    if missing:
        missing.sort(key=lambda e: e.number)
        shown = "".join(f"\n  {e.label}, made at {describe(e.place)}" for e in missing)
        raise FeedError(f"no value is fed for {len(missing)} placeholder(s):{shown}")


def unknown_feed(name: str, names: Iterable[str]) -> FeedError:
    """The error for a feed under a name that nothing has."""
    return FeedError(f"nothing is called {name!r} to be fed{nearest(name, names)}")
