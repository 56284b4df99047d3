"""The functions that users give to loops and branches: called once, and closed into graphs.

Note [Bodies]. A function is called with parameters in the graph that is being built. What it builds
there is its body; what it reads from before it was called, constants and variables included, is
captured: it becomes an operand of the loop or branch, so it can be differentiated by, and fed. Only
what is written inside is inside. A variable that it assigns is part of the loop's state, or of what
the branch gives, and is assigned again outside, so the order of assignments holds.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradops import flatten
from gradops.core.levels import own_errors
from gradops.core.source_location import describe, here

from ..build.inputs import EFFECTS, as_expression, assign
from ..freezing.freezer import freeze_body
from ..freezing.size_sources import size_source
from ..ir.errors import foreign
from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.names import AFTER, ENCLOSURE, Enclosure, Names, held_at
from ..ir.reachability import is_before
from ..ir.sizes import sizes_determined_by, sizes_undetermined

LEAVES = frozenset({Kind.PLACEHOLDER, Kind.VARIABLE, Kind.TOKEN, Kind.PARAMETER})


@dataclass
class Body:
    """What one call of a user's function built: its results, their form, and its effects."""

    parameters: list[Expr]
    leaves: list[Any]
    rebuild: Callable[[Iterable[Any]], Any]
    effects: list[Expr]
    start: int
    outputs: list[Expr] = field(default_factory=list)
    captured: dict[Expr, None] = field(default_factory=dict)

    @property
    def assigned(self) -> list[Expr]:
        """The variables that the function assigns."""
        return list(dict.fromkeys(e.inputs[0] for e in self.effects))

    @property
    def ends(self) -> list[Expr]:
        """All that the body has to compute."""
        return [*self.outputs, *self.effects]


def traced(
    fn: Callable[..., Any],
    parameters: list[Expr],
    start: int,
    form: Callable[[list[Expr]], Sequence[Any]],
    what: str,
) -> Body:
    """The body of `fn`, which is `what`, called with `parameters` that `form` arranges."""
    effects: list[Expr] = []
    body = Enclosure(what)
    for p in parameters:
        p.graph.inside[p] = body
    try:
        with (
            held_at(EFFECTS, effects), held_at(AFTER, ()), held_at(ENCLOSURE, body), own_errors()
        ):  # fmt: skip
            given = fn(*form(parameters))
    except Exception as error:
        error.add_note(f"  in the {what}, called at {describe(here())} while the graph was built")
        raise
    finally:
        body.is_open = False
    if given is None or (isinstance(given, Expr) and given.kind is Kind.GROUP):
        given = ()
    leaves, rebuild = flatten(given)
    return Body(parameters, leaves, rebuild, effects, start)


def as_result(names: Names, x: Any, like: Expr | None = None) -> Expr:
    """What a function returned, as an expression; a number has the dtype of `like`."""
    e = x if isinstance(x, Expr) else as_expression(x, names, like)
    if e.names is not names:
        raise foreign("a loop or branch", e if like is None else like, e)
    return e


def region(body: Body) -> dict[Expr, None]:
    """What of a body is computed inside; what it reads from outside is put in `captured`."""
    own = set(body.parameters)
    inside: dict[Expr, None] = {}
    stack = list(body.ends)
    while stack:
        e = stack.pop()
        if e in inside or e in own or e in body.captured:
            continue
        if e.kind in LEAVES or is_before(e, body.start):
            body.captured[e] = None
            continue
        inside[e] = None
        stack += (*e.inputs, *e.control_inputs)
    return inside


def captures_of(bodies: Sequence[Body]) -> list[Expr]:
    """What bodies read from outside, in the order in which it was built."""
    for body in bodies:
        inside, known = region(body), set[str]()
        while missing := unknown_sizes(body, inside) - known:
            size = min(missing)
            known.add(size)
            if (source := size_source(size, body.ends)) is not None:
                body.captured[source] = None
    found = {e for body in bodies for e in body.captured}
    return sorted(found, key=lambda e: e.number)


def unknown_sizes(body: Body, inside: Iterable[Expr]) -> set[str]:
    """The sizes in a body that nothing in it tells. Gradients may use what itself does not."""
    ends = [*body.parameters, *body.captured]
    return sizes_undetermined([*inside, *ends], sizes_determined_by(ends))


def closed(
    body: Body, parameters: Sequence[Expr], state: Sequence[Expr], insert: int | None = None
) -> FrozenGraph:
    """The graph of a body, which takes `parameters`: its own, and captures.

    It gives its results, and the values that the variables `state`, which are among the captures,
    have in the end: after the results, or after the first `insert` of them.
    """
    graph = freeze_body(body.outputs, parameters, body.effects, state)
    if insert is None or not state:
        return graph
    n = len(body.outputs)
    results, ends = graph.outputs[:n], graph.outputs[n:]
    outputs = (*results[:insert], *ends, *results[insert:])
    return FrozenGraph(graph.inputs, outputs, merged=graph.merged)


def state_of(bodies: Sequence[Body]) -> list[Expr]:
    """The variables that bodies assign."""
    return list(dict.fromkeys(v for body in bodies for v in body.assigned))


def reassigned(state: Sequence[Expr], values: Sequence[Expr]) -> list[Expr]:
    """Give the variables outside the values that they have when the loop or branch is over."""
    return [assign(v, value, "assign") for v, value in zip(state, values, strict=True)]


def bring_about(outputs: Sequence[Expr], effects: Sequence[Expr]) -> list[Expr]:
    """The outputs, which when they are computed bring the effects about."""
    for e in outputs:
        e.control_inputs = (*e.control_inputs, *effects)
    return list(outputs)
