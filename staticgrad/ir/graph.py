"""The frozen graph: immutable, hashable, and with equal pure expressions made one.

Note [Interning]. Where a program builds, two calls are two expressions, so that each can be fed,
fetched and blamed by itself. Freezing interns: expressions with equal op, inputs, attributes and
type become one object, and the graph keeps all their lines; what no output needs does not exist.
Common subexpressions and dead code are thus not found by passes; they cannot occur. Placeholders
are never merged (two called `x` are two); constants are, by value when small and by identity when
large.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import cached_property
from operator import attrgetter
from typing import Any

from gradops import ArrayType, Dim, GraphError
from gradops.core.source_location import Place, describe, short
from gradops.core.traits import Trait

from .expr import Expr, Kind, whole_of
from .tuple_types import HistoryType, sizes_shown

SMALL = 1024  # bytes up to which constants are compared by value
SHOWN = 3  # lines of one expression that a comment or message shows
by_age = attrgetter("number")


@dataclass(frozen=True, eq=False)
class FrozenGraph:
    """Named inputs, and outputs computed from them; nothing else.

    `updates` are outputs that become the values of variables when a run has succeeded. `measured`
    is computed because something needs its size, which nothing else tells. `merged` has, for an
    expression that stands for several that were written, the places of the others.
    `sequence` has all expressions, if they are not to be in the order in which they were made.
    `derived` keeps what was made from the graph, its backward for one, for whoever needs it again.
    """

    inputs: tuple[Expr, ...]
    outputs: tuple[Expr, ...]
    updates: tuple[tuple[Expr, Expr], ...] = ()
    measured: tuple[Expr, ...] = ()
    merged: Mapping[Expr, Iterable[Place]] = field(default_factory=dict)
    sequence: tuple[Expr, ...] | None = None
    derived: dict[Any, Any] = field(default_factory=dict)

    @property
    def results(self) -> tuple[Expr, ...]:
        """The outputs, and after them the new values of variables."""
        return self.outputs + tuple(new for _, new in self.updates)

    @cached_property
    def order(self) -> tuple[Expr, ...]:
        """All expressions, each after its inputs, in the order in which they were built."""
        if self.sequence is not None:
            return self.sequence
        return tuple(sorted(self.reached(), key=by_age))

    def reached(self) -> dict[Expr, None]:
        """The inputs, and all that the results are computed from."""
        found = reachable((*self.results, *self.measured))
        found.update(dict.fromkeys(self.inputs))
        return found

    def places(self, e: Expr) -> tuple[Place, ...]:
        """Where `e` and the equal expressions that it stands for were written."""
        first = () if e.place is None else (e.place,)
        return (*first, *self.merged.get(e, ()))

    def lines(self, e: Expr) -> str:
        """The lines where `e` was written: `model.py:12, model.py:15`, or nothing."""
        if e not in self.merged:
            return "" if e.place is None else self.line(e.place)
        found = list(dict.fromkeys(map(self.line, self.places(e))))
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        return ", ".join(found[:SHOWN]) + more

    def line(self, place: Place) -> str:
        """`place` in short words, found once for each: `model.py:12`."""
        key = id(place[0]), place[1]  # to hash code takes as long as the code is
        if key not in self.known_lines:
            self.known_lines[key] = short(place)
        return self.known_lines[key]

    @cached_property
    def known_lines(self) -> dict[tuple[int, int], str]:
        """The places in words that were asked for."""
        return {}

    def blame(self, e: Expr) -> str:
        """A note for an error: which expression failed, and where it was written."""
        note = f"  in {e.label}, made at {describe(e.place)}"
        return f"{note}\n  equal expressions: {self.lines(e)}" if e in self.merged else note

    @cached_property
    def digest(self) -> str:
        """A hash of the structure: equal for graphs that compute the same in the same way."""
        return structural_hash(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenGraph) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.order)

    def __str__(self) -> str:
        from ..text.printer import to_text

        return to_text(self)

    def rebuilt(self, replace: Callable[[Expr, "Interning"], Expr]) -> "FrozenGraph":
        """The graph with `replace(expression, interning)` for every expression, inputs first.

        What `replace` returns, it has made with the interning or found in the graph. Expressions
        that stay as they are, are shared; if all do, it is this graph.
        """
        made: dict[Expr, Expr] = {}  # in the place of those that do not stay
        intern = Interning()
        for e in self.order:
            if made and not made.keys().isdisjoint(e.inputs):
                new = replace(intern.copy(e, [made.get(x, x) for x in e.inputs]), intern)
            else:
                new = replace(intern.keep(e), intern)
            if new is not e:
                made[e] = new
            if e in self.merged:
                intern.note(new, self.merged[e])
        return self.with_others(made, intern)

    def remade(self, make: Callable[[Expr, Sequence[Expr], "Interning"], Expr]) -> "FrozenGraph":
        """The graph with `make(expression, new inputs, interning)` for every expression."""
        made: dict[Expr, Expr] = {}
        intern = Interning()
        for e in self.order:
            new = make(e, [made.get(x, x) for x in e.inputs], intern)
            if new is not e:
                made[e] = new
            if e in self.merged:
                intern.note(new, self.merged[e])
        return self.with_others(made, intern)

    def with_others(self, made: Mapping[Expr, Expr], intern: "Interning") -> "FrozenGraph":
        """The graph with the expressions of an interning, those `made` in the place of others."""
        if not made:
            return self
        graph = FrozenGraph(
            tuple([made.get(e, e) for e in self.inputs]),
            tuple([made.get(e, e) for e in self.outputs]),
            tuple([(made.get(v, v), made.get(new, new)) for v, new in self.updates]),
            tuple([made.get(e, e) for e in self.measured]),
            intern.merged,
        )
        kept = graph.reached()  # what is new stays in the place of what it is made from
        return replaced(graph, sequence=tuple([e for e in intern.found() if e in kept]))

    def __call__(self, *operands: Any) -> tuple[Any, ...]:
        """The outputs for operands of any kind: arrays are computed with, expressions built on."""
        from .feeds import require_all
        from .replay import inside

        require_all(self.inputs, len(operands))
        return inside(self, operands)

    def __repr__(self) -> str:
        return f"<graph of {len(self)} expressions, {self.digest[:16]}>"

    def __copy__(self) -> "FrozenGraph":
        return self

    def __deepcopy__(self, memo: Any) -> "FrozenGraph":
        return self

    def __reduce__(self) -> Any:
        from ..text.parser import parse

        return parse, (str(self), None, math.inf)


def require_frozen(call: str, graph: Any) -> FrozenGraph:
    """Refuse what is no frozen graph, an expression for one."""
    if not isinstance(graph, FrozenGraph):
        raise GraphError(
            f"{call} takes a frozen graph, not {graph!r}\n  hint: freeze(fetches, feeds) gives one;"
            " with values=session.snapshot() its variables are constants"
        )
    return graph


class Interning:
    """Makes expressions, giving the same object for equal ones."""

    def __init__(self) -> None:
        self.table: dict[Any, Expr] = {}
        self.waiting: list[Expr] = []  # to be entered in the table, should it be asked
        self.merged: dict[Expr, dict[Place, None]] = {}

    def found(self) -> Iterable[Expr]:
        """All expressions so far, in order."""
        if self.waiting:
            self.enter()
        return self.table.values()

    def keep(self, e: Expr) -> Expr:
        """The one expression equal to `e`, which is one of a frozen graph and has its inputs.

        As long as nothing has been made, that is `e`, since no two of one graph are equal.
        """
        if self.table:
            return self.copy(e, e.inputs)
        self.waiting.append(e)
        return e

    def enter(self) -> None:
        """Enter what was kept in the table."""
        self.table = {key_of(e, e.inputs): e for e in self.waiting}
        self.waiting = []

    def copy(self, e: Expr, inputs: Sequence[Expr]) -> Expr:
        """The one expression equal to `e` on `inputs`: `e` itself, if it is frozen and has them."""
        if self.waiting:
            self.enter()
        key = key_of(e, inputs)
        found = self.table.get(key)
        if found is None:
            found = self.table[key] = frozen(e, tuple(inputs))
        elif e.place is not None and e.place != found.place:
            self.note(found, (e.place,))
        return found

    def note(self, e: Expr, places: Iterable[Place]) -> None:
        """Keep the places of expressions that `e` stands for."""
        self.merged.setdefault(e, {}).update(dict.fromkeys(places))


def frozen(e: Expr, inputs: tuple[Expr, ...]) -> Expr:
    """`e` on `inputs`, as a part of no graph that can be built on."""
    if e.names is None:
        for x, new in zip(e.inputs, inputs, strict=True):
            if x is not new:
                break
        else:
            return e
    return Expr(
        e.kind, e.type, e.name, None, op=e.op, inputs=inputs, attrs=e.attrs,
        value=e.value, place=e.place, origin=e.origin,
    )  # fmt: skip


def key_of(e: Expr, inputs: Sequence[Expr]) -> Any:
    """What makes two expressions equal. See Note [Interning]."""
    if e.op is not None:  # with parts that are hashed in C, and that refer to nothing in turn
        type, attrs = e.type, attributes_key(e.attrs)
        return (e.op.name, attrs, type.shape, type.dtype, *[x.number for x in inputs])
    match e.kind:
        case Kind.CONSTANT if e.value.nbytes <= SMALL:
            return e.type, e.value.tobytes(), e.value.flags.c_contiguous
        case Kind.CONSTANT:
            return id(e.value)
        case Kind.SIZE:
            return e.type, e.value
    return e.kind, e.name


def attributes_key(attrs: dict[str, Any]) -> Any:
    """Equal for equal attributes. That 0.0 equals -0.0, and 1 equals True, shows in their text."""
    if not attrs:
        return ()
    items = tuple(sorted(attrs.items()))
    return items, repr(items)


def before(e: Expr) -> tuple[Expr, ...]:
    """What an expression is computed from, and after."""
    return (*e.inputs, *e.control_inputs)


def reachable(
    ends: Iterable[Expr],
    stop: Iterable[Expr] = (),
    before: Callable[[Expr], Iterable[Expr]] = before,
) -> dict[Expr, None]:
    """What `ends` are computed from, themselves included, not looking behind `stop`."""
    barrier = set(stop)
    stack = list(ends)
    seen = dict.fromkeys(stack)
    while stack:
        e = stack.pop()
        if e in barrier:
            continue
        for x in before(e):
            if x not in seen:
                seen[x] = None
                stack.append(x)
    return seen


def guarded(e: Expr) -> Expr | None:
    """The value that `e` is, if all that it adds is a gradient. See Note [Custom]."""
    whole = whole_of(e)
    if whole is None or whole.op is None or Trait.GUARD not in whole.op.traits:
        return None
    return whole.inputs[e.attrs["index"]]


def graphs_in(e: Expr) -> Iterator[FrozenGraph]:
    """The graphs among an expression's attributes: of a loop's body, of branches."""
    if has_graphs(e):
        for value in e.attrs.values():
            for each in value if type(value) is tuple else (value,):
                if isinstance(each, FrozenGraph):
                    yield each


def has_graphs(e: Expr) -> bool:
    """Whether there may be graphs among an expression's attributes."""
    return e.op is not None and Trait.CONTROL in e.op.traits


