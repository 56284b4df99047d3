"""The frozen graph: immutable, hashable, without duplicates of pure expressions.

`staticgrad` adds `__str__` and `__reduce__` to the class: they need the printer and the parser,
which are built on this layer.
"""

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import cached_property, partial
from typing import Any, ClassVar

from gradops import GraphError, Op, type_of
from gradops.core.source_location import Place, describe, short
from gradops.core.traits import Trait
from gradops.typing import Operand

from .errors import require_all
from .expr import Expr, sequence
from .interning import Interning, Table, key_of, structural_hash
from .kinds import Lowering
from .lossless import operand_for
from .names import unique_name
from .reachability import by_age, reachable
from .replay import add_values, apply_op, leaf_value, names_among, replay_inner
from .sizes import bind_sizes

CONTROL = Trait.CONTROL  # looking up a member of an Enum takes long
SHOWN = 3  # lines of one expression that a comment or message shows


@dataclass(frozen=True, eq=False)
class FrozenGraph:
    """Named inputs, and outputs computed from them.

    `updates` are outputs that become the values of variables when a run has succeeded. `measured`
    is computed because nothing else determines a size in use. `merged` has the source locations of
    the expressions that were merged into an expression. `sequence` has all expressions, where their
    order is not that of their numbers. `lowering` says how generated code may compute scalars,
    `paired` that it computes pairs of expressions at once: see Note [Pairs] in `ir/pairs.py`.
    `labels` says of the outputs what they are, such as "d loss / d w", where the program knows;
    `derivatives` says it of other expressions, by name, as long as no pass has changed the graph.
    `derived` caches results computed from the graph, such as its backward.
    """

    inputs: tuple[Expr, ...]
    outputs: tuple[Expr, ...]
    updates: tuple[tuple[Expr, Expr], ...] = ()
    measured: tuple[Expr, ...] = ()
    merged: Mapping[Expr, Iterable[Place]] = field(default_factory=dict)
    sequence: tuple[Expr, ...] | None = None
    lowering: Lowering | None = None
    paired: bool = False
    labels: tuple[str, ...] = ()
    derivatives: Mapping[str, str] = field(default_factory=dict)
    derived: dict[Hashable, Any] = field(default_factory=dict)
    is_frozen: ClassVar[bool] = True  # what it reads does not change, as that of a Python function

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

    @cached_property
    def holders(self) -> tuple[Expr, ...]:
        """The expressions that may have graphs among their attributes, in order."""
        return tuple([e for e in self.order if has_graphs(e)])

    def reached(self) -> dict[Expr, None]:
        """The inputs, and all expressions that the results are computed from."""
        return reachable((*self.results, *self.measured)) | dict.fromkeys(self.inputs)

    def places(self, e: Expr) -> tuple[Place, ...]:
        """The source locations of `e` and of the expressions merged into it."""
        first = () if e.place is None else (e.place,)
        return (*first, *self.merged.get(e, ()))

    def lines(self, e: Expr) -> str:
        """The lines of `e` and of those merged into it: `model.py:12, model.py:15`, or empty."""
        if e not in self.merged:
            return "" if e.place is None else self.line(e.place)
        lines = list(dict.fromkeys(map(self.line, self.places(e))))
        more = f" and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
        return ", ".join(lines[:SHOWN]) + more

    def line(self, place: Place) -> str:
        """A source location as `model.py:12`, cached."""
        key = id(place[0]), place[1]  # to hash code takes as long as the code is
        if key not in self.known_lines:
            self.known_lines[key] = short(place)
        return self.known_lines[key]

    @cached_property
    def known_lines(self) -> dict[tuple[int, int], str]:
        """The texts of source locations so far."""
        return {}

    def blame(self, e: Expr) -> str:
        """A note for an error: the expression that failed, and its source lines."""
        note = f"  in {e.label}, made at {describe(e.place)}"
        return f"{note}\n  equal expressions: {self.lines(e)}" if e in self.merged else note

    @cached_property
    def digest(self) -> str:
        """A hash of the structure: equal for graphs that compute the same in the same way."""
        return structural_hash(self)

    @cached_property
    def outline(self) -> int:
        """A number that is equal for equal graphs, and costs little: a hash of the ops in order."""
        return hash(tuple([e.what for e in dict.fromkeys((*self.inputs, *self.order))]))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, FrozenGraph) or self.lowering is not other.lowering:
            return False
        return self.outline == other.outline and self.digest == other.digest

    def __hash__(self) -> int:
        return self.outline

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.order)

    def rebuilt(
        self,
        replace: Callable[[Expr, "Interning"], Expr],
        ops: Container[Op | None] | None = None,
    ) -> "FrozenGraph":
        """The graph with `replace(expression, interning)` for every expression, inputs first.

        `replace` is called for all expressions, or those of `ops`. It returns an expression made
        with the interning, or one of this graph. Unchanged expressions are shared; if none changes,
        the result is this graph.
        """
        made: dict[Expr, Expr] = {}
        intern, merged = Interning(self), self.merged
        order, are_old = intern.order, made.keys().isdisjoint
        for e in self.order:
            inputs = e.inputs
            if are_old(inputs):
                order[e] = None
                new = e
            else:
                new = intern.copy(e, [made.get(x, x) for x in inputs])
            if ops is None or new.op in ops:
                new = replace(new, intern)
            if new is not e:
                made[e] = new
            if merged and e in merged:
                intern.note(new, merged[e])
        return self.with_others(made, intern)

    def remade(self, make: Callable[[Expr, Sequence[Expr], "Interning"], Expr]) -> "FrozenGraph":
        """The graph with `make(expression, new inputs, interning)` for every expression."""
        made: dict[Expr, Expr] = {}
        intern = Interning(self)
        for e in self.order:
            inputs: Sequence[Expr] = e.inputs
            if not made.keys().isdisjoint(inputs):
                inputs = [made.get(x, x) for x in inputs]
            new = make(e, inputs, intern)
            if new is not e:
                made[e] = new
            if e in self.merged:
                intern.note(new, self.merged[e])
        return self.with_others(made, intern)

    def with_others(self, made: Mapping[Expr, Expr], intern: "Interning") -> "FrozenGraph":
        """The graph with the expressions of an interning; `made` maps old ones to new ones."""
        if not made:
            self.keep_table(intern.table)
            return self
        graph = FrozenGraph(
            tuple([made.get(e, e) for e in self.inputs]),
            tuple([made.get(e, e) for e in self.outputs]),
            tuple([(made.get(v, v), made.get(new, new)) for v, new in self.updates]),
            tuple([made.get(e, e) for e in self.measured]),
            intern.merged, lowering=self.lowering, paired=self.paired, labels=self.labels,
        )  # fmt: skip
        graph = graph.arranged(intern)
        graph.keep_table(intern.table)
        return graph

    def arranged(self, intern: "Interning") -> "FrozenGraph":
        """The graph in the order of an interning, without what is not needed."""
        needed = {*self.inputs, *self.results, *self.measured}
        sequence = []
        for e in reversed(intern.order):
            if e in needed:
                needed.update(e.inputs)
                sequence.append(e)
        return replaced(self, sequence=tuple(sequence[::-1]))

    def keep_table(self, table: Table | None) -> None:
        """Keep the table of an interning that has all expressions, for the next pass."""
        if table is not None:
            self.__dict__["table"] = table

    def take_table(self) -> Table:
        """The table of an interning with all expressions, which this graph then no longer has."""
        kept: Table | None = self.__dict__.pop("table", None)
        return {key_of(e, e.inputs): e for e in self.order} if kept is None else kept

    def drop_table(self) -> None:
        """Drop the table that passes share, when the last of them has run."""
        self.__dict__.pop("table", None)

    def __call__(self, *operands: Operand) -> tuple[Any, ...]:
        """The outputs for operands of any kind: arrays, tensors, expressions."""
        require_all(self.inputs, len(operands))
        return replay_inner(self, operands)

    def __repr__(self) -> str:
        return f"<graph of {len(self)} expressions, {self.digest[:16]}>"

    def __copy__(self) -> "FrozenGraph":
        return self

    def __deepcopy__(self, memo: object) -> "FrozenGraph":
        return self


