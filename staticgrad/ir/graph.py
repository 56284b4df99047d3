"""The frozen graph: immutable, hashable, and with equal pure expressions made one.

Note [Interning]. Where a program builds, two calls are two expressions, so that each can be fed,
fetched and blamed by itself. Freezing interns: expressions with equal op, inputs, attributes and
type become one object, and the graph keeps all their lines; what no output needs does not exist.
Common subexpressions and dead code are thus not found by passes; they cannot occur. Placeholders
are never merged (two called `x` are two); constants are, by value when small and by identity when
large.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import cached_property
from typing import Any

from gradops import Dim
from gradops.places import Place, describe, short

from .expr import Expr, Kind
from .structure import HistoryType

SMALL = 1024  # bytes up to which constants are compared by value
SHOWN = 3  # lines of one expression that a comment or message shows


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
        return tuple(sorted(self.reached(), key=lambda e: e.number))

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
        found = list(dict.fromkeys(map(short, self.places(e))))
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        return ", ".join(found[:SHOWN]) + more

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
        from .text import to_text

        return to_text(self)

    def rebuilt(self, replace: Callable[[Expr, "Interning"], Expr]) -> "FrozenGraph":
        """The graph with `replace(expression, interning)` for every expression, inputs first.

        What `replace` returns, it has made with the interning or found in the graph. Expressions
        that stay as they are, are shared; if all do, it is this graph.
        """
        return self.remade(lambda e, inputs, intern: replace(intern.copy(e, inputs), intern))

    def remade(self, make: Callable[[Expr, Sequence[Expr], "Interning"], Expr]) -> "FrozenGraph":
        """The graph with `make(expression, new inputs, interning)` for every expression."""
        made: dict[Expr, Expr] = {}
        intern = Interning()
        changed = False
        for e in self.order:
            made[e] = new = make(e, [made[x] for x in e.inputs], intern)
            if e in self.merged:
                intern.note(new, self.merged[e])
            changed = changed or new is not e
        if not changed:
            return self
        graph = FrozenGraph(
            tuple(made[e] for e in self.inputs),
            tuple(made[e] for e in self.outputs),
            tuple((made[v], made[new]) for v, new in self.updates),
            tuple(made[e] for e in self.measured),
            intern.merged,
        )
        kept = graph.reached()  # what is new stays in the place of what it is made from
        return replaced(graph, sequence=tuple([e for e in intern.table.values() if e in kept]))

    def __call__(self, *operands: Any) -> tuple[Any, ...]:
        """The outputs for operands of any kind: arrays are computed with, expressions built on."""
        from .replay import replay

        return replay(self, operands)

    def __repr__(self) -> str:
        return f"<graph {self.digest}>"

    def __copy__(self) -> "FrozenGraph":
        return self

    def __deepcopy__(self, memo: Any) -> "FrozenGraph":
        return self

    def __reduce__(self) -> Any:
        from .parse import parse

        return parse, (str(self),)


class Interning:
    """Makes expressions, giving the same object for equal ones."""

    def __init__(self) -> None:
        self.table: dict[Any, Expr] = {}
        self.merged: dict[Expr, dict[Place, None]] = {}

    def copy(self, e: Expr, inputs: Sequence[Expr]) -> Expr:
        """The one expression equal to `e` on `inputs`: `e` itself, if it is frozen and has them."""
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
    if e.op is not None:  # with parts that are hashed without calling Python
        numbers = tuple([x.number for x in inputs])
        return e.op, numbers, attributes_key(e.attrs), e.type.shape, e.type.dtype
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


def reachable(ends: Iterable[Expr], stop: Iterable[Expr] = ()) -> dict[Expr, None]:
    """What `ends` are computed from, themselves included, not looking behind `stop`."""
    barrier = set(stop)
    stack = list(ends)
    seen = dict.fromkeys(stack)
    while stack:
        e = stack.pop()
        for x in () if e in barrier else (*e.inputs, *e.control_inputs):
            if x not in seen:
                seen[x] = None
                stack.append(x)
    return seen


def graphs_in(e: Expr) -> Iterator[FrozenGraph]:
    """The graphs among an expression's attributes: of a loop's body, of branches."""
    if e.op is not None and "control" in e.op.traits:
        for value in e.attrs.values():
            for each in value if type(value) is tuple else (value,):
                if isinstance(each, FrozenGraph):
                    yield each


def everything(graph: FrozenGraph) -> Iterator[Expr]:
    """The expressions of a graph and of all graphs inside it."""
    stack, seen = [graph], {graph}
    while stack:
        for e in stack.pop().order:
            yield e
            new = dict.fromkeys(g for g in graphs_in(e) if g not in seen)
            seen.update(new)
            stack += new


def sizes_told(e: Expr) -> set[str]:
    """The names of sizes that the value of `e` is the first to tell.

    An input tells all that stand by themselves in its shape. An op tells those that depend on data,
    which are named after it; the others it was told itself.
    """
    names = names_in(e)
    if e.op is None:
        return names
    if e.op.name == "part":  # what gives several values, tells what it was not told
        given = {name for x in e.inputs[0].inputs for n in x.shape for name in names_of(n)}
        return names - given
    return {n for n in names if n.rpartition(".")[0] == e.name}


def names_in(e: Expr) -> set[str]:
    """The sizes that stand by themselves in the shape of a value; a list has only a length."""
    own = e.shape[:1] if isinstance(e.type, HistoryType) else e.shape
    return {name for n in own if isinstance(n, Dim) for name in n.names() if n == Dim(name)}


def names_of(size: Any) -> frozenset[str]:
    """The names in a size."""
    return size.names() if isinstance(size, Dim) else frozenset()


def sizes_used(expressions: Iterable[Expr]) -> set[str]:
    """The names of sizes that have to be known to compute expressions."""
    dims = [d for e in expressions for v in (e.value, *e.attrs.values()) for d in dims_in(v)]
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
    return ascii(value)
