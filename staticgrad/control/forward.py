"""Forward mode of loops, branches and calls: their graphs also compute tangents."""

from collections.abc import Mapping, Sequence
from typing import Any

from gradops.typing import Attrs

from ..freezing.freezer import freeze_body
from ..ir.expr import Expr, as_exprs, parts_of
from ..ir.graph import FrozenGraph
from ..ir.tuple_types import Parts
from ..transform.forward import push_forward
from .partial_eval import Scratch, active_state
from .reverse import extend
from .stacks import zeros_like

Tangents = Mapping[int, Expr]


class TangentGraph:
    """A graph extended with tangents of its outputs, given tangents of the inputs `active`.

    `graph()` takes the inputs, then the tangents; it returns the outputs, then the tangents of
    those outputs that are numbered `with_tangent`.
    """

    def __init__(
        self, graph: FrozenGraph, active: Sequence[int], always: Sequence[int] = ()
    ) -> None:
        s = Scratch()
        inputs = s.parameters(graph.inputs)
        tangents = s.parameters([inputs[i] for i in active], "t/")
        outputs = s.thaw(graph, inputs)
        result: dict[Expr, Expr] = {}
        if active:
            seeds = dict(zip([inputs[i] for i in active], tangents, strict=True))
            result = {e: t for e, t in push_forward(seeds, outputs).items() if t is not None}
        self.with_tangent = [k for k, y in enumerate(outputs) if y in result or k in always]
        ends = [outputs[k] for k in self.with_tangent]
        self.inputs, self.tangents, self.outputs = inputs, tangents, outputs
        self.results = [s.expression(result[y] if y in result else zeros_like(y)) for y in ends]

    def graph(self) -> FrozenGraph:
        """The graph of values and tangents."""
        return freeze_body([*self.outputs, *self.results], [*self.inputs, *self.tangents])


def loop_jvp(tangents: Tangents, y: Expr, *operands: Expr, **attrs: Any) -> Parts | None:
    """The tangents of a loop's results, from a loop that carries values and tangents."""
    carries, gives = attrs["carries"], attrs["gives"]
    end = carries + attrs["lists"]
    state = active_state(attrs["body"], tangents, carries)
    steps = [i for i in tangents if carries <= i < end]
    shared = [i for i in tangents if i >= end]
    m = TangentGraph(attrs["body"], [*state, *steps, *shared], always=state)
    n, extra = len(state), [i for i in m.with_tangent if i >= carries]
    start = [tangents[i] if i in tangents else zeros_like(operands[i]) for i in state]
    parts = extended_parts(
        y, "loop",
        [*operands[:carries], *start, *operands[carries:end], *(tangents[i] for i in steps),
         *operands[end:], *(tangents[i] for i in shared)],
        {**attrs, **loop_graphs(m, state, len(steps), attrs), "carries": carries + n,
         "lists": attrs["lists"] + len(steps), "gives": gives + len(extra)},
        [*range(carries), *range(carries + n, carries + n + gives)],
    )  # fmt: skip
    total = {i: parts[carries + j] for j, i in enumerate(state)}
    total |= {i: parts[carries + n + gives + j] for j, i in enumerate(extra)}
    return Parts(total) if total else None


def loop_graphs(
    m: TangentGraph, state: list[int], k: int, attrs: Attrs
) -> dict[str, FrozenGraph | None]:
    """The body and condition of a loop that also carries tangents of `state`, and has `k` lists."""
    cond, carries, n = attrs["cond"], attrs["carries"], len(state)
    end, results = carries + attrs["lists"], dict(zip(m.with_tangent, m.results, strict=True))
    start, steps, shared = m.tangents[:n], m.tangents[n : n + k], m.tangents[n + k :]
    body = freeze_body(
        [*m.outputs[:carries], *(results[i] for i in state), *m.outputs[carries:],
         *(results[i] for i in m.with_tangent if i >= carries)],
        [*m.inputs[:carries], *start, *m.inputs[carries:end], *steps, *m.inputs[end:], *shared],
    )  # fmt: skip
    if cond is not None:
        cond = with_unused_inputs(cond, carries, start, shared)
    return {"body": body, "cond": cond}


def with_unused_inputs(
    graph: FrozenGraph, after: int, some: Sequence[Expr], rest: Sequence[Expr]
) -> FrozenGraph:
    """The graph with unused inputs added: `some` after the first ones, `rest` at the end."""
    s = Scratch()
    inputs = s.parameters(graph.inputs)
    outputs = s.thaw(graph, inputs)
    return freeze_body(
        outputs, [*inputs[:after], *s.parameters(some), *inputs[after:], *s.parameters(rest)]
    )


def case_jvp(tangents: Tangents, y: Expr, *operands: Expr, **attrs: Any) -> Parts | None:
    """The tangents of a branch's results, from branches that compute values and tangents."""
    active = sorted(i - 1 for i in tangents if i)
    made = [TangentGraph(b, active) for b in attrs["branches"]]
    always = sorted({k for m in made for k in m.with_tangent})
    if not always:
        return None
    pairs = zip(made, attrs["branches"], strict=True)
    whole = [m if m.with_tangent == always else TangentGraph(b, active, always) for m, b in pairs]
    branches = tuple([m.graph() for m in whole])
    operands = (*operands, *(tangents[i + 1] for i in active))
    return trailing_tangents(extended_parts(y, "case", operands, {"branches": branches}), always)


def call_jvp(tangents: Tangents, y: Expr, *operands: Expr, **attrs: Any) -> Parts | None:
    """The tangents of a function's results; the graph of tangents is cached with its graph."""
    graph, active = attrs["function"], tuple(sorted(tangents))
    m = graph.derived.get(("forward", active))
    if m is None:
        made = TangentGraph(graph, active)
        m = graph.derived.setdefault(("forward", active), (made.graph(), tuple(made.with_tangent)))
    if not m[1]:
        return None
    operands = (*operands, *(tangents[i] for i in active))
    return trailing_tangents(extended_parts(y, "call", operands, {"function": m[0]}), m[1])


def extended_parts(
    y: Expr, name: str, operands: Sequence[Expr], attrs: Attrs, places: Sequence[int] = ()
) -> Sequence[Expr]:
    """The parts of an extended form of `y`, which also returns tangents."""
    assert y.names is not None
    result: Sequence[Expr] = parts_of(extend(y, name, as_exprs(y.names, operands), attrs, places))
    return result


def trailing_tangents(parts: Sequence[Expr], with_tangent: Sequence[int]) -> Parts:
    """The tangents, which are the last of the parts."""
    n = len(parts) - len(with_tangent)
    return Parts({k: parts[n + j] for j, k in enumerate(with_tangent)})
