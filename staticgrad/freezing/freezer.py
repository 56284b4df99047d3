"""Freezing: from the graph a program builds to the graph that is compiled.

`freeze` collects what the fetches need, checks the feeds, adds expressions that determine sizes in
use, and turns assignments into data flow (`state.py`). `freeze_body` freezes the body of a loop, a
branch or a function.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gradops import ArrayType, FeedError, FetchError, type_of
from gradops.core.source_location import describe

from ..build.collector import collector_paused
from ..build.suggest import nearest
from ..ir.derivatives import inner_labels, output_labels
from ..ir.errors import foreign, made_lines, refuse_inner
from ..ir.expr import Expr, Kind, sequence
from ..ir.graph import FrozenGraph
from ..ir.reachability import by_age, forward_dependencies, reachable
from .size_sources import add_size_sources
from .state import StateResolver

FEW = 8  # names up to which an error lists all


class Snapshot(Protocol):
    """The values of a session's variables, as `Session.snapshot` gives them."""

    values: Mapping[Expr, np.ndarray]


VariableValues = Mapping[Any, object] | Snapshot | None
"""The values with which variables become constants, by variable or by name."""


def freeze(
    fetches: Expr | Sequence[Expr], feeds: Expr | Sequence[Expr] = (), values: VariableValues = None
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
    refuse_unfit(fetches, feeds)
    return freeze_checked(fetches, feeds, values)


@collector_paused()
def freeze_checked(
    fetches: Sequence[Expr], feeds: Sequence[Expr], values: VariableValues
) -> FrozenGraph:
    """The graph that computes fetches from feeds, which are of one graph, and fit."""
    needed = reachable(fetches, feeds, forward_dependencies)
    measured = add_size_sources(needed, feeds, forward_dependencies)
    refuse_missing(needed, feeds)
    mark_frozen([*fetches, *feeds])
    state = StateResolver(feeds, needed, values=variable_values(needed, values))
    valued = [e for e in fetches if e.kind is not Kind.GROUP]
    graph = FrozenGraph(
        tuple(state.frozen[e] for e in feeds) + tuple(state.variables.values()),
        tuple(map(state.final_value, valued)),
        tuple(
            (state.variables[v], state.final_value(v))
            for v in state.assignments
            if v in state.variables
        ),
        (*(state.frozen[e] for e in measured), *state.effects()),
        state.intern.merged,
        labels=output_labels(valued),
        derivatives=inner_labels(state.frozen, fetches[0].graph if fetches else None),
    )
    graph = graph.arranged(state.intern)
    graph.keep_table(state.intern.table)  # for the passes
    return graph


def freeze_body(
    outputs: Sequence[Expr], parameters: Sequence[Expr], effects: Sequence[Expr] = (),
    state: Sequence[Expr] = (), measured: Sequence[Expr] = (),
) -> FrozenGraph:  # fmt: skip
    """The graph of the body of a loop, a branch or a function.

    It computes `outputs`, and after them the values that the variables `state`, which are among the
    `parameters`, have after the `effects`. `measured` is computed, too, as derivatives of the body
    may need the sizes.
    """
    measured = list(measured)
    needed = reachable([*outputs, *effects, *measured], stop=parameters)
    measured += add_size_sources(needed, parameters)
    result = StateResolver(parameters, needed, inner=True)
    graph = FrozenGraph(
        tuple(result.frozen[e] for e in parameters),
        tuple([result.final_value(e) for e in (*outputs, *state)]),
        measured=tuple([result.frozen[e] for e in measured]),
        merged=result.intern.merged,
    )
    return graph.arranged(result.intern)


def mark_frozen(expressions: Iterable[Expr]) -> None:
    """Note in their graph that expressions are fetched or fed, so that their shapes are final."""
    for e in expressions:
        if (graph := e.graph) is not None:
            graph.frozen.add(e)


def variable_values(needed: Iterable[Expr], values: VariableValues) -> dict[Expr, np.ndarray]:
    """The values of variables that become constants."""
    by_key: Mapping[Any, object] = getattr(values, "values", {})
    if isinstance(values, Mapping):
        by_key = values
    result: dict[Expr, np.ndarray] = {}
    require_variables(needed, by_key)
    for v in needed:
        for key in (v, v.name) if v.kind is Kind.VARIABLE else ():
            if key in by_key:
                result[v] = constant_value(v, by_key[key])
    return result


def require_variables(needed: Iterable[Expr], keys: Iterable[object]) -> None:
    """Raise FeedError for a key that is not a variable of the graph, nor the name of one."""
    graph = next((e.names.graph() for e in needed if e.names is not None), None)
    members = {} if graph is None else graph.members
    for key in keys:
        result = members.get(key) if isinstance(key, str) else key
        if not isinstance(result, Expr) or result.kind is not Kind.VARIABLE:
            names = [e.name for e in members.values() if e.kind is Kind.VARIABLE]
            raise FeedError(f"no variable is called {key!r}{nearest(str(key), names)}")


def constant_value(v: Expr, value: object) -> np.ndarray:
    """A value of a variable as a constant of its type."""
    array = np.array(value, v.dtype if not hasattr(value, "dtype") else None)
    if type_of(array) != v.type:
        raise FeedError(f"{v.label} is given {type_of(array)} to be frozen with")
    array.flags.writeable = False
    return array


def require_one_graph(expressions: Iterable[Expr]) -> None:
    """Refuse what is not an expression, and expressions of different graphs."""
    first: Expr | None = None
    for e in expressions:
        if not isinstance(e, Expr):
            raise FetchError(f"{e!r} is not an expression")
        if first is not None and e.names is not first.names:
            raise foreign("freeze", first, e)
        first = e


def refuse_unfit(fetches: Iterable[Expr], feeds: Iterable[Expr]) -> None:
    """Refuse to fetch several values at once, and to feed an expression of a body."""
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
        raise FeedError(
            f"no value is fed for {len(missing)} placeholder{'s' * (len(missing) > 1)}:\n"
            f"{made_lines(sorted(missing, key=by_age))}\n  hint: run takes values by placeholder:"
            " session.run(y, {x: value}); compile and freeze take the placeholders: compile(y, [x])"
        )


def unknown_feed(name: str, names: Iterable[str]) -> FeedError:
    """The error for a feed under a name that nothing has."""
    listed = list(dict.fromkeys(names))
    known = f"\n  hint: the inputs are {', '.join(listed)}" if 0 < len(listed) <= FEW else ""
    return FeedError(f"nothing is called {name!r} to be fed{nearest(name, listed) or known}")