def everything(graph: FrozenGraph) -> Iterator[Expr]:
    """The expressions of a graph and of all graphs inside it."""
    stack, seen = [graph], {graph}
    while stack:
        for e in stack.pop().order:
            yield e
            if has_graphs(e):
                new = [inner for inner in graphs_in(e) if inner not in seen]
                seen.update(new)
                stack += new


def sizes_told(e: Expr) -> set[str]:
    """The names of sizes that the value of `e` is the first to tell.

    An input tells all that stand by themselves in its shape. An op tells those that depend on data:
    neither its operands have them, nor was it told them.
    """
    names = names_in(e)
    if e.op is None or not names:
        return names
    whole = whole_of(e)
    operands = e.inputs if whole is None else whole.inputs
    sizes = [*(n for x in operands for n in x.shape), *dims_in(tuple(e.attrs.values()))]
    return names - {name for n in sizes for name in names_of(n)}


def names_in(e: Expr) -> set[str]:
    """The sizes that stand by themselves among those that a value shows."""
    own = sizes_shown(e.type)
    return {name for n in own if isinstance(n, Dim) for name in n.names() if n == Dim(name)}


def names_of(size: Any) -> frozenset[str]:
    """The names in a size."""
    return size.names() if isinstance(size, Dim) else frozenset()