def require_frozen(call: str, graph: object) -> FrozenGraph:
    """The frozen graph; raises GraphError for anything else, such as an expression."""
    if not isinstance(graph, FrozenGraph):
        raise GraphError(
            f"{call} takes a frozen graph, not {graph!r}\n  hint: freeze(fetches, feeds) gives one;"
            " with values=session.snapshot() its variables are constants"
        )
    return graph


def has_graphs(e: Expr) -> bool:
    """True if there may be graphs among an expression's attributes."""
    return e.op is not None and CONTROL in e.op.traits


def graphs_in(e: Expr) -> Iterator[FrozenGraph]:
    """The graphs among an expression's attributes: of a loop's body, of branches."""
    return (graph for _, graph in named_graphs(e))


def named_graphs(e: Expr) -> Iterator[tuple[str, FrozenGraph]]:
    """The graphs among an expression's attributes, each with the attribute's name."""
    if has_graphs(e):
        for name, value in e.attrs.items():
            for each in value if type(value) is tuple else (value,):
                if isinstance(each, FrozenGraph):
                    yield name, each


def inner_graphs(graph: FrozenGraph) -> dict[FrozenGraph, str]:
    """The graphs inside a graph, the innermost first, with unique names."""
    result: dict[FrozenGraph, str] = {}
    taken: set[str] = set()
    stack = inner_of(graph)
    while stack:
        each, name, is_done = stack.pop()
        if each in result:
            continue
        if not is_done:
            stack.append((each, name, True))
            stack += inner_of(each)
            continue
        result[each] = unique_name(name, taken)
    return result


