"""Tracing the functions that users give to loops and branches into graphs.

Note [Bodies]. A function is called once, with parameters in the graph that is being built. The
expressions that it builds are its body. Earlier expressions that it reads, constants and variables
included, are captured: they become operands of the loop or branch, so they can be fed, and there
are derivatives by them. A variable that it assigns is part of the loop's state, or of the branch's
results, and is assigned again outside, which keeps the order of assignments.
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
from ..ir.names import AFTER, ENCLOSURE, Enclosure, Names, set_context
from ..ir.reachability import is_before
from ..ir.sizes import sizes_determined_by, sizes_undetermined

LEAVES = frozenset({Kind.PLACEHOLDER, Kind.VARIABLE, Kind.TOKEN, Kind.PARAMETER})


@dataclass
class Body:
    """The trace of a function: its results, their structure, its effects and captures."""

    parameters: list[Expr]
    leaves: list[object]
    rebuild: Callable[[Iterable[object]], Any]
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
        """The results and effects: all that the body has to compute."""
        return [*self.outputs, *self.effects]


def trace_body(
    fn: Callable[..., Any], parameters: list[Expr], start: int,
    form: Callable[[list[Expr]], Iterable[object]], what: str,
) -> Body:  # fmt: skip
    """Call `fn` with `parameters` as `form` arranges them; errors call it `what`."""
    effects: list[Expr] = []
    body = Enclosure(what)
    for p in parameters:
        p.graph.inside[p] = body
    try:
        with (
            set_context(EFFECTS, effects),
            set_context(AFTER, ()),
            set_context(ENCLOSURE, body),
            own_errors(),
        ):
            result = fn(*form(parameters))
    except Exception as error:
        error.add_note(f"  in the {what}, called at {describe(here())} while the graph was built")
        raise
    finally:
        body.is_open = False
    if result is None or (isinstance(result, Expr) and result.kind is Kind.GROUP):
        result = ()
    leaves, rebuild = flatten(result)
    return Body(parameters, leaves, rebuild, effects, start)


def as_result(names: Names, x: object, like: Expr | None = None) -> Expr:
    """The result of a function as an expression; a number takes the dtype of `like`."""
    e = x if isinstance(x, Expr) else as_expression(x, names, like)
    if e.names is not names:
        raise foreign("a loop or branch", e if like is None else like, e)
    return e


def region(body: Body) -> dict[Expr, None]:
    """The expressions that a body computes; those it reads from outside go to `captured`."""
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
    """The expressions that bodies capture, in the order in which they were built."""
    for body in bodies:
        inside, known = region(body), set[str]()
        while missing := unknown_sizes(body, inside) - known:
            size = min(missing)
            known.add(size)
            if (source := size_source(size, body.ends)) is not None:
                body.captured[source] = None
    result = {e for body in bodies for e in body.captured}
    return sorted(result, key=lambda e: e.number)


def unknown_sizes(body: Body, inside: Iterable[Expr]) -> set[str]:
    """The sizes that nothing in a body determines; a gradient may use more than the body."""
    ends = [*body.parameters, *body.captured]
    return sizes_undetermined([*inside, *ends], sizes_determined_by(ends))


def close_body(
    body: Body, parameters: Sequence[Expr], state: Sequence[Expr], insert: int | None = None
) -> FrozenGraph:
    """The frozen graph of a body, whose inputs are `parameters`: its own, and captures.

    Its outputs are the results and the final values of the variables `state`, which are among the
    captures: after the results, or after the first `insert` of them.
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


def assign_final_values(state: Sequence[Expr], values: Sequence[Expr]) -> list[Expr]:
    """Assign to variables the values that they have at the end of a loop or branch."""
    return [assign(v, value, "assign") for v, value in zip(state, values, strict=True)]


def depend_on(outputs: Sequence[Expr], effects: Sequence[Expr]) -> list[Expr]:
    """Make outputs depend on effects, so that computing an output runs the effects."""
    for e in outputs:
        e.control_inputs = (*e.control_inputs, *effects)
    return list(outputs)