def sizes_used(expressions: Iterable[Expr]) -> set[str]:
    """The names of sizes that have to be known to compute expressions."""
    having = [e for e in expressions if e.attrs or e.kind is Kind.SIZE]
    dims = [d for e in having for v in (e.value, *e.attrs.values()) for d in dims_in(v)]
    return {name for d in dims for name in d.names()}


def sizes_missing(expressions: Iterable[Expr], known: Iterable[str] = ()) -> set[str]:
    """The names of sizes that are used and not told before, by what is known or an expression."""
    expressions = list(expressions)
    if not sizes_used(expressions):
        return set()
    told, missing = set(known), set[str]()
    for e in sorted(expressions, key=lambda e: e.number):
        missing |= sizes_used((e,)) - told
        told |= sizes_told(e)
    return missing


def sizes_untold(expressions: Iterable[Expr], known: Iterable[str] = ()) -> set[str]:
    """The names of sizes, of shapes as well, that neither what is known nor an expression tells."""
    expressions = list(expressions)
    in_shapes = {name for e in expressions for n in e.shape for name in names_of(n)}
    told = set(known).union(*map(sizes_told, expressions))
    return (in_shapes | sizes_used(expressions)) - told


def dims_in(value: Any) -> list[Dim]:
    """The unknown sizes in an attribute's value."""
    if isinstance(value, Dim):
        return [value]
    return [d for v in value for d in dims_in(v)] if isinstance(value, tuple) else []