def inner_of(graph: FrozenGraph) -> list[tuple[FrozenGraph, str, bool]]:
    """The graphs directly inside a graph, the last first, with the names of attributes."""
    result = [pair for e in graph.holders for pair in named_graphs(e)]
    return [(inner, name, False) for name, inner in reversed(result)]


def all_expressions(graph: FrozenGraph) -> Iterator[Expr]:
    """The expressions of a graph and of all graphs inside it."""
    yield from graph.order
    for inner in inner_graphs(graph):
        yield from inner.order


def meets_singularities(graph: FrozenGraph) -> bool:
    """True if a gradient in the graph may divide by zero, of which nobody needs a warning."""
    gradients = (e for e in all_expressions(graph) if e.origin is not None)
    return any(e.op and Trait.SINGULAR in e.op.traits for e in gradients)


def replay(graph: FrozenGraph, operands: Sequence[Operand]) -> tuple[Operand, ...]:
    """The results of a graph's ops applied to `operands`, one per input.

    Arrays are computed with, tensors recorded, expressions built on, `Dual`s differentiated. Sizes
    in attributes are those of the operands. Raises FeedError for an operand that is not of its
    input's type, and for operands that do not agree on sizes.

    >>> graph = sg.trace(lambda x: sg.tanh(x) * 2, [sg.ArrayType(("n",), "float64")])
    >>> sg.replay(graph, [sg.placeholder("float64", ["rows"])])
    (<mul mul: float64[rows]>,)
    >>> y, t = gradops.jvp(lambda x: sg.replay(graph, [x])[0], [np.zeros(2)], [np.ones(2)])
    >>> t
    array([2., 2.])
    """
    operands = sequence(operands)
    require_all(require_frozen("replay", graph).inputs, len(operands))
    result = {e: operand_for(e, a) for e, a in zip(graph.inputs, operands, strict=True)}
    sizes = bind_sizes(graph.inputs, [type_of(a).shape for a in result.values()])
    names = names_among(operands)
    values = {e: leaf_value(names, e, a) for e, a in result.items()}
    add_values(graph, values, sizes, partial(apply_op, names))
    return tuple(values[e] for e in graph.results)