def structural_hash(graph: FrozenGraph) -> str:
    """A hash of ops, attributes, types and wiring; names count for inputs, which come first."""
    import hashlib

    order = dict.fromkeys([*graph.inputs, *graph.order])
    numbers = {e: i for i, e in enumerate(order)}
    h = hashlib.sha256()
    for e in order:
        name = "" if e.kind in (Kind.OP, Kind.CONSTANT) else e.name
        attrs, wiring = sorted(e.attrs.items()), [numbers[x] for x in e.inputs]
        value = e.value if e.kind is Kind.SIZE else None
        words = (e.what, name, *wiring, *attrs, e.shape, e.dtype.str, value)
        h.update(f"{spelled(words)}\n".encode())
        if e.kind is Kind.CONSTANT:
            h.update(e.value.tobytes())
    updated, new = [v for v, _ in graph.updates], [e for _, e in graph.updates]
    for part in (graph.inputs, graph.outputs, updated, new, graph.measured):
        h.update(f"{[numbers[e] for e in part]}".encode())
    return h.hexdigest()


def spelled(value: Any) -> str:
    """A value in words that no other value has, whatever the names in it."""
    if isinstance(value, Dim):
        return f"{{{value.render(ascii)}}}"
    if isinstance(value, tuple):
        return f"({', '.join(map(spelled, value))})"
    if isinstance(value, FrozenGraph):
        return value.digest
    if isinstance(value, ArrayType):
        return spelled_type(value)
    return ascii(value)


def spelled_type(type: ArrayType) -> str:
    """The type of an array, of lists of them, or of residuals, in words that no other type has."""
    lists = 0
    shape = spelled(type.shape)
    while isinstance(type, HistoryType):
        lists, type = lists + 1, type.element
    return f"{type.__class__.__name__}{type.dtype.str}{lists}{shape}"
